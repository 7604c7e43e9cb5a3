// Batches that come when their transaction is over, and what tells that: the marker before them, wherever it
// has gone.

#include "checker/late_batches.h"

#include <gtest/gtest.h>

namespace mirrorproof::checker {
namespace {

constexpr std::int16_t kProducer = 1;

Batch batch_at(Offset offset, BatchKind kind, std::uint64_t id) {
  Batch batch;
  batch.base_offset = batch.last_offset = offset;
  batch.first_id = RecordId::make(0, id);
  batch.kind = kind;
  batch.producer_id = kProducer;
  batch.producer_epoch = 0;
  batch.transactional = true;
  return batch;
}

/// The leader of `log` writes it.
Batch write(LateBatches& late, ReplicaLog& log, BatchKind kind, std::uint64_t id) {
  const ReplicaLog::Index first = log.end_index();
  log.append(batch_at(log.log_end(), kind, id), 1);
  late.written(0, log, first);
  return log.back().batch;
}

TEST(LateBatches, ABatchBehindTheMarkerOfItsTransactionIsLate) {
  LateBatches late;
  ReplicaLog log;
  const Batch in_time = write(late, log, BatchKind::data, 1);
  write(late, log, BatchKind::commit_marker, 2);
  const Batch too_late = write(late, log, BatchKind::data, 3);
  const Batch with_it = write(late, log, BatchKind::data, 4);
  EXPECT_FALSE(late.opened_anew(0, in_time));
  EXPECT_TRUE(late.opened_anew(0, too_late));
  EXPECT_TRUE(late.opened_anew(0, with_it));
}

TEST(LateBatches, AMarkerThatRetentionTookIsRemembered) {
  LateBatches late;
  ReplicaLog log;
  write(late, log, BatchKind::data, 1);
  write(late, log, BatchKind::commit_marker, 2);
  log.move_start(2);
  EXPECT_TRUE(late.opened_anew(0, write(late, log, BatchKind::data, 3)));
}

TEST(LateBatches, WhatAnotherClusterWroteChangesNothing) {
  LateBatches late;
  ReplicaLog log;
  write(late, log, BatchKind::data, 1);
  write(late, log, BatchKind::commit_marker, 2);
  // A mirror that was stopped: its leader resets the producers, and ends what was open.
  ReplicaLog other;
  other.append(batch_at(0, BatchKind::data, 1), 1);
  other.append(batch_at(1, BatchKind::commit_marker, 2), 1);
  write(late, other, BatchKind::pid_reset, 10);
  write(late, other, BatchKind::abort_marker, 11);
  const Batch too_late = write(late, log, BatchKind::data, 3);
  EXPECT_TRUE(late.opened_anew(0, too_late));
  other.append(batch_at(4, BatchKind::data, 3), 1);
  write(late, other, BatchKind::abort_marker, 12);
  EXPECT_TRUE(late.opened_anew(0, too_late));
}

TEST(LateBatches, APidResetBeginsAnew) {
  LateBatches late;
  ReplicaLog log;
  write(late, log, BatchKind::data, 1);
  write(late, log, BatchKind::commit_marker, 2);
  write(late, log, BatchKind::pid_reset, 3);
  EXPECT_FALSE(late.opened_anew(0, write(late, log, BatchKind::data, 4)));
}

}  // namespace
}  // namespace mirrorproof::checker
