#pragma once
// What the seeds of a campaign reached, as a person or a program reads it.

#include <string>

#include "reports/judgement_report.h"
#include "reports/reachability.h"
#include "reports/style.h"

namespace mirrorproof::reports {

/// One line a group: how many of its points were reached, and the names of those never reached.
std::string reachability_text(const Reachability& reachability, const Style& style);

/// {"mirror_state": {"reached": {"MIRRORING": {"seeds": 12, "first_seed": 1}, ...}, "never": [...]}, ...};
/// transitions have "forbidden" too.
Json reachability_json(const Reachability& reachability);

/// A page: the table of mirror state transitions, then every group with what was reached in how many seeds.
/// `command` is what made it; `seeds` how many were run.
std::string reachability_markdown(const Reachability& reachability, const std::string& command,
                                  std::uint64_t seeds);

}  // namespace mirrorproof::reports
