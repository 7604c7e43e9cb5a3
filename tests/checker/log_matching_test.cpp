// log-matching: a copy continues the history it was copied from.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checker/trace_builder.h"

namespace mirrorproof::checker::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(LogMatching, FollowersAndMirrorsThatCopyInOrderMatch) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 5);
  trace.start_mirroring(B, A);
  for (int i = 0; i < 3; ++i) {
    trace.write(A0, 2);
    trace.copy(A0, A1);
    trace.copy(A0, B0);
    trace.copy(B0, B1);
  }
  EXPECT_THAT(trace.violations(), IsEmpty());
}

// cases.md, old-source-without-divergence-in-fetch: the mirror fetches on over an unclean election.
TEST(LogMatching, AMirrorThatMissesATruncationGluesTwoHistoriesTogether) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 5);
  trace.start_mirroring(B, A);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.write(A0);
  trace.write(A0);
  trace.copy(A0, B0);
  trace.lead(A1, 1, ElectionKind::unclean);
  trace.write(A1);
  trace.write(A1);
  trace.write(A1);
  trace.copy(A1, B0);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), ElementsAre("log-matching/copy-diverged"));
  EXPECT_THAT(judgement.violations[0].message,
              HasSubstr("topic-0 on B0: offset 3 (epoch 1, record A#5) was copied from A1"));
  EXPECT_THAT(judgement.violations[0].message, HasSubstr("at offset 2 the copy has record A#2 (epoch 0)"));
}

// cases.md, zombie-follower-unfenced.
TEST(LogMatching, AFollowerOnTopOfATailThatEverybodyElseDiscarded) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.write(A0);
  trace.copy(A0, A2);
  trace.lead(A1, 1);
  trace.cut_after_answer(A0, A1, 1);
  trace.write(A1);
  trace.copy(A1, A0);
  trace.lead(A0, 2);
  trace.write(A0);
  trace.copy(A0, A2);
  EXPECT_THAT(trace.violations(), ElementsAre("log-matching/copy-diverged"));
}

// What counts is what the server had when it answered.
TEST(LogMatching, AnAnswerOvertakenByATruncationOfTheServerIsJudgedByItsOwnTime) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0);
  trace.write(A0);
  trace.copy(A0, A1);
  const Batch third = trace.write(A0);
  const EventId received = trace.ask(A1, A0, ApiKey::fetch, third.base_offset);
  trace.lose_power(A0, 1);
  trace.append(A1, AppendOrigin::replication, third, {received});
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(LogMatching, AStaleAnswerOnTopOfANewHistoryDiverges) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.write(A0);
  trace.copy(A0, A2);
  const Batch third = trace.write(A0);
  const EventId late = trace.ask(A2, A0, ApiKey::fetch, third.base_offset);
  trace.lead(A1, 1);
  trace.write(A1);
  trace.cut_after_answer(A2, A1, 1);
  trace.copy(A1, A2);
  trace.append(A2, AppendOrigin::replication, third, {late});
  EXPECT_THAT(trace.violations(),
              ElementsAre("log-matching/copy-diverged", "epoch-order/epoch-decreases-along-log"));
}

TEST(LogMatching, ACopyMayBeginWhereItsLogBegins) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0, 5);
  trace.write(A0, 5);
  trace.cut(A1, 5, TruncationReason::log_restart, false, {}, 5);
  trace.copy(A0, A1);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(LogMatching, WhatTheServerNoLongerHoldsCannotBeCompared) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0, 5);
  trace.copy(A0, A1);
  trace.write(A0, 5);
  trace.high_watermark(A0, 10);
  trace.log_start(A0, 5);
  trace.copy(A0, A1);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(LogMatching, AHoleInTheCopyIsAMissingRecord) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0, 2);
  trace.copy(A0, A1);
  trace.write(A0, 2);
  const Batch fifth = trace.write(A0);
  const EventId received = trace.ask(A1, A0, ApiKey::fetch, fifth.base_offset);
  trace.append(A1, AppendOrigin::replication, fifth, {received});
  EXPECT_THAT(trace.violations(), ElementsAre("log-matching/copy-has-hole"));
}

TEST(LogMatching, ACopyNeedsAnAnswer) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  const Batch batch = trace.write(A0);
  trace.append(A1, AppendOrigin::replication, batch);
  EXPECT_THAT(trace.violations(), ElementsAre("log-matching/copy-without-answer"));
}

TEST(LogMatching, ACopyHoldsWhatWasServed) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0);
  const Batch second = trace.write(A0);
  const EventId received = trace.ask(A1, A0, ApiKey::fetch, 0);
  trace.append(A1, AppendOrigin::replication, second, {received});
  EXPECT_THAT(trace.violations(), ElementsAre("log-matching/copied-what-was-not-served"));
}

TEST(LogMatching, ABatchBelowTheLogEndIsRefusedAndLeftOut) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  const Batch batch = trace.write(A0, 3);
  trace.append(A0, AppendOrigin::local, batch);
  EXPECT_THAT(trace.violations(), ElementsAre("log-matching/append-below-log-end"));
}

TEST(LogMatching, ATruncationThatDoesNotFitTheLogIsReported) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0, 3);
  Truncated cut;
  cut.target = 2;
  cut.log_end_before = 7;
  cut.removed_records = 3;
  cut.reason = TruncationReason::power_loss;
  trace.emit(A, 0, cut);
  EXPECT_THAT(trace.violations(), ElementsAre("log-matching/trace-disagrees-with-replay"));
}

TEST(LogMatching, ATruncationThatMiscountsIsReported) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0, 1);
  trace.write(A0, 1);
  Truncated cut;
  cut.target = 1;
  cut.log_end_before = 2;
  cut.removed_records = 2;
  cut.reason = TruncationReason::power_loss;
  trace.emit(A, 0, cut);
  EXPECT_THAT(trace.violations(), ElementsAre("log-matching/trace-disagrees-with-replay"));
}

}  // namespace
}  // namespace mirrorproof::checker::testing
