// follower-truncation: a follower removes only what its leader lacks and nobody was promised.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checker/trace_builder.h"

namespace mirrorproof::checker::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A0 led epoch 0 and has 0 1; A1 has 0 and leads epoch 1. Offset 1 was never committed.
TraceBuilder failed_over(ElectionKind kind = ElectionKind::clean, Offset committed = 1) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.write(A0);
  trace.copy(A0, A2);
  trace.high_watermark(A0, committed);
  trace.lead(A1, 1, kind);
  trace.step();
  return trace;
}

TEST(FollowerTruncation, AnUncommittedTailMayGo) {
  TraceBuilder trace = failed_over();
  trace.cut_after_answer(A0, A1, 1);
  EXPECT_THAT(trace.violations(), IsEmpty());
  EXPECT_EQ(trace.judge().statistics.follower_truncations, 1U);
}

TEST(FollowerTruncation, WhatTheLeaderHasMustStay) {
  TraceBuilder trace = failed_over();
  trace.cut_after_answer(A0, A1, 0);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), ElementsAre("follower-truncation/removed-record-the-leader-has"));
  EXPECT_THAT(judgement.violations[0].message, HasSubstr("removed offset 0 (epoch 0, record A#0)"));
  EXPECT_THAT(judgement.violations[0].message, HasSubstr("its leader A1 has"));
}

// A1 answers that it lacks offset 1, then copies it from A0's tail through a third replica: the answer was
// right.
TEST(FollowerTruncation, WhatTheLeaderGotAfterItsAnswerItLacked) {
  TraceBuilder trace = failed_over();
  const EventId received = trace.ask(A0, A1);
  trace.copy(A2, A1);
  trace.cut(A0, 1, TruncationReason::diverging_epoch, false, {received});
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(FollowerTruncation, ACommittedRecordMayGoAfterAnUncleanElection) {
  TraceBuilder trace = failed_over(ElectionKind::unclean, 2);
  trace.cut_after_answer(A0, A1, 1);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(FollowerTruncation, ACommittedRecordMayNotGoAfterACleanOne) {
  TraceBuilder trace = failed_over(ElectionKind::clean, 2);
  trace.cut_after_answer(A0, A1, 1);
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/committed-record-lost-in-clean-election",
                                              "follower-truncation/removed-committed-record"));
}

TEST(FollowerTruncation, ACommittedRecordMayGoAfterAPowerLossOfItsLeader) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.high_watermark(A0, 2);
  trace.lose_power(A0, 1);
  trace.start(A0);
  trace.lead(A0, 1);
  trace.cut_after_answer(A1, A0, 1);
  // The follower does as it is told; that the shorter replica was elected is the cluster's fault.
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/committed-record-lost-after-power-loss"));
}

// cases.md, hw-truncate-on-restart: a follower that cuts to its own high watermark.
TEST(FollowerTruncation, ToTheHighWatermarkIsJudgedByTheCurrentLeader) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.high_watermark(A0, 2);
  trace.cut(A1, 1, TruncationReason::high_watermark);
  EXPECT_THAT(trace.violations(), ElementsAre("follower-truncation/removed-record-the-leader-has"));
}

// The leader a follower listens to is a zombie that lacks a record committed since.
TEST(FollowerTruncation, AZombieLeaderIsNoLicence) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.lead(A1, 1);
  trace.follow(A2, 1, 1);
  trace.write(A1);
  trace.copy(A1, A2);
  trace.high_watermark(A1, 2);
  trace.cut_after_answer(A2, A0, 1);
  EXPECT_THAT(trace.violations(), ElementsAre("follower-truncation/removed-committed-record"));
}

// A2 still follows epoch 0 while A1 and another replica commit without it in epoch 1: it was not counted.
TEST(FollowerTruncation, WhatALaterLeaderCommittedWithoutTheFollowerItMayLose) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.follow(A2, 0, 0);
  trace.write(A0);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.copy(A0, A2);
  trace.lead(A1, 1);
  trace.high_watermark(A1, 2);
  trace.lose_power(A0, 1);
  trace.start(A0);
  trace.cut_after_answer(A2, A0, 1);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(FollowerTruncation, FollowersOfAMirrorFollowItsAlignment) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 5);
  trace.write(B0, 1);
  trace.write(B0, 1);
  trace.copy(B0, B1);
  trace.high_watermark(B0, 2);
  trace.state(B, MirrorState::log_alignment, A);
  trace.cut(B0, 0, TruncationReason::alignment, true);
  trace.aligned(B0, 0, {}, A);
  trace.cut_after_answer(B1, B0, 0);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TraceBuilder mirror_with_follower() {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 5);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.write(A0);
  trace.start_mirroring(B, A);
  trace.copy(A0, B0);
  trace.copy(B0, B1);
  trace.high_watermark(B0, 2);
  return trace;
}

TEST(FollowerTruncation, FollowersOfAMirrorFollowItsJustifiedTruncation) {
  TraceBuilder trace = mirror_with_follower();
  trace.lead(A1, 1, ElectionKind::unclean);
  trace.cut_after_answer(B0, A1, 1);
  trace.cut_after_answer(B1, B0, 1);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

// B0 still leads as far as it and B1 know; B2, which was elected, has the record and keeps it until it asks
// A.
TEST(FollowerTruncation, FollowersOfADeposedMirrorLeaderFollowItsJustifiedTruncation) {
  for (const ElectionKind kind : {ElectionKind::unclean, ElectionKind::epoch_bump}) {
    TraceBuilder trace = mirror_with_follower();
    trace.copy(B0, B2);
    trace.follow(B1, 5, 0);
    trace.lead(A1, 1, kind);
    trace.lead(B2, 6);
    trace.cut_after_answer(B0, A1, 1);
    trace.cut_after_answer(B1, B0, 1);
    const std::vector<std::string> found = trace.violations();
    const bool accused =
        std::find(found.begin(), found.end(), "follower-truncation/removed-committed-record") != found.end();
    EXPECT_EQ(accused, kind != ElectionKind::unclean);
  }
}

TEST(FollowerTruncation, AnUnjustifiedMirrorTruncationLicensesNothing) {
  TraceBuilder trace = mirror_with_follower();
  trace.cut_after_answer(B0, A0, 1);
  trace.cut_after_answer(B1, B0, 1);
  EXPECT_THAT(trace.violations(), ElementsAre("truncation-provenance/not-killed",
                                              "follower-truncation/removed-committed-record"));
}

TEST(FollowerTruncation, WhatRetentionTookFromTheLeaderMayGo) {
  TraceBuilder trace = world_without_its_past();
  const EventId received = trace.ask(A1, A0, ApiKey::list_offsets);
  trace.cut(A1, 5, TruncationReason::out_of_range, false, {received}, 5);
  trace.high_watermark(A1, 5);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(FollowerTruncation, PowerLossIsNobodysDecision) {
  TraceBuilder trace = failed_over(ElectionKind::unclean, 2);
  trace.lose_power(A2, 0);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

// An answer from before its election reaches a replica that leads by now.
TEST(FollowerTruncation, NoAnswerCutsALeadersLog) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0);
  trace.lead(A1, 1);
  trace.follow(A0, 1, 1);
  const EventId answer = trace.ask(A0, A1);
  trace.lead(A0, 2);
  trace.cut(A0, 0, TruncationReason::diverging_epoch, false, {answer});
  EXPECT_THAT(trace.violations(), ElementsAre("follower-truncation/leader-cut-its-log"));
}

}  // namespace
}  // namespace mirrorproof::checker::testing
