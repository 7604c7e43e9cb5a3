// The strategies that draw: what they may take, that a run is its choices, and that each finds what it is
// for.

#include "sim/strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "checker/checker.h"
#include "checker/trace_digest.h"
#include "sim/runner.h"
#include "sim/swarm.h"

namespace mirrorproof::sim {
namespace {

std::uint64_t digest_of(const Trace& trace) {
  checker::TraceDigest digest;
  digest.add(trace.header);
  for (const Event& event : trace.events) {
    digest.add(event);
  }
  return digest.value();
}

Setup drawn_setup(Strategy strategy, std::uint64_t seed) {
  SwarmOptions options;
  options.actions = {50, 200};
  sim::Setup setup = swarm_setup(options, seed);
  setup.run.strategy = strategy;
  return setup;
}

class DrawingStrategies : public testing::TestWithParam<Strategy> {};

TEST_P(DrawingStrategies, GoOnAndReplayFromTheirChoices) {
  std::uint32_t actions = 0;
  std::uint32_t wanted = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const sim::Setup setup = drawn_setup(GetParam(), seed);
    const RunResult run = run_seed(setup, seed);
    actions += run.outcome.actions;
    wanted += static_cast<std::uint32_t>(setup.run.max_actions);
    RecordedChoices recorded(run.outcome.choices);
    const RunResult again = run_choices(setup, recorded, seed);
    EXPECT_EQ(digest_of(again.trace), digest_of(run.trace)) << seed;
    EXPECT_TRUE(recorded.used_up());
  }
  // A world where nothing is left to do may end a run early; most have always something.
  EXPECT_GT(actions, wanted / 2);
}

TEST_P(DrawingStrategies, NeverTakeAClassWithoutWeight) {
  sim::Setup setup = drawn_setup(GetParam(), 1);
  setup.faults = default_faults();
  setup.run.max_actions = 2000;
  for (int i = kProtocolClassCount; i < kActionClassCount; ++i) {
    setup.faults.weights[static_cast<std::size_t>(i)] = 0;
  }
  Simulator simulator(setup, nullptr);
  simulator.start();
  SeededChoices choices(1);
  DrawingStrategy strategy(setup);
  for (int i = 0; i < 500 && strategy.step(simulator, choices); ++i) {
  }
  EXPECT_EQ(simulator.world().clusters[0].brokers[0].partitions[0].log.log_end_offset(), 0)
      << "nobody may produce";
}

TEST_P(DrawingStrategies, DifferFromSeedToSeedAndFromEachOther) {
  std::set<std::uint64_t> digests;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    sim::Setup setup = drawn_setup(GetParam(), 3);
    digests.insert(digest_of(run_seed(setup, seed).trace));
    setup.run.strategy = Strategy::round_robin;
    digests.erase(digest_of(run_seed(setup, seed).trace));
  }
  EXPECT_EQ(digests.size(), 10U);
}

INSTANTIATE_TEST_SUITE_P(All, DrawingStrategies,
                         testing::Values(Strategy::random, Strategy::uniform, Strategy::pct),
                         [](const testing::TestParamInfo<Strategy>& each) {
                           return std::string(to_string(each.param));
                         });

TEST(Pct, ChangePointsChangeTheRun) {
  sim::Setup setup = drawn_setup(Strategy::pct, 5);
  setup.run.change_points = 0;
  const std::uint64_t without = digest_of(run_seed(setup, 9).trace);
  setup.run.change_points = 10;
  EXPECT_NE(digest_of(run_seed(setup, 9).trace), without);
}

TEST(Pct, CatchesAHistoricRule) {
  SwarmOptions options;
  options.protocol.replication = Replication::kip101;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    sim::Setup setup = swarm_setup(options, seed);
    setup.run.strategy = Strategy::pct;
    const RunResult run = run_seed(setup, seed);
    checker::Checker judge(run.trace.header);
    for (const Event& event : run.trace.events) {
      judge.observe(event);
    }
    for (const checker::Violation& violation : judge.finish().violations) {
      if (violation.invariant == checker::Invariant::log_matching) {
        return;
      }
    }
  }
  FAIL() << "not in 3000 seeds";
}

}  // namespace
}  // namespace mirrorproof::sim
