// A mirror step that is enabled gets somewhere: what the coordinator refuses is not tried again for ever.

#include <gtest/gtest.h>

#include "model/protocol_presets.h"
#include "sim/runner.h"
#include "sim/strategy.h"
#include "sim/swarm.h"
#include "tests/sim/test_setups.h"

namespace mirrorproof::sim {
namespace {

using Step = MirrorTask::Step;

ProtocolOptions unguarded() {
  ProtocolOptions protocol;
  protocol.stale_response_guard = false;
  return protocol;
}

/// What the protocol does by itself is enabled only where it changes something: no walk or search spends
/// actions on nothing.
TEST(ProtocolActions, ChangeTheWorldAlongRandomRuns) {
  int mirror_steps = 0;
  for (const ProtocolOptions& protocol :
       {preset_options(Preset::as_proposed), preset_options(Preset::hardened),
        preset_options(Preset::prototype), unguarded()}) {
    SwarmOptions options;
    options.protocol = protocol;
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
      const sim::Setup setup = swarm_setup(options, seed);
      std::vector<Event> events;
      Simulator simulator(setup, &events);
      simulator.start();
      RandomStrategy random(setup);
      SeededChoices choices(seed);
      World before = simulator.world();
      for (int i = 0; i < 250 && random.step(simulator, choices); ++i) {
        const ActionClass taken = simulator.last_action().kind;
        if (static_cast<int>(taken) < kProtocolClassCount) {
          before.budgets_left = simulator.world().budgets_left;
          ASSERT_FALSE(before == simulator.world())
              << to_string(taken) << " changed nothing, seed " << seed << ", action " << i;
        }
        mirror_steps += taken == ActionClass::mirror_step ? 1 : 0;
        before = simulator.world();
      }
    }
  }
  EXPECT_GT(mirror_steps, 3000);
}

/// B is to stop, and its leader waits until PID_RESET is replicated; the follower does not fetch.
Setup stops_without_follower() {
  Setup setup = two_clusters(2);
  Action produce = action_of(ActionClass::produce, 0);
  produce.number = 1;
  ScriptStep hold = step_of(action_of(ActionClass::crash, 1, 1));
  hold.kind = StepKind::hold;
  hold.held = Held::fetch;
  Action stop = action_of(ActionClass::stop_mirror, 1);
  stop.other_cluster = 0;
  ScriptStep release = hold;
  release.kind = StepKind::release;
  setup.steps = {settle_step(), step_of(produce), settle_step(), hold, step_of(stop), settle_step(), release};
  return setup;
}

/// B/1 fetches until the step is enabled.
void replicate(Simulator& simulator, const Action& step) {
  constexpr int kEnough = 10;
  Actions some;
  for (int i = 0; i < kEnough && !simulator.why_not_enabled(step).empty(); ++i) {
    for (const ActionClass kind :
         {ActionClass::fetcher_send, ActionClass::server_handle, ActionClass::fetcher_receive}) {
      simulator.enumerate(kind, some);
      for (const Action& action : some) {
        if (action.cluster == 1 && action.broker == 1) {
          simulator.execute(action);
        }
      }
    }
  }
}

TEST(MirrorSteps, TheLeaderFollowsTheCoordinatorWhereItIsRefused) {
  struct Case {
    Step waits_in;
    MirrorState stored;
    Step goes_on_with;
  };
  for (const Case& refused : {Case{Step::stop_await_pid_reset, MirrorState::failed, Step::retry},
                              Case{Step::align_wait, MirrorState::stopping, Step::stop_remove_fetcher},
                              Case{Step::recovery_wait, MirrorState::pausing, Step::pause}}) {
    const sim::Setup setup = stops_without_follower();
    Runner runner(setup);
    RecordedChoices none({});
    ASSERT_EQ(runner.run(none).end, RunEnd::complete);
    Simulator& simulator = runner.simulator();
    MirrorRecord& record = simulator.world().clusters[1].mirrors[0];
    MirrorTask& task = simulator.world().clusters[1].brokers[0].tasks[0];
    ASSERT_EQ(record.state, MirrorState::stopping);
    ASSERT_EQ(task.step, Step::stop_await_pid_reset);
    record.state = refused.stored;
    record.state_before_failing = MirrorState::stopping;
    task.step = refused.waits_in;
    const Action step = action_of(ActionClass::mirror_step, 1, 0);
    replicate(simulator, step);
    ASSERT_EQ(simulator.why_not_enabled(step), "");
    simulator.execute(step);
    EXPECT_EQ(record.state, refused.stored);
    EXPECT_EQ(task.step, refused.goes_on_with);
  }
}

}  // namespace
}  // namespace mirrorproof::sim
