#pragma once
// Goals of a campaign: points that its seeds must have reached between them (reachability-goals.schema.json,
// docs/fuzz.md). A test suite that no longer reaches a state is no longer a test of it.

#include <string>
#include <string_view>
#include <vector>

#include "reports/reachability.h"
#include "scenarios/scenario.h"

namespace mirrorproof::reports {

/// Points that must be reached, in the order of reach_points().
using ReachGoals = std::vector<std::size_t>;

struct ReachGoalsResult {
  ReachGoals goals;
  std::vector<scenarios::Problem> problems;  ///< with any, `goals` means nothing
};

/// Never throws, whatever the text.
ReachGoalsResult read_reach_goals(std::string_view text, std::string_view file_name);
ReachGoalsResult read_reach_goals_file(const std::string& path);

/// The full names of those that were not reached.
std::vector<std::string> goals_not_met(const ReachGoals& goals, const Reachability& reachability);

}  // namespace mirrorproof::reports
