// What clients are told and given: sequences of idempotent producers, readers, and what follows a stop.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/checker.h"
#include "tests/checker/trace_builder.h"

namespace mirrorproof::checker::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

/// A batch of producer 7 for the end of A0's log.
Batch produced(TraceBuilder& trace, std::int32_t sequence, std::int16_t epoch = 0, int records = 1) {
  static std::uint64_t serial = 1000;
  Batch batch;
  batch.base_offset = trace.log_end(A0);
  batch.last_offset = batch.base_offset + records - 1;
  batch.first_id = RecordId::make(A, serial);
  serial += static_cast<std::uint64_t>(records);
  batch.epoch = 1;
  batch.producer_id = 7;
  batch.producer_epoch = epoch;
  batch.base_sequence = sequence;
  return batch;
}

TEST(ProducerSequence, WhatFollowsIsStored) {
  TraceBuilder trace;
  trace.lead(A0, 1);
  trace.append(A0, AppendOrigin::local, produced(trace, 3));  // an unknown producer may begin anywhere
  trace.append(A0, AppendOrigin::local, produced(trace, 4, 0, 3));
  trace.append(A0, AppendOrigin::local, produced(trace, 7));
  trace.append(A0, AppendOrigin::local, produced(trace, 0, 1));
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(ProducerSequence, TheSameBatchTwiceIsFound) {
  TraceBuilder trace;
  trace.lead(A0, 1);
  trace.append(A0, AppendOrigin::local, produced(trace, 0));
  trace.write(A0);
  trace.append(A0, AppendOrigin::local, produced(trace, 0));
  EXPECT_THAT(trace.violations(), ElementsAre("ack-means-stored/batch-stored-twice"));
}

TEST(ProducerSequence, AGapIsFound) {
  TraceBuilder trace;
  trace.lead(A0, 1);
  trace.append(A0, AppendOrigin::local, produced(trace, 0, 0, 2));
  trace.append(A0, AppendOrigin::local, produced(trace, 3));
  EXPECT_THAT(trace.violations(), ElementsAre("ack-means-stored/sequence-gap"));
}

TEST(ProducerSequence, AProducerWithAnOlderEpochIsFound) {
  TraceBuilder trace;
  trace.lead(A0, 1);
  trace.append(A0, AppendOrigin::local, produced(trace, 0, 2));
  trace.append(A0, AppendOrigin::local, produced(trace, 0, 1));
  EXPECT_THAT(trace.violations(), ElementsAre("ack-means-stored/sequence-gap"));
}

TEST(ProducerSequence, PidResetForgetsWhatWasBefore) {
  TraceBuilder trace;
  trace.lead(A0, 1);
  trace.append(A0, AppendOrigin::local, produced(trace, 5));
  trace.write(A0, 1, BatchKind::pid_reset);
  trace.append(A0, AppendOrigin::local, produced(trace, 0));
  EXPECT_THAT(trace.violations(), IsEmpty());
}

void fetch(TraceBuilder& trace, Place place, Offset from, std::vector<Batch> batches) {
  ReaderFetched fetched;
  fetched.from = from;
  fetched.next = batches.back().next_offset();
  fetched.batches.assign(batches.begin(), batches.end());
  trace.emit(place.cluster, place.broker, fetched);
}

TEST(Readers, AreGivenNothingAboveTheHighWatermark) {
  TraceBuilder trace;
  trace.lead(A0, 1);
  trace.write(A0);
  trace.write(A0);
  trace.high_watermark(A0, 1);
  fetch(trace, A0, 0, {trace.log(A0)[0]});
  EXPECT_THAT(trace.violations(), IsEmpty());
  fetch(trace, A0, 1, {trace.log(A0)[1]});
  EXPECT_THAT(trace.violations(), ElementsAre("reader-continuity/read-above-high-watermark"));
}

TEST(Readers, AreNotMovedBeyondWhereTheLogsPart) {
  for (const Offset told : {1, 2}) {
    TraceBuilder trace;
    trace.lead(A0, 1);
    trace.write(A0);
    trace.copy(A0, A1);
    trace.high_watermark(A0, 1);
    trace.write(A0);
    trace.high_watermark(A0, 2);
    fetch(trace, A0, 0, {trace.log(A0)[0], trace.log(A0)[1]});
    trace.lead(A1, 2, ElectionKind::unclean);
    trace.write(A1);
    trace.write(A1);
    trace.emit(A, 1, ReaderTold{0, ReaderNews::diverged, told});
    if (told == 1) {
      EXPECT_THAT(trace.violations(), IsEmpty());
    } else {
      EXPECT_THAT(trace.violations(), ElementsAre("reader-continuity/moved-beyond-divergence"));
    }
  }
}

TEST(Stops, WaitUntilPidResetIsCommitted) {
  for (const Offset committed : {1, 2}) {
    TraceBuilder trace;
    trace.lead(B0, 1);
    trace.write(B0);
    trace.high_watermark(B0, 1);
    trace.state(B, MirrorState::log_alignment, A);
    trace.state(B, MirrorState::stopping, A);
    trace.write(B0, 1, BatchKind::pid_reset);
    trace.high_watermark(B0, committed);
    trace.state(B, MirrorState::stopped, A);
    if (committed == 2) {
      EXPECT_THAT(trace.violations(), IsEmpty());
    } else {
      EXPECT_THAT(trace.violations(), ElementsAre("state-machine/stopped-before-pid-reset"));
    }
  }
}

TEST(Rest, FollowersHaveTheirLeadersHighWatermark) {
  for (const Offset learned : {1, 2}) {
    TraceBuilder trace;
    trace.lead(A0, 1);
    for (const Place follower : {A1, A2}) {
      trace.follow(follower, 1, 0);
    }
    trace.write(A0, 2);
    trace.copy(A0, A1);
    trace.copy(A0, A2);
    trace.high_watermark(A0, 2);
    trace.high_watermark(A1, learned);
    trace.high_watermark(A2, 2);
    trace.emit(A, kController, WorldRested{});
    if (learned == 2) {
      EXPECT_THAT(trace.violations(), IsEmpty());
    } else {
      EXPECT_THAT(trace.violations(), ElementsAre("convergence/replica-high-watermark-differs"));
    }
  }
}

TEST(Rest, AnOrderThatWasTakenIsCarriedOut) {
  for (const bool stopped : {true, false}) {
    TraceBuilder trace;
    trace.lead(A0, 0);
    trace.lead(B0, 1);
    trace.start_mirroring(B, A);
    trace.emit(B, kController, OperatorOrdered{OperatorAction::stop_mirror, A});
    if (stopped) {
      trace.state(B, MirrorState::stopping, A);
      trace.write(B0, 1, BatchKind::pid_reset);
      trace.high_watermark(B0, 1);
      trace.state(B, MirrorState::stopped, A);
    }
    trace.emit(A, kController, WorldRested{});
    if (stopped) {
      EXPECT_THAT(trace.violations(), Not(Contains("convergence/order-not-carried-out")));
    } else {
      EXPECT_THAT(trace.violations(), Contains("convergence/order-not-carried-out"));
    }
  }
}

}  // namespace
}  // namespace mirrorproof::checker::testing
