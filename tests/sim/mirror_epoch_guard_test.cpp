// M27: a follower of a mirror leader takes no batch above the latest epoch that the leader's log was known to
// hold by the answer before.

#include <gtest/gtest.h>

#include "checker/checker.h"
#include "sim/runner.h"
#include "tests/sim/test_setups.h"

namespace mirrorproof::sim {
namespace {

using C = ActionClass;

struct GuardedRun {
  RunResult result;
  int answers_with_records_before_the_first_append = 0;
};

/// Three elections on the source, so that its records carry epoch 3, then a mirror with one follower.
GuardedRun guarded_run(bool guarded) {
  sim::Setup setup = two_clusters(2);
  setup.protocol.follower_guard_by_log_epoch = guarded;
  setup.mirrors[0].start = false;
  Action start = action_of(C::start_mirror, 1);
  start.other_cluster = 0;
  setup.steps = {step_of(action_of(C::clean_election, 0, 1)),
                 settle_step(),
                 step_of(action_of(C::clean_election, 0, 0)),
                 settle_step(),
                 step_of(action_of(C::produce, 0, kNoBroker, 3)),
                 settle_step(),
                 step_of(start)};
  setup.run.converge = true;
  GuardedRun run;
  run.result = run_seed(setup, 1);
  EXPECT_EQ(run.result.outcome.end, RunEnd::complete) << run.result.outcome.problem;
  EXPECT_TRUE(checker::judge(run.result.trace).holds());
  for (const Event& event : run.result.trace.events) {
    if (event.cluster != 1) {
      continue;
    }
    const auto* appended = std::get_if<Appended>(&event.payload);
    if (appended != nullptr && appended->origin == AppendOrigin::replication) {
      break;
    }
    const auto* handled = std::get_if<RequestHandled>(&event.payload);
    run.answers_with_records_before_the_first_append +=
        handled != nullptr && handled->first_offset != kUndefinedOffset ? 1 : 0;
  }
  return run;
}

TEST(MirrorEpochGuard, TheFirstAnswerAppendsNothingAndTheNextDoes) {
  EXPECT_EQ(guarded_run(false).answers_with_records_before_the_first_append, 1);
  const GuardedRun guarded = guarded_run(true);
  EXPECT_EQ(guarded.answers_with_records_before_the_first_append, 2);
  const auto& brokers = guarded.result.world.clusters[1].brokers;
  EXPECT_EQ(brokers[0].partitions[0].log.log_end_offset(), 3);
  EXPECT_EQ(brokers[1].partitions[0].log.log_end_offset(), 3);
}

}  // namespace
}  // namespace mirrorproof::sim
