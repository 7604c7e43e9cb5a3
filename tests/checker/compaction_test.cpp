// Logs with gaps: what a log cleaner took is no loss, and no excuse either.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checker/trace_builder.h"

namespace mirrorproof::checker::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

/// A0 leads epoch 0 with offsets 0-4 in five batches, all committed; A1 has copied `copied` of them.
TraceBuilder five_records(int copied = 5) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  for (int i = 0; i < 5; ++i) {
    trace.write(A0);
  }
  trace.copy(A0, A1, copied);
  trace.high_watermark(A0, 5);
  return trace;
}

TEST(Compaction, TakesCommittedAndOverwrittenRecordsOnly) {
  TraceBuilder trace = five_records();
  trace.clean(A0, 1);
  trace.clean(A0, 3, true);
  EXPECT_THAT(trace.violations(), IsEmpty());
  trace.clean(A0, 4);
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/cleaned-latest-record"));
}

TEST(Compaction, RecordsInsideABatchMayGoWhileTheBatchStays) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.append(A0, AppendOrigin::local, Batch{0, 3, RecordId::make(A, 100), 0, -1, BatchKind::data, false});
  trace.high_watermark(A0, 4);
  trace.emit(A, 0, LogCleaned{1, 2, true});
  trace.emit(A, 0, LogCleaned{0, 0, true});
  trace.copy(A0, A1);
  EXPECT_THAT(trace.violations(), IsEmpty());
  TraceBuilder last = trace;
  last.emit(A, 0, LogCleaned{2, 3, true});
  EXPECT_THAT(last.violations(), ElementsAre("committed-stability/cleaned-latest-record"));
  trace.emit(A, 0, LogCleaned{1, 2, false});
  EXPECT_THAT(trace.violations(), ElementsAre("log-matching/trace-disagrees-with-replay"));
}

TEST(Compaction, AboveTheHighWatermarkNothingIsTaken) {
  TraceBuilder trace = five_records();
  trace.write(A0);
  trace.write(A0);
  trace.clean(A0, 5);
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/cleaned-above-high-watermark"));
}

TEST(Compaction, OpenTransactionsAreLeftAlone) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  Batch batch{0, 0, RecordId::make(A, 100), 0, 3, BatchKind::data, true};
  trace.append(A0, AppendOrigin::local, batch);
  trace.append(A0, AppendOrigin::local, Batch{1, 1, RecordId::make(A, 101), 0, -1, BatchKind::data, false});
  trace.high_watermark(A0, 2);
  trace.clean(A0, 0);
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/cleaned-open-transaction"));
}

TEST(Compaction, WhatIsNotThereCannotBeTaken) {
  TraceBuilder trace = five_records();
  trace.clean(A0, 1);
  trace.emit(A, 0, LogCleaned{1, 1, false});
  EXPECT_THAT(trace.violations(), ElementsAre("log-matching/trace-disagrees-with-replay"));
}

TEST(Compaction, ACopyGetsTheGapAndIsAsGoodAsTheOriginal) {
  TraceBuilder trace = five_records(2);
  trace.clean(A0, 1);
  trace.clean(A0, 2);
  trace.clean(A0, 3);
  trace.copy(A0, A1);
  trace.copy(A0, A2);
  trace.high_watermark(A1, 5);
  // Neither the records that A1 still has nor those that A2 never had are lost or foreign.
  trace.elect(A, 2, 1);
  trace.take_over(A2, 1);
  trace.follow(A0, 1, 2);
  trace.write(A2);
  trace.copy(A2, A0);
  trace.copy(A2, A1);
  trace.high_watermark(A2, 6);
  trace.high_watermark(A0, 6);
  trace.high_watermark(A1, 6);
  trace.emit(A, kController, WorldRested{});
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(Compaction, AHoleIsNoGap) {
  TraceBuilder trace = five_records(1);
  trace.clean(A0, 2);
  // Offset 1 was not cleaned: to leave it out is a mistake of the server.
  const EventId received = trace.ask(A1, A0, ApiKey::fetch, 3);
  Appended appended;
  appended.origin = AppendOrigin::replication;
  appended.source_cluster = A;
  appended.source_broker = 0;
  appended.batches.push_back(trace.log(A0)[2]);
  trace.emit(A, 1, appended, {received});
  EXPECT_THAT(trace.violations(), ElementsAre("log-matching/copy-has-hole"));
}

TEST(Compaction, ATruncationMissedBelowAGapIsFound) {
  TraceBuilder trace = five_records(3);
  // A1 writes offset 3 as a leader that nobody follows; A0 leads again, and cleans its own offset 3.
  trace.lead(A1, 1);
  trace.write(A1);
  trace.lead(A0, 2);
  trace.follow(A1, 2, 0);
  trace.clean(A0, 3);
  const EventId received = trace.ask(A1, A0, ApiKey::fetch, 4);
  Appended appended;
  appended.origin = AppendOrigin::replication;
  appended.source_cluster = A;
  appended.source_broker = 0;
  appended.leader_epoch = 2;
  appended.batches.push_back(trace.log(A0).back());
  trace.emit(A, 1, appended, {received});
  EXPECT_THAT(trace.violations(), Contains("log-matching/copy-diverged"));
}

TEST(Compaction, AMirrorTruncationOfWhatTheSourceCleanedHasNoUncleanElectionBehindIt) {
  TraceBuilder trace = five_records();
  trace.lead(B0, 0);
  trace.start_mirroring(B, A);
  trace.copy(A0, B0);
  trace.clean(A0, 3);
  trace.cut_after_answer(B0, A0, 3);
  EXPECT_THAT(trace.violations(), Contains("truncation-provenance/taken-by-log-cleaner"));
}

// B0 has emptied offset 3. An unclean election takes offset 4; then B0 is told to end at 3, and only the gap
// goes.
TEST(Compaction, AMirrorTruncationOfAGapIsExcusedByName) {
  TraceBuilder trace = five_records(4);
  trace.lead(B0, 0);
  trace.start_mirroring(B, A);
  trace.copy(A0, B0);
  trace.high_watermark(B0, 5);
  trace.clean(B0, 3, true);
  trace.step();
  trace.lead(A1, 1, ElectionKind::unclean);
  trace.cut_after_answer(B0, A1, 4);
  trace.cut_after_answer(B0, A1, 3);
  const Judgement judgement = trace.judge();
  ASSERT_EQ(judgement.mirror_truncations.size(), 2U);
  EXPECT_TRUE(judgement.mirror_truncations[0].justified);
  EXPECT_EQ(judgement.mirror_truncations[0].excuse, TruncationExcuse::none);
  EXPECT_FALSE(judgement.mirror_truncations[1].justified);
  EXPECT_EQ(judgement.mirror_truncations[1].excuse, TruncationExcuse::only_gaps);
  EXPECT_EQ(judgement.mirror_truncations[1].records, 0);
  EXPECT_FALSE(judgement.mirror_truncations[1].licensed());
  EXPECT_THAT(trace.violations(), Not(Contains(::testing::StartsWith("truncation-provenance"))));
}

TEST(Compaction, ReadersAreGivenWhatIsLeft) {
  TraceBuilder trace = five_records();
  trace.clean(A0, 1);
  trace.clean(A0, 3, true);
  ReaderFetched fetched;
  fetched.next = 5;
  for (const Batch& batch : trace.log(A0)) {
    if (batch.has_records()) {
      fetched.batches.push_back(batch);
    }
  }
  trace.emit(A, 0, ReaderMoved{0, 0});
  trace.emit(A, 0, fetched);
  EXPECT_THAT(trace.violations(), IsEmpty());
  fetched.from = 5;
  fetched.next = 5;
  trace.emit(A, 0, fetched);
  EXPECT_THAT(trace.violations(), Contains("reader-continuity/record-not-there"));
}

TEST(Compaction, ATruncationCountsTheRecordsThatWereLeft) {
  TraceBuilder trace = five_records();
  trace.clean(A1, 1);
  trace.clean(A1, 3, true);
  trace.high_watermark(A1, 5);
  trace.lose_power(A1, 1);
  EXPECT_THAT(trace.violations(), Not(Contains("log-matching/trace-disagrees-with-replay")));
}

/// B0 leads offsets 0-4, all committed, B1 has copied them, and its log cleaner has taken offset 3. B0 cuts
/// off offset 4, which had overwritten it, and B1 goes along, down to where its batches end.
TraceBuilder gap_given_up(bool by_alignment) {
  TraceBuilder trace;
  trace.lead(B0, 5);
  for (int i = 0; i < 5; ++i) {
    trace.write(B0);
  }
  trace.copy(B0, B1);
  trace.high_watermark(B0, 5);
  trace.high_watermark(B1, 5);
  trace.clean(B1, 3);
  if (by_alignment) {
    trace.state(B, MirrorState::log_alignment, A);
    trace.cut(B0, 4, TruncationReason::alignment, true);
  }
  trace.cut_after_answer(B1, B0, 3);
  return trace;
}

TEST(Compaction, WhatAFollowerGivesUpWithAnAlignmentIsNoLossOfAnElection) {
  TraceBuilder trace = gap_given_up(true);
  trace.lead(B1, 6);
  trace.cut_after_answer(B0, B1, 3);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(Compaction, WhatAFollowerGivesUpByItselfIs) {
  TraceBuilder trace = gap_given_up(false);
  trace.lead(B1, 6);
  EXPECT_THAT(trace.violations(), Contains("committed-stability/committed-record-lost-in-clean-election"));
}

// B1 has cleaned offset 2 for the sake of 3, which an unclean election of A takes. B0 cuts 3 off; B1 gives up
// both and is elected before it has copied 2 again.
TEST(Compaction, WhatAFollowerGivesUpWithAMirrorTruncationGoesBackToTheSameElection) {
  TraceBuilder trace(3);
  trace.lead(A0, 0);
  trace.write(A0, 2);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.write(A0);
  trace.high_watermark(A0, 4);
  trace.lead(B0, 5);
  trace.start_mirroring(B, A);
  trace.copy(A0, B0);
  trace.copy(B0, B1);
  trace.high_watermark(B0, 4);
  trace.high_watermark(B1, 4);
  trace.lead(C0, 9);
  trace.start_mirroring(C, B);
  trace.copy(B0, C0);
  trace.clean(B1, 2);
  const EventId unclean = trace.lead(A1, 1, ElectionKind::unclean) - 1;
  trace.cut_after_answer(B0, A1, 3);
  trace.cut_after_answer(B1, B0, 2);
  trace.lead(B1, 6);
  trace.cut_after_answer(C0, B1, 2);
  EXPECT_THAT(trace.violations(), IsEmpty());
  const Judgement judgement = trace.judge();
  ASSERT_EQ(judgement.mirror_truncations.size(), 2U);
  EXPECT_TRUE(judgement.mirror_truncations[1].justified);
  EXPECT_THAT(judgement.mirror_truncations[1].unclean_elections, ElementsAre(unclean));
}

// A0 has cleaned offset 2 and deletes up to there; A1 copies from there on, and begins where its batches do.
TEST(Compaction, ACopyThatBeginsInAGapMayStartAboveIt) {
  TraceBuilder trace = five_records(0);
  trace.clean(A0, 2);
  trace.log_start(A0, 2);
  trace.cut(A1, 2, TruncationReason::out_of_range, false, {trace.ask(A1, A0)}, 2);
  trace.copy(A0, A1);
  trace.high_watermark(A1, 5);
  TraceBuilder too_far = trace;
  trace.log_start(A1, 3, LogStartMoved::Reason::replicated, {trace.ask(A1, A0)});
  EXPECT_THAT(trace.violations(), IsEmpty());
  too_far.log_start(A1, 4, LogStartMoved::Reason::replicated, {too_far.ask(A1, A0)});
  EXPECT_THAT(too_far.violations(), ElementsAre("committed-stability/log-start-ahead-of-server"));
}

}  // namespace
}  // namespace mirrorproof::checker::testing
