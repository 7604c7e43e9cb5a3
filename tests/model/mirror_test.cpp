// The arithmetic of a mirror's leader epochs.

#include "model/mirror.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace mirrorproof {
namespace {

constexpr bool owns(ClusterId cluster, Epoch epoch) {
  return epoch / kEpochBlock % kMaxClusters == cluster;
}

TEST(EpochBlocks, a_first_failover_begins_in_the_first_block_of_its_own) {
  EXPECT_EQ(block_stop_bump_target(1, 7, 12, 12), kEpochBlock - 1);
  EXPECT_EQ(block_stop_bump_target(0, 7, 12, 12), kMaxClusters * kEpochBlock - 1);
}

TEST(EpochBlocks, a_leader_epoch_in_a_foreign_block_is_left_behind) {
  // The stop began in a block of cluster 0; a bump asked for while it mirrored cluster 1 moved it into
  // block 9.
  const Epoch began = kMaxClusters * kEpochBlock;
  const Epoch moved = (kMaxClusters + 1) * kEpochBlock + 11;
  const std::optional<Epoch> target = block_stop_bump_target(0, 3, began, moved);
  ASSERT_TRUE(target.has_value());
  EXPECT_GT(*target, moved);
}

TEST(EpochBlocks, property_the_epoch_that_was_asked_for_is_enough_and_never_there_before) {
  ASSERT_TRUE(rc::check([] {
    const auto self = static_cast<ClusterId>(*rc::gen::inRange(0, static_cast<int>(kMaxClusters)));
    const auto epoch = [] { return *rc::gen::inRange<Epoch>(0, 40 * kEpochBlock); };
    const Epoch source = epoch();
    const Epoch began = epoch();
    const Epoch leader = began + *rc::gen::element<Epoch>(0, 1, 11, kEpochBlock, 3 * kEpochBlock);
    const std::optional<Epoch> target = block_stop_bump_target(self, source, began, leader);
    if (!target) {
      RC_ASSERT(owns(self, leader) && leader > source && leader > began);
      return;
    }
    RC_ASSERT(*target >= leader);  // or the controller would do nothing, and nobody would ever go on
    RC_ASSERT(owns(self, *target + 1));
    RC_ASSERT(!block_stop_bump_target(self, source, began, *target + 1).has_value());
  }));
}

TEST(EpochBlocks, when_all_are_used_up_the_epoch_still_rises_once) {
  const Epoch last = std::numeric_limits<Epoch>::max() - kEpochBlock;
  const std::optional<Epoch> target = block_stop_bump_target(0, last, last, last);
  ASSERT_EQ(target, std::optional<Epoch>(last));
  EXPECT_EQ(block_stop_bump_target(0, last, last, last + 1), std::nullopt);
}

Log log_of(std::initializer_list<EpochEntry> epochs, Offset end) {
  Log log;
  for (const EpochEntry* entry = epochs.begin(); entry != epochs.end(); ++entry) {
    Batch batch;
    batch.base_offset = entry->start_offset;
    batch.last_offset = (entry + 1 == epochs.end() ? end : (entry + 1)->start_offset) - 1;
    batch.epoch = entry->epoch;
    log.append_as_follower({&batch, 1}, entry->epoch, false);
  }
  log.set_high_watermark(end);
  return log;
}

TEST(AgreedEnd, is_where_the_newest_shared_epoch_ends_first) {
  const Log local = log_of({{0, 0}, {1, 4}, {7, 6}}, 9);
  EXPECT_EQ(agreed_end(local, local, 9), 9);
  EXPECT_EQ(agreed_end(local, log_of({{0, 0}, {1, 4}, {9, 5}}, 8), 9), 5);
  EXPECT_EQ(agreed_end(local, log_of({{0, 0}, {2, 3}}, 8), 9), 3);
  EXPECT_EQ(agreed_end(local, log_of({{2, 0}}, 8), 9), 0);
  EXPECT_EQ(agreed_end(local, local, 2), 2);
}

// An epoch below all that the source knows is echoed: that is no knowledge of it.
TEST(AgreedEnd, takes_no_echo_for_an_epoch_that_is_shared) {
  const Log local = log_of({{3, 0}, {5, 1}}, 2);
  Log source = log_of({{3, 0}, {9, 1}}, 2);
  EXPECT_EQ(agreed_end(local, source, 2), 1);
  ASSERT_TRUE(source.increment_log_start(2));
  ASSERT_EQ(source.end_offset_for_epoch(5), (EpochEndOffset{5, 2}));
  EXPECT_EQ(agreed_end(local, source, 2), 0);
  Log emptied = local;
  ASSERT_TRUE(emptied.increment_log_start(2));
  EXPECT_EQ(agreed_end(local, emptied, 2), 2) << "its latest epoch is known, though no record of it is left";
  Log zero = log_of({{4, 0}}, 3);
  ASSERT_TRUE(zero.increment_log_start(2));
  EXPECT_EQ(agreed_end(log_of({{0, 0}}, 3), zero, 3), 0);
}

// A follower may still have what was deleted: where it is not known to be shared, the log begins anew.
TEST(AgreedEnd, looks_at_the_epoch_of_what_was_deleted) {
  Log local = log_of({{0, 0}, {7, 4}}, 6);
  ASSERT_TRUE(local.increment_log_start(6));
  EXPECT_EQ(agreed_end(local, log_of({{0, 0}, {7, 4}}, 9), 6), 6);
  EXPECT_EQ(agreed_end(local, log_of({{0, 0}, {7, 4}}, 5), 6), 0) << "it has less of that epoch";
  EXPECT_EQ(agreed_end(local, log_of({{0, 0}, {9, 4}}, 9), 6), 0);
  EXPECT_EQ(agreed_end(local, log_of({{0, 0}}, 9), 6), 0);
}

Log log_of_records(std::initializer_list<std::pair<Offset, std::uint64_t>> records) {
  Log log;
  for (const auto& [offset, id] : records) {
    Batch batch;
    batch.base_offset = offset;
    batch.last_offset = offset;
    batch.first_id = RecordId{id};
    batch.epoch = 0;
    log.append_as_follower({&batch, 1}, 0, false);
  }
  log.set_high_watermark(log.log_end_offset());
  return log;
}

TEST(FirstDifference, is_where_both_logs_have_records_that_are_not_the_same) {
  const Log local = log_of_records({{0, 10}, {1, 11}, {2, 12}});
  EXPECT_EQ(first_difference(local, local), 3);
  EXPECT_EQ(first_difference(local, log_of_records({{0, 10}})), 3) << "what the source lacks, epochs tell";
  EXPECT_EQ(first_difference(local, log_of_records({{0, 10}, {1, 21}, {2, 12}})), 1);
  EXPECT_EQ(first_difference(local, Log{}), 3);
}

TEST(FirstDifference, compares_nothing_that_a_log_cleaner_took) {
  const Log local = log_of_records({{0, 10}, {1, 11}, {2, 12}});
  Log source = local;
  source.clean(1, 3);
  EXPECT_EQ(first_difference(local, source), 3);
  EXPECT_EQ(first_difference(source, local), 3);
  EXPECT_EQ(first_difference(local, log_of_records({{0, 10}, {2, 22}})), 2);
  EXPECT_EQ(first_difference(log_of_records({{0, 10}, {2, 22}}), local), 2);
}

}  // namespace
}  // namespace mirrorproof
