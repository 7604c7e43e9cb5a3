// A state that is saved and loaded goes on as if nothing had happened: the same actions are enabled, the same
// violations are found. So no ghost that a verdict depends on is missing from the bytes.

#include "explore/state_codec.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "explore/canonical_world.h"
#include "explore/explore.h"
#include "explore/start.h"
#include "model/protocol_presets.h"
#include "sim/runner.h"
#include "sim/strategy.h"
#include "sim/swarm.h"
#include "tests/explore/random_worlds.h"

namespace mirrorproof::explore {
namespace {

using Kind = std::tuple<checker::Invariant, std::string, ClusterId, PartitionId>;

/// A world of the swarm without what searches refuse; every other one has little but unclean elections, for
/// what they leave behind is most of what a judge remembers.
sim::Setup searchable_world(const ProtocolOptions& protocol, std::uint64_t seed) {
  sim::SwarmOptions options;
  options.protocol = protocol;
  options.actions = {60, 250};
  if (seed / 2 % 2 == 1) {
    options.faults = sim::FaultClass::failover_and_ule;
  }
  sim::Setup setup = sim::swarm_setup(options, seed);
  setup.readers.clear();
  setup.groups.clear();
  setup.faults.budgets[static_cast<std::size_t>(sim::ActionClass::recreate_topic)] = 0;
  setup.faults.budgets[static_cast<std::size_t>(sim::ActionClass::compact)] = 0;
  // A search starts mirrors against the direction of others only, and forgets what a last start needs not;
  // this walk starts them in any direction, so that none of its starts may be the last.
  std::int32_t& starts = setup.faults.budgets[static_cast<std::size_t>(sim::ActionClass::start_mirror)];
  starts = starts == 0 ? 0 : -1;
  return setup;
}

std::vector<sim::Action> enabled_actions(const sim::Simulator& simulator) {
  std::vector<sim::Action> all;
  sim::Actions some;
  for (int kind = 0; kind < sim::kActionClassCount; ++kind) {
    simulator.enumerate(static_cast<sim::ActionClass>(kind), some);
    for (const sim::Action& action : some) {
      // What a state forgets of a source makes another refresh possible, that changes nothing.
      if (action.kind != sim::ActionClass::source_refresh ||
          refresh_matters(simulator.world(), action.cluster, action.other_cluster)) {
        all.push_back(action);
      }
    }
  }
  return all;
}

std::multiset<Kind> kinds_of(checker::Checker& judge) {
  std::multiset<Kind> kinds;
  for (const checker::Violation& violation : judge.finish().violations) {
    kinds.emplace(violation.invariant, violation.kind, violation.cluster, violation.partition);
  }
  return kinds;
}

/// A world with its judge.
struct Run {
  explicit Run(const sim::Setup& setup, bool forgetful)
      : simulator(setup, &events),
        judge(forgetful ? checker::Checker::forgetful(sim::make_trace_header(setup, 0))
                        : checker::Checker(sim::make_trace_header(setup, 0))) {
    simulator.start();
    observe();
  }
  Run(const Run&) = delete;

  void take(const sim::Action& action) {
    simulator.execute(action);
    observe();
  }
  void observe() {
    judge.observe_step(events);
    events.clear();
  }
  std::multiset<Kind> finish() { return kinds_of(judge); }

  std::vector<Event> events;
  sim::Simulator simulator;
  checker::Checker judge;
};

std::string text(const ByteWriter& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string saved(StateCodec& codec, Run& run) {
  ByteWriter bytes;
  codec.save(run.simulator, run.judge, bytes);
  return text(bytes);
}

/// From one state several actions are tried, going back after each. Written down by what they changed, their
/// states are what they are when the whole is loaded and written.
void try_actions(StateCodec& codec, const ByteWriter& state, Run& run, Run& afresh,
                 sim::SeededChoices& choices) {
  codec.start_from(state.data(), run.simulator, run.judge);
  const std::vector<sim::Action> enabled = enabled_actions(run.simulator);
  for (int i = 0; i < 3 && !enabled.empty(); ++i) {
    const sim::Action& action =
        enabled[choices.choose(sim::Stream::scheduling, static_cast<std::uint32_t>(enabled.size()))];
    run.take(action);
    const std::uint64_t hash = codec.save_successor(run.simulator, run.judge);
    EXPECT_EQ(codec.save_successor(run.simulator, run.judge), hash);
    ByteWriter successor;
    codec.append_successor(successor);
    EXPECT_EQ(text(successor), saved(codec, run)) << to_string(action.kind);
    codec.go_back(run.simulator, run.judge);
    EXPECT_EQ(text(state), saved(codec, run)) << "after going back from " << to_string(action.kind);
    codec.load(state.data(), afresh.simulator, afresh.judge);
    afresh.take(action);
    EXPECT_EQ(text(successor), saved(codec, afresh)) << to_string(action.kind);
    codec.start_from(state.data(), run.simulator, run.judge);
  }
}

/// Walks `seed`, saving and loading a second run on the way. Returns how many violations were found.
std::size_t walk(const ProtocolOptions& protocol, std::uint64_t seed) {
  const sim::Setup setup = searchable_world(protocol, seed);
  Run whole(setup, false);
  Run interrupted(setup, true);
  Run afresh(setup, true);
  StateCodec codec(setup, Granularity::fine);
  sim::SeededChoices choices(seed);
  sim::SeededChoices breaks(seed + 1);
  sim::RandomStrategy random(setup);
  ByteWriter bytes;
  std::size_t forgotten = 0;
  for (int i = 0; i < setup.run.max_actions && random.step(whole.simulator, choices); ++i) {
    whole.observe();
    const sim::Action action = whole.simulator.last_action();
    interrupted.take(action);
    EXPECT_EQ(whole.judge.violation_count(), interrupted.judge.violation_count() + forgotten)
        << "seed " << seed << ", action " << i << ", " << to_string(action.kind);
    if (breaks.choose(sim::Stream::scheduling, 3) == 0) {
      forgotten += interrupted.judge.violation_count();
      bytes.clear();
      codec.save(interrupted.simulator, interrupted.judge, bytes);
      codec.load(bytes.data(), interrupted.simulator, interrupted.judge);
      ByteWriter again;
      codec.save(interrupted.simulator, interrupted.judge, again);
      EXPECT_TRUE(bytes.size() == again.size() &&
                  std::equal(bytes.data(), bytes.data() + bytes.size(), again.data()))
          << "seed " << seed << ", action " << i << ": a state that was loaded is written otherwise";
      if (breaks.choose(sim::Stream::scheduling, 4) == 0) {
        try_actions(codec, again, interrupted, afresh, breaks);
      } else {
        codec.load(again.data(), interrupted.simulator, interrupted.judge);
      }
    }
    EXPECT_EQ(enabled_actions(whole.simulator), enabled_actions(interrupted.simulator))
        << "seed " << seed << ", action " << i;
    if (testing::Test::HasFailure()) {
      return 0;
    }
  }
  const std::size_t before = whole.judge.violation_count();
  const std::size_t count = whole.finish().size();
  if (before < 100) {
    EXPECT_EQ(count, interrupted.finish().size() + forgotten) << "seed " << seed;
  }
  return count;
}

TEST(StateCodec, ALoadedStateGoesOnAsIfNothingHadHappened) {
  for (int seed = 1; seed <= wanted_walks(80) && !HasFailure(); ++seed) {
    walk(preset_options(seed % 2 == 0 ? Preset::as_proposed : Preset::hardened),
         static_cast<std::uint64_t>(seed));
  }
}

TEST(StateCodec, WrongVariantsAreFoundOutAfterLoadingToo) {
  const std::map<std::string, void (*)(ProtocolOptions&)> variants = {
      {"alignment epoch_only", [](ProtocolOptions& p) { p.alignment = Alignment::epoch_only; }},
      {"alignment none", [](ProtocolOptions& p) { p.alignment = Alignment::none; }},
      {"alignment_wait none", [](ProtocolOptions& p) { p.alignment_wait = AlignmentWait::none; }},
      {"drop_field", [](ProtocolOptions& p) { p.version_detection = VersionDetection::drop_field; }},
      {"rewrite", [](ProtocolOptions& p) { p.mirror_epochs = MirrorEpochs::rewrite; }},
      {"recovery_wait none", [](ProtocolOptions& p) { p.recovery_wait = RecoveryWait::none; }},
      {"epoch_bump none", [](ProtocolOptions& p) { p.epoch_bump = EpochBump::none; }},
      {"ule_support off", [](ProtocolOptions& p) { p.ule_support = false; }},
      {"source high watermark",
       [](ProtocolOptions& p) { p.destination_high_watermark = DestinationHighWatermark::source; }},
      {"no stale guard", [](ProtocolOptions& p) { p.stale_response_guard = false; }},
      {"KIP-101", [](ProtocolOptions& p) { p.replication = Replication::kip101; }},
  };
  std::size_t found = 0;
  for (const auto& [name, change] : variants) {
    ProtocolOptions protocol = preset_options(Preset::hardened);
    change(protocol);
    for (int seed = 1; seed <= wanted_walks(80) / 4 && !HasFailure(); ++seed) {
      SCOPED_TRACE(name);
      found += walk(protocol, static_cast<std::uint64_t>(1000 + seed));
    }
  }
  EXPECT_GT(found, 0);
}

/// Walks `seed` move by move: between the moves of a coarser granularity states forget more. Returns how
/// often a state was saved and loaded.
int walk_by_moves(scenarios::Scenario scenario, std::uint64_t seed) {
  scenario.bounds.records += 3;
  scenario.bounds.clean_elections += 1;
  scenario.bounds.unclean_elections += 1;
  const sim::Setup setup = search_setup(scenario);
  JudgedWorld whole(setup, checker::Checker(sim::make_trace_header(setup, 0)));
  JudgedWorld interrupted(setup);
  if (!bring_to_start(setup, scenario.bounds, whole, nullptr)) {
    return 0;
  }
  EXPECT_TRUE(bring_to_start(setup, scenario.bounds, interrupted, nullptr));
  StateCodec codec(setup, scenario.bounds.granularity);
  Moves moves(scenario.bounds.granularity);
  sim::SeededChoices choices(seed);
  std::vector<sim::Action> list;
  std::vector<sim::Action> same;
  int loads = 0;
  for (int i = 0; i < 80 && !whole.broken() && !testing::Test::HasFailure(); ++i) {
    if (choices.choose(sim::Stream::scheduling, 2) == 0) {
      ByteWriter bytes;
      codec.save(interrupted.simulator, interrupted.judge, bytes);
      codec.load(bytes.data(), interrupted.simulator, interrupted.judge);
      loads += 1;
    }
    moves.enumerate(whole.simulator, list);
    moves.enumerate(interrupted.simulator, same);
    EXPECT_EQ(list, same) << "move " << i;
    if (list.empty() || list != same) {
      break;
    }
    const sim::Action& move =
        list[choices.choose(sim::Stream::scheduling, static_cast<std::uint32_t>(list.size()))];
    moves.carry_out(move, whole, nullptr);
    moves.carry_out(move, interrupted, nullptr);
    EXPECT_EQ(whole.judge.violation_count(), interrupted.judge.violation_count())
        << "move " << i << ", " << to_string(move.kind);
  }
  EXPECT_EQ(kinds_of(whole.judge), kinds_of(interrupted.judge));
  return loads;
}

TEST(StateCodec, BetweenTheMovesOfACoarserGranularityALoadChangesNothing) {
  int loads = 0;
  for (int seed = 1; seed <= wanted_walks(300) && !HasFailure(); ++seed) {
    scenarios::Scenario scenario = random_world(static_cast<std::uint64_t>(seed));
    scenario.bounds.granularity = seed % 3 == 0 ? Granularity::coarse : Granularity::rounds;
    if (!refusals(scenario).empty()) {
      continue;
    }
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + scenarios::to_json(scenario));
    loads += walk_by_moves(scenario, static_cast<std::uint64_t>(seed));
  }
  EXPECT_GT(loads, 1000);
}

}  // namespace
}  // namespace mirrorproof::explore
