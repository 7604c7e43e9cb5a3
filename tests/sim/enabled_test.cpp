// Enumeration and reasons agree: what is enumerated has no reason against it, and what has none is
// enumerated.

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/runner.h"
#include "sim/strategy.h"
#include "sim/swarm.h"
#include "tests/sim/test_setups.h"

namespace mirrorproof::sim {
namespace {

/// Every action of the classes that name one broker and nothing else.
void expect_agreement(const Simulator& simulator, std::uint64_t seed) {
  Actions listed;
  for (int kind = 0; kind < kActionClassCount; ++kind) {
    const auto action_class = static_cast<ActionClass>(kind);
    simulator.enumerate(action_class, listed);
    for (const Action& action : listed) {
      EXPECT_EQ(simulator.why_not_enabled(action), "") << "seed " << seed << ", " << to_string(action_class);
    }
  }
  for (const ActionClass kind : {ActionClass::fence, ActionClass::unfence, ActionClass::crash,
                                 ActionClass::restart, ActionClass::shut_down, ActionClass::metadata_apply,
                                 ActionClass::cut_controller, ActionClass::heal_controller}) {
    simulator.enumerate(kind, listed);
    for (std::size_t c = 0; c < simulator.world().clusters.size(); ++c) {
      for (std::size_t b = 0; b < simulator.world().clusters[c].brokers.size(); ++b) {
        Action action;
        action.kind = kind;
        action.cluster = static_cast<ClusterId>(c);
        action.broker = static_cast<BrokerId>(b);
        const bool is_listed = std::find(listed.begin(), listed.end(), action) != listed.end();
        EXPECT_EQ(is_listed, simulator.why_not_enabled(action).empty())
            << "seed " << seed << ", " << to_string(kind) << " of " << c << "/" << b;
      }
    }
  }
}

TEST(Enabled, EnumerationAndReasonsAgreeAlongRandomRuns) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    sim::Setup setup = swarm_setup({}, seed);
    setup.faults.budgets.fill(-1);  // a used-up budget hides a class from enumeration only
    std::vector<Event> events;
    Simulator simulator(setup, &events);
    simulator.start();
    RandomStrategy random(setup);
    SeededChoices choices(seed);
    for (int i = 0; i < 150 && random.step(simulator, choices); ++i) {
      if (i % 5 == 0) {
        expect_agreement(simulator, seed);
      }
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << "stopped at seed " << seed;
  }
}

/// Two elections, there and back, which broker 2 has not heard of.
TEST(MetadataDelta, ABrokerThatAppliesSeveralRecordsAtOnceSeesTheLastStateOnly) {
  for (const bool at_once : {true, false}) {
    const sim::Setup setup = two_clusters(3);
    std::vector<Event> events;
    Simulator simulator(setup, &events);
    simulator.start();
    const int before = simulator.records_to_apply(0, 2);
    simulator.execute(action_of(ActionClass::clean_election, 0, 1));
    simulator.execute(action_of(ActionClass::clean_election, 0, 0));
    ASSERT_EQ(simulator.records_to_apply(0, 2), before + 2);
    EXPECT_EQ(simulator.why_not_enabled(action_of(ActionClass::metadata_apply, 0, 2, before + 3)),
              "A/2 has 2 metadata records to apply");
    events.clear();
    if (at_once) {
      simulator.execute(action_of(ActionClass::metadata_apply, 0, 2, before + 2));
    } else {
      simulator.execute(action_of(ActionClass::metadata_apply, 0, 2));
      simulator.execute(action_of(ActionClass::metadata_apply, 0, 2, 1));
    }
    const auto followed = std::count_if(events.begin(), events.end(), [](const Event& event) {
      return std::holds_alternative<BecameFollower>(event.payload);
    });
    EXPECT_EQ(followed, at_once ? 1 : 2);
    EXPECT_EQ(simulator.world().clusters[0].brokers[2].partitions[0].leader_epoch, 2);
  }
}

}  // namespace
}  // namespace mirrorproof::sim
