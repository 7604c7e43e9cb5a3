// The same setup and choices give the same trace, byte for byte; a run is replayed from its choices alone.

#include <gtest/gtest.h>

#include "checker/trace_digest.h"
#include "checker/trace_writer.h"
#include "sim/runner.h"
#include "sim/swarm.h"
#include "tests/sim/test_setups.h"

namespace mirrorproof::sim {
namespace {

std::string text_of(const Setup& setup, std::uint64_t seed) {
  return checker::trace_to_text(run_seed(setup, seed).trace);
}

TEST(Determinism, SameSeedTwiceGivesTheSameBytes) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const sim::Setup setup = swarm_setup({}, seed);
    EXPECT_EQ(text_of(setup, seed), text_of(setup, seed)) << "seed " << seed;
  }
}

TEST(Determinism, AnotherSeedGivesAnotherRun) {
  sim::Setup setup = two_clusters(2);
  setup.run.strategy = Strategy::random;
  setup.run.max_actions = 200;
  EXPECT_NE(text_of(setup, 1), text_of(setup, 2));
}

TEST(Determinism, RecordedChoicesReplayTheRun) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const sim::Setup setup = swarm_setup({}, seed);
    const RunResult original = run_seed(setup, seed);
    RecordedChoices recorded(original.outcome.choices);
    const RunResult again = run_choices(setup, recorded, seed);
    EXPECT_EQ(checker::trace_to_text(original.trace), checker::trace_to_text(again.trace)) << "seed " << seed;
    EXPECT_TRUE(original.world == again.world) << "seed " << seed;
    EXPECT_TRUE(recorded.used_up()) << "seed " << seed;
  }
}

TEST(Determinism, AnyListOfNumbersIsARun) {
  sim::Setup setup = two_clusters(2);
  setup.run.strategy = Strategy::random;
  setup.run.max_actions = 300;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 900; ++i) {
    numbers.push_back(i * 2654435761U);
  }
  RecordedChoices recorded(numbers);
  const RunResult result = run_choices(setup, recorded, 0);
  EXPECT_EQ(result.outcome.end, RunEnd::complete);
  EXPECT_EQ(result.outcome.actions, 300U);
}

TEST(Determinism, TheGeneratorIsPinned) {
  Generator generator(42);
  EXPECT_EQ(generator.next(), 1546998764402558742ULL);
  EXPECT_EQ(generator.next(), 6990951692964543102ULL);
  EXPECT_EQ(generator.next(), 12544586762248559009ULL);
}

TEST(Determinism, StreamsDoNotDisturbOneAnother) {
  SeededChoices one(7);
  SeededChoices other(7);
  other.choose(Stream::faults, 1000);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(one.choose(Stream::scheduling, 1000), other.choose(Stream::scheduling, 1000));
  }
}

TEST(Determinism, TheWorldIsAValue) {
  const sim::Setup setup = two_clusters(2);
  std::vector<Event> events;
  Simulator simulator(setup, &events);
  simulator.start();
  const World before = simulator.world();
  Actions applies;
  simulator.enumerate(ActionClass::metadata_apply, applies);
  ASSERT_FALSE(applies.empty());
  simulator.execute(applies.front());
  EXPECT_FALSE(simulator.world() == before);
  simulator.world() = before;
  EXPECT_TRUE(simulator.world() == before);
  EXPECT_EQ(simulator.why_not_enabled(applies.front()), "");
}

}  // namespace
}  // namespace mirrorproof::sim
