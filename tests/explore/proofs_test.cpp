// The proofs of scenarios/proofs/ that are quick: their searches are complete and have exactly the size that
// docs/explore.md states. And wrong variants of the protocol in the same worlds: found, by the shortest way.

#include <gtest/gtest.h>

#include "explore/explore.h"
#include "reports/explore_report.h"
#include "reports/protocol_override.h"

namespace mirrorproof::explore {
namespace {

scenarios::Scenario proof(const std::string& name) {
  scenarios::LoadResult loaded =
      scenarios::load_scenario_file(MIRRORPROOF_SOURCE_DIR "/scenarios/proofs/" + name + ".json");
  for (const scenarios::Problem& problem : loaded.problems) {
    ADD_FAILURE() << scenarios::format_problem(problem);
  }
  return loaded.scenario.value_or(scenarios::Scenario{});
}

ExploreResult search_proof(const scenarios::Scenario& scenario) {
  EXPECT_EQ(refusals(scenario), std::vector<std::string>{});
  ExploreOptions options;
  options.jobs = 2;
  const std::atomic<bool> stop{false};
  return explore(scenario, options, {}, stop);
}

struct Proof {
  const char* name;
  std::uint64_t states;
  std::uint64_t transitions;
  int depth;
};

const Proof kProofs[] = {
    {"failover-failback", 6155, 15516, 17},
    {"failover-failback-two-replicas", 13595, 55708, 19},
    {"downgrade-upgrade", 3034, 5500, 15},
    {"failback-after-ule", 981, 3223, 16},
    {"failback-after-ule-with-a-crash", 38862, 147405, 23},
    {"ule-truncate-on-fetch", 32712, 101058, 22},
    {"ule-old-source", 87949, 284118, 30},
};

TEST(Proofs, AreCompleteAndAsLargeAsStated) {
  for (const Proof& expected : kProofs) {
    const ExploreResult result = search_proof(proof(expected.name));
    EXPECT_EQ(result.end, ExploreEnd::complete) << expected.name;
    EXPECT_EQ(result.states, expected.states) << expected.name;
    EXPECT_EQ(result.transitions, expected.transitions) << expected.name;
    EXPECT_EQ(result.depth, expected.depth) << expected.name;
  }
}

struct WrongVariant {
  const char* proof;
  const char* setting;
  const char* invariant;
  const char* kind;
  int moves;
};

const WrongVariant kWrongInProofs[] = {
    {"failover-failback", "alignment=none", "alignment-exactness", "kept-foreign-record", 3},
    {"failover-failback", "alignment=epoch_only", "alignment-exactness", "kept-foreign-record", 5},
    {"failover-failback", "alignment=as_posted", "alignment-exactness", "removed-shared-record", 5},
    {"failover-failback", "alignment=epoch_and_offset_inclusive", "alignment-exactness",
     "kept-foreign-record", 5},
    {"failover-failback", "epoch_bump=none", "epoch-identity", "two-records-one-name", 2},
    {"failover-failback", "mirror_epochs=rewrite", "truncation-provenance", "not-killed", 7},
};

TEST(Proofs, FailForWrongVariantsByTheShortestWay) {
  for (const WrongVariant& wrong : kWrongInProofs) {
    scenarios::Scenario scenario = proof(wrong.proof);
    reports::ProtocolOverride override;
    override.settings = {wrong.setting};
    ASSERT_TRUE(reports::apply(override, scenario.setup.protocol).empty()) << wrong.setting;
    const ExploreResult result = search_proof(scenario);
    ASSERT_EQ(result.end, ExploreEnd::violation) << wrong.setting;
    EXPECT_EQ(result.depth, wrong.moves) << wrong.setting;
    EXPECT_EQ(to_string(result.violations.front().invariant), wrong.invariant) << wrong.setting;
    EXPECT_EQ(result.violations.front().kind, wrong.kind) << wrong.setting;
    // Shown again by a script, or this would not return.
    EXPECT_TRUE(reports::make_explore_report(scenario, result).run.shown.as_expected) << wrong.setting;
  }
}

}  // namespace
}  // namespace mirrorproof::explore
