// Replica sets that change under a running mirror: whoever goes deletes its log, whoever comes copies it, and
// the judge accuses nobody.

#include <gtest/gtest.h>

#include <algorithm>

#include "checker/checker.h"
#include "sim/runner.h"
#include "tests/sim/test_setups.h"

namespace mirrorproof::sim {
namespace {

using C = ActionClass;

Offset log_end_of(const World& world, ClusterId cluster, BrokerId broker) {
  return world.clusters[cluster].brokers[broker].partitions[0].log.log_end_offset();
}

ScriptStep reassign_step(ClusterId cluster, const ReplicaList& replicas) {
  return step_of(action_of(C::reassign, cluster, kNoBroker, packed_replicas(replicas)));
}

RunResult judged_run(const sim::Setup& setup) {
  RunResult result = run_seed(setup, 1);
  EXPECT_EQ(result.outcome.end, RunEnd::complete) << result.outcome.problem;
  for (const checker::Violation& violation : checker::judge(result.trace).violations) {
    ADD_FAILURE() << violation.message;
  }
  return result;
}

/// A and B with three brokers each; the partition begins on the first two.
sim::Setup on_two_of_three() {
  sim::Setup setup = two_clusters(3);
  setup.partitions[0].hosting[0].replicas = {0, 1};
  setup.partitions[0].hosting[1].replicas = {0, 1};
  return setup;
}

TEST(ReassignmentRun, PacksAssignmentsBothWays) {
  for (const ReplicaList& replicas : {ReplicaList{}, ReplicaList{0}, ReplicaList{7}, ReplicaList{3, 0, 5},
                                      ReplicaList{7, 6, 5, 4, 3, 2, 1, 0}}) {
    EXPECT_EQ(unpacked_replicas(packed_replicas(replicas)), replicas);
  }
}

TEST(ReassignmentRun, MovesAPartitionAwayFromItsLeader) {
  for (const ClusterId cluster : {ClusterId{0}, ClusterId{1}}) {
    sim::Setup setup = on_two_of_three();
    setup.steps = {step_of(action_of(C::produce, 0, kNoBroker, 3)),
                   settle_step(),
                   reassign_step(cluster, {2, 1}),
                   settle_step(),
                   step_of(action_of(C::produce, 0, kNoBroker, 2)),
                   settle_step()};
    setup.run.converge = true;
    const RunResult result = judged_run(setup);
    const PartitionRegistration& now = result.world.clusters[cluster].controller.partition(0);
    EXPECT_EQ(now.replicas, (ReplicaList{2, 1}));
    EXPECT_FALSE(now.reassigning());
    EXPECT_NE(now.leader, 0);
    EXPECT_EQ(log_end_of(result.world, cluster, 0), 0) << "the old leader deleted its log";
    EXPECT_EQ(log_end_of(result.world, cluster, 1), 5);
    EXPECT_EQ(log_end_of(result.world, cluster, 2), 5);
    EXPECT_EQ(log_end_of(result.world, static_cast<ClusterId>(1 - cluster), 0), 5);
  }
}

TEST(ReassignmentRun, AReplicaThatComesBackStartsEmpty) {
  sim::Setup setup = on_two_of_three();
  setup.steps = {step_of(action_of(C::produce, 0, kNoBroker, 3)),
                 settle_step(),
                 reassign_step(0, {0}),
                 settle_step(),
                 step_of(action_of(C::produce, 0, kNoBroker, 1)),
                 reassign_step(0, {1, 0}),
                 settle_step(),
                 step_of(action_of(C::preferred_election, 0)),
                 settle_step()};
  setup.run.converge = true;
  const RunResult result = judged_run(setup);
  EXPECT_EQ(result.world.clusters[0].controller.partition(0).leader, 1);
  EXPECT_EQ(log_end_of(result.world, 0, 1), 4);
}

/// A/1 has three records; it goes down, is no replica for a while, and comes back when it is one.
sim::Setup assigned_anew_while_down() {
  sim::Setup setup = on_two_of_three();
  setup.steps = {step_of(action_of(C::produce, 0, kNoBroker, 3)),
                 settle_step(),
                 step_of(action_of(C::crash, 0, 1)),
                 settle_step(),
                 reassign_step(0, {0}),
                 reassign_step(0, {0, 1}),
                 step_of(action_of(C::restart, 0, 1)),
                 step_of(action_of(C::produce, 0, kNoBroker, 1))};
  return setup;
}

/// Removed and added again while it is down, the broker never hears of it and keeps its log, as in Kafka.
TEST(ReassignmentRun, ABrokerThatWasDownMeanwhileKeepsItsLog) {
  sim::Setup setup = assigned_anew_while_down();
  const RunResult before = judged_run(setup);
  EXPECT_EQ(log_end_of(before.world, 0, 1), 3);
  setup.run.converge = true;
  EXPECT_EQ(log_end_of(judged_run(setup).world, 0, 1), 4);
}

/// How often A/1 threw a log away because it was no replica.
std::ptrdiff_t logs_deleted(const RunResult& result) {
  const auto& events = result.trace.events;
  return std::count_if(events.begin(), events.end(), [](const Event& event) {
    const auto* cut = std::get_if<Truncated>(&event.payload);
    return cut != nullptr && cut->reason == TruncationReason::replica_removed && event.cluster == 0 &&
           event.broker == 1;
  });
}

TEST(ReassignmentRun, ABrokerThatWasDownMeanwhileStartsEmptyIfItKnowsForWhatItsLogIs) {
  sim::Setup setup = assigned_anew_while_down();
  setup.protocol.reassigned_replica = ReassignedReplica::starts_empty;
  const RunResult before = judged_run(setup);
  EXPECT_EQ(log_end_of(before.world, 0, 1), 0);
  EXPECT_EQ(logs_deleted(before), 1);
  // It remembers over further restarts what its log is for.
  setup.steps.push_back(settle_step());
  setup.steps.push_back(step_of(action_of(C::power_loss, 0, 1)));
  setup.steps.push_back(settle_step());
  setup.steps.push_back(step_of(action_of(C::restart, 0, 1)));
  setup.run.converge = true;
  const RunResult after = judged_run(setup);
  EXPECT_EQ(log_end_of(after.world, 0, 1), 4);
  EXPECT_EQ(logs_deleted(after), 1);
}

TEST(ReassignmentRun, ABrokerThatHearsOfBothAtOnceStartsEmptyToo) {
  for (const auto rule : {ReassignedReplica::keeps_log, ReassignedReplica::starts_empty}) {
    sim::Setup setup = on_two_of_three();
    setup.protocol.reassigned_replica = rule;
    ScriptStep held;
    held.kind = StepKind::hold;
    held.held = Held::metadata;
    held.action = action_of(C::metadata_apply, 0, 1);
    ScriptStep released = held;
    released.kind = StepKind::release;
    setup.steps = {step_of(action_of(C::produce, 0, kNoBroker, 3)),
                   settle_step(),
                   held,
                   reassign_step(0, {0}),
                   settle_step(),
                   reassign_step(0, {0, 1}),
                   settle_step()};
    const RunResult lagging = judged_run(setup);
    EXPECT_FALSE(lagging.world.clusters[0].controller.partition(0).isr.contains(1))
        << "it has not heard of the new assignment";
    const auto behind = static_cast<std::int64_t>(lagging.world.clusters[0].metadata_log.end() -
                                                  lagging.world.clusters[0].brokers[1].applied_records);
    ASSERT_GT(behind, 1);
    setup.steps.push_back(released);
    setup.steps.push_back(step_of(action_of(C::metadata_apply, 0, 1, behind)));
    const RunResult applied = judged_run(setup);
    EXPECT_EQ(logs_deleted(applied), rule == ReassignedReplica::starts_empty ? 1 : 0);
    setup.run.converge = true;
    const RunResult result = judged_run(setup);
    EXPECT_EQ(log_end_of(result.world, 0, 1), 3);
    EXPECT_TRUE(result.world.clusters[0].controller.partition(0).isr.contains(1));
  }
}

TEST(ReassignmentRun, IsNotEnabledTwiceOrForNobody) {
  const sim::Setup setup = on_two_of_three();
  Simulator simulator(setup, nullptr);
  simulator.start();
  const auto why_not = [&](const ReplicaList& replicas) {
    return simulator.why_not_enabled(action_of(C::reassign, 0, kNoBroker, packed_replicas(replicas)));
  };
  EXPECT_EQ(why_not({0, 2}), "");
  EXPECT_EQ(why_not({0, 1}), "the replicas are assigned so already");
  EXPECT_EQ(why_not({}), "the new assignment has no replica");
  EXPECT_NE(why_not({0, 0}), "");
  EXPECT_NE(why_not({0, 5}), "");
  simulator.execute(action_of(C::reassign, 0, kNoBroker, packed_replicas({0, 2})));
  EXPECT_EQ(why_not({0}), "") << "it takes the place of the one under way";
  EXPECT_EQ(simulator.why_not_enabled(action_of(C::cancel_reassignment, 0)), "");
  EXPECT_EQ(simulator.why_not_enabled(action_of(C::cancel_reassignment, 1)), "no reassignment is under way");
}

TEST(ReassignmentRun, CancelledOrChangedInTheMiddleItHarmsNobody) {
  for (const bool cancelled : {true, false}) {
    sim::Setup setup = on_two_of_three();
    setup.steps = {step_of(action_of(C::produce, 0, kNoBroker, 3)),
                   settle_step(),
                   reassign_step(0, {2, 1}),
                   step_of(action_of(C::metadata_apply, 0, 2)),
                   cancelled ? step_of(action_of(C::cancel_reassignment, 0)) : reassign_step(0, {2, 0}),
                   step_of(action_of(C::produce, 0, kNoBroker, 2)),
                   settle_step()};
    setup.run.converge = true;
    const RunResult result = judged_run(setup);
    const PartitionRegistration& now = result.world.clusters[0].controller.partition(0);
    EXPECT_FALSE(now.reassigning());
    EXPECT_EQ(now.replica_set().contains(2), !cancelled);
    EXPECT_EQ(log_end_of(result.world, 1, 0), 5);
  }
}

}  // namespace
}  // namespace mirrorproof::sim
