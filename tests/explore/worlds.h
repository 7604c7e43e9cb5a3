#pragma once
// Small worlds to search.

#include <string>

#include "scenarios/scenario.h"

namespace mirrorproof::explore {

/// A, with `source` brokers, is mirrored by B, with `destination` brokers; at rest before the search begins.
/// `rest` are further fields of the scenario, such as ", \"protocol\": \"as_proposed\"".
inline scenarios::Scenario small_world(int source, int destination, const std::string& bounds,
                                       const std::string& rest = R"(, "protocol": "hardened")",
                                       const std::string& version = "4.3") {
  const std::string text = R"({"name": "small", "clusters": [{"name": "A", "brokers": )" +
                           std::to_string(source) + R"(, "version": ")" + version +
                           R"("}, {"name": "B", "brokers": )" + std::to_string(destination) +
                           R"(}], "topics": [{"name": "orders"}],
       "mirrors": [{"source": "A", "destination": "B"}],
       "faults": {"budgets": {"change_version": 0}},
       "steps": [{"do": "settle"}], "bounds": )" +
                           bounds + rest + "}";
  scenarios::LoadResult loaded = scenarios::load_scenario(text, "small");
  for (const scenarios::Problem& problem : loaded.problems) {
    ADD_FAILURE() << scenarios::format_problem(problem);
  }
  return loaded.scenario.value_or(scenarios::Scenario{});
}

}  // namespace mirrorproof::explore
