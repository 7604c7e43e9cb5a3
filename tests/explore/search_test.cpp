// Whole searches of small worlds: exact numbers, the same for any number of threads; wrong variants found by
// the shortest way.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "explore/explore.h"
#include "explore/moves.h"
#include "explore/start.h"
#include "explore/state_codec.h"
#include "reports/explore_report.h"
#include "sim/choices.h"
#include "tests/explore/worlds.h"

namespace mirrorproof::explore {
namespace {

using scenarios::Scenario;

ExploreResult search(const Scenario& scenario, int jobs = 1, std::size_t memory = std::size_t{1} << 30) {
  EXPECT_EQ(refusals(scenario), std::vector<std::string>{});
  ExploreOptions options;
  options.jobs = jobs;
  options.memory = memory;
  const std::atomic<bool> stop{false};
  return explore(scenario, options, {}, stop);
}

struct World {
  const char* name;
  int source;
  int destination;
  const char* bounds;
  const char* version;
  std::uint64_t states;
  std::uint64_t transitions;
  int depth;
};

// A number that changes says that the search sees other states: the change must say why.
const World kWorlds[] = {
    {"records, every action of its own", 1, 1, R"({"records": 2})", "4.3", 18, 24, 7},
    {"a crash, every action of its own", 1, 1, R"({"records": 1, "crashes": 1})", "4.3", 601, 1139, 19},
    {"failover and failback", 1, 1,
     R"({"records": 2, "failovers": 1, "failbacks": 1, "granularity": "coarse"})", "4.3", 519, 1121, 11},
};

TEST(Search, SeesExactlyTheseStates) {
  for (const World& world : kWorlds) {
    const ExploreResult result = search(small_world(world.source, world.destination, world.bounds,
                                                    R"(, "protocol": "hardened")", world.version));
    EXPECT_EQ(result.end, ExploreEnd::complete) << world.name;
    EXPECT_EQ(result.states, world.states) << world.name;
    EXPECT_EQ(result.transitions, world.transitions) << world.name;
    EXPECT_EQ(result.depth, world.depth) << world.name;
  }
}

const char* const kOneUle =
    R"({"records": 1, "unclean_elections": 1, "crashes": 2, "granularity": "coarse"})";

TEST(Search, EndsTheSameForAnyNumberOfThreads) {
  const Scenario wrong =
      small_world(2, 2, kOneUle, R"(, "protocol": {"preset": "hardened", "recovery_wait": "none"})");
  const ExploreResult one = search(wrong, 1);
  ASSERT_EQ(one.end, ExploreEnd::violation);
  for (const int jobs : {2, 5}) {
    const ExploreResult more = search(wrong, jobs);
    EXPECT_EQ(more.states, one.states);
    EXPECT_EQ(more.transitions, one.transitions);
    EXPECT_EQ(more.depth, one.depth);
    EXPECT_EQ(more.actions, one.actions);
  }
}

TEST(Search, StopsAtTheMemoryBudgetAndSaysWhatItCovered) {
  const std::size_t budget = std::size_t{18} << 20;
  const char* const bounds =
      R"({"records": 2, "unclean_elections": 1, "crashes": 2, "isr_shrinks": 1, "granularity": "coarse"})";
  const ExploreResult result = search(small_world(2, 1, bounds), 1, budget);
  EXPECT_EQ(result.end, ExploreEnd::memory);
  EXPECT_GT(result.states, 1000);
  EXPECT_GT(result.queue, 0);
  EXPECT_LE(result.peak_memory, budget);
}

TEST(Search, StopsWhenToldTo) {
  const std::atomic<bool> stop{true};
  EXPECT_EQ(explore(small_world(2, 1, kOneUle), {}, {}, stop).end, ExploreEnd::interrupted);
}

TEST(Search, KeepsToTheDepthBound) {
  const ExploreResult result = search(small_world(1, 1, R"({"records": 2, "depth": 3})"));
  EXPECT_EQ(result.end, ExploreEnd::complete);
  EXPECT_TRUE(result.depth_bound_met);
  EXPECT_EQ(result.depth, 3);
}

struct Wrong {
  const char* name;
  const char* protocol;
  const char* bounds;
  const char* version;
  const char* invariant;
  int moves;
};

const Wrong kWrong[] = {
    {"recovery_wait none", R"({"preset": "hardened", "recovery_wait": "none"})", kOneUle, "4.3",
     "recovery-barrier", 11},
    {"version_detection drop_field", R"({"preset": "hardened", "version_detection": "drop_field"})", kOneUle,
     "2.4", "version-safety", 6},
};

TEST(Search, FindsWrongVariantsByTheShortestWay) {
  for (const Wrong& wrong : kWrong) {
    const Scenario scenario =
        small_world(2, 2, wrong.bounds, std::string(R"(, "protocol": )") + wrong.protocol, wrong.version);
    const ExploreResult result = search(scenario, 2);
    ASSERT_EQ(result.end, ExploreEnd::violation) << wrong.name;
    EXPECT_EQ(result.depth, wrong.moves) << wrong.name;
    // Run as a scenario: make_explore_report would not return otherwise.
    const reports::ExploreReport report = reports::make_explore_report(scenario, result);
    EXPECT_EQ(to_string(report.run.shown.judgement.violations.front().invariant), wrong.invariant)
        << wrong.name;
    EXPECT_TRUE(report.run.shown.as_expected) << wrong.name;
  }
}

// Two ways to one fingerprint: the moves from there on are the same, and lead to the same states and
// verdicts. The runs are not saved and loaded on the way, so that what the bytes leave out would show.
TEST(Search, EqualStatesHaveEqualFutures) {
  for (const char* granularity : {"fine", "coarse", "rounds"}) {
    Scenario scenario = small_world(2, 1,
                                    R"({"records": 1, "unclean_elections": 1, "crashes": 2, "failovers": 1,
                                              "failbacks": 1, "granularity": ")" +
                                        std::string(granularity) + R"("})",
                                    R"(, "protocol": {"preset": "hardened", "recovery_wait": "none"})");
    scenario.setup.steps.clear();  // the mirror's first alignment is searched as well
    const sim::Setup setup = search_setup(scenario);
    StateCodec codec(setup, scenario.bounds.granularity);
    Moves moves(scenario.bounds.granularity);
    std::map<std::uint64_t, std::vector<sim::Action>> enabled;
    std::map<std::pair<std::uint64_t, std::size_t>, std::uint64_t> next_state;
    std::size_t met_again = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      JudgedWorld world(setup);
      ASSERT_TRUE(bring_to_start(setup, scenario.bounds, world, nullptr));
      sim::SeededChoices choices(seed);
      ByteWriter bytes;
      std::vector<sim::Action> list;
      std::uint64_t before = 0;
      std::size_t chosen = 0;
      for (int i = 0; i < 40; ++i) {
        bytes.clear();
        codec.save(world.simulator, world.judge, bytes);
        const std::uint64_t now = fingerprint(bytes.data(), bytes.size());
        if (i > 0) {
          const auto [known, fresh] = next_state.try_emplace({before, chosen}, now);
          EXPECT_EQ(known->second, now) << granularity << ", seed " << seed << ", move " << i;
          met_again += fresh ? 0 : 1;
        }
        moves.enumerate(world.simulator, list);
        EXPECT_EQ(enabled.try_emplace(now, list).first->second, list) << granularity << ", seed " << seed;
        if (list.empty() || HasFailure()) {
          break;
        }
        before = now;
        chosen = choices.choose(sim::Stream::scheduling, static_cast<std::uint32_t>(list.size()));
        moves.carry_out(list[chosen], world, nullptr);
        if (world.broken()) {
          // No state follows; that, too, must be so whichever way was taken.
          EXPECT_EQ(next_state.try_emplace({before, chosen}, 0).first->second, 0);
          break;
        }
      }
    }
    EXPECT_GT(met_again, 100) << granularity;
  }
}

TEST(Search, RefusesWhatItCannotFollow) {
  const auto refused = [](const std::string& bounds, const std::string& rest) {
    return refusals(small_world(1, 1, bounds, rest));
  };
  EXPECT_EQ(refused("{}", R"(, "readers": [{"name": "r", "cluster": "A"}])").size(), 1);
  EXPECT_EQ(refused(R"({"version_changes": 1})", "").size(), 1);
  EXPECT_EQ(refused("{}", "").size(), 0);
}

}  // namespace
}  // namespace mirrorproof::explore
