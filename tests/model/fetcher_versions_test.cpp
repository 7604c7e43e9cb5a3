// How a fetcher learns what its source can tell, and what a new source epoch does (protocol.md N1, N2,
// M18-M24).

#include "fetcher_fixture.h"

namespace mirrorproof {
namespace {

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

}  // namespace
}  // namespace mirrorproof
