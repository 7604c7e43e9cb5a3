// Symmetry and partial-order reduction leave out states, never verdicts.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "explore/explore.h"
#include "explore/moves.h"
#include "explore/reduction.h"
#include "explore/start.h"
#include "explore/state_codec.h"
#include "sim/choices.h"
#include "sim/runner.h"
#include "tests/explore/random_worlds.h"
#include "tests/explore/worlds.h"

namespace mirrorproof::explore {
namespace {

using Kinds = std::multiset<std::pair<checker::Invariant, std::string>>;

Kinds kinds_of(const std::vector<checker::Violation>& violations) {
  Kinds kinds;
  for (const checker::Violation& violation : violations) {
    kinds.emplace(violation.invariant, violation.kind);
  }
  return kinds;
}

ExploreResult search_with(const scenarios::Scenario& scenario, bool symmetry, bool partial_order,
                          std::size_t memory = std::size_t{64} << 20) {
  ExploreOptions options;
  options.memory = memory;
  options.reductions = {.symmetry = symmetry, .partial_order = partial_order};
  const std::atomic<bool> stop{false};
  return explore(scenario, options, {}, stop);
}

/// A counterexample under its own names, run as a script.
Kinds replayed(const scenarios::Scenario& scenario, const std::vector<sim::Action>& actions) {
  sim::Setup setup = search_setup(scenario);
  for (const sim::Action& action : actions) {
    sim::ScriptStep step;
    step.action = action;
    setup.steps.push_back(step);
  }
  sim::Runner runner(setup);
  sim::SeededChoices choices(setup.run.first_seed);
  checker::Checker judge(sim::make_trace_header(setup, 0));
  const sim::RunOutcome outcome = runner.run(choices, [&](std::vector<Event>& events, const sim::Simulator&) {
    for (const Event& event : events) {
      judge.observe(event);
    }
    return true;
  });
  EXPECT_EQ(outcome.end, sim::RunEnd::complete) << outcome.problem;
  return kinds_of(judge.finish().violations);
}

TEST(Reductions, ChangeNoVerdictOfRandomWorlds) {
  int complete = 0;
  int violated = 0;
  std::uint64_t states = 0;
  std::uint64_t reduced_states = 0;
  for (int seed = 1; seed <= wanted_walks(80) && !HasFailure(); ++seed) {
    scenarios::Scenario scenario = random_world(static_cast<std::uint64_t>(seed));
    // Without a depth bound, and small enough to be gone through.
    scenario.bounds.depth = 0;
    scenario.bounds.granularity = seed % 5 == 0 ? Granularity::fine : Granularity::coarse;
    scenario.bounds.crashes = std::min(scenario.bounds.crashes, 1);
    scenario.bounds.power_losses = 0;
    if (scenario.bounds.crashes > 0) {
      scenario.bounds.link_drops = 0;
      scenario.bounds.isr_shrinks = 0;
      scenario.bounds.clean_elections = 0;
    }
    if (!refusals(scenario).empty()) {
      continue;
    }
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + scenarios::to_json(scenario));
    // What is too large for a test is left out.
    const std::size_t memory = std::size_t{18} << 20;
    const ExploreResult plain = search_with(scenario, false, false, memory);
    if (plain.end == ExploreEnd::memory) {
      continue;
    }
    for (const auto& [symmetry, partial_order] : {std::pair{true, false}, {false, true}, {true, true}}) {
      const ExploreResult reduced = search_with(scenario, symmetry, partial_order, memory);
      ASSERT_EQ(reduced.end, plain.end) << symmetry << partial_order;
      if (plain.end == ExploreEnd::violation) {
        EXPECT_EQ(reduced.depth, plain.depth) << symmetry << partial_order;
        const Kinds kinds = replayed(scenario, reduced.actions);
        for (const auto& kind : kinds_of(reduced.violations)) {
          EXPECT_TRUE(kinds.contains(kind)) << kind.second;
        }
      } else {
        EXPECT_LE(reduced.states, plain.states) << symmetry << partial_order;
        EXPECT_LE(reduced.transitions, plain.transitions) << symmetry << partial_order;
        if (symmetry && partial_order) {
          states += plain.states;
          reduced_states += reduced.states;
        }
      }
    }
    complete += plain.end == ExploreEnd::complete ? 1 : 0;
    violated += plain.end == ExploreEnd::violation ? 1 : 0;
  }
  EXPECT_GT(complete, 20);
  EXPECT_GE(violated, 4);
  EXPECT_LT(reduced_states, states);
}

struct Size {
  bool symmetry;
  bool partial_order;
  std::uint64_t states;
  std::uint64_t transitions;
};

struct Saving {
  const char* name;
  int source;
  int destination;
  const char* bounds;
  std::array<Size, 4> sizes;
};

// As docs/explore.md has them.
const Saving kSavings[] = {
    {"three replicas, a link drop",
     3,
     1,
     R"({"records": 2, "link_drops": 1, "granularity": "coarse"})",
     {{{false, false, 3108, 11086},
       {true, false, 1772, 6388},
       {false, true, 2436, 6480},
       {true, true, 1370, 3760}}}},
    {"three replicas, two ISR shrinks",
     3,
     1,
     R"({"records": 2, "isr_shrinks": 2, "granularity": "coarse"})",
     {{{false, false, 5432, 18408},
       {true, false, 2916, 9930},
       {false, true, 4582, 12868},
       {true, true, 2459, 6959}}}},
};

TEST(Reductions, SaveExactlySoMuch) {
  for (const Saving& saving : kSavings) {
    const scenarios::Scenario scenario = small_world(saving.source, saving.destination, saving.bounds);
    for (const Size& size : saving.sizes) {
      const ExploreResult result = search_with(scenario, size.symmetry, size.partial_order);
      EXPECT_EQ(result.end, ExploreEnd::complete) << saving.name;
      EXPECT_EQ(result.states, size.states) << saving.name << size.symmetry << size.partial_order;
      EXPECT_EQ(result.transitions, size.transitions) << saving.name << size.symmetry << size.partial_order;
    }
  }
}

TEST(Reductions, WhoGoesDownBeforeTheSearchMakesNoDifference) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> sizes;
  for (const char* broker : {"1", "2"}) {
    scenarios::Scenario scenario =
        small_world(3, 1, R"({"records": 2, "isr_shrinks": 1, "granularity": "coarse"})");
    sim::ScriptStep step;
    step.action.kind = sim::ActionClass::crash;
    step.action.cluster = 0;
    step.action.broker = static_cast<BrokerId>(broker[0] - '0');
    scenario.setup.steps.push_back(step);
    const ExploreResult result = search_with(scenario, true, true);
    EXPECT_EQ(result.end, ExploreEnd::complete);
    sizes.emplace(result.states, result.transitions);
  }
  EXPECT_EQ(sizes.size(), 1);
}

/// Where a cluster's moves come first: whatever the others do before one of them, they can do after it, with
/// the same end.
class CommutingWalk {
 public:
  CommutingWalk(const scenarios::Scenario& scenario, std::uint64_t seed)
      : setup_(search_setup(scenario)),
        granularity_(scenario.bounds.granularity),
        moves_(granularity_),
        codec_(setup_, granularity_),
        world_(setup_),
        choices_(seed) {
    if (bring_to_start(setup_, scenario.bounds, world_, nullptr)) {
      state_ = bytes();
    }
  }

  /// False: nothing can happen any more.
  bool step() {
    if (state_.empty()) {
      return false;
    }
    load(state_);
    moves_.enumerate(world_.simulator, list_);
    if (list_.empty()) {
      return false;
    }
    const FirstMoves first = first_moves(world_.simulator, world_.judge, granularity_, list_);
    if (first.cluster != kNoCluster) {
      reduced_ += 1;
      const std::vector<sim::Action> moves = list_;
      for (const sim::Action& move : moves) {
        if (move.cluster == first.cluster) {
          compare_orders(move);
        }
      }
      load(state_);
      list_ = moves;
    }
    moves_.carry_out(list_[draw(list_.size())], world_, nullptr);
    if (world_.broken()) {
      return false;
    }
    state_ = bytes();
    return !testing::Test::HasFailure();
  }

  std::size_t reduced() const { return reduced_; }
  std::size_t compared() const { return compared_; }

 private:
  struct End {
    std::vector<std::uint8_t> state;  // empty: broken
    Kinds kinds;
    friend bool operator==(const End&, const End&) = default;
  };

  std::size_t draw(std::size_t count) {
    return choices_.choose(sim::Stream::scheduling, static_cast<std::uint32_t>(count));
  }
  void load(const std::vector<std::uint8_t>& state) {
    codec_.load(state.data(), world_.simulator, world_.judge);
  }
  std::vector<std::uint8_t> bytes() {
    ByteWriter out;
    codec_.save(world_.simulator, world_.judge, out);
    return {out.data(), out.data() + out.size()};
  }

  /// Some moves of the other clusters, at random, with what they come to by themselves.
  std::vector<sim::Action> others(ClusterId cluster, bool& broken) {
    load(state_);
    std::vector<sim::Action> path;
    std::vector<sim::Action> now;
    broken = false;
    for (std::size_t i = 1 + draw(5); i > 0 && !broken; --i) {
      moves_.enumerate(world_.simulator, now);
      std::erase_if(now, [cluster](const sim::Action& move) { return move.cluster == cluster; });
      if (now.empty()) {
        break;
      }
      path.push_back(now[draw(now.size())]);
      moves_.carry_out(path.back(), world_, nullptr);
      broken = world_.broken();
    }
    return path;
  }
  End run(const std::vector<sim::Action>& path) {
    load(state_);
    std::vector<sim::Action> enabled;
    for (const sim::Action& move : path) {
      moves_.enumerate(world_.simulator, enabled);
      EXPECT_TRUE(std::find(enabled.begin(), enabled.end(), move) != enabled.end())
          << to_string(move.kind) << " of cluster " << move.cluster << " is not enabled any more";
      if (testing::Test::HasFailure()) {
        return {};
      }
      moves_.carry_out(move, world_, nullptr);
      if (world_.broken()) {
        return {{}, kinds_of(world_.judge.finish().violations)};
      }
    }
    return {bytes(), world_.judge.has_undecided() ? kinds_of(world_.judge.finish().violations) : Kinds{}};
  }

  void compare_orders(const sim::Action& move) {
    bool broken = false;
    std::vector<sim::Action> after = others(move.cluster, broken);
    std::vector<sim::Action> before = after;
    before.insert(before.begin(), move);
    if (broken) {
      // A violation of the others is found after the move as well, unless the move breaks something itself.
      const End end = run(before);
      EXPECT_TRUE(end.state.empty()) << to_string(move.kind);
      return;
    }
    after.push_back(move);
    const End late = run(after);
    const End early = run(before);
    compared_ += 1;
    EXPECT_TRUE(late == early) << to_string(move.kind) << " of cluster " << move.cluster << " after "
                               << after.size() - 1 << " moves of others ends otherwise than before them: "
                               << to_string(after.front().kind);
  }

  sim::Setup setup_;
  Granularity granularity_;
  Moves moves_;
  StateCodec codec_;
  JudgedWorld world_;
  sim::SeededChoices choices_;
  std::vector<std::uint8_t> state_;
  std::vector<sim::Action> list_;
  std::size_t reduced_ = 0;
  std::size_t compared_ = 0;
};

TEST(Reductions, MovesThatComeFirstCommuteWithWhatOthersDo) {
  std::size_t reduced = 0;
  std::size_t compared = 0;
  for (int seed = 1; seed <= wanted_walks(150) && !HasFailure(); ++seed) {
    const scenarios::Scenario scenario = random_world(static_cast<std::uint64_t>(seed));
    if (!refusals(scenario).empty()) {
      continue;
    }
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + scenarios::to_json(scenario));
    CommutingWalk walk(scenario, static_cast<std::uint64_t>(seed));
    for (int i = 0; i < 80 && walk.step(); ++i) {
    }
    reduced += walk.reduced();
    compared += walk.compared();
  }
  EXPECT_GT(reduced, 300);
  EXPECT_GT(compared, 500);
}

}  // namespace
}  // namespace mirrorproof::explore
