// The fetcher's rules that the conformance vectors do not reach: host decisions, errors, the out-of-range
// procedure, hostile answers.

#include "fetcher_fixture.h"

namespace mirrorproof {
namespace {

FetchResponse data_answer(PartitionId partition, const Batch& batch, Offset high_watermark) {
  FetchResponse response;
  FetchPartitionResponse& answer = response.partitions.emplace_back();
  answer.partition = partition;
  answer.high_watermark = high_watermark;
  answer.records.push_back(batch);
  return response;
}

FetchResponse diverging_answer(PartitionId partition, EpochEndOffset diverging) {
  FetchResponse response;
  FetchPartitionResponse& answer = response.partitions.emplace_back();
  answer.partition = partition;
  answer.diverging_epoch = diverging;
  return response;
}

// --- both paths reach the common prefix

TEST_F(FetcherTest, divergence_is_found_by_the_fetch_itself) {
  start(on_fetch_rules(), diverged_follower(), diverged_leader());
  EXPECT_EQ(state().phase, FetchPhase::fetching);
  const auto request = exchange<FetchRequest>();
  EXPECT_EQ(request.partitions.at(0).last_fetched_epoch, 3);
  EXPECT_EQ(request.partitions.at(0).current_leader_epoch, kLeaderEpoch);
  EXPECT_EQ(request.partitions.at(0).topic_id, kTopic);
  const std::vector<Cut> expected = {{kFirst, 5, TruncationReason::diverging_epoch, true, false}};
  EXPECT_EQ(host_.cuts, expected);
  EXPECT_EQ(state().phase, FetchPhase::fetching);
  EXPECT_EQ(state().last_fetched_epoch, 1);
  EXPECT_EQ(exchange<FetchRequest>().partitions.at(0).fetch_offset, 5);
  EXPECT_EQ(host_.logs[kFirst].log_end_offset(), 7);
}

TEST_F(FetcherTest, divergence_is_found_by_epoch_requests) {
  start(ofle_rules(), diverged_follower(), diverged_leader());
  EXPECT_EQ(state().phase, FetchPhase::truncating);
  EXPECT_EQ(state().last_fetched_epoch, kUndefinedEpoch);
  EXPECT_EQ(exchange<OffsetsForLeaderEpochRequest>().partitions.at(0).leader_epoch, 3);
  const std::vector<Cut> expected = {{kFirst, 5, TruncationReason::offset_for_leader_epoch, true, false}};
  EXPECT_EQ(host_.cuts, expected);
  EXPECT_EQ(state().last_fetched_epoch, 1);
  EXPECT_EQ(exchange<FetchRequest>().partitions.at(0).last_fetched_epoch, kUndefinedEpoch);
}

// --- errors

TEST_F(FetcherTest, fetch_errors_delay_or_fail_by_the_table) {
  for (const ErrorCode error :
       {ErrorCode::unknown_leader_epoch, ErrorCode::not_leader_or_follower,
        ErrorCode::unknown_topic_or_partition, ErrorCode::unknown_topic_id, ErrorCode::inconsistent_topic_id,
        ErrorCode::offset_not_available, ErrorCode::kafka_storage_error, ErrorCode::corrupt_message,
        ErrorCode::offset_moved_to_tiered_storage, ErrorCode::unknown_server_error}) {
    start(on_fetch_rules(), make_log({{0, 4, 1}}), make_log({{0, 4, 1}}, 5));
    answer_error(next<FetchRequest>(), error);
    EXPECT_TRUE(state().delayed) << to_string(error);
    EXPECT_EQ(state().phase, FetchPhase::fetching) << to_string(error);
    EXPECT_FALSE(fetcher_.next_request(host_).has_value()) << to_string(error);
  }
  start(on_fetch_rules(), make_log({{0, 4, 1}}), make_log({{0, 4, 1}}, 5));
  answer_error(next<FetchRequest>(), ErrorCode::fenced_leader_epoch);
  EXPECT_EQ(fetcher_.find(kFirst), nullptr);
  EXPECT_TRUE(fetcher_.failed(kFirst));
  EXPECT_TRUE(fetcher_.idle());
  fetcher_.add_partition(kFirst, kTopic, 5, kLeaderEpoch + 1, host_);
  EXPECT_FALSE(fetcher_.failed(kFirst));
}

TEST_F(FetcherTest, the_host_may_take_the_partition_away_on_any_error) {
  for (const bool truncating : {false, true}) {
    start(truncating ? ofle_rules() : on_fetch_rules(), make_log({{0, 4, 1}}), make_log({{0, 4, 1}}, 5));
    host_.on_error = {ErrorDecision::Kind::remove, kUndefinedEpoch};
    host_.errors.clear();
    answer_error(*fetcher_.next_request(host_), ErrorCode::fenced_leader_epoch);
    EXPECT_EQ(host_.errors, std::vector<ErrorCode>{ErrorCode::fenced_leader_epoch});
    EXPECT_EQ(fetcher_.find(kFirst), nullptr);
    EXPECT_FALSE(fetcher_.failed(kFirst));
  }
}

TEST_F(FetcherTest, a_lost_connection_asks_the_host_about_every_partition) {
  start(on_fetch_rules(), make_log({{0, 4, 1}}), make_log({{0, 4, 1}}, 5));
  host_.logs[kSecond] = Log{};
  fetcher_.add_partition(kSecond, kTopic, 0, kLeaderEpoch, host_);
  next<FetchRequest>();
  fetcher_.handle_disconnect(host_);
  EXPECT_EQ(host_.failures, (std::vector<bool>{true, true}));
  EXPECT_TRUE(state(kFirst).delayed);
  EXPECT_TRUE(state(kSecond).delayed);
  host_.on_failure = {ErrorDecision::Kind::remove, kUndefinedEpoch};
  fetcher_.handle_disconnect(host_);
  EXPECT_TRUE(fetcher_.idle());
}

TEST_F(FetcherTest, a_host_that_takes_the_partition_away_stops_the_truncation) {
  // N3: a cut that would remove records ends in ULE_RECOVERY or FAILED.
  start(on_fetch_rules(), diverged_follower(), diverged_leader());
  host_.truncate_verdict = HostVerdict::remove;
  exchange<FetchRequest>();
  EXPECT_TRUE(fetcher_.idle());
  EXPECT_FALSE(fetcher_.failed(kFirst));
  EXPECT_EQ(host_.logs[kFirst].log_end_offset(), 10);

  start(on_fetch_rules(), diverged_follower(), diverged_leader());
  host_.truncate_verdict = HostVerdict::delay;
  exchange<FetchRequest>();
  EXPECT_TRUE(state().delayed);
  EXPECT_EQ(state().fetch_offset, 10);

  start(ofle_rules(), diverged_follower(), diverged_leader());
  host_.truncate_verdict = HostVerdict::fail;
  exchange<OffsetsForLeaderEpochRequest>();
  EXPECT_TRUE(fetcher_.failed(kFirst));
}

TEST_F(FetcherTest, an_append_that_fails_leaves_the_other_partition_alone) {
  start(on_fetch_rules(), Log{}, make_log({{0, 4, 1}}, 5));
  host_.logs[kSecond] = Log{};
  broker_.leaders[kSecond] = {make_log({{0, 2, 1}}, 3), kLeaderEpoch};
  fetcher_.add_partition(kSecond, kTopic, 0, kLeaderEpoch, host_);
  host_.failing_appends.insert(kFirst);
  exchange<FetchRequest>();
  EXPECT_TRUE(fetcher_.failed(kFirst));
  EXPECT_EQ(fetcher_.find(kFirst), nullptr);
  EXPECT_EQ(state(kSecond).fetch_offset, 3);
}

// --- the out-of-range procedure (5.6)

TEST_F(FetcherTest, a_leader_that_ends_earlier_cuts_without_comparing_epochs) {
  start(on_fetch_rules(), make_log({{0, 4, 1}, {5, 9, 3}}), make_log({{0, 5, 2}}, 6));
  answer_error(next<FetchRequest>(), ErrorCode::offset_out_of_range);
  EXPECT_FALSE(state().ready_to_fetch());
  const auto latest = exchange<ListOffsetsRequest>();
  EXPECT_EQ(latest.partitions.at(0).spec, OffsetSpec::latest);
  EXPECT_EQ(latest.partitions.at(0).current_leader_epoch, kLeaderEpoch);
  const std::vector<Cut> expected = {{kFirst, 6, TruncationReason::out_of_range, true, false}};
  EXPECT_EQ(host_.cuts, expected);
  EXPECT_TRUE(state().ready_to_fetch());
  EXPECT_EQ(state().fetch_offset, 6);
  EXPECT_EQ(state().lag, 0);
  // The cut falls into the batch 5..9: it is gone as a whole, but its epoch still starts below the new end
  // (T6).
  EXPECT_EQ(state().last_fetched_epoch, 3);
  EXPECT_EQ(host_.logs[kFirst].batches().size(), 1U);
}

TEST_F(FetcherTest, an_undefined_epoch_means_nothing_to_cut_or_out_of_range) {
  for (const bool out_of_range : {false, true}) {
    FetcherRules rules = ofle_rules();
    rules.undefined_is_out_of_range = out_of_range;
    host_.cuts.clear();
    start(rules, make_log({{0, 4, 1}, {5, 9, 3}}), make_log({{0, 5, 2}}, 6));
    EXPECT_EQ(exchange<OffsetsForLeaderEpochRequest>().partitions.at(0).leader_epoch, 3);
    EXPECT_EQ(state().ready_to_fetch(), !out_of_range);
    EXPECT_EQ(host_.logs[kFirst].log_end_offset(), 10);
    if (out_of_range) {
      EXPECT_EQ(exchange<ListOffsetsRequest>().partitions.at(0).spec, OffsetSpec::latest);
      const std::vector<Cut> expected = {{kFirst, 6, TruncationReason::out_of_range, true, false}};
      EXPECT_EQ(host_.cuts, expected);
      EXPECT_TRUE(state().ready_to_fetch());
    }
  }
}

TEST_F(FetcherTest, a_leader_that_starts_later_restarts_the_log) {
  Log leader = make_log({{0, 9, 1}, {10, 14, 4}}, 15);
  ASSERT_TRUE(leader.increment_log_start(12));
  start(on_fetch_rules(), make_log({{0, 4, 1}}), leader);
  exchange<FetchRequest>();
  EXPECT_EQ(exchange<ListOffsetsRequest>().partitions.at(0).spec, OffsetSpec::latest);
  EXPECT_EQ(exchange<ListOffsetsRequest>().partitions.at(0).spec, OffsetSpec::earliest);
  const std::vector<Cut> expected = {{kFirst, 12, TruncationReason::out_of_range, true, true}};
  EXPECT_EQ(host_.cuts, expected);
  EXPECT_EQ(state().fetch_offset, 12);
  EXPECT_EQ(state().lag, 3);
  EXPECT_EQ(state().last_fetched_epoch, kUndefinedEpoch);
  EXPECT_TRUE(state().ready_to_fetch());
}

TEST_F(FetcherTest, a_log_inside_the_leaders_range_is_kept) {
  start(on_fetch_rules(), make_log({{0, 4, 1}}), make_log({{0, 9, 1}}, 10));
  answer_error(next<FetchRequest>(), ErrorCode::offset_out_of_range);
  exchange<ListOffsetsRequest>();
  exchange<ListOffsetsRequest>();
  EXPECT_TRUE(host_.cuts.empty());
  EXPECT_EQ(state().fetch_offset, 5);
  EXPECT_EQ(state().lag, 5);
  EXPECT_EQ(state().last_fetched_epoch, 1);
  EXPECT_TRUE(state().ready_to_fetch());
}

TEST_F(FetcherTest, an_out_of_range_procedure_that_fails_starts_over_with_a_fetch) {
  start(on_fetch_rules(), make_log({{0, 4, 1}}), make_log({{0, 9, 1}}, 10));
  answer_error(next<FetchRequest>(), ErrorCode::offset_out_of_range);
  answer_error(next<ListOffsetsRequest>(), ErrorCode::not_leader_or_follower);
  EXPECT_TRUE(state().delayed);
  fetcher_.backoff_elapsed(kFirst);
  answer_error(next<FetchRequest>(), ErrorCode::offset_out_of_range);
  answer_error(next<ListOffsetsRequest>(), ErrorCode::fenced_leader_epoch);
  EXPECT_TRUE(fetcher_.failed(kFirst));
}

TEST_F(FetcherTest, offset_answers_that_make_no_sense_are_errors) {
  start(on_fetch_rules(), make_log({{0, 4, 1}}), make_log({{0, 9, 1}}, 10));
  answer_error(next<FetchRequest>(), ErrorCode::offset_out_of_range);
  const auto request = next<ListOffsetsRequest>();
  ListOffsetsResponse response;
  response.partitions.push_back({kFirst, ErrorCode::none, OffsetSpec::latest, -1});
  EXPECT_TRUE(fetcher_.handle_response(request, response, host_));
  EXPECT_TRUE(state().delayed);
  EXPECT_EQ(host_.logs[kFirst].log_end_offset(), 5);
}

TEST_F(FetcherTest, a_negative_initial_offset_starts_out_of_range) {
  for (const FetcherRules& rules : {on_fetch_rules(), ofle_rules()}) {
    fetcher_ = Fetcher(rules);
    host_.logs[kFirst] = make_log({{0, 9, 1}});
    broker_.leaders[kFirst] = {make_log({{0, 3, 1}}, 4), kLeaderEpoch};
    fetcher_.add_partition(kFirst, kTopic, -1, kLeaderEpoch, host_);
    exchange<ListOffsetsRequest>();
    EXPECT_EQ(host_.logs[kFirst].log_end_offset(), 4);
    EXPECT_EQ(next<FetchRequest>().partitions.at(0).fetch_offset, 4);
  }
}

// --- data

TEST_F(FetcherTest, batches_above_the_known_leader_epoch_are_dropped_and_only_settle_the_lag) {
  start(on_fetch_rules(), Log{}, Log{});
  const Request sent = next<FetchRequest>();
  Batch batch;
  batch.base_offset = 0;
  batch.last_offset = 2;
  batch.epoch = kLeaderEpoch + 1;
  EXPECT_TRUE(fetcher_.handle_response(sent, data_answer(kFirst, batch, 3), host_));
  EXPECT_EQ(host_.logs[kFirst].log_end_offset(), 0);
  EXPECT_EQ(state().fetch_offset, 0);
  EXPECT_EQ(state().lag, 3);
  EXPECT_EQ(state().last_fetched_epoch, kUndefinedEpoch);
}

TEST_F(FetcherTest, data_moves_offset_lag_and_epoch) {
  start(on_fetch_rules(), make_log({{0, 4, 1}}), make_log({{0, 4, 1}, {5, 6, 3}, {7, 7, 4}}, 8));
  exchange<FetchRequest>();
  EXPECT_EQ(state().fetch_offset, 7);
  EXPECT_EQ(state().lag, 1);
  EXPECT_EQ(state().last_fetched_epoch, 3);
  EXPECT_EQ(host_.logs[kFirst].high_watermark(), 7);
  exchange<FetchRequest>();
  EXPECT_EQ(state().lag, 0);
  EXPECT_EQ(state().last_fetched_epoch, 4);
  EXPECT_EQ(host_.logs[kFirst].high_watermark(), 8);
}

TEST_F(FetcherTest, a_diverging_epoch_is_present_from_zero_on) {
  start(on_fetch_rules(), make_log({{0, 4, 0}}), Log{});
  const Request sent = next<FetchRequest>();
  EXPECT_TRUE(fetcher_.handle_response(sent, diverging_answer(kFirst, {-1, 2}), host_));
  EXPECT_TRUE(host_.cuts.empty());
  EXPECT_TRUE(fetcher_.handle_response(sent, diverging_answer(kFirst, {0, 2}), host_));
  EXPECT_EQ(host_.logs[kFirst].log_end_offset(), 2);
}

// --- hostile answers

TEST_F(FetcherTest, answers_to_another_question_are_refused) {
  start(ofle_rules(), diverged_follower(), diverged_leader());
  const Fetcher before = fetcher_;
  const Request sent = next<OffsetsForLeaderEpochRequest>();
  EXPECT_FALSE(fetcher_.handle_response(sent, FetchResponse{}, host_));
  OffsetsForLeaderEpochResponse unasked;
  unasked.partitions.push_back({kFirst, ErrorCode::none, {1, 5}});
  unasked.partitions.push_back({kSecond, ErrorCode::none, {1, 5}});
  EXPECT_FALSE(fetcher_.handle_response(sent, unasked, host_));
  ListOffsetsRequest offsets;
  offsets.partitions.push_back({kFirst, kLeaderEpoch, OffsetSpec::latest});
  ListOffsetsResponse unasked_offsets;
  unasked_offsets.partitions.push_back({kSecond, ErrorCode::none, OffsetSpec::latest, 3});
  EXPECT_FALSE(fetcher_.handle_response(offsets, unasked_offsets, host_));
  EXPECT_EQ(fetcher_, before);
  EXPECT_TRUE(host_.cuts.empty());
}

TEST_F(FetcherTest, a_fetch_answer_about_a_partition_not_asked_is_skipped) {
  start(on_fetch_rules(), diverged_follower(), diverged_leader());
  host_.logs[kSecond] = diverged_follower();
  const Request sent = next<FetchRequest>();
  fetcher_.add_partition(kSecond, kTopic, 10, kLeaderEpoch, host_);
  EXPECT_TRUE(fetcher_.handle_response(sent, diverging_answer(kSecond, {1, 5}), host_));
  EXPECT_TRUE(host_.cuts.empty());
}

// --- the loop

TEST_F(FetcherTest, ready_partitions_are_fetched_between_two_truncation_rounds) {
  start(ofle_rules(), make_log({{0, 4, 1}, {5, 9, 3}}), make_log({{0, 3, 1}, {4, 8, 2}, {9, 11, 4}}, 12));
  host_.logs[kSecond] = make_log({{0, 2, 1}});
  broker_.leaders[kSecond] = {make_log({{0, 2, 1}}, 3), kLeaderEpoch};
  fetcher_.add_partition(kSecond, kTopic, 3, kLeaderEpoch, host_);
  EXPECT_EQ(exchange<OffsetsForLeaderEpochRequest>().partitions.size(), 2U);
  EXPECT_EQ(state(kFirst).phase, FetchPhase::truncating);
  const auto fetch = exchange<FetchRequest>();
  ASSERT_EQ(fetch.partitions.size(), 1U);
  EXPECT_EQ(fetch.partitions.at(0).partition, kSecond);
  EXPECT_EQ(exchange<OffsetsForLeaderEpochRequest>().partitions.at(0).partition, kFirst);
}

TEST_F(FetcherTest, adding_again_with_the_same_epoch_keeps_everything) {
  start(on_fetch_rules(), diverged_follower(), diverged_leader());
  exchange<FetchRequest>();
  fetcher_.handle_disconnect(host_);
  const Fetcher before = fetcher_;
  fetcher_.add_partition(kFirst, kTopic + 1, 0, kLeaderEpoch, host_);
  EXPECT_EQ(fetcher_, before);
  fetcher_.add_partition(kFirst, kTopic + 1, 0, kLeaderEpoch + 1, host_);
  EXPECT_EQ(state().fetch_offset, 0);
  EXPECT_EQ(state().topic_id, kTopic + 1);
  EXPECT_FALSE(state().delayed);
}

TEST_F(FetcherTest, partitions_are_kept_in_order) {
  fetcher_ = Fetcher(on_fetch_rules());
  for (const PartitionId partition : {PartitionId{4}, PartitionId{1}, PartitionId{3}}) {
    host_.logs[partition] = make_log({{0, 0, 1}});
    fetcher_.add_partition(partition, kTopic, 1, kLeaderEpoch, host_);
  }
  const auto request = next<FetchRequest>();
  ASSERT_EQ(request.partitions.size(), 3U);
  EXPECT_EQ(request.partitions[0].partition, 1);
  EXPECT_EQ(request.partitions[1].partition, 3);
  EXPECT_EQ(request.partitions[2].partition, 4);
}

}  // namespace
}  // namespace mirrorproof
