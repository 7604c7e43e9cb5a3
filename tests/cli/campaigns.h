#pragma once
// What several tests of campaigns use.

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/program.h"

namespace mirrorproof::cli_tests {

/// Fails in every seed: the script alone breaks an invariant.
inline std::string failing_scenario_path() {
  return scenario_path("reverse-mirroring-epoch-only.json");
}

/// The summary of a campaign without what depends on the clock and the folder.
inline nlohmann::json timeless(nlohmann::json summary) {
  for (const char* field : {"seconds", "seeds_per_second", "actions_per_second", "out"}) {
    summary.erase(field);
  }
  for (nlohmann::json& failure : summary["failures"]) {
    failure.erase("replay");
  }
  return summary;
}

}  // namespace mirrorproof::cli_tests
