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

/// What came in time at a leader that has been deposed is no late batch, though a later transaction's marker
/// commits it there.
TEST(LateBatches, OnlyWhatCameWhenItsTransactionWasOverIsCommittedLate) {
  for (const bool came_late : {false, true}) {
    LateBatches late;
    ReplicaLog deposed;
    ReplicaLog successor;
    const auto write_at = [&late](ReplicaLog& log, BatchKind kind, std::uint64_t id, std::int16_t epoch) {
      const ReplicaLog::Index first = log.end_index();
      Batch batch = batch_at(log.log_end(), kind, id);
      batch.producer_epoch = epoch;
      log.append(batch, 1);
      late.written(0, log, first);
      return batch;
    };
    if (came_late) {
      write_at(successor, BatchKind::commit_marker, 1, 0);
    }
    const Batch batch = write_at(deposed, BatchKind::data, 2, 0);
    if (!came_late) {
      write_at(successor, BatchKind::commit_marker, 1, 0);
    }
    write_at(deposed, BatchKind::data, 3, 1);
    write_at(deposed, BatchKind::commit_marker, 4, 1);
    EXPECT_EQ(late.committed(0, batch.first_id), came_late);
  }
}

}  // namespace
}  // namespace mirrorproof::checker
