// committed-stability: what was committed stays, and the offsets stay in order.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checker/trace_builder.h"

namespace mirrorproof::checker::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TraceBuilder committed_world(Offset high_watermark = 2) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.write(A0);
  trace.high_watermark(A0, high_watermark);
  return trace;
}

TEST(CommittedStability, ALeaderWithEverythingCommittedMayTakeOver) {
  TraceBuilder trace = committed_world(1);
  trace.lead(A1, 1);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(CommittedStability, ACleanElectionMayNotLoseACommittedRecord) {
  TraceBuilder trace = committed_world();
  trace.lead(A1, 1);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement),
              ElementsAre("committed-stability/committed-record-lost-in-clean-election"));
  EXPECT_THAT(judgement.violations[0].message,
              HasSubstr("topic-0 on A1: took over epoch 1 without offset 1"));
  EXPECT_THAT(judgement.violations[0].message, HasSubstr("A0 had committed as leader of epoch 0"));
}

TEST(CommittedStability, AnUncleanElectionMay) {
  TraceBuilder trace = committed_world();
  trace.lead(A1, 1, ElectionKind::unclean);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(CommittedStability, AnUncleanElectionSinceTheLastReignIsLicenceEnough) {
  TraceBuilder trace = committed_world();
  trace.elect(A, 2, 1, ElectionKind::unclean);
  trace.lead(A1, 2);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(CommittedStability, AnUncleanElectionBeforeTheLastReignIsNone) {
  TraceBuilder trace;
  trace.lead(A0, 0, ElectionKind::unclean);
  trace.write(A0);
  trace.high_watermark(A0, 1);
  trace.lead(A1, 1);
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/committed-record-lost-in-clean-election"));
}

TEST(CommittedStability, APowerLossOfTheOldLeaderIsALicence) {
  TraceBuilder trace = committed_world();
  trace.lose_power(A0, 1);
  trace.start(A0);
  trace.lead(A0, 1);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(CommittedStability, APowerLossOfEveryCopyIsALicence) {
  TraceBuilder trace = committed_world();
  trace.copy(A0, A1);
  trace.lose_power(A0, 2);
  trace.start(A0);
  trace.lose_power(A1, 1);
  trace.start(A1);
  trace.lead(A1, 1);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

// cases.md, last-replica-standing: a replica that lost nothing still has the record.
TEST(CommittedStability, APowerLossOfTheNewLeaderIsNoneWhileASafeCopyExists) {
  TraceBuilder trace = committed_world();
  trace.copy(A0, A1);
  trace.lose_power(A1, 1);
  trace.start(A1);
  trace.lead(A1, 1);
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/committed-record-lost-after-power-loss"));
}

TEST(CommittedStability, APowerLossThatTookSomethingElseIsNone) {
  TraceBuilder trace = committed_world();
  trace.lose_power(A1, 0);
  trace.start(A1);
  trace.copy(A0, A1, 1);
  trace.lead(A1, 1);
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/committed-record-lost-in-clean-election"));
}

TEST(CommittedStability, WhatIsLostOnceIsNotMissedAgain) {
  TraceBuilder trace = committed_world();
  trace.copy(A1, A2);
  trace.lead(A1, 1, ElectionKind::unclean);
  trace.lead(A2, 2);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

// The high watermark of a deposed leader commits nothing once its successor reigns.
TEST(CommittedStability, AZombiesHighWatermarkCommitsNothing) {
  TraceBuilder trace = committed_world(1);
  trace.lead(A1, 1);
  trace.high_watermark(A0, 2);
  trace.copy(A1, A2);
  trace.lead(A2, 2);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(CommittedStability, AlignmentTakesCommittedRecordsByOrder) {
  TraceBuilder trace;
  trace.lead(B0, 5);
  trace.write(B0, 2);
  trace.high_watermark(B0, 2);
  trace.state(B, MirrorState::log_alignment, A);
  trace.cut(B0, 0, TruncationReason::alignment, true);
  trace.lead(B1, 6);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

// B0 aligned; B1, which had not followed yet, led for a while and committed; B0 is elected again.
TEST(CommittedStability, WhatAnEarlierAlignmentTookFromTheNewLeaderIsLicensed) {
  TraceBuilder trace;
  trace.lead(B0, 5);
  trace.write(B0, 2);
  trace.copy(B0, B1);
  trace.high_watermark(B0, 2);
  trace.state(B, MirrorState::log_alignment, A);
  trace.cut(B0, 0, TruncationReason::alignment, true);
  trace.lead(B1, 6);
  trace.high_watermark(B1, 2);
  trace.lead(B0, 7);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

// cases.md, source-hw-adopted-by-destination: B0 declares committed what only it has.
TEST(CommittedStability, AMirrorIsJudgedLikeAnyCluster) {
  TraceBuilder trace;
  trace.lead(A0, 3);
  trace.lead(B0, 5);
  trace.write(A0, 3);
  trace.start_mirroring(B, A);
  trace.copy(A0, B0);
  trace.high_watermark(B0, 3);
  trace.lead(B1, 6);
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/committed-record-lost-in-clean-election"));
}

TEST(CommittedStability, AHighWatermarkLiesInsideTheLog) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0);
  trace.high_watermark(A0, 2);
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/high-watermark-outside-log"));
}

TEST(CommittedStability, ALeadersHighWatermarkNeverGoesBackByItself) {
  TraceBuilder trace = committed_world();
  trace.high_watermark(A0, 1);
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/leader-high-watermark-went-back"));
}

TEST(CommittedStability, AFollowersHighWatermarkMayGoBack) {
  TraceBuilder trace = committed_world();
  trace.copy(A0, A1);
  trace.high_watermark(A1, 2);
  trace.high_watermark(A1, 0);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(CommittedStability, ATruncationTakesTheLeadersHighWatermarkAlong) {
  TraceBuilder trace;
  trace.lead(B0, 5);
  trace.write(B0, 1);
  trace.write(B0, 1);
  trace.high_watermark(B0, 2);
  trace.state(B, MirrorState::log_alignment, A);
  trace.cut(B0, 1, TruncationReason::alignment, true);
  trace.high_watermark(B0, 1);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(CommittedStability, ARestartMayLowerTheHighWatermark) {
  TraceBuilder trace = committed_world();
  trace.stop(A0);
  trace.start(A0);
  trace.high_watermark(A0, 0);
  trace.lead(A0, 1);
  trace.high_watermark(A0, 2);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(CommittedStability, LogStartStaysBelowTheHighWatermark) {
  TraceBuilder trace = committed_world(1);
  trace.log_start(A0, 1);
  EXPECT_THAT(trace.violations(), IsEmpty());
  trace.log_start(A0, 2);
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/log-start-above-high-watermark"));
}

TEST(CommittedStability, LogStartNeverGoesBack) {
  TraceBuilder trace = committed_world();
  trace.log_start(A0, 2);
  trace.log_start(A0, 1);
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/log-start-went-back"));
}

// cases.md, prefix-trim-jumps-to-resume-point.
TEST(CommittedStability, AFollowersLogStartFollowsItsServerAndNoFurther) {
  TraceBuilder trace = committed_world();
  trace.copy(A0, A1);
  trace.high_watermark(A1, 2);
  trace.log_start(A0, 1);
  trace.log_start(A1, 1, LogStartMoved::Reason::replicated, {trace.ask(A1, A0)});
  EXPECT_THAT(trace.violations(), IsEmpty());
  trace.log_start(A1, 2, LogStartMoved::Reason::replicated, {trace.ask(A1, A0)});
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/log-start-ahead-of-server"));
}

// --- what a follower exposes ---

/// A0 led epoch 0 and keeps a record 1 that A1, the leader of epoch 1, replaced by its own.
TraceBuilder replaced_record() {
  TraceBuilder trace = committed_world(1);
  trace.lead(A1, 1);
  trace.write(A1);
  trace.high_watermark(A1, 2);
  return trace;
}

TEST(CommittedStability, AFollowerMayNotExposeWhatItsLeaderReplaced) {
  TraceBuilder trace = replaced_record();
  trace.emit(A, 0, HighWatermarkMoved{2}, {trace.ask(A0, A1)});
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/high-watermark-over-foreign-record"));
}

TEST(CommittedStability, AFollowerThatTruncatedFirstMay) {
  TraceBuilder trace = replaced_record();
  trace.cut_after_answer(A0, A1, 1);
  trace.copy(A1, A0);
  trace.emit(A, 0, HighWatermarkMoved{2}, {trace.ask(A0, A1)});
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(CommittedStability, WhatTheLeaderWroteAfterItAnsweredCannotContradictAFollower) {
  TraceBuilder trace = committed_world(1);
  trace.lead(A1, 1);
  const EventId answer = trace.ask(A0, A1);
  trace.write(A1);
  trace.emit(A, 0, HighWatermarkMoved{2}, {answer});
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(CommittedStability, ARestartedLogTakesItsHighWatermarkAlong) {
  TraceBuilder trace = world_without_its_past();
  const EventId received = trace.ask(A1, A0, ApiKey::list_offsets);
  trace.step();
  trace.cut(A1, 5, TruncationReason::out_of_range, false, {received}, 5);
  trace.high_watermark(A1, 5);
  trace.step();
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(CommittedStability, ARestartedLogMayNotLeaveItsHighWatermarkBehind) {
  TraceBuilder trace = world_without_its_past();
  const EventId received = trace.ask(A1, A0, ApiKey::list_offsets);
  trace.step();
  trace.cut(A1, 5, TruncationReason::out_of_range, false, {received}, 5);
  trace.step();
  trace.high_watermark(A1, 5);
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/high-watermark-below-log-start"));
}

}  // namespace
}  // namespace mirrorproof::checker::testing
