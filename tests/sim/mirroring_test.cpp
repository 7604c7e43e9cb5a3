// The life of a mirror, step by step, in worlds small enough to know every answer.

#include <gtest/gtest.h>

#include "checker/checker.h"
#include "sim/runner.h"
#include "tests/sim/test_setups.h"

namespace mirrorproof::sim {
namespace {

using C = ActionClass;

std::string log_text(const World& world, ClusterId cluster, BrokerId broker) {
  std::string text;
  for (const Batch& batch : world.clusters[cluster].brokers[broker].partitions[0].log.batches()) {
    for (Offset offset = batch.base_offset; offset <= batch.last_offset; ++offset) {
      text += (text.empty() ? "" : " ") + std::to_string(offset) + ":" + std::to_string(batch.epoch);
    }
  }
  return text;
}

MirrorState state_of(const World& world, ClusterId cluster) {
  return world.clusters[cluster].mirrors[0].state;
}

Action order(C kind, ClusterId source, ClusterId destination) {
  Action action = action_of(kind, destination);
  action.other_cluster = source;
  return action;
}

RunResult run_script(Setup& setup) {
  RunResult result = run_seed(setup, 1);
  EXPECT_EQ(result.outcome.end, RunEnd::complete) << result.outcome.problem;
  return result;
}

TEST(Mirroring, CopiesBatchForBatchToEveryReplica) {
  sim::Setup setup = two_clusters(2);
  setup.steps = {step_of(action_of(C::produce, 0, kNoBroker, 3)), settle_step()};
  const RunResult result = run_script(setup);
  EXPECT_EQ(state_of(result.world, 1), MirrorState::mirroring);
  for (const ClusterId cluster : {ClusterId{0}, ClusterId{1}}) {
    for (const BrokerId broker : {BrokerId{0}, BrokerId{1}}) {
      EXPECT_EQ(log_text(result.world, cluster, broker), "0:0 1:0 2:0") << cluster << "/" << broker;
    }
  }
  EXPECT_TRUE(checker::judge(result.trace).holds());
}

TEST(Mirroring, TheDestinationsLeaderEpochStaysTenAbove) {
  sim::Setup setup = two_clusters(1);
  setup.steps = {step_of(action_of(C::produce, 0, kNoBroker, 1)), settle_step()};
  const RunResult result = run_script(setup);
  EXPECT_EQ(result.world.clusters[1].controller.partition(0).leader_epoch, 11);
}

TEST(Mirroring, OnlyCommittedRecordsTravel) {
  sim::Setup setup = two_clusters(2);
  ScriptStep hold;
  hold.kind = StepKind::hold;
  hold.held = Held::fetch;
  hold.action = action_of(C::fetcher_send, 0, 1);
  setup.steps = {settle_step(), hold, step_of(action_of(C::produce, 0, kNoBroker, 2)), settle_step()};
  const RunResult result = run_script(setup);
  EXPECT_EQ(log_text(result.world, 0, 0), "0:0 1:0");
  EXPECT_EQ(log_text(result.world, 1, 0), "") << "the follower has not fetched them: not committed";
}

TEST(Mirroring, AMirrorRefusesClientWritesUntilItIsStopped) {
  sim::Setup setup = two_clusters(1);
  setup.steps = {settle_step(), step_of(action_of(C::produce, 1, kNoBroker, 1))};
  const RunResult refused = run_seed(setup, 1);
  EXPECT_EQ(refused.outcome.end, RunEnd::step_disabled);
  EXPECT_NE(refused.outcome.problem.find("not STOPPED"), std::string::npos) << refused.outcome.problem;
}

TEST(Mirroring, StoppingRecordsThePositionThenWritesPidResetInALargerEpoch) {
  sim::Setup setup = two_clusters(1);
  setup.steps = {step_of(action_of(C::produce, 0, kNoBroker, 2)), settle_step(),
                 step_of(order(C::stop_mirror, 0, 1)), settle_step(),
                 step_of(action_of(C::produce, 1, kNoBroker, 1))};
  const RunResult result = run_script(setup);
  EXPECT_EQ(state_of(result.world, 1), MirrorState::stopped);
  EXPECT_EQ(log_text(result.world, 1, 0), "0:0 1:0 2:11 3:11");
  EXPECT_EQ(result.world.clusters[1].brokers[0].partitions[0].log.batches()[1].kind, BatchKind::pid_reset);
  const auto* position = result.world.clusters[1].mirrors[0].position_for(0);
  ASSERT_NE(position, nullptr);
  EXPECT_EQ(position->position, (MirrorPosition{0, 2}));
  EXPECT_TRUE(checker::judge(result.trace).holds());
}

TEST(Mirroring, StoppingAbortsOpenTransactionsBeforePidReset) {
  sim::Setup setup = two_clusters(1);
  Batch open;
  open.base_offset = 0;
  open.last_offset = 1;
  open.epoch = 0;
  open.transactional = true;
  open.producer_id = 7;
  open.first_id = RecordId::make(0, 1);
  InitialLog log;
  log.cluster = 0;
  log.partition = 0;
  log.batches = {open};
  setup.initial_logs = {log};
  setup.steps = {settle_step(), step_of(order(C::stop_mirror, 0, 1)), settle_step()};
  const RunResult result = run_script(setup);
  const auto batches = result.world.clusters[1].brokers[0].partitions[0].log.batches();
  ASSERT_EQ(batches.size(), 3U);
  EXPECT_EQ(batches[1].kind, BatchKind::abort_marker);
  EXPECT_EQ(batches[1].producer_id, 7);
  EXPECT_EQ(batches[2].kind, BatchKind::pid_reset);
}

TEST(Mirroring, PauseAndResumeGoOnFromTheLogEnd) {
  sim::Setup setup = two_clusters(1);
  setup.steps = {step_of(action_of(C::produce, 0, kNoBroker, 1)), settle_step(),
                 step_of(order(C::pause_mirror, 0, 1)),           settle_step(),
                 step_of(action_of(C::produce, 0, kNoBroker, 1)), settle_step()};
  const RunResult paused = run_script(setup);
  EXPECT_EQ(state_of(paused.world, 1), MirrorState::paused);
  EXPECT_EQ(log_text(paused.world, 1, 0), "0:0");
  setup.steps.push_back(step_of(order(C::resume_mirror, 0, 1)));
  setup.steps.push_back(settle_step());
  const RunResult resumed = run_script(setup);
  EXPECT_EQ(state_of(resumed.world, 1), MirrorState::mirroring);
  EXPECT_EQ(log_text(resumed.world, 1, 0), "0:0 1:0");
}

TEST(Mirroring, ASourceWhoseEpochsRaceAheadIsFencedAndFollowed) {
  sim::Setup setup = two_clusters(2);
  setup.steps = {settle_step()};
  for (int i = 0; i < 14; ++i) {
    setup.steps.push_back(
        step_of(action_of(C::clean_election, 0, static_cast<BrokerId>(i % 2 == 0 ? 1 : 0))));
    setup.steps.push_back(step_of(action_of(C::metadata_apply, 0, 0)));
    setup.steps.push_back(step_of(action_of(C::metadata_apply, 0, 1)));
  }
  setup.steps.push_back(settle_step());
  setup.steps.push_back(step_of(action_of(C::produce, 0, kNoBroker, 2)));
  setup.steps.push_back(settle_step());
  const RunResult result = run_script(setup);
  EXPECT_EQ(log_text(result.world, 1, 0), "0:14 1:14");
  EXPECT_GE(result.world.clusters[1].controller.partition(0).leader_epoch, 14);
  EXPECT_TRUE(checker::judge(result.trace).holds());
}

TEST(Mirroring, ACutLinkFailsTheMirrorAndHealingBringsItBack) {
  sim::Setup setup = two_clusters(1);
  Action cut = action_of(C::cut_clusters, 0);
  cut.other_cluster = 1;
  Action heal = cut;
  heal.kind = C::heal_clusters;
  setup.steps = {settle_step(), step_of(cut), settle_step()};
  const RunResult failed = run_script(setup);
  EXPECT_EQ(state_of(failed.world, 1), MirrorState::failed);
  setup.steps.push_back(step_of(heal));
  setup.steps.push_back(step_of(action_of(C::produce, 0, kNoBroker, 1)));
  setup.steps.push_back(settle_step());
  const RunResult healed = run_script(setup);
  EXPECT_EQ(state_of(healed.world, 1), MirrorState::mirroring);
  EXPECT_EQ(log_text(healed.world, 1, 0), "0:0");
}

TEST(Mirroring, AStepThatCannotBeTakenSaysWhy) {
  sim::Setup setup = two_clusters(1);
  setup.steps = {step_of(action_of(C::restart, 0, 0))};
  const RunResult result = run_seed(setup, 1);
  EXPECT_EQ(result.outcome.end, RunEnd::step_disabled);
  EXPECT_EQ(result.outcome.problem, "/steps/?: step restart cannot be taken: A/0 is up");
}

TEST(Mirroring, ABudgetLimitsTheStrategiesAndNotTheScript) {
  sim::Setup setup = two_clusters(3);
  setup.faults.budgets[static_cast<int>(C::crash)] = 1;
  setup.steps = {step_of(action_of(C::crash, 0, 0)), step_of(action_of(C::crash, 0, 1))};
  const RunResult result = run_script(setup);
  EXPECT_FALSE(result.world.clusters[0].brokers[1].alive);
  std::vector<Event> events;
  Simulator simulator(setup, &events);
  simulator.start();
  Actions crashes;
  simulator.enumerate(C::crash, crashes);
  EXPECT_EQ(crashes.size(), 6U);
  simulator.execute(crashes.front());
  simulator.enumerate(C::crash, crashes);
  EXPECT_TRUE(crashes.empty());
}

}  // namespace
}  // namespace mirrorproof::sim
