// Answers that arrive after their partition was removed, added again or moved on (protocol.md F10, F22, F23).

#include "fetcher_fixture.h"

namespace mirrorproof {
namespace {

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

}  // namespace
}  // namespace mirrorproof
