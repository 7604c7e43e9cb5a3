// What a leader decides about its followers and its own epoch, with the rules of today and with those that
// have been wrong in public.

#include <gtest/gtest.h>

#include "model/partition.h"

namespace mirrorproof {
namespace {

constexpr BrokerId kLeader = 0;
constexpr BrokerId kFollower = 1;

PartitionRegistration registration(Epoch leader_epoch) {
  PartitionRegistration out;
  out.replicas = {kLeader, kFollower};
  out.isr.insert(kLeader);
  out.isr.insert(kFollower);
  out.leader = kLeader;
  out.leader_epoch = leader_epoch;
  return out;
}

void append(Log& log, Epoch epoch) {
  Batch batch;
  log.append_as_leader(batch, epoch);
}

/// Two records of epoch 0, then it leads epoch 1; high watermark 1.
Partition leader_of_epoch_1(const LeaderRules& rules,
                            const PartitionRegistration& registered = registration(1)) {
  Partition partition;
  partition.hosted = true;
  partition.rules = rules;
  append(partition.log, 0);
  append(partition.log, 0);
  partition.log.set_high_watermark(1);
  partition.become_leader(kLeader, registered);
  return partition;
}

FetchPartitionResponse fetch(Partition& partition, Offset offset, Epoch last_epoch, bool unfenced = true,
                             std::uint32_t broker_epoch = 1) {
  FetchPartition request;
  request.partition = 0;
  request.fetch_offset = offset;
  request.current_leader_epoch = partition.leader_epoch;
  request.last_fetched_epoch = last_epoch;
  FetchContext context;
  context.replica = kFollower;
  context.version = kFetchWithLastFetchedEpoch;
  context.broker_version = latest_kafka_version();
  context.replica_unfenced = unfenced;
  context.replica_epoch = broker_epoch;
  return partition.handle_fetch(kLeader, request, context);
}

TEST(LeaderRules, an_elected_leader_enters_its_epoch_before_it_writes) {
  EXPECT_EQ(leader_of_epoch_1({}).log.latest_epoch(), 1);
  EXPECT_EQ(leader_of_epoch_1({.registers_epoch_on_election = false}).log.latest_epoch(), 0);
}

TEST(LeaderRules, a_leader_of_epochless_records_enters_none) {
  PartitionRegistration epochless = registration(1);
  epochless.epochless = true;
  EXPECT_EQ(leader_of_epoch_1({}, epochless).log.latest_epoch(), 0);
  EXPECT_EQ(leader_of_epoch_1({.epochless_leaders_enter_no_epoch = false}, epochless).log.latest_epoch(), 1);
  EXPECT_EQ(leader_of_epoch_1({}, epochless).epoch_to_stamp(), kUndefinedEpoch);
  EXPECT_EQ(leader_of_epoch_1({}).epoch_to_stamp(), 1);
}

TEST(LeaderRules, a_follower_joins_the_isr_at_the_start_of_the_epoch) {
  PartitionRegistration alone = registration(1);
  alone.isr = BrokerSet{};
  alone.isr.insert(kLeader);
  for (const bool needs_epoch_start : {true, false}) {
    Partition partition = leader_of_epoch_1({.isr_join_needs_epoch_start = needs_epoch_start}, alone);
    fetch(partition, 1, 0);
    EXPECT_EQ(partition.pending_isr.has_value(), !needs_epoch_start);
    fetch(partition, 2, 0);
    EXPECT_TRUE(partition.pending_isr.has_value());
  }
  Partition partition = leader_of_epoch_1({}, alone);
  fetch(partition, 2, 0, /*unfenced=*/false);
  EXPECT_FALSE(partition.pending_isr.has_value()) << "a fenced broker is not proposed";
}

// KIP-903: AlterPartition names the broker epochs of when it was made. Else a follower that lost its log in
// between, and was heard of again since, would be let in for what it had before.
TEST(LeaderRules, an_isr_proposal_keeps_the_broker_epochs_it_was_made_for) {
  PartitionRegistration alone = registration(1);
  alone.isr = BrokerSet{};
  alone.isr.insert(kLeader);
  Partition partition = leader_of_epoch_1({}, alone);
  fetch(partition, 2, 0, /*unfenced=*/true, /*broker_epoch=*/3);
  ASSERT_TRUE(partition.pending_isr.has_value());
  fetch(partition, 0, kUndefinedEpoch, /*unfenced=*/true, /*broker_epoch=*/4);
  EXPECT_EQ(partition.pending_isr->broker_epochs[kFollower], 3U);
  EXPECT_EQ(partition.follower_broker_epoch[kFollower], 4U) << "what the next proposal will name";
  EXPECT_EQ(partition.follower_end_offset[kFollower], 0);
  partition.propose_isr(alone.isr);
  EXPECT_EQ(partition.pending_isr->broker_epochs[kFollower], 0U) << "it is no member";
}

TEST(LeaderRules, a_diverging_fetch_proves_nothing) {
  for (const bool no_progress : {true, false}) {
    Partition partition = leader_of_epoch_1({.diverging_fetch_is_no_progress = no_progress});
    append(partition.log, 1);
    const FetchPartitionResponse answer = fetch(partition, 3, 0);
    EXPECT_EQ(answer.diverging_epoch, (EpochEndOffset{0, 2}));
    EXPECT_EQ(partition.log.high_watermark(), no_progress ? 1 : 3);
  }
}

TEST(LeaderRules, a_fetch_below_the_log_start_is_out_of_range_before_it_diverges) {
  for (const bool range_first : {true, false}) {
    Partition partition = leader_of_epoch_1({.checks_range_before_divergence = range_first});
    append(partition.log, 1);
    append(partition.log, 3);
    partition.log.set_high_watermark(4);
    partition.log.increment_log_start(2);
    // Epoch 2 is unknown here: the largest one below it ends at 3.
    const FetchPartitionResponse answer = fetch(partition, 1, 2);
    EXPECT_EQ(answer.error, range_first ? ErrorCode::offset_out_of_range : ErrorCode::none);
    EXPECT_EQ(answer.diverging_epoch.epoch, range_first ? kUndefinedEpoch : 1);
  }
}

TEST(LeaderRules, an_epoch_above_all_known_is_out_of_range_or_diverges) {
  for (const bool diverges : {false, true}) {
    Partition partition = leader_of_epoch_1({.unknown_epochs_diverge = diverges});
    const FetchPartitionResponse answer = fetch(partition, 2, 7);
    EXPECT_EQ(answer.error, diverges ? ErrorCode::none : ErrorCode::offset_out_of_range);
    EXPECT_EQ(answer.diverging_epoch, diverges ? (EpochEndOffset{1, 2}) : EpochEndOffset{});
    EXPECT_EQ(partition.log.high_watermark(), 1) << "no progress";
  }
  Partition empty;
  empty.hosted = true;
  empty.rules = {.registers_epoch_on_election = false, .unknown_epochs_diverge = true};
  empty.become_leader(kLeader, registration(1));
  EXPECT_EQ(fetch(empty, 0, 7).error, ErrorCode::offset_out_of_range) << "it knows no epoch to answer with";
}

TEST(LeaderRules, an_epoch_above_all_known_is_undefined_or_ends_where_the_log_does) {
  EpochPartition asked;
  asked.current_leader_epoch = 1;
  asked.leader_epoch = 7;
  for (const bool diverges : {false, true}) {
    const Partition partition = leader_of_epoch_1({.unknown_epochs_diverge = diverges});
    const auto answer = [&](ApiVersion version) {
      return partition.handle_offset_for_leader_epoch(asked, version).answer;
    };
    EXPECT_EQ(answer(4), diverges ? (EpochEndOffset{1, 2}) : EpochEndOffset{});
    EXPECT_EQ(answer(0), EpochEndOffset{})
        << "an end without its epoch would say that the epoch asked for ends there";
  }
  Partition empty;
  empty.hosted = true;
  empty.rules = {.registers_epoch_on_election = false, .unknown_epochs_diverge = true};
  empty.become_leader(kLeader, registration(1));
  EXPECT_EQ(empty.handle_offset_for_leader_epoch(asked, 4).answer, EpochEndOffset{});
}

TEST(LeaderRules, a_leader_that_skipped_an_epoch_may_keep_what_it_knew_of_its_followers) {
  for (const bool keeps : {true, false}) {
    Partition partition = leader_of_epoch_1({.keeps_followers_over_epochs = keeps});
    fetch(partition, 2, 0);
    EXPECT_EQ(partition.follower_end_offset[kFollower], 2);
    partition.become_leader(kLeader, registration(2));
    EXPECT_EQ(partition.follower_end_offset[kFollower], 2) << "nobody else can have led";
    partition.become_leader(kLeader, registration(4));
    EXPECT_EQ(partition.follower_end_offset[kFollower], keeps ? 2 : kUndefinedOffset);
  }
}

}  // namespace
}  // namespace mirrorproof
