// epoch-order and epoch-identity: what leader epochs promise.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checker/trace_builder.h"

namespace mirrorproof::checker::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(EpochOrder, EpochsMayRiseAlongALog) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0);
  trace.lead(A0, 3, ElectionKind::epoch_bump);
  trace.write(A0);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(EpochOrder, EpochsMayNotFallAlongALog) {
  TraceBuilder trace;
  trace.lead(A0, 3);
  trace.write(A0);
  trace.write_with_epoch(A0, 2);
  EXPECT_THAT(trace.violations(), ElementsAre("epoch-order/epoch-decreases-along-log"));
}

TEST(EpochOrder, NoRecordIsAheadOfItsClustersLeaderEpoch) {
  TraceBuilder trace;
  trace.lead(A0, 8);
  trace.lead(B0, 3);
  trace.start_mirroring(B, A);
  trace.write(A0);
  trace.copy(A0, B0);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), ElementsAre("epoch-order/epoch-above-leader-epoch"));
  EXPECT_THAT(judgement.violations[0].message, HasSubstr("B's leader epoch is only 3"));
}

TEST(EpochOrder, ElectionsHaveGrowingEpochs) {
  TraceBuilder trace;
  trace.lead(A0, 3);
  trace.elect(A, 1, 3);
  EXPECT_THAT(trace.violations(), ElementsAre("epoch-order/election-epoch-not-larger"));
}

// cases.md, local-write-below-mirrored-epoch.
TEST(EpochOrder, WhatIsWrittenAfterAStopHasALargerEpochThanWhatWasMirrored) {
  TraceBuilder trace;
  trace.lead(A0, 10);
  trace.lead(B0, 10);
  trace.write(A0);
  trace.start_mirroring(B, A);
  trace.copy(A0, B0);
  trace.state(B, MirrorState::stopping, A);
  trace.state(B, MirrorState::stopped, A);
  trace.write(B0);
  EXPECT_THAT(trace.violations(), ElementsAre("epoch-order/local-epoch-not-above-mirrored"));
}

TEST(EpochOrder, AWriteBeforeAnyMirroringMayHaveAnyEpoch) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0);
  trace.lead(A0, 1, ElectionKind::epoch_bump);
  trace.write(A0);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(EpochOrder, AZombieThatWritesOnIsExcused) {
  TraceBuilder trace;
  trace.lead(A0, 6);
  trace.lead(B0, 6);
  trace.write(A0);
  trace.lead(B1, 7);
  trace.start_mirroring(B, A);
  trace.copy(A0, B1);
  trace.write_with_epoch(B0, 6);
  EXPECT_THAT(trace.violations(), ::testing::Not(Contains("epoch-order/local-epoch-not-above-mirrored")));
}

// --- the cache ---

TraceBuilder two_epochs() {
  TraceBuilder trace;
  trace.lead(A0, 1);
  trace.epoch_cache(A0, {{1, 0}});
  trace.write(A0, 3);
  trace.step();
  trace.lead(A0, 4, ElectionKind::epoch_bump);
  trace.write(A0, 2);
  trace.epoch_cache(A0, {{1, 0}, {4, 3}});
  trace.step();
  return trace;
}

TEST(EpochCache, MatchesItsLog) {
  TraceBuilder trace = two_epochs();
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(EpochCache, MayAnnounceAnEpochWithoutRecords) {
  TraceBuilder trace = two_epochs();
  trace.lead(A0, 6, ElectionKind::epoch_bump);
  trace.epoch_cache(A0, {{1, 0}, {4, 3}, {6, 5}});
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(EpochCache, KeepsTheLastEpochThatRetentionCutInto) {
  TraceBuilder trace = two_epochs();
  trace.high_watermark(A0, 5);
  trace.log_start(A0, 3);
  trace.epoch_cache(A0, {{4, 3}});
  trace.step();
  trace.log_start(A0, 5);
  trace.epoch_cache(A0, {{4, 5}});
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(EpochCache, MovesTheFirstEntryWithTheLogStart) {
  TraceBuilder trace;
  trace.lead(A0, 1);
  trace.epoch_cache(A0, {{1, 0}});
  trace.write(A0, 1);
  trace.write(A0, 1);
  trace.high_watermark(A0, 2);
  trace.log_start(A0, 1);
  trace.epoch_cache(A0, {{1, 0}});
  EXPECT_THAT(trace.violations(), ElementsAre("epoch-order/cache-entry-misplaced"));
}

TEST(EpochCache, MayLeaveTheFirstEntryWhereTheBatchBeginsThatTheLogStartLiesIn) {
  for (const Offset entry : {0, 1, 2, 3}) {
    TraceBuilder trace;
    trace.lead(A0, 1);
    trace.epoch_cache(A0, {{1, 0}});
    trace.write(A0, 1);
    trace.write(A0, 3);
    trace.high_watermark(A0, 4);
    trace.log_start(A0, 3);
    trace.epoch_cache(A0, {{1, entry}});
    EXPECT_EQ(trace.violations().empty(), entry == 1 || entry == 3) << entry;
  }
}

TEST(EpochCache, ForgetsEpochsThatWereCutOff) {
  TraceBuilder trace = two_epochs();
  trace.cut(A0, 3, TruncationReason::power_loss);
  trace.epoch_cache(A0, {{1, 0}});
  trace.step();
  EXPECT_THAT(trace.violations(), IsEmpty());
}

// A cache without the entry, and one that is not updated at all, are the same fault.
TEST(EpochCache, MustKnowEveryEpochOfItsLog) {
  TraceBuilder trace = two_epochs();
  trace.epoch_cache(A0, {{4, 3}});
  EXPECT_THAT(trace.violations(), ElementsAre("epoch-order/cache-entry-missing"));
  TraceBuilder tail = two_epochs();
  tail.epoch_cache(A0, {{1, 0}});
  EXPECT_THAT(tail.violations(), ElementsAre("epoch-order/cache-entry-missing"));

  TraceBuilder silent = two_epochs();
  silent.lead(A0, 6, ElectionKind::epoch_bump);
  silent.write(A0);
  const Judgement judgement = silent.judge();
  EXPECT_THAT(names_of(judgement), ElementsAre("epoch-order/cache-entry-missing"));
  EXPECT_THAT(judgement.violations[0].message,
              HasSubstr("the epoch cache {1@0, 4@3} contradicts the log, whose epochs are {1@0, 4@3, 6@5}"));
}

TEST(EpochCache, MustPlaceEntriesWhereTheEpochsStart) {
  TraceBuilder trace = two_epochs();
  trace.epoch_cache(A0, {{1, 0}, {4, 4}});
  EXPECT_THAT(trace.violations(), ElementsAre("epoch-order/cache-entry-misplaced"));
}

TEST(EpochCache, MustNotCoverRecordsOfOtherEpochs) {
  TraceBuilder trace = two_epochs();
  trace.epoch_cache(A0, {{1, 0}, {2, 2}, {4, 3}});
  EXPECT_THAT(trace.violations(), ElementsAre("epoch-order/cache-entry-without-records"));
}

TEST(EpochCache, MustIncrease) {
  TraceBuilder trace = two_epochs();
  trace.epoch_cache(A0, {{4, 0}, {1, 3}});
  EXPECT_THAT(trace.violations(), ElementsAre("epoch-order/cache-not-increasing"));
}

// protocol.md L2: the formats before epochs empty the cache.
TEST(EpochCache, IsEmptyAfterABatchWithoutEpoch) {
  TraceBuilder trace = two_epochs();
  trace.write_with_epoch(A0, kUndefinedEpoch);
  trace.epoch_cache(A0, {});
  trace.step();
  EXPECT_THAT(trace.violations(), IsEmpty());
}

// --- epoch-identity ---

TEST(EpochIdentity, CopiesNameTheSameRecord) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 0);
  trace.start_mirroring(B, A);
  for (int i = 0; i < 5; ++i) {
    trace.write(A0, 3);
    trace.copy(A0, A1);
    trace.copy(A0, B0);
  }
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(EpochIdentity, TwoClustersMayUseAnEpochAtDifferentOffsets) {
  TraceBuilder trace;
  trace.lead(A0, 7);
  trace.write(A0, 2);
  trace.lead(B0, 7);
  Batch batch{2, 4, RecordId::make(B, 0), 7, -1, BatchKind::data, false};
  trace.append(B0, AppendOrigin::initial, batch);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(EpochIdentity, OneEpochAndOffsetNamesOneRecord) {
  TraceBuilder trace;
  trace.lead(A0, 7);
  trace.lead(B0, 7);
  trace.aligned(B0, 0, {}, A);
  trace.write(A0, 5);
  trace.write(B0, 2);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), ElementsAre("epoch-identity/two-records-one-name"));
  EXPECT_THAT(judgement.violations[0].message,
              HasSubstr("offset 0 with epoch 7 names record B#0 here, but record A#0 elsewhere"));
}

TEST(EpochIdentity, OverlapsAreFoundOnBothSidesOfAGap) {
  TraceBuilder trace;
  trace.lead(A0, 7);
  const auto place = [&](Place where, Offset base, Offset last, std::uint64_t serial) {
    trace.append(where, AppendOrigin::initial,
                 Batch{base, last, RecordId::make(A, serial), 7, -1, BatchKind::data, false});
  };
  place(A0, 10, 14, 10);
  place(A1, 0, 2, 0);
  place(A1, 5, 6, 5);
  EXPECT_THAT(trace.violations(), IsEmpty());
  // The same records in one batch: nothing new but the gaps.
  place(A2, 0, 14, 0);
  EXPECT_THAT(trace.violations(), IsEmpty());
  // Offsets 3 and 4 were in a gap until A2 filled it.
  trace.aligned(B0, 0, {}, A);
  place(B0, 3, 4, 900);
  EXPECT_THAT(trace.violations(), ElementsAre("epoch-identity/two-records-one-name"));
}

TEST(EpochIdentity, ClustersThatMirrorNeitherEachOtherNorAThirdMayUseTheSameNames) {
  TraceBuilder trace(3);
  trace.lead(A0, 0);
  trace.lead(B0, 0);
  trace.lead(C0, 0);
  trace.write(A0, 2);
  trace.write(C0, 2);
  // B mirrors A, gives up what it had, and mirrors C.
  trace.aligned(B0, 0, {}, A);
  trace.append(B0, AppendOrigin::mirror, trace.log(A0)[0], {trace.ask(B0, A0, ApiKey::fetch, 0)});
  trace.cut(B0, 0, TruncationReason::alignment, true);
  trace.aligned(B0, 0, {}, C);
  trace.append(B0, AppendOrigin::initial, trace.log(C0)[0]);
  EXPECT_THAT(trace.violations(), Not(Contains("epoch-identity/two-records-one-name")));
}

TEST(EpochIdentity, WhatAlignmentKeepsIsComparedWithTheSource) {
  TraceBuilder trace;
  trace.lead(A0, 7);
  trace.lead(B0, 7);
  trace.write(A0, 5);
  trace.write(B0, 2);
  EXPECT_THAT(trace.violations(), IsEmpty());
  trace.aligned(B0, 2, {7, 2}, A);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), Contains("epoch-identity/two-records-one-name"));
}

TEST(EpochIdentity, BatchesWithoutEpochNameNothing) {
  TraceBuilder trace;
  trace.lead(A0, 7);
  trace.lead(B0, 7);
  trace.write_with_epoch(A0, kUndefinedEpoch);
  trace.write_with_epoch(B0, kUndefinedEpoch);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

}  // namespace
}  // namespace mirrorproof::checker::testing
