// Over-truncation: what a mirror cut although its source had the same records there when it answered.

#include <gtest/gtest.h>

#include "model/protocol_presets.h"
#include "sim/runner.h"
#include "sim/swarm.h"
#include "tests/checker/trace_builder.h"

namespace mirrorproof::checker::testing {
namespace {

/// B0 mirrored three records of A0, in batches of their own; A1 has the first one.
TraceBuilder three_mirrored_records() {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 20);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.write(A0);
  trace.write(A0);
  trace.start_mirroring(B, A);
  trace.copy(A0, B0);
  trace.step();
  return trace;
}

OverTruncationStatistics over_truncation_of(const TraceBuilder& trace) {
  return trace.judge().statistics.over_truncation;
}

/// An OffsetsForLeaderEpoch answer.
EventId epoch_answer(TraceBuilder& trace, Place client, Place server) {
  return trace.ask(client, server, ApiKey::offset_for_leader_epoch);
}

TEST(OverTruncation, NothingWhenOnlyOrphansGo) {
  TraceBuilder trace = three_mirrored_records();
  trace.lead(A1, 1, ElectionKind::unclean);
  trace.write(A1, 2);
  trace.cut(B0, 1, TruncationReason::offset_for_leader_epoch, true, {epoch_answer(trace, B0, A1)});
  trace.copy(A1, B0);
  EXPECT_EQ(over_truncation_of(trace).records, 0U);
  EXPECT_EQ(over_truncation_of(trace).cuts, 0U);
}

TEST(OverTruncation, CountsWhatTheSourceStillHadAndWhatCameBack) {
  TraceBuilder trace = three_mirrored_records();
  trace.lead(A1, 1, ElectionKind::unclean);
  // One too many: offset 0 is on both sides. The fetched copy of it is the same batch.
  trace.cut(B0, 0, TruncationReason::offset_for_leader_epoch, true, {epoch_answer(trace, B0, A1)});
  EXPECT_EQ(over_truncation_of(trace).cuts, 1U);
  EXPECT_EQ(over_truncation_of(trace).records, 1U);
  EXPECT_EQ(over_truncation_of(trace).bytes, 61U + 7U);
  EXPECT_EQ(over_truncation_of(trace).records_fetched_again, 0U);
  trace.copy(A1, B0);
  EXPECT_EQ(over_truncation_of(trace).records_fetched_again, 1U);
  EXPECT_EQ(over_truncation_of(trace).bytes_fetched_again, 61U + 7U);
}

TEST(OverTruncation, TheSourcesLogAtTheAnswerCounts) {
  // The source loses two records between its answer and the cut: it could not know better.
  TraceBuilder trace = three_mirrored_records();
  const EventId received = epoch_answer(trace, B0, A0);
  trace.cut(A0, 1, TruncationReason::diverging_epoch);
  trace.cut(B0, 1, TruncationReason::offset_for_leader_epoch, true, {received});
  EXPECT_EQ(over_truncation_of(trace).records, 2U);
}

TEST(OverTruncation, WhatLiesBehindADifferenceHadToGo) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 20);
  trace.write(A0);
  trace.start_mirroring(B, A);
  trace.copy(A0, B0);
  // Offset 1 differs, offset 2 is the same record on both sides.
  Batch other{1, 1, RecordId::make(B, 77), 0};
  Batch same{2, 2, RecordId::make(A, 88), 0};
  trace.append(B0, AppendOrigin::local, other);
  trace.append(B0, AppendOrigin::local, same);
  other.first_id = RecordId::make(A, 79);
  trace.append(A0, AppendOrigin::local, other);
  trace.append(A0, AppendOrigin::local, same);
  trace.cut(B0, 1, TruncationReason::offset_for_leader_epoch, true, {epoch_answer(trace, B0, A0)});
  EXPECT_EQ(over_truncation_of(trace).records, 0U);
}

TEST(OverTruncation, AlignmentIsMeasuredAtThePositionItRead) {
  TraceBuilder trace = three_mirrored_records();
  const EventId read = trace.read_position(B0, {}, A);
  trace.cut(B0, 0, TruncationReason::alignment, true, {read});
  trace.aligned(B0, 0, {}, A);
  trace.copy(A0, B0);
  EXPECT_EQ(over_truncation_of(trace).records, 3U);
  EXPECT_EQ(over_truncation_of(trace).records_fetched_again, 3U);
}

TEST(OverTruncation, WithoutAnAnswerTheSourceLeaderSpeaks) {
  TraceBuilder trace = three_mirrored_records();
  trace.cut(B0, 1, TruncationReason::high_watermark, true);
  EXPECT_EQ(over_truncation_of(trace).records, 2U);
}

TEST(OverTruncation, FollowersAreNotMirrors) {
  TraceBuilder trace = three_mirrored_records();
  trace.copy(B0, B1);
  trace.cut_after_answer(B1, B0, 1);
  EXPECT_EQ(over_truncation_of(trace).records, 0U);
}

OverTruncationStatistics over_truncation_in_swarm(const ProtocolOptions& protocol, std::uint64_t seeds) {
  OverTruncationStatistics sum;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    sim::SwarmOptions options;
    options.protocol = protocol;
    const OverTruncationStatistics one =
        judge(sim::run_seed(sim::swarm_setup(options, seed), seed).trace).statistics.over_truncation;
    EXPECT_LE(one.records_fetched_again, one.records);
    sum.records += one.records;
    sum.records_fetched_again += one.records_fetched_again;
  }
  return sum;
}

// What the measure is for: the mended protocol cuts nothing in vain, and reading the sentence on the list
// literally, or aligning from the stored position on every start, does.
TEST(OverTruncation, TellsCarefulVariantsFromExactOnes) {
  ProtocolOptions protocol = preset_options(Preset::hardened);
  EXPECT_EQ(over_truncation_in_swarm(protocol, 1500).records, 0U);
  protocol.alignment = Alignment::as_posted;
  EXPECT_GT(over_truncation_in_swarm(protocol, 2000).records_fetched_again, 0U);
  protocol = preset_options(Preset::hardened);
  protocol.restart_alignment = RestartAlignment::lme;
  protocol.scratch_needs_empty_log = false;  // or nothing would be started from scratch
  EXPECT_GT(over_truncation_in_swarm(protocol, 600).records_fetched_again, 0U);
}

}  // namespace
}  // namespace mirrorproof::checker::testing
