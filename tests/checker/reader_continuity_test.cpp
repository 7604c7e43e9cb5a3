// What readers are given of transactions; and readers that move from one cluster to another: what they
// believe to know holds where the log is the same one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <utility>
#include <vector>

#include "tests/checker/trace_builder.h"

namespace mirrorproof::checker::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

void read(TraceBuilder& trace, Place place, Offset from, const Batch& batch) {
  ReaderFetched fetched;
  fetched.reader = 0;
  fetched.from = from;
  fetched.next = batch.next_offset();
  fetched.batches.push_back(batch);
  trace.emit(place.cluster, place.broker, fetched);
}

/// Both clusters have a record at offset 0 and another one at offset 1; the reader has read A's first, and
/// goes on in B behind it.
TraceBuilder moved(bool b_mirrors_a) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 1);
  const Batch mine = trace.write(A0);
  if (b_mirrors_a) {
    trace.start_mirroring(B, A);
  }
  trace.write(B0);
  const Batch next = trace.write(B0);
  trace.high_watermark(B0, 2);
  trace.step();
  trace.emit(A, kController, ReaderMoved{0, 0, false});
  read(trace, A0, 0, mine);
  trace.emit(B, kController, ReaderMoved{0, 1, true});
  read(trace, B0, 1, next);
  return trace;
}

TEST(ReaderContinuity, AMirrorHasToHoldWhatTheReaderReadInItsSource) {
  EXPECT_THAT(moved(true).violations(), Contains("reader-continuity/removed-record-not-told"));
}

/// A record of producer 1's transaction, or the marker that ends it.
Batch transactional(TraceBuilder& trace, Place place, BatchKind kind) {
  Batch batch;
  batch.base_offset = batch.last_offset = trace.log_end(place);
  batch.first_id = RecordId::make(place.cluster, 100 + static_cast<std::uint64_t>(batch.base_offset));
  batch.epoch = 0;
  batch.kind = kind;
  batch.producer_id = 1;
  batch.transactional = kind == BatchKind::data;
  trace.append(place, AppendOrigin::local, batch);
  return batch;
}

/// What a read_committed reader at offset 0 is given by the broker.
void read_committed(TraceBuilder& trace, ClusterId cluster, BrokerId broker, Offset next,
                    const BatchSlice& batches) {
  trace.step();
  ReaderFetched fetched;
  fetched.read_committed = true;
  fetched.next = next;
  fetched.batches = batches;
  trace.emit(cluster, kController, ReaderMoved{0, 0, false});
  trace.emit(cluster, broker, fetched);
}

TEST(ReaderContinuity, WhatWasAbortedStaysAborted) {
  for (const bool aborted : {true, false}) {
    TraceBuilder trace;
    trace.lead(A0, 0);
    trace.follow(A1, 0, 0);
    const Batch first = transactional(trace, A0, BatchKind::data);
    trace.copy(A0, A1);
    transactional(trace, A0, aborted ? BatchKind::abort_marker : BatchKind::commit_marker);
    trace.high_watermark(A0, 2);
    // A1 never had the marker. The next transaction of the producer is committed.
    trace.lead(A1, 1, ElectionKind::unclean);
    Batch second = first;
    second.base_offset = second.last_offset = 1;
    second.first_id = RecordId::make(A, 200);
    second.epoch = 1;
    trace.append(A1, AppendOrigin::local, second);
    Batch commit = second;
    commit.base_offset = commit.last_offset = 2;
    commit.first_id = RecordId::make(A, 201);
    commit.kind = BatchKind::commit_marker;
    commit.transactional = false;
    trace.append(A1, AppendOrigin::local, commit);
    trace.high_watermark(A1, 3);
    read_committed(trace, A, 1, 3, {first, second});
    if (aborted) {
      EXPECT_THAT(trace.violations(), Contains("reader-continuity/aborted-record-came-back"));
    } else {
      EXPECT_THAT(trace.violations(), Not(Contains("reader-continuity/aborted-record-came-back")));
    }
  }
}

TEST(ReaderContinuity, ADeposedLeaderThatCommittedBringsNothingBack) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.follow(A1, 0, 0);
  const Batch data = transactional(trace, A0, BatchKind::data);
  trace.copy(A0, A1);
  transactional(trace, A0, BatchKind::commit_marker);
  trace.high_watermark(A0, 2);
  // A1 ends what it finds open; A0 has not heard of it and gives its reader what it has.
  trace.lead(A1, 1, ElectionKind::unclean);
  Batch abort = data;
  abort.base_offset = abort.last_offset = 1;
  abort.first_id = RecordId::make(A, 200);
  abort.epoch = 1;
  abort.kind = BatchKind::abort_marker;
  abort.transactional = false;
  trace.append(A1, AppendOrigin::local, abort);
  trace.high_watermark(A1, 2);
  read_committed(trace, A, 0, 2, {data});
  EXPECT_THAT(trace.violations(), Not(Contains("reader-continuity/aborted-record-came-back")));
}

TEST(ReaderContinuity, AnAbortThatAlignmentTookDecidesNothing) {
  TraceBuilder trace;
  trace.lead(B0, 0);
  const Batch data = transactional(trace, B0, BatchKind::data);
  transactional(trace, B0, BatchKind::abort_marker);
  trace.high_watermark(B0, 2);
  trace.cut(B0, 1, TruncationReason::alignment, true);
  transactional(trace, B0, BatchKind::commit_marker);
  trace.high_watermark(B0, 2);
  read_committed(trace, B, 0, 2, {data});
  EXPECT_THAT(trace.violations(), Not(Contains("reader-continuity/aborted-record-came-back")));
}

TEST(ReaderContinuity, AnotherClustersOwnLogIsNoContinuation) {
  EXPECT_THAT(moved(false).violations(), Not(Contains("reader-continuity/removed-record-not-told")));
}

/// What producer 1 of A0 writes in turn: d(ata), c(ommit) or a(bort), and its producer epoch.
std::vector<Batch> producing(TraceBuilder& trace, std::initializer_list<std::pair<char, std::int16_t>> what) {
  std::vector<Batch> written;
  std::uint64_t serial = 500;
  std::map<std::int16_t, std::int32_t> sequences;
  for (const auto& [kind, producer_epoch] : what) {
    Batch batch;
    batch.base_offset = batch.last_offset = trace.log_end(A0);
    batch.first_id = RecordId::make(A, serial++);
    batch.epoch = 0;
    batch.producer_id = 1;
    batch.producer_epoch = producer_epoch;
    if (kind == 'd') {
      batch.transactional = true;
      batch.base_sequence = sequences[producer_epoch]++;
    } else {
      batch.kind = kind == 'c' ? BatchKind::commit_marker : BatchKind::abort_marker;
    }
    trace.append(A0, AppendOrigin::local, batch);
    written.push_back(batch);
  }
  return written;
}

TEST(ReaderContinuity, ABatchThatCameAfterItsTransactionIsNotCommittedByTheNext) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  const auto written = producing(trace, {{'d', 0}, {'a', 0}, {'d', 0}, {'d', 1}, {'c', 1}});
  trace.high_watermark(A0, 5);
  read_committed(trace, A, 0, 5, {written[2], written[3]});
  EXPECT_THAT(trace.violations(), ElementsAre("reader-continuity/late-record-committed"));
}

TEST(ReaderContinuity, TransactionsOfOneProducerEpochFollowOneAnother) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  const auto written =
      producing(trace, {{'d', 0}, {'c', 0}, {'d', 0}, {'d', 0}, {'c', 1}, {'d', 1}, {'c', 1}});
  trace.high_watermark(A0, 7);
  read_committed(trace, A, 0, 7, {written[0], written[2], written[3], written[5]});
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(ReaderContinuity, ATransactionWhoseMarkerWasLostMayBeCommittedAgain) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.follow(A1, 0, 0);
  const auto first = producing(trace, {{'d', 0}});
  trace.copy(A0, A1);
  Batch commit = first[0];
  commit.base_offset = commit.last_offset = 1;
  commit.first_id = RecordId::make(A, 600);
  commit.kind = BatchKind::commit_marker;
  commit.transactional = false;
  trace.append(A0, AppendOrigin::local, commit);
  trace.high_watermark(A0, 2);
  // A1 never had the marker; the producer goes on under a larger epoch.
  trace.lead(A1, 1, ElectionKind::unclean);
  Batch second = first[0];
  second.base_offset = second.last_offset = 1;
  second.first_id = RecordId::make(A, 601);
  second.epoch = 1;
  second.producer_epoch = 1;
  trace.append(A1, AppendOrigin::local, second);
  commit.base_offset = commit.last_offset = 2;
  commit.first_id = RecordId::make(A, 602);
  commit.epoch = 1;
  commit.producer_epoch = 1;
  trace.append(A1, AppendOrigin::local, commit);
  trace.high_watermark(A1, 3);
  read_committed(trace, A, 1, 3, {first[0], second});
  EXPECT_THAT(trace.violations(), Not(Contains("reader-continuity/late-record-committed")));
}

}  // namespace
}  // namespace mirrorproof::checker::testing
