// The rules of protocol.md section 2, and a log of single records for comparison.

#include "model/log.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <vector>

#include "naive_epoch_cache.h"

namespace mirrorproof {
namespace {

Batch batch_at(Offset base_offset, Offset last_offset, Epoch epoch, std::uint64_t serial = 0) {
  Batch batch;
  batch.base_offset = base_offset;
  batch.last_offset = last_offset;
  batch.epoch = epoch;
  batch.first_id = RecordId::make(0, serial);
  return batch;
}

AppendResult append(Log& log, std::initializer_list<Batch> batches, Epoch leader_epoch = 100,
                    bool guard = true) {
  return log.append_as_follower({batches.begin(), batches.size()}, leader_epoch, guard);
}

/// 0..4:1 5..9:3, high watermark 8.
Log two_epochs() {
  Log log;
  append(log, {batch_at(0, 4, 1), batch_at(5, 9, 3)});
  log.set_high_watermark(8);
  return log;
}

std::vector<EpochEntry> epochs_of(const Log& log) {
  const auto entries = log.leader_epoch_cache().entries();
  return {entries.begin(), entries.end()};
}

TEST(Log, a_leader_stamps_offset_and_epoch) {
  Log log = Log::starting_at(7);
  const Batch stored = log.append_as_leader(batch_at(0, 2, 0, 11), 4);
  EXPECT_EQ(stored, batch_at(7, 9, 4, 11));
  EXPECT_EQ(log.log_end_offset(), 10);
  EXPECT_EQ(log.high_watermark(), 7);
  EXPECT_EQ(epochs_of(log), (std::vector<EpochEntry>{{4, 7}}));
}

TEST(Log, a_follower_takes_offsets_as_they_are_and_may_leave_holes) {
  Log log = two_epochs();
  const AppendResult result = append(log, {batch_at(12, 13, 3), batch_at(20, 20, 5)});
  EXPECT_EQ(result.error, AppendError::none);
  EXPECT_EQ(result.appended_batches, 2);
  EXPECT_EQ(result.last_epoch, 5);
  EXPECT_EQ(log.log_end_offset(), 21);
  EXPECT_EQ(epochs_of(log), (std::vector<EpochEntry>{{1, 0}, {3, 5}, {5, 20}}));
}

TEST(Log, old_format_batches_empty_the_epoch_cache) {
  Log log = two_epochs();
  EXPECT_EQ(append(log, {batch_at(10, 10, kUndefinedEpoch)}).last_epoch, std::nullopt);
  EXPECT_EQ(log.latest_epoch(), std::nullopt);
}

TEST(Log, the_batch_epoch_guard_drops_the_rest_silently) {
  Log log = two_epochs();
  AppendResult result = append(log, {batch_at(10, 10, 3), batch_at(11, 11, 6), batch_at(12, 12, 3)}, 5);
  EXPECT_EQ(result.error, AppendError::none);
  EXPECT_EQ(result.appended_batches, 1);
  EXPECT_EQ(log.log_end_offset(), 11);
  result = append(log, {batch_at(11, 11, 6)}, 5);
  EXPECT_EQ(result.appended_batches, 0);
  EXPECT_EQ(result.last_epoch, std::nullopt);
  result = append(log, {batch_at(11, 11, 6)}, 5, /*guard=*/false);
  EXPECT_EQ(result.appended_batches, 1);
  EXPECT_EQ(append(log, {batch_at(12, 12, 6)}, 6).appended_batches, 1) << "the same epoch is accepted";
}

TEST(Log, an_append_below_the_end_is_refused_unless_the_log_is_empty) {
  Log log = two_epochs();
  const Log before = log;
  EXPECT_EQ(append(log, {batch_at(9, 12, 3)}).error, AppendError::unexpected_offset);
  EXPECT_EQ(log, before);

  Log empty = Log::starting_at(10);
  const AppendResult rescued = append(empty, {batch_at(8, 10, 3)});
  EXPECT_EQ(rescued.error, AppendError::none);
  EXPECT_TRUE(rescued.restarted_at_batch_base);
  EXPECT_EQ(empty.log_start_offset(), 8);
  EXPECT_EQ(empty.log_end_offset(), 11);

  Log not_covered = Log::starting_at(10);
  EXPECT_EQ(append(not_covered, {batch_at(8, 9, 3)}).error, AppendError::unexpected_offset);
  EXPECT_EQ(not_covered, Log::starting_at(10));
}

TEST(Log, malformed_batches_are_refused_as_a_whole) {
  const std::pair<std::vector<Batch>, AppendError> rows[] = {
      {{batch_at(10, 12, 3), batch_at(12, 13, 3)}, AppendError::out_of_order},
      {{batch_at(10, 9, 3)}, AppendError::out_of_order},
      {{batch_at(10, 10, -2)}, AppendError::invalid_epoch},
      {{batch_at(-1, 10, 3)}, AppendError::invalid_epoch},
  };
  for (const auto& [batches, error] : rows) {
    Log log = two_epochs();
    EXPECT_EQ(log.append_as_follower(batches, 100, true).error, error);
    EXPECT_EQ(log, two_epochs());
  }
}

TEST(Log, truncation_inside_a_batch_drops_it_but_ends_exactly_there) {
  Log log = two_epochs();
  const TruncateResult result = log.truncate_to(7);
  EXPECT_EQ(result.removed_batches, 1);
  EXPECT_EQ(result.removed_records, 5);
  EXPECT_EQ(log.log_end_offset(), 7);
  EXPECT_EQ(log.high_watermark(), 7);
  EXPECT_EQ(log.batches().size(), 1U);
  EXPECT_EQ(epochs_of(log), (std::vector<EpochEntry>{{1, 0}, {3, 5}}));
}

TEST(Log, truncation_at_the_end_still_removes_an_epoch_that_wrote_nothing) {
  Log log = two_epochs();
  log.assign_leader_epoch(6);
  EXPECT_EQ(log.latest_epoch(), 6);
  EXPECT_EQ(log.truncate_to(15).removed_batches, 0);
  EXPECT_EQ(log.log_end_offset(), 10);
  EXPECT_EQ(log.latest_epoch(), 3);
}

TEST(Log, truncation_below_the_start_moves_the_start_back) {
  Log log = two_epochs();
  ASSERT_TRUE(log.increment_log_start(6));
  log.truncate_to(3);
  EXPECT_EQ(log.log_start_offset(), 3);
  EXPECT_EQ(log.log_end_offset(), 3);
  EXPECT_EQ(log.high_watermark(), 3);
  EXPECT_TRUE(log.batches().empty());
  EXPECT_TRUE(log.leader_epoch_cache().empty());
}

TEST(Log, a_full_truncation_restarts_anywhere) {
  Log log = two_epochs();
  EXPECT_EQ(log.truncate_fully_and_start_at(40).removed_records, 10);
  EXPECT_EQ(log, Log::starting_at(40));
}

TEST(Log, the_start_moves_up_to_the_high_watermark_only) {
  Log log = two_epochs();
  EXPECT_FALSE(log.increment_log_start(9));
  EXPECT_EQ(log, two_epochs());
  EXPECT_TRUE(log.increment_log_start(6));
  EXPECT_EQ(log.log_start_offset(), 6);
  EXPECT_EQ(log.batches().size(), 1U);
  EXPECT_EQ(epochs_of(log), (std::vector<EpochEntry>{{3, 6}}));
  EXPECT_TRUE(log.increment_log_start(2));
  EXPECT_EQ(log.log_start_offset(), 6);
}

TEST(Log, the_high_watermark_is_clamped_when_set_and_only_rises_when_advanced) {
  Log log = two_epochs();
  log.set_high_watermark(50);
  EXPECT_EQ(log.high_watermark(), 10);
  log.set_high_watermark(-1);
  EXPECT_EQ(log.high_watermark(), 0);
  EXPECT_TRUE(log.advance_high_watermark(4));
  EXPECT_FALSE(log.advance_high_watermark(4));
  EXPECT_FALSE(log.advance_high_watermark(3));
  EXPECT_EQ(log.high_watermark(), 4);
}

TEST(Log, a_power_loss_takes_what_was_not_flushed) {
  Log log = two_epochs();
  log.flush();
  append(log, {batch_at(10, 12, 4)});
  log.set_high_watermark(13);
  EXPECT_EQ(log.lose_unflushed_tail().removed_records, 3);
  EXPECT_EQ(log.log_end_offset(), 10);
  EXPECT_EQ(log.high_watermark(), 10);
  EXPECT_EQ(log.latest_epoch(), 3);
  EXPECT_EQ(log.lose_unflushed_tail().removed_records, 0);
}

TEST(Log, reads_start_with_the_batch_that_contains_the_offset) {
  const Log log = two_epochs();
  EXPECT_EQ(log.read(7, 10, 0).size(), 1U);
  EXPECT_EQ(log.read(7, 10, 0)[0].base_offset, 5);
  EXPECT_EQ(log.read(0, 10, 0).size(), 2U);
  EXPECT_EQ(log.read(0, 10, 1).size(), 1U);
  EXPECT_EQ(log.read(0, 9, 0).size(), 1U) << "the second batch ends above the bound";
  EXPECT_TRUE(log.read(10, 10, 0).empty());
  EXPECT_EQ(log.batch_at_or_after(10), nullptr);
  ASSERT_NE(log.batch_at_or_after(4), nullptr);
  EXPECT_EQ(log.batch_at_or_after(4)->base_offset, 0);
}

TEST(Log, a_restored_log_is_what_it_was) {
  const Log log = two_epochs();
  const Log restored = Log::restore(log.batches(), log.leader_epoch_cache(), 0, 10, 8);
  EXPECT_TRUE(std::ranges::equal(restored.batches(), log.batches()));
  EXPECT_EQ(restored.leader_epoch_cache(), log.leader_epoch_cache());
  EXPECT_EQ(restored.high_watermark(), 8);
  EXPECT_EQ(restored.recovery_point(), 10);
}

// --- a log of single records

struct NaiveRecord {
  Epoch epoch = 0;
  RecordId id;
  Offset batch_base = 0;
  Offset batch_last = 0;
  friend bool operator==(const NaiveRecord&, const NaiveRecord&) = default;
};

struct NaiveLog {
  std::map<Offset, NaiveRecord> records;
  NaiveCache epochs;
  Offset start = 0;
  Offset end = 0;
  Offset high_watermark = 0;
  Offset flushed = 0;

  void store(const Batch& batch) {
    for (Offset offset = batch.base_offset; offset <= batch.last_offset; ++offset) {
      records[offset] = {batch.epoch, batch.id_at(offset), batch.base_offset, batch.last_offset};
    }
    if (batch.epoch == kUndefinedEpoch) {
      epochs.clear();
    } else {
      epochs.assign(batch.epoch, batch.base_offset);
    }
    end = batch.last_offset + 1;
  }

  void restart(Offset at) {
    *this = NaiveLog{};
    start = end = high_watermark = flushed = at;
  }

  void truncate(Offset target) {
    if (target < end) {
      std::erase_if(records, [target](const auto& entry) { return entry.second.batch_last >= target; });
      end = target;
      start = std::min(start, target);
      high_watermark = std::min(high_watermark, target);
      flushed = std::min(flushed, target);
    }
    epochs.truncate_from_end(end);
  }

  void raise_start(Offset to) {
    if (to > high_watermark || to <= start) {
      return;
    }
    start = to;
    flushed = std::max(flushed, to);
    std::erase_if(records, [to](const auto& entry) { return entry.second.batch_last < to; });
    epochs.truncate_from_start(to);
  }

  /// Appends what the rules let through; false if the append must be refused.
  bool append(std::vector<Batch> batches, Epoch leader_epoch, bool guard) {
    const auto too_new = std::ranges::find_if(batches, [&](const Batch& batch) {
      return guard && batch.epoch != kUndefinedEpoch && batch.epoch > leader_epoch;
    });
    batches.erase(too_new, batches.end());
    if (batches.empty()) {
      return true;
    }
    for (std::size_t i = 1; i < batches.size(); ++i) {
      if (batches[i].base_offset <= batches[i - 1].last_offset) {
        return false;
      }
    }
    if (batches.front().base_offset < end) {
      if (start != end || batches.back().last_offset < end) {
        return false;
      }
      restart(batches.front().base_offset);
    }
    for (const Batch& batch : batches) {
      store(batch);
    }
    return true;
  }
};

void assert_same(const Log& log, const NaiveLog& naive) {
  RC_ASSERT(log.log_start_offset() == naive.start);
  RC_ASSERT(log.log_end_offset() == naive.end);
  RC_ASSERT(log.high_watermark() == naive.high_watermark);
  RC_ASSERT(log.recovery_point() == naive.flushed);
  RC_ASSERT(log.log_start_offset() <= log.high_watermark());
  RC_ASSERT(log.high_watermark() <= log.log_end_offset());
  RC_ASSERT(epochs_of(log) == naive.epochs.entries());
  std::map<Offset, NaiveRecord> records;
  for (const Batch& batch : log.batches()) {
    for (Offset offset = batch.base_offset; offset <= batch.last_offset; ++offset) {
      records[offset] = {batch.epoch, batch.id_at(offset), batch.base_offset, batch.last_offset};
    }
  }
  RC_ASSERT(records == naive.records);
}

void assert_same_read(const Log& log, const NaiveLog& naive, Offset from, Offset bound) {
  std::vector<Offset> expected;
  for (const auto& [offset, record] : naive.records) {
    if (record.batch_last >= from && record.batch_last < bound && offset == record.batch_base) {
      expected.push_back(offset);
    }
  }
  std::vector<Offset> read;
  for (const Batch& batch : log.read(from, bound, 0)) {
    read.push_back(batch.base_offset);
  }
  RC_ASSERT(read == expected);
}

TEST(Log, property_agrees_with_a_log_of_single_records) {
  EXPECT_TRUE(rc::check([] {
    Log log;
    NaiveLog naive;
    std::uint64_t serial = 1;
    Epoch epoch = 0;
    const auto steps = *rc::gen::inRange(0, 40);
    for (int i = 0; i < steps; ++i) {
      const auto offset = *rc::gen::inRange<Offset>(std::max<Offset>(0, naive.end - 12), naive.end + 4);
      switch (*rc::gen::inRange(0, 12)) {
        case 0:
          log.truncate_to(offset);
          naive.truncate(offset);
          break;
        case 1:
          RC_ASSERT(log.increment_log_start(offset) == (offset <= naive.high_watermark));
          naive.raise_start(offset);
          break;
        case 2:
          log.set_high_watermark(offset);
          naive.high_watermark = std::min(std::max(offset, naive.start), naive.end);
          break;
        case 3:
          log.assign_leader_epoch(++epoch);
          naive.epochs.assign(epoch, naive.end);
          break;
        case 4:
          if (*rc::gen::inRange(0, 4) == 0) {
            log.truncate_fully_and_start_at(offset);
            naive.restart(offset);
          }
          break;
        case 5:
          log.flush();
          naive.flushed = naive.end;
          break;
        case 6: {
          const auto lost = log.lose_unflushed_tail();
          const auto records_before = naive.records.size();
          naive.truncate(naive.flushed);
          RC_ASSERT(lost.removed_records == static_cast<std::int64_t>(records_before - naive.records.size()));
          break;
        }
        case 7:
        case 8: {
          const auto size = *rc::gen::inRange<Offset>(1, 4);
          log.append_as_leader(batch_at(0, size - 1, 0, serial), epoch);
          naive.store(batch_at(naive.end, naive.end + size - 1, epoch, serial));
          serial += 4;
          break;
        }
        default: {
          std::vector<Batch> batches;
          Offset base = naive.end + *rc::gen::element<Offset>(0, 0, 0, 2, -1, -2);
          const auto count = *rc::gen::inRange(0, 4);
          for (int k = 0; k < count && base >= 0; ++k) {
            const auto size = *rc::gen::inRange<Offset>(1, 4);
            const auto batch_epoch = epoch + *rc::gen::element<Epoch>(0, 0, 0, 1, -1);
            batches.push_back(
                batch_at(base, base + size - 1, std::max(batch_epoch, kUndefinedEpoch), serial));
            serial += 4;
            base += size + *rc::gen::element<Offset>(0, 0, 0, 1, -1);
          }
          const auto guard = *rc::gen::arbitrary<bool>();
          const Log before = log;
          const AppendResult result = log.append_as_follower(batches, epoch, guard);
          const bool accepted = naive.append(batches, epoch, guard);
          RC_ASSERT((result.error == AppendError::none) == accepted);
          RC_ASSERT(accepted || log == before);
        }
      }
      assert_same(log, naive);
      const auto from = *rc::gen::inRange<Offset>(naive.start, naive.end + 1);
      assert_same_read(log, naive, from, *rc::gen::inRange<Offset>(from, naive.end + 1));
    }
  }));
}

// --- rules that have been wrong in public ---

TEST(LogRules, a_truncation_at_the_end_may_keep_a_stale_epoch) {
  for (const bool trims : {true, false}) {
    Log log = two_epochs();
    log.set_rules({.noop_truncation_trims_epochs = trims});
    log.assign_leader_epoch(4);
    log.truncate_to(10);
    EXPECT_EQ(log.latest_epoch(), trims ? 3 : 4);
  }
}

TEST(LogRules, a_restart_may_leave_the_high_watermark_behind) {
  for (const bool moves : {true, false}) {
    Log log = two_epochs();
    log.set_rules({.restart_moves_high_watermark = moves});
    log.truncate_fully_and_start_at(40);
    EXPECT_EQ(log.high_watermark(), moves ? 40 : 8);
    log.truncate_fully_and_start_at(4);
    EXPECT_EQ(log.high_watermark(), 4);
  }
}

TEST(LogRules, records_without_an_epoch_may_leave_the_epochs_in_use) {
  for (const bool clears : {true, false}) {
    Log log = two_epochs();
    log.set_rules({.epochless_records_clear_epochs = clears});
    log.append_as_leader(batch_at(0, 0, 0), kUndefinedEpoch);
    EXPECT_EQ(log.batches().back().epoch, kUndefinedEpoch);
    EXPECT_EQ(log.latest_epoch(), clears ? std::nullopt : std::optional<Epoch>(3));
  }
}

TEST(LogRules, a_log_start_inside_a_batch_may_leave_its_epoch_where_the_batch_begins) {
  for (const bool at_batches : {false, true}) {
    Log log = two_epochs();
    log.set_rules({.epochs_start_at_batches = at_batches});
    ASSERT_TRUE(log.increment_log_start(6));
    const Offset base = log.batches().front().base_offset;
    ASSERT_LT(base, 6);
    EXPECT_EQ(log.leader_epoch_cache().entries().front().start_offset, at_batches ? base : 6);
    EXPECT_EQ(log.log_start_offset(), 6);
  }
}

}  // namespace
}  // namespace mirrorproof
