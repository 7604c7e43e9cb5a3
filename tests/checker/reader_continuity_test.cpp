// Readers that move from one cluster to another: what they believe to know holds where the log is the same
// one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checker/trace_builder.h"

namespace mirrorproof::checker::testing {
namespace {

using ::testing::Contains;
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

TEST(ReaderContinuity, AnotherClustersOwnLogIsNoContinuation) {
  EXPECT_THAT(moved(false).violations(), Not(Contains("reader-continuity/removed-record-not-told")));
}

}  // namespace
}  // namespace mirrorproof::checker::testing
