#pragma once
// The scenarios of scenarios/proofs/, searched, and what is expected of searches.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "explore/explore.h"
#include "reports/protocol_override.h"

namespace mirrorproof::explore {

inline scenarios::Scenario proof(const std::string& name) {
  scenarios::LoadResult loaded =
      scenarios::load_scenario_file(MIRRORPROOF_SOURCE_DIR "/scenarios/proofs/" + name + ".json");
  for (const scenarios::Problem& problem : loaded.problems) {
    ADD_FAILURE() << scenarios::format_problem(problem);
  }
  return loaded.scenario.value_or(scenarios::Scenario{});
}

inline ExploreResult search_with_two_threads(const scenarios::Scenario& scenario) {
  EXPECT_EQ(refusals(scenario), std::vector<std::string>{});
  ExploreOptions options;
  options.jobs = 2;
  const std::atomic<bool> stop{false};
  return explore(scenario, options, {}, stop);
}

struct SearchSize {
  std::uint64_t states;
  std::uint64_t transitions;
  int depth;
};

/// The whole world was searched, and is as large as this.
inline void expect_size(const scenarios::Scenario& scenario, const SearchSize& expected,
                        const std::string& name) {
  const ExploreResult result = search_with_two_threads(scenario);
  EXPECT_EQ(result.end, ExploreEnd::complete) << name;
  EXPECT_EQ(result.states, expected.states) << name;
  EXPECT_EQ(result.transitions, expected.transitions) << name;
  EXPECT_EQ(result.depth, expected.depth) << name;
}

/// A wrong variant ("alignment=none"), and the shortest way to see it.
struct WrongSetting {
  const char* setting;
  const char* invariant;
  const char* kind;
  int moves;
};

inline void apply(const WrongSetting& wrong, scenarios::Scenario& scenario) {
  reports::ProtocolOverride override;
  override.settings = {wrong.setting};
  ASSERT_TRUE(reports::apply(override, scenario.setup.protocol).empty()) << wrong.setting;
}

inline void expect_refuted(const ExploreResult& result, const WrongSetting& wrong) {
  ASSERT_EQ(result.end, ExploreEnd::violation) << wrong.setting;
  EXPECT_EQ(result.depth, wrong.moves) << wrong.setting;
  EXPECT_EQ(to_string(result.violations.front().invariant), wrong.invariant) << wrong.setting;
  EXPECT_EQ(result.violations.front().kind, wrong.kind) << wrong.setting;
}

}  // namespace mirrorproof::explore
