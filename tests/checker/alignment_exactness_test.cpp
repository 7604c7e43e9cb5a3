// alignment-exactness: LOG_ALIGNMENT removes and keeps the right records.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checker/trace_builder.h"

namespace mirrorproof::checker::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A0 wrote 0 1 2; B0 mirrored 0 and 1, stopped, and wrote its own 2.
TraceBuilder failed_over_to_b() {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 9);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.write(A0);
  trace.start_mirroring(B, A);
  trace.copy(A0, B0);
  trace.write(A0);
  trace.state(B, MirrorState::stopping, A);
  trace.lead(B0, 10, ElectionKind::epoch_bump);
  trace.write(B0, 1, BatchKind::pid_reset);
  trace.state(B, MirrorState::stopped, A);
  return trace;
}

/// ... and A starts to mirror from B.
TraceBuilder failing_back() {
  TraceBuilder trace = failed_over_to_b();
  trace.state(A, MirrorState::log_alignment, B);
  trace.lead(A0, 21, ElectionKind::epoch_bump);
  return trace;
}

void align(TraceBuilder& trace, Place place, Offset target, MirrorPosition position, ClusterId source) {
  trace.step();
  if (target < trace.log_end(place)) {
    trace.cut(place, target, TruncationReason::alignment, true);
  }
  trace.aligned(place, target, position, source);
}

TEST(AlignmentExactness, CuttingExactlyWhatTheSourceLacksHolds) {
  TraceBuilder trace = failing_back();
  align(trace, A0, 2, {0, 2}, B);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(AlignmentExactness, KeepingTooMuchIsNamed) {
  TraceBuilder trace = failing_back();
  align(trace, A0, 3, {0, 2}, B);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), ElementsAre("alignment-exactness/kept-foreign-record"));
  EXPECT_THAT(judgement.violations[0].message, HasSubstr("last mirror position (epoch 0, offset 2)"));
  EXPECT_THAT(judgement.violations[0].message, HasSubstr("kept offset 2 (epoch 0, record A#2)"));
}

TEST(AlignmentExactness, RemovingWhatTheSourceHasIsNamed) {
  TraceBuilder trace = failing_back();
  align(trace, A0, 1, {0, 2}, B);
  EXPECT_THAT(trace.violations(), ElementsAre("alignment-exactness/removed-shared-record"));
}

TEST(AlignmentExactness, StartingFromScratchOverSharedRecordsHasItsOwnName) {
  TraceBuilder trace = failing_back();
  align(trace, A0, 0, {}, B);
  EXPECT_THAT(trace.violations(), ElementsAre("alignment-exactness/scratch-removed-shared-record"));
}

// cases.md, offset-only-failback: below the last mirror offset A has another history since its own ULE.
TEST(AlignmentExactness, OffsetOnlyKeepsAnotherHistory) {
  TraceBuilder trace = failed_over_to_b();
  trace.lead(A1, 22, ElectionKind::unclean);
  trace.write(A1);
  trace.write(A1);
  trace.state(A, MirrorState::log_alignment, B);
  align(trace, A1, 2, {0, 2}, B);
  EXPECT_THAT(trace.violations(), ElementsAre("alignment-exactness/kept-foreign-record"));
}

TEST(AlignmentExactness, ARecordKilledByAnUncleanElectionOfTheSourceMayStay) {
  TraceBuilder trace = failing_back();
  trace.copy(B0, B1, 1);
  trace.lead(B1, 11, ElectionKind::unclean);
  align(trace, A0, 2, {0, 2}, B);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(AlignmentExactness, ARecordKilledByACleanElectionOfTheSourceMayNot) {
  TraceBuilder trace = failing_back();
  trace.copy(B0, B1, 1);
  trace.lead(B1, 11);
  align(trace, A0, 2, {0, 2}, B);
  EXPECT_THAT(trace.violations(), ElementsAre("alignment-exactness/kept-foreign-record"));
}

TEST(AlignmentExactness, ARecordTheSourceLostInAPowerLossHasItsOwnName) {
  TraceBuilder trace = failing_back();
  trace.lose_power(B0, 1);
  trace.start(B0);
  trace.lead(B0, 11);
  align(trace, A0, 2, {0, 2}, B);
  EXPECT_THAT(trace.violations(), ElementsAre("alignment-exactness/kept-record-lost-by-power-loss"));
}

TEST(AlignmentExactness, ARecordBroughtBackByAnUncleanElectionMayGo) {
  TraceBuilder trace = failing_back();
  trace.copy(B0, B1, 1);
  trace.lead(B1, 11, ElectionKind::unclean);
  trace.lead(B0, 12, ElectionKind::unclean);
  align(trace, A0, 1, {0, 1}, B);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(AlignmentExactness, WhatTheSourceNoLongerRetainsMayStay) {
  TraceBuilder trace = failing_back();
  trace.high_watermark(B0, 3);
  trace.log_start(B0, 1);
  align(trace, A0, 2, {0, 2}, B);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

}  // namespace
}  // namespace mirrorproof::checker::testing
