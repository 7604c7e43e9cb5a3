// What a violation carries along of what had happened before it.

#include "checker/circumstances.h"

#include <gtest/gtest.h>

#include "tests/checker/trace_builder.h"

namespace mirrorproof::checker::testing {
namespace {

Circumstances seen_in(const TraceBuilder& trace) {
  CircumstanceTracker tracker(trace.trace.header);
  for (const Event& event : trace.trace.events) {
    tracker.observe(event);
  }
  return tracker.of(0);
}

TEST(Circumstances, BelongToTheirPartition) {
  TraceBuilder trace(1, 2);
  trace.lead(A0, 0);
  trace.partition(1).lead(A0, 0);
  trace.lead(A1, 1, ElectionKind::unclean);
  CircumstanceTracker tracker(trace.trace.header);
  for (const Event& event : trace.trace.events) {
    tracker.observe(event);
  }
  EXPECT_FALSE(tracker.of(0).has(Circumstance::unclean_election));
  EXPECT_TRUE(tracker.of(1).has(Circumstance::unclean_election));
  EXPECT_TRUE(tracker.of(kNoPartition).has(Circumstance::unclean_election));
}

TEST(Circumstances, APowerLossIsEveryPartitions) {
  TraceBuilder trace(1, 2);
  trace.lead(A0, 0);
  trace.stop(A0, StopKind::power_loss);
  EXPECT_TRUE(seen_in(trace).has(Circumstance::power_loss));
  EXPECT_FALSE(seen_in(trace).has(Circumstance::epoch_skipped));
}

TEST(Circumstances, ALeaderThatTakesOverAgainSkipsAnEpochOnlyIfOneLiesBetween) {
  TraceBuilder trace(1);
  trace.lead(A0, 0);
  trace.lead(A0, 1, ElectionKind::epoch_bump);
  EXPECT_FALSE(seen_in(trace).has(Circumstance::epoch_skipped));
  trace.elect(A, 1, 2);
  trace.lead(A0, 3);
  EXPECT_TRUE(seen_in(trace).has(Circumstance::epoch_skipped));
}

TEST(Circumstances, ALeaderThatFollowedInBetweenHasSkippedNothing) {
  TraceBuilder trace(1);
  trace.lead(A0, 0);
  trace.lead(A1, 1);
  trace.follow(A0, 1, 1);
  trace.lead(A0, 3);
  EXPECT_FALSE(seen_in(trace).has(Circumstance::epoch_skipped));
}

TEST(Circumstances, StoppingAgainIsStoppingTwiceInARow) {
  TraceBuilder trace;
  trace.lead(B0, 0);
  const auto begin = [&](MirrorState state) { trace.emit(B, 0, MirrorActionStarted{state, A}); };
  begin(MirrorState::mirroring);
  begin(MirrorState::stopping);
  begin(MirrorState::failed);
  begin(MirrorState::stopping);
  EXPECT_TRUE(seen_in(trace).has(Circumstance::mirror_started));
  EXPECT_FALSE(seen_in(trace).has(Circumstance::stopping_again));
  begin(MirrorState::stopping);
  EXPECT_TRUE(seen_in(trace).has(Circumstance::stopping_again));
}

}  // namespace
}  // namespace mirrorproof::checker::testing
