// What the log cleaner may take, and what a log is like afterwards.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

#include "model/log.h"

namespace mirrorproof {
namespace {

Batch client_batch(std::uint64_t serial, std::int64_t records = 1, std::int16_t producer = -1) {
  Batch batch;
  batch.last_offset = records - 1;
  batch.first_id = RecordId::make(0, serial);
  batch.producer_id = producer;
  batch.base_sequence = producer < 0 ? -1 : static_cast<std::int32_t>(serial);
  return batch;
}

/// Offsets 0, 1-2, 3 in epoch 0, then 4, 5 in epoch 2; all committed.
Log five_batches() {
  Log log;
  log.append_as_leader(client_batch(0), 0);
  log.append_as_leader(client_batch(1, 2), 0);
  log.append_as_leader(client_batch(3), 0);
  log.append_as_leader(client_batch(4), 2);
  log.append_as_leader(client_batch(5), 2);
  log.advance_high_watermark(6);
  return log;
}

TEST(LogCleaner, TakesWhatALaterBatchBelowTheBoundHasOverwritten) {
  const Log log = five_batches();
  EXPECT_TRUE(log.can_clean(0, 6));
  EXPECT_TRUE(log.can_clean(1, 6));
  EXPECT_FALSE(log.can_clean(2, 6)) << "inside a batch";
  EXPECT_TRUE(log.can_clean(4, 6));
  EXPECT_FALSE(log.can_clean(5, 6)) << "nothing later";
  EXPECT_FALSE(log.can_clean(4, 5)) << "nothing later below the bound";
  EXPECT_FALSE(log.can_clean(1, 2)) << "reaches beyond the bound";
  EXPECT_FALSE(log.can_clean(9, 6)) << "nothing there";
}

TEST(LogCleaner, TakesNoControlBatchAndCountsNoneAsOverwriting) {
  Log log;
  log.append_as_leader(client_batch(0), 0);
  Batch marker = client_batch(1);
  marker.kind = BatchKind::commit_marker;
  log.append_as_leader(marker, 0);
  EXPECT_FALSE(log.can_clean(0, 2));
  log.append_as_leader(client_batch(2), 0);
  EXPECT_TRUE(log.can_clean(0, 3));
  EXPECT_FALSE(log.can_clean(1, 3));
}

TEST(LogCleaner, LeavesOffsetsEpochsAndLogEndAsTheyWere) {
  Log log = five_batches();
  const LeaderEpochCache epochs = log.leader_epoch_cache();
  EXPECT_EQ(log.clean(4, 6), BatchContent::gone);
  EXPECT_EQ(log.clean(0, 6), BatchContent::gone);
  EXPECT_EQ(log.batches().size(), 3U);
  EXPECT_EQ(log.log_start_offset(), 0);
  EXPECT_EQ(log.log_end_offset(), 6);
  EXPECT_EQ(log.leader_epoch_cache(), epochs);
  ASSERT_FALSE(log.read(0, 6, 1).empty());
  EXPECT_EQ(log.read(0, 6, 1)[0].base_offset, 1) << "a read goes on behind the gap";
  EXPECT_EQ(log.recovery_point(), 6) << "the cleaner works on flushed segments";
}

TEST(LogCleaner, EmptiesTheLastBatchOfAProducer) {
  Log log;
  log.append_as_leader(client_batch(0, 1, 7), 0);
  log.append_as_leader(client_batch(1, 1, 7), 0);
  log.append_as_leader(client_batch(2), 0);
  EXPECT_EQ(log.clean(0, 3), BatchContent::gone);
  EXPECT_EQ(log.clean(1, 3), BatchContent::emptied);
  EXPECT_FALSE(log.batches()[0].has_records());
  EXPECT_EQ(log.batches()[0].base_sequence, 1);
  EXPECT_FALSE(log.can_clean(1, 3)) << "still the last one";
  log.append_as_leader(client_batch(3, 1, 7), 0);
  EXPECT_EQ(log.clean(1, 4), BatchContent::gone);
  // What was emptied is no record that a truncation could remove.
  EXPECT_EQ(log.truncate_to(0).removed_records, 2);
}

TEST(LogCleaner, MayKeepWhereEachEpochBegins) {
  Log log = five_batches();
  log.set_rules({.cleaner_keeps_epoch_starts = true});
  EXPECT_EQ(log.clean(0, 6), BatchContent::emptied);
  EXPECT_EQ(log.clean(1, 6), BatchContent::gone);
  EXPECT_EQ(log.clean(4, 6), BatchContent::emptied);
  Log copy;
  copy.append_as_follower(log.batches(), 2, true);
  EXPECT_EQ(copy.leader_epoch_cache(), log.leader_epoch_cache());
}

TEST(LogCleaner, ACopyOfACleanedLogKnowsNoMoreThanIsThere) {
  Log log = five_batches();
  log.clean(4, 6);
  Log copy;
  EXPECT_EQ(copy.append_as_follower(log.batches(), 2, true).error, AppendError::none);
  EXPECT_EQ(copy.log_end_offset(), 6);
  EXPECT_EQ(copy.end_offset_for_epoch(0), (EpochEndOffset{0, 5})) << "and the log it copied says 4";
  EXPECT_EQ(log.end_offset_for_epoch(0), (EpochEndOffset{0, 4}));
}

TEST(LogCleaner, AFollowerMayInsistOnOffsetsWithoutGaps) {
  Log log = five_batches();
  log.clean(0, 6);
  Log copy;
  copy.set_rules({.gaps_accepted = false});
  EXPECT_EQ(copy.append_as_follower(log.batches(), 2, true).error, AppendError::unexpected_offset);
  EXPECT_TRUE(copy.batches().empty());
}

/// A log as a map from offsets to epochs.
struct OffsetMap {
  std::map<Offset, Epoch> records;
  Offset end = 0;
  Offset start = 0;
};

// Random writes, cleanings, truncations and deletions, each compared with the map.
RC_GTEST_PROP(LogCleaner, ReadsTheSameAsAMapFromOffsets, ()) {
  Log log;
  OffsetMap naive;
  Epoch epoch = 0;
  std::uint64_t serial = 0;
  const int operations = *rc::gen::inRange(1, 60);
  for (int i = 0; i < operations; ++i) {
    const int kind = *rc::gen::inRange(0, 10);
    if (kind < 4) {
      const int records = *rc::gen::inRange(1, 4);
      epoch += *rc::gen::inRange(0, 2);
      log.append_as_leader(client_batch(serial, records), epoch);
      serial += static_cast<std::uint64_t>(records);
      for (int record = 0; record < records; ++record) {
        naive.records[naive.end++] = epoch;
      }
    } else if (kind < 6) {
      log.set_high_watermark(*rc::gen::inRange<Offset>(0, naive.end + 2));
    } else if (kind < 9) {
      const Offset bound = log.high_watermark();
      std::vector<Batch> cleanable;
      for (const Batch& batch : log.batches()) {
        if (log.can_clean(batch.base_offset, bound)) {
          cleanable.push_back(batch);
        }
      }
      if (!cleanable.empty()) {
        const Batch batch = *rc::gen::elementOf(cleanable);
        log.clean(batch.base_offset, bound);
        naive.records.erase(naive.records.lower_bound(batch.base_offset),
                            naive.records.upper_bound(batch.last_offset));
        RC_ASSERT(naive.records.lower_bound(batch.next_offset()) != naive.records.lower_bound(bound));
      }
    } else {
      // At the base of a batch, or in a gap: inside a batch all of it goes, and the map would not know.
      const Offset wanted = *rc::gen::inRange<Offset>(naive.start, naive.end + 1);
      const Batch* batch = log.batch_at_or_after(wanted);
      const Offset target = batch == nullptr ? wanted : std::min(batch->base_offset, wanted);
      RC_PRE(target >= naive.start);
      log.truncate_to(target);
      naive.records.erase(naive.records.lower_bound(target), naive.records.end());
      naive.end = std::min(naive.end, target);
    }
    std::map<Offset, Epoch> read;
    for (const Batch& batch : log.read(naive.start, log.log_end_offset() + 1, 0)) {
      for (Offset offset = batch.base_offset; offset <= batch.last_offset; ++offset) {
        read[offset] = batch.epoch;
      }
    }
    RC_ASSERT(read == naive.records);
    RC_ASSERT(log.log_end_offset() == naive.end);
    RC_ASSERT(log.high_watermark() <= naive.end);
    // A follower that copies all of it has the same records, and ends where they do.
    Log copy;
    copy.append_as_follower(log.batches(), epoch, true);
    RC_ASSERT(copy.batches().size() == log.batches().size());
  }
}

}  // namespace
}  // namespace mirrorproof
