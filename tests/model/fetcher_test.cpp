// The fetcher's rules that the conformance vectors do not reach: mirrors, host decisions, stale answers.

#include "fetcher_fixture.h"

namespace mirrorproof {
namespace {

FetcherRules on_fetch_rules() {
  return {};
}

FetcherRules ofle_rules() {
  FetcherRules rules;
  rules.truncate_on_fetch = false;
  return rules;
}

/// Follower 0..4:1 5..9:3, leader 0..6:1 7..11:4: they agree on 0..4.
Log diverged_follower() {
  return make_log({{0, 4, 1}, {5, 9, 3}});
}
Log diverged_leader() {
  return make_log({{0, 4, 1}, {5, 6, 1}, {7, 11, 4}}, 12);
}

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

// --- N1: versions are discovered per connection

TEST_F(FetcherTest, unsupported_version_turns_to_epoch_requests_until_complete) {
  // The leader has an epoch 2 the follower never saw: the first answer is incomplete.
  start(on_fetch_rules(), make_log({{0, 4, 1}, {5, 9, 3}}), make_log({{0, 3, 1}, {4, 8, 2}, {9, 11, 4}}, 12));
  next<FetchRequest>();
  fetcher_.handle_unsupported_version(ApiKey::fetch, host_);
  EXPECT_TRUE(host_.failures.empty());
  EXPECT_FALSE(fetcher_.truncate_on_fetch());
  EXPECT_EQ(state().phase, FetchPhase::truncating);
  EXPECT_FALSE(state().delayed);

  EXPECT_EQ(exchange<OffsetsForLeaderEpochRequest>().partitions.at(0).leader_epoch, 3);
  EXPECT_EQ(state().phase, FetchPhase::truncating);
  EXPECT_EQ(exchange<OffsetsForLeaderEpochRequest>().partitions.at(0).leader_epoch, 1);
  EXPECT_EQ(state().phase, FetchPhase::fetching);
  const std::vector<Cut> expected = {{kFirst, 5, TruncationReason::offset_for_leader_epoch, false, false},
                                     {kFirst, 4, TruncationReason::offset_for_leader_epoch, true, false}};
  EXPECT_EQ(host_.cuts, expected);
  // The answers of an old source have no diverging epoch, and the fetches carry nothing it could be told by.
  EXPECT_EQ(next<FetchRequest>().partitions.at(0).last_fetched_epoch, kUndefinedEpoch);
}

TEST_F(FetcherTest, a_new_connection_offers_the_epoch_again) {
  start(on_fetch_rules(), make_log({{0, 4, 1}}), make_log({{0, 4, 1}, {5, 6, 1}}, 7));
  next<FetchRequest>();
  fetcher_.handle_unsupported_version(ApiKey::fetch, host_);
  exchange<OffsetsForLeaderEpochRequest>();
  EXPECT_EQ(exchange<FetchRequest>().partitions.at(0).last_fetched_epoch, kUndefinedEpoch);
  EXPECT_EQ(host_.logs[kFirst].log_end_offset(), 7);

  fetcher_.handle_connected();
  EXPECT_TRUE(fetcher_.truncate_on_fetch());
  EXPECT_EQ(next<FetchRequest>().partitions.at(0).last_fetched_epoch, 1);
}

TEST_F(FetcherTest, unsupported_version_without_an_epoch_in_the_fetch_is_a_failed_request) {
  start(ofle_rules(), make_log({{0, 4, 1}}), make_log({{0, 4, 1}}, 5));
  exchange<OffsetsForLeaderEpochRequest>();
  next<FetchRequest>();
  fetcher_.handle_unsupported_version(ApiKey::fetch, host_);
  EXPECT_EQ(host_.failures, std::vector<bool>{false});
  EXPECT_EQ(state().phase, FetchPhase::fetching);
  EXPECT_TRUE(state().delayed);
  EXPECT_FALSE(fetcher_.has_work());
  fetcher_.backoff_elapsed(kFirst);
  EXPECT_TRUE(fetcher_.has_work());
}

TEST_F(FetcherTest, unsupported_epoch_request_is_a_failed_request) {
  start(ofle_rules(), make_log({{0, 4, 1}}), make_log({{0, 4, 1}}, 5));
  next<OffsetsForLeaderEpochRequest>();
  fetcher_.handle_unsupported_version(ApiKey::offset_for_leader_epoch, host_);
  EXPECT_EQ(host_.failures, std::vector<bool>{false});
  EXPECT_EQ(state().phase, FetchPhase::truncating);
  EXPECT_TRUE(state().delayed);
}

TEST_F(FetcherTest, fetch_only_and_drop_field_never_fall_back) {
  for (const auto& [detection, version] :
       {std::pair{DivergenceDetection::fetch_only, VersionDetection::every_fetch},
        std::pair{DivergenceDetection::fetch_then_ofle, VersionDetection::drop_field}}) {
    FetcherRules rules;
    rules.divergence_detection = detection;
    rules.version_detection = version;
    start(rules, make_log({{0, 4, 1}}), make_log({{0, 4, 1}}, 5));
    next<FetchRequest>();
    host_.failures.clear();
    fetcher_.handle_unsupported_version(ApiKey::fetch, host_);
    EXPECT_EQ(host_.failures, std::vector<bool>{false});
    EXPECT_TRUE(fetcher_.truncate_on_fetch());
    EXPECT_TRUE(state().delayed);
  }
}

TEST_F(FetcherTest, first_fetch_decides_once_even_when_it_offered_nothing) {
  // 1. The log is empty, so the first fetch has no epoch and goes through to an old source.
  // 2. Data arrives; the second fetch offers its epoch and the client throws.
  // 3. The decision was made at 1: no fall-back, only a back-off, and again, and again.
  FetcherRules rules;
  rules.version_detection = VersionDetection::first_fetch;
  start(rules, Log{}, make_log({{0, 4, 1}}, 5));
  EXPECT_EQ(exchange<FetchRequest>().partitions.at(0).last_fetched_epoch, kUndefinedEpoch);
  for (int attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_EQ(next<FetchRequest>().partitions.at(0).last_fetched_epoch, 1);
    fetcher_.handle_unsupported_version(ApiKey::fetch, host_);
    EXPECT_EQ(host_.failures.size(), static_cast<std::size_t>(attempt));
    EXPECT_TRUE(state().delayed);
    fetcher_.backoff_elapsed(kFirst);
  }
  // A new connection starts with a fetch that does offer something, and then the fall-back works.
  fetcher_.handle_connected();
  next<FetchRequest>();
  fetcher_.handle_unsupported_version(ApiKey::fetch, host_);
  EXPECT_EQ(host_.failures.size(), 3U);
  EXPECT_EQ(state().phase, FetchPhase::truncating);
}

TEST_F(FetcherTest, one_partition_with_an_epoch_sends_all_to_truncation) {
  start(on_fetch_rules(), make_log({{0, 4, 1}}), make_log({{0, 4, 1}}, 5));
  host_.logs[kSecond] = Log{};
  broker_.leaders[kSecond] = {make_log({{0, 2, 1}}, 3), kLeaderEpoch};
  fetcher_.add_partition(kSecond, kTopic, 0, kLeaderEpoch, host_);
  EXPECT_EQ(next<FetchRequest>().partitions.size(), 2U);
  fetcher_.handle_unsupported_version(ApiKey::fetch, host_);
  EXPECT_EQ(state(kSecond).phase, FetchPhase::truncating);
  // The one without an epoch asks nothing and is ready at once.
  EXPECT_EQ(next<OffsetsForLeaderEpochRequest>().partitions.size(), 1U);
  EXPECT_TRUE(state(kSecond).ready_to_fetch());
}

TEST_F(FetcherTest, one_ofle_round_fetches_after_an_incomplete_answer) {
  FetcherRules rules = ofle_rules();
  rules.one_ofle_round = true;
  start(rules, make_log({{0, 4, 1}, {5, 9, 3}}), make_log({{0, 3, 1}, {4, 8, 2}, {9, 11, 4}}, 12));
  exchange<OffsetsForLeaderEpochRequest>();
  EXPECT_EQ(host_.cuts.at(0).completed, false);
  // Offset 4 is another record at the leader, and nothing will ever compare it.
  EXPECT_EQ(next<FetchRequest>().partitions.at(0).fetch_offset, 5);
}

// --- N2, M18, M24: epochs and initial states

TEST_F(FetcherTest, a_new_source_epoch_truncates_again_only_on_the_epoch_request_path) {
  FetcherRules keep = ofle_rules();
  keep.retruncate_on_epoch_change = false;
  for (const auto& [rules, phase] :
       {std::pair{ofle_rules(), FetchPhase::truncating}, std::pair{keep, FetchPhase::fetching},
        std::pair{on_fetch_rules(), FetchPhase::fetching}}) {
    start(rules, make_log({{0, 4, 1}}), make_log({{0, 4, 1}}, 5));
    if (!rules.truncate_on_fetch) {
      exchange<OffsetsForLeaderEpochRequest>();
    }
    ASSERT_EQ(state().phase, FetchPhase::fetching);
    fetcher_.update_leader_epoch(kFirst, kLeaderEpoch);
    EXPECT_EQ(state().phase, FetchPhase::fetching) << "the same epoch is no change";
    fetcher_.update_leader_epoch(kFirst, kLeaderEpoch + 1);
    EXPECT_EQ(state().phase, phase);
    EXPECT_EQ(state().current_leader_epoch, kLeaderEpoch + 1);
    EXPECT_EQ(state().fetch_offset, 5);
  }
}

TEST_F(FetcherTest, prototype_mirrors_start_truncating_and_fetch_after_one_answer) {
  FetcherRules rules;
  rules.start_truncating = true;
  start(rules, make_log({{0, 4, 1}, {5, 9, 3}}), make_log({{0, 3, 1}, {4, 8, 2}, {9, 11, 4}}, 12));
  EXPECT_EQ(state().phase, FetchPhase::truncating);
  EXPECT_EQ(state().last_fetched_epoch, kUndefinedEpoch);
  exchange<OffsetsForLeaderEpochRequest>();
  EXPECT_EQ(state().phase, FetchPhase::fetching);
  EXPECT_EQ(state().last_fetched_epoch, 1);
}

TEST_F(FetcherTest, without_local_epochs_a_mirror_cuts_nothing) {
  // M21: a mirror's fetch offset is its log end.
  start(on_fetch_rules(), make_log({{0, 4, kUndefinedEpoch}}, 2), make_log({{0, 4, 1}}, 5));
  EXPECT_EQ(state().phase, FetchPhase::truncating);
  next<FetchRequest>();
  EXPECT_EQ(host_.cuts.at(0).target, 5);
  EXPECT_EQ(host_.logs[kFirst].log_end_offset(), 5);
}

TEST_F(FetcherTest, high_watermark_truncation_asks_nothing) {
  FetcherRules rules = ofle_rules();
  rules.high_watermark_truncation = true;
  rules.fenced = false;
  fetcher_ = Fetcher(rules);
  host_.logs[kFirst] = make_log({{0, 4, 1}, {5, 9, 3}}, 7);
  fetcher_.add_partition(kFirst, kTopic, 7, kLeaderEpoch, host_);
  const auto request = next<FetchRequest>();
  EXPECT_EQ(request.partitions.at(0).fetch_offset, 7);
  EXPECT_EQ(request.partitions.at(0).current_leader_epoch, kUndefinedEpoch);
  const std::vector<Cut> expected = {{kFirst, 7, TruncationReason::high_watermark, true, false}};
  EXPECT_EQ(host_.cuts, expected);
}

TEST_F(FetcherTest, the_host_may_take_over_the_leader_epoch_of_a_fenced_answer) {
  start(on_fetch_rules(), make_log({{0, 4, 1}}), make_log({{0, 4, 1}}, 5));
  host_.on_error = {ErrorDecision::Kind::update_epoch, 9};
  answer_error(next<FetchRequest>(), ErrorCode::fenced_leader_epoch);
  EXPECT_EQ(state().current_leader_epoch, 9);
  EXPECT_EQ(state().fetch_offset, 5);
  EXPECT_EQ(state().last_fetched_epoch, 1);
  EXPECT_TRUE(state().ready_to_fetch());
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

// --- stale answers (F10, F22, F23)

TEST_F(FetcherTest, answers_for_a_partition_removed_or_added_again_are_ignored) {
  start(on_fetch_rules(), diverged_follower(), diverged_leader());
  const Request sent = next<FetchRequest>();
  const Response diverging = broker_.answer(sent);
  EXPECT_TRUE(fetcher_.answer_counts(kFirst, sent));

  fetcher_.remove_partition(kFirst);
  EXPECT_FALSE(fetcher_.answer_counts(kFirst, sent));
  EXPECT_TRUE(fetcher_.handle_response(sent, diverging, host_));

  fetcher_.add_partition(kFirst, kTopic, 10, kLeaderEpoch + 1, host_);
  EXPECT_FALSE(fetcher_.answer_counts(kFirst, sent));
  EXPECT_TRUE(fetcher_.handle_response(sent, diverging, host_));

  fetcher_.remove_partition(kFirst);
  fetcher_.add_partition(kFirst, kTopic, 8, kLeaderEpoch, host_);
  EXPECT_FALSE(fetcher_.answer_counts(kFirst, sent)) << "another fetch offset";
  EXPECT_TRUE(fetcher_.handle_response(sent, diverging, host_));

  EXPECT_TRUE(host_.cuts.empty());
  EXPECT_EQ(host_.logs[kFirst].log_end_offset(), 10);
}

TEST_F(FetcherTest, epoch_answers_count_only_for_the_epoch_they_were_asked_with) {
  start(ofle_rules(), diverged_follower(), diverged_leader());
  const Request sent = next<OffsetsForLeaderEpochRequest>();
  const Response answer = broker_.answer(sent);
  fetcher_.update_leader_epoch(kFirst, kLeaderEpoch + 1);
  EXPECT_FALSE(fetcher_.answer_counts(kFirst, sent));
  EXPECT_TRUE(fetcher_.handle_response(sent, answer, host_));
  EXPECT_TRUE(host_.cuts.empty());
  EXPECT_EQ(state().phase, FetchPhase::truncating);
}

TEST_F(FetcherTest, before_fencing_epoch_answers_count_while_the_partition_is_held) {
  FetcherRules rules = ofle_rules();
  rules.fenced = false;
  start(rules, diverged_follower(), diverged_leader());
  const auto sent = next<OffsetsForLeaderEpochRequest>();
  EXPECT_EQ(sent.partitions.at(0).current_leader_epoch, kUndefinedEpoch);
  fetcher_.update_leader_epoch(kFirst, kLeaderEpoch + 1);
  EXPECT_TRUE(fetcher_.answer_counts(kFirst, sent));
}

TEST_F(FetcherTest, without_the_guard_a_diverging_answer_cuts_a_partition_no_longer_held) {
  FetcherRules rules;
  rules.stale_response_guard = false;
  start(rules, diverged_follower(), diverged_leader());
  const Request sent = next<FetchRequest>();
  const Response diverging = broker_.answer(sent);
  fetcher_.remove_partition(kFirst);
  EXPECT_TRUE(fetcher_.answer_counts(kFirst, sent));
  EXPECT_TRUE(fetcher_.handle_response(sent, diverging, host_));
  EXPECT_EQ(host_.logs[kFirst].log_end_offset(), 5);
  EXPECT_EQ(fetcher_.find(kFirst), nullptr);
}

TEST_F(FetcherTest, without_the_guard_a_diverging_epoch_may_be_delivered_at_any_time) {
  FetcherRules rules;
  rules.stale_response_guard = false;
  fetcher_ = Fetcher(rules);
  host_.logs[kSecond] = diverged_follower();
  fetcher_.truncate_on_diverging_epoch(kSecond, {1, 5}, host_);
  const std::vector<Cut> expected = {{kSecond, 5, TruncationReason::diverging_epoch, true, false}};
  EXPECT_EQ(host_.cuts, expected);
}

TEST_F(FetcherTest, without_the_guard_late_data_is_handled_with_the_state_it_was_asked_in) {
  FetcherRules rules;
  rules.stale_response_guard = false;
  start(rules, make_log({{0, 4, 1}}), make_log({{0, 4, 1}, {5, 6, 4}}, 7));
  const Request sent = next<FetchRequest>();
  fetcher_.remove_partition(kFirst);
  EXPECT_TRUE(fetcher_.handle_response(sent, broker_.answer(sent), host_));
  // The batch of epoch 4 passed the batch-epoch guard of the epoch that was sent.
  EXPECT_EQ(host_.logs[kFirst].log_end_offset(), 7);
  EXPECT_TRUE(fetcher_.idle());
}

TEST_F(FetcherTest, offset_answers_count_only_for_the_step_under_way) {
  start(on_fetch_rules(), make_log({{0, 4, 1}}), make_log({{0, 9, 1}}, 10));
  answer_error(next<FetchRequest>(), ErrorCode::offset_out_of_range);
  const Request latest = next<ListOffsetsRequest>();
  EXPECT_TRUE(fetcher_.answer_counts(kFirst, latest));
  EXPECT_FALSE(fetcher_.answer_counts(kSecond, latest));
  EXPECT_TRUE(fetcher_.handle_response(latest, broker_.answer(latest), host_));
  EXPECT_FALSE(fetcher_.answer_counts(kFirst, latest));
  const Request earliest = next<ListOffsetsRequest>();
  EXPECT_TRUE(fetcher_.answer_counts(kFirst, earliest));
  fetcher_.update_leader_epoch(kFirst, kLeaderEpoch + 1);
  EXPECT_FALSE(fetcher_.answer_counts(kFirst, earliest));
  fetcher_.remove_partition(kFirst);
  EXPECT_FALSE(fetcher_.answer_counts(kFirst, earliest));
  EXPECT_TRUE(fetcher_.handle_response(earliest, broker_.answer(earliest), host_));
  EXPECT_TRUE(host_.cuts.empty());
}

TEST_F(FetcherTest, without_the_guard_late_data_is_appended_is_appended_whatever_was_asked) {
  // 1. A fetch at offset 5 is under way. 2. The partition moves to a leader of epoch 6. 3. The late data fits
  // the log and is appended as if the new leader had sent it.
  for (const bool guard : {true, false}) {
    FetcherRules rules;
    rules.stale_response_guard = guard;
    start(rules, make_log({{0, 4, 1}}), make_log({{0, 4, 1}, {5, 6, 4}}, 7));
    const Request sent = next<FetchRequest>();
    const Response late = broker_.answer(sent);
    fetcher_.remove_partition(kFirst);
    fetcher_.add_partition(kFirst, kTopic, 5, kLeaderEpoch + 1, host_);
    EXPECT_TRUE(fetcher_.handle_response(sent, late, host_));
    EXPECT_EQ(host_.logs[kFirst].log_end_offset(), guard ? 5 : 7);
  }
}

TEST_F(FetcherTest, without_the_guard_a_fence_of_an_older_epoch_only_delays) {
  FetcherRules rules;
  rules.stale_response_guard = false;
  start(rules, make_log({{0, 4, 1}}), make_log({{0, 4, 1}}, 5));
  const Request sent = next<FetchRequest>();
  fetcher_.remove_partition(kFirst);
  fetcher_.add_partition(kFirst, kTopic, 5, kLeaderEpoch + 1, host_);
  answer_error(sent, ErrorCode::fenced_leader_epoch);
  EXPECT_TRUE(state().delayed);
  EXPECT_FALSE(fetcher_.failed(kFirst));
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
