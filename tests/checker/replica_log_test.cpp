// ReplicaLog and common_prefix: fast answers against slow ones.

#include "checker/replica_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace mirrorproof::checker::testing {
namespace {

Batch batch_of(Offset base, Offset last, std::uint64_t serial, Epoch epoch = 0) {
  return Batch{base, last, RecordId::make(0, serial), epoch, -1, BatchKind::data, false};
}

/// The same log, without cleverness.
struct NaiveLog {
  std::vector<Batch> batches;
  Offset log_start = 0;
  Offset log_end = 0;

  void truncate(Offset target, Offset start) {
    std::erase_if(batches, [&](const Batch& batch) {
      return batch.last_offset >= target || batch.last_offset < start;
    });
    log_start = start;
    log_end = target;
  }
};

std::vector<Batch> batches_in(const ReplicaLog& log) {
  std::vector<Batch> batches;
  for (ReplicaLog::Index index = log.first_index(); index < log.end_index(); ++index) {
    batches.push_back(log.at(index).batch);
  }
  return batches;
}

TEST(ReplicaLog, FindsTheBatchThatContainsAnOffset) {
  ReplicaLog log;
  log.append(batch_of(0, 2, 0), 1);
  log.append(batch_of(3, 3, 3), 2);
  log.append(batch_of(6, 9, 6), 3);
  EXPECT_EQ(log.find(2)->appended, 1U);
  EXPECT_EQ(log.find(3)->appended, 2U);
  EXPECT_EQ(log.find(4), nullptr);
  EXPECT_EQ(log.find(9)->appended, 3U);
  EXPECT_EQ(log.find(10), nullptr);
  EXPECT_TRUE(log.has_records_in(4, 7));
  EXPECT_FALSE(log.has_records_in(4, 6));
}

TEST(ReplicaLog, TruncationInsideABatchLeavesAHole) {
  ReplicaLog log;
  log.append(batch_of(0, 2, 0), 1);
  log.append(batch_of(3, 7, 3), 2);
  std::vector<LogEntry> removed;
  log.truncate(5, 0, removed);
  EXPECT_EQ(log.log_end(), 5);
  ASSERT_EQ(removed.size(), 1U);
  EXPECT_EQ(removed[0].batch.base_offset, 3);
  EXPECT_EQ(log.find(3), nullptr);
}

TEST(ReplicaLog, AFullRestartRemovesWhatLiesBelowAsWell) {
  ReplicaLog log;
  log.append(batch_of(0, 2, 0), 1);
  log.append(batch_of(3, 7, 3), 2);
  std::vector<LogEntry> removed;
  log.truncate(20, 20, removed);
  EXPECT_EQ(removed.size(), 2U);
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(log.log_start(), 20);
  EXPECT_EQ(log.log_end(), 20);
}

RC_GTEST_PROP(ReplicaLog, BehavesLikeAListOfBatches, ()) {
  ReplicaLog log;
  NaiveLog naive;
  std::uint64_t serial = 0;
  const int steps = *rc::gen::inRange(1, 300);
  for (int step = 0; step < steps; ++step) {
    const int what = *rc::gen::inRange(0, 20);
    if (what == 0) {
      const Offset target = *rc::gen::inRange<Offset>(0, naive.log_end + 3);
      const bool restart = *rc::gen::inRange(0, 4) == 0;
      if (!restart && target > naive.log_end) {
        continue;
      }
      const Offset start = restart ? target : std::min(naive.log_start, target);
      std::vector<LogEntry> removed;
      const std::size_t before = naive.batches.size();
      log.truncate(target, start, removed);
      naive.truncate(target, start);
      RC_ASSERT(removed.size() == before - naive.batches.size());
    } else if (what <= 3 && naive.log_end > naive.log_start) {
      const Offset start = *rc::gen::inRange<Offset>(naive.log_start, naive.log_end + 1);
      log.move_start(start);
      std::erase_if(naive.batches, [&](const Batch& batch) { return batch.last_offset < start; });
      naive.log_start = start;
    } else {
      const Offset base = naive.log_end + *rc::gen::element<Offset>(0, 0, 0, 2);
      const Batch batch = batch_of(base, base + *rc::gen::inRange<Offset>(0, 4), serial);
      serial += 5;
      log.append(batch, static_cast<EventId>(step) + 1);
      naive.batches.push_back(batch);
      naive.log_end = batch.next_offset();
    }
    RC_ASSERT(batches_in(log) == naive.batches);
    RC_ASSERT(log.log_start() == naive.log_start);
    RC_ASSERT(log.log_end() == naive.log_end);
    const Offset offset = *rc::gen::inRange<Offset>(0, naive.log_end + 2);
    const auto expected = std::find_if(naive.batches.begin(), naive.batches.end(),
                                       [&](const Batch& batch) { return batch.last_offset >= offset; });
    RC_ASSERT(log.index_at(offset) - log.first_index() ==
              static_cast<ReplicaLog::Index>(expected - naive.batches.begin()));
  }
}

// Two logs share a history, part, and lose different prefixes.
RC_GTEST_PROP(CommonPrefix, EqualsAWalkOverBothLogs, ()) {
  ReplicaLog logs[2];
  const int shared = *rc::gen::inRange(0, 12);
  for (int side = 0; side < 2; ++side) {
    Offset offset = 0;
    for (int i = 0; i < shared; ++i) {
      logs[side].append(batch_of(offset, offset + i % 3, static_cast<std::uint64_t>(offset)), 1);
      offset = logs[side].log_end();
    }
    const int own = *rc::gen::inRange(0, 6);
    for (int i = 0; i < own; ++i) {
      const auto serial = 1000 * (static_cast<std::uint64_t>(side) + 1) + static_cast<std::uint64_t>(i) * 10;
      logs[side].append(batch_of(offset, offset + i % 2, serial), 1);
      offset = logs[side].log_end();
    }
    logs[side].move_start(*rc::gen::inRange<Offset>(0, offset + 1));
  }
  const ReplicaLog::Index left_end = *rc::gen::inRange(logs[0].first_index(), logs[0].end_index() + 1);
  const CommonPrefix prefix = common_prefix(logs[0], left_end, logs[1], logs[1].end_index());

  const Offset start = std::max(logs[0].log_start(), logs[1].log_start());
  ReplicaLog::Index left = logs[0].first_index();
  ReplicaLog::Index right = logs[1].first_index();
  while (left < logs[0].end_index() && logs[0].at(left).batch.last_offset < start) {
    ++left;
  }
  while (right < logs[1].end_index() && logs[1].at(right).batch.last_offset < start) {
    ++right;
  }
  RC_ASSERT(prefix.left_begin == left);
  RC_ASSERT(prefix.right_begin == right);
  std::uint64_t count = 0;
  while (left + count < left_end && right + count < logs[1].end_index() &&
         same_records(logs[0].at(left + count).batch, logs[1].at(right + count).batch)) {
    ++count;
  }
  RC_ASSERT(prefix.count == count);
}

}  // namespace
}  // namespace mirrorproof::checker::testing
