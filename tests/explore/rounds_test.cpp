// Granularity `rounds`: what is taken together, what is not tried, and that wrong variants are found all the
// same, in the bounds of the largest proof.

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "explore/moves.h"
#include "explore/start.h"
#include "explore/state_bytes.h"
#include "explore/state_codec.h"
#include "reports/explore_report.h"
#include "reports/search_certificate.h"
#include "sim/choices.h"
#include "sim/world_fields.h"
#include "tests/explore/proofs.h"
#include "tests/explore/random_worlds.h"
#include "tests/explore/worlds.h"

namespace mirrorproof::explore {
namespace {

struct RoundsWorld {
  const char* bounds;
  SearchSize size;
};

// As docs/explore.md has them: how three-elections grows to its size.
const RoundsWorld kRoundsWorlds[] = {
    {R"({"records": 1, "failovers": 1, "failbacks": 1, "isr_shrinks": 2)", {40, 78, 6}},
    {R"({"records": 1, "unclean_elections": 1, "failovers": 1, "failbacks": 1, "isr_shrinks": 2)",
     {987, 2988, 11}},
    {R"({"records": 1, "unclean_elections": 2, "failovers": 1, "failbacks": 1, "isr_shrinks": 2)",
     {10197, 33525, 17}},
    {R"({"records": 1, "clean_elections": 1, "failovers": 1, "failbacks": 1, "isr_shrinks": 2)",
     {1253, 3853, 11}},
};

TEST(Rounds, SeeExactlyTheseStates) {
  for (const RoundsWorld& world : kRoundsWorlds) {
    expect_size(small_world(2, 2, std::string(world.bounds) + R"(, "granularity": "rounds"})"), world.size,
                world.bounds);
  }
}

// As docs/explore.md has them.
const WrongSetting kWrongInRounds[] = {
    {"alignment=as_posted", "alignment-exactness", "removed-shared-record", 6},
    {"mirror_epochs=rewrite", "truncation-provenance", "not-killed", 4},
    {"recovery_wait=none", "recovery-barrier", "replica-still-diverges", 6},
    {"epoch_bump=none", "epoch-order", "epoch-above-leader-epoch", 4},
    {"destination_high_watermark=source", "committed-stability", "committed-record-lost-in-clean-election",
     4},
    {"replication=kip101", "log-matching", "copy-diverged", 5},
    {"replication=high_watermark", "log-matching", "copy-diverged", 5},
};

TEST(Rounds, RefuteWrongVariantsInTheBoundsOfTheLargestProof) {
  for (const WrongSetting& wrong : kWrongInRounds) {
    scenarios::Scenario scenario = proof("three-elections");
    apply(wrong, scenario);
    const ExploreResult result = search_with_two_threads(scenario);
    expect_refuted(result, wrong);
    if (HasFatalFailure()) {
      return;
    }
    // Shown again by a script, action by action, or this would not return.
    EXPECT_TRUE(reports::make_explore_report(scenario, result).run.shown.as_expected) << wrong.setting;
  }
}

TEST(Rounds, ACertificateSaysWhatTheyLeaveOut) {
  const scenarios::Scenario scenario = small_world(2, 1, R"({"records": 1, "granularity": "rounds"})");
  const reports::Json certificate =
      reports::search_certificate_json(scenario, search_with_two_threads(scenario));
  ASSERT_EQ(certificate["left_out"].size(), kRoundRules.size());
  EXPECT_EQ(certificate["left_out"][0], kRoundRules[0]);
}

TEST(Rounds, AnUncleanElectionBringsItsCrash) {
  scenarios::Scenario scenario = small_world(
      2, 2, R"({"records": 1, "unclean_elections": 1, "isr_shrinks": 1, "granularity": "rounds"})",
      R"(, "protocol": {"preset": "hardened", "recovery_wait": "none"})");
  EXPECT_EQ(search_with_two_threads(scenario).end, ExploreEnd::violation);
  // Else nobody is without a leader ever, and no unclean election takes place.
  scenario.bounds.granularity = Granularity::coarse;
  EXPECT_EQ(search_with_two_threads(scenario).end, ExploreEnd::complete);
}

/// Walks at random through rounds. A follower's fetch that is not tried would change nothing.
TEST(Rounds, WhatIsNotTriedWouldChangeNothing) {
  int skipped = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(wanted_walks(120)) && !HasFailure();
       ++seed) {
    scenarios::Scenario scenario = random_world(seed);
    scenario.bounds.granularity = Granularity::rounds;
    if (!refusals(scenario).empty()) {
      continue;
    }
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + scenarios::to_json(scenario));
    const sim::Setup setup = search_setup(scenario);
    JudgedWorld world(setup);
    StateCodec codec(setup, Granularity::rounds);
    Moves moves(Granularity::rounds);
    sim::SeededChoices choices(seed);
    if (!bring_to_start(setup, scenario.bounds, world, nullptr)) {
      continue;
    }
    std::vector<sim::Action> list;
    sim::Actions fetches;
    for (int i = 0; i < 40 && !world.broken(); ++i) {
      ByteWriter state;
      codec.save(world.simulator, world.judge, state);
      codec.load(state.data(), world.simulator, world.judge);
      moves.enumerate(world.simulator, list);
      world.simulator.enumerate(sim::ActionClass::fetcher_send, fetches);
      for (const sim::Action& fetch : fetches) {
        if (std::find(list.begin(), list.end(), fetch) != list.end()) {
          continue;
        }
        skipped += 1;
        sim::Action step = fetch;
        for (const sim::ActionClass kind : {sim::ActionClass::fetcher_send, sim::ActionClass::server_handle,
                                            sim::ActionClass::fetcher_receive}) {
          step.kind = kind;
          ASSERT_EQ(world.simulator.why_not_enabled(step), "");
          world.take(step);
        }
        ByteWriter after;
        codec.save(world.simulator, world.judge, after);
        StateBytes then(codec.sections());
        StateBytes now(codec.sections());
        then.read(state.data());
        now.read(after.data());
        // Of the world; the follower may hear of causes.
        std::size_t section = 0;
        sim::for_each_section(std::as_const(world.simulator).world(), [&](ClusterId, BrokerId) {
          EXPECT_EQ(then.hash(section), now.hash(section)) << "move " << i << ", section " << section;
          section += 1;
        });
        codec.load(state.data(), world.simulator, world.judge);
      }
      if (list.empty()) {
        break;
      }
      moves.carry_out(list[choices.choose(sim::Stream::scheduling, static_cast<std::uint32_t>(list.size()))],
                      world, nullptr);
    }
  }
  EXPECT_GT(skipped, 1000);
}

}  // namespace
}  // namespace mirrorproof::explore
