// Log cleaners at work under replication and mirroring: gaps travel with the batches, and nobody takes them
// for a loss.

#include <gtest/gtest.h>

#include "checker/checker.h"
#include "model/protocol_presets.h"
#include "sim/runner.h"
#include "sim/swarm.h"
#include "tests/sim/test_setups.h"

namespace mirrorproof::sim {
namespace {

using C = ActionClass;

const Log& log_of(const World& world, ClusterId cluster, BrokerId broker) {
  return world.clusters[cluster].brokers[broker].partitions[0].log;
}

Action compaction(ClusterId cluster, BrokerId broker, Offset base_offset) {
  return action_of(C::compact, cluster, broker, static_cast<int>(base_offset));
}

/// Two brokers a cluster. A/0 cleans offsets 1 and 2 of five before anybody has copied them.
sim::Setup cleaned_before_it_is_copied() {
  sim::Setup setup = two_clusters(2);
  setup.partitions[0].hosting[0].replicas = {0};
  setup.partitions[0].hosting[1].replicas = {0, 1};
  for (int i = 0; i < 5; ++i) {
    setup.steps.push_back(step_of(action_of(C::produce, 0, 0, 1)));
  }
  setup.steps.push_back(step_of(compaction(0, 0, 1)));
  setup.steps.push_back(step_of(compaction(0, 0, 2)));
  setup.steps.push_back(settle_step());
  setup.run.converge = true;
  return setup;
}

TEST(CompactionRun, GapsAreMirroredAndReplicated) {
  const sim::Setup setup = cleaned_before_it_is_copied();
  const RunResult result = run_seed(setup, 1);
  ASSERT_EQ(result.outcome.end, RunEnd::complete) << result.outcome.problem;
  for (const BrokerId broker : {BrokerId{0}, BrokerId{1}}) {
    const Log& log = log_of(result.world, 1, broker);
    EXPECT_EQ(log.batches().size(), 3U);
    EXPECT_EQ(log.log_end_offset(), 5);
    EXPECT_EQ(log.high_watermark(), 5);
    ASSERT_NE(log.batch_at_or_after(1), nullptr);
    EXPECT_EQ(log.batch_at_or_after(1)->base_offset, 3);
  }
  for (const checker::Violation& violation : checker::judge(result.trace).violations) {
    ADD_FAILURE() << violation.message;
  }
}

TEST(CompactionRun, EachReplicaCleansByItself) {
  sim::Setup setup = cleaned_before_it_is_copied();
  setup.steps.push_back(step_of(compaction(1, 1, 0)));
  const RunResult result = run_seed(setup, 1);
  ASSERT_EQ(result.outcome.end, RunEnd::complete) << result.outcome.problem;
  EXPECT_EQ(log_of(result.world, 1, 0).batches().size(), 3U);
  EXPECT_EQ(log_of(result.world, 1, 1).batches().size(), 2U);
  EXPECT_TRUE(checker::judge(result.trace).holds());
}

TEST(CompactionRun, AFollowerThatRefusesGapsNeverCatchesUp) {
  sim::Setup setup = cleaned_before_it_is_copied();
  setup.protocol.gaps_accepted = false;
  setup.steps.pop_back();  // it would never settle
  const checker::Judgement judgement = checker::judge(run_seed(setup, 1).trace);
  ASSERT_FALSE(judgement.holds());
  EXPECT_EQ(judgement.violations[0].invariant, checker::Invariant::convergence);
}

TEST(CompactionRun, IsOfferedForWhatTheCleanerMayTake) {
  sim::Setup setup = two_clusters(1);
  Simulator simulator(setup, nullptr);
  simulator.start();
  setup.faults.budgets[static_cast<std::size_t>(C::compact)] = -1;
  Actions offered;
  simulator.enumerate(C::compact, offered);
  EXPECT_TRUE(offered.empty());
  EXPECT_NE(simulator.why_not_enabled(compaction(0, 0, 0)), "");
  simulator.execute(action_of(C::produce, 0, 0, 1));
  EXPECT_NE(simulator.why_not_enabled(compaction(0, 0, 0)), "") << "nothing has overwritten it";
  simulator.execute(action_of(C::produce, 0, 0, 1));
  EXPECT_EQ(simulator.why_not_enabled(compaction(0, 0, 0)), "");
  simulator.execute(compaction(0, 0, 0));
  EXPECT_EQ(log_of(simulator.world(), 0, 0).batches().size(), 1U);
}

/// Whatever the cleaners do, the hardened protocol is accused of nothing.
TEST(CompactionRun, HardenedIsAccusedOfNothing) {
  SwarmOptions options;
  options.protocol = preset_options(Preset::hardened);
  options.limits[static_cast<std::size_t>(C::compact)] = {40, true};
  std::size_t cleanings = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    const sim::Setup setup = swarm_setup(options, seed);
    const RunResult result = run_seed(setup, seed);
    for (const Event& event : result.trace.events) {
      cleanings += std::holds_alternative<LogCleaned>(event.payload) ? 1 : 0;
    }
    const checker::Judgement judgement = checker::judge(result.trace);
    ASSERT_TRUE(judgement.holds()) << "seed " << seed << ": " << judgement.violations[0].message;
  }
  EXPECT_GT(cleanings, 1000U);
}

}  // namespace
}  // namespace mirrorproof::sim
