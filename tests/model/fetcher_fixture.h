#pragma once
// One fetcher over plain logs, with a host whose answers to errors a test chooses.

#include <gtest/gtest.h>

#include <functional>

#include "log_host.h"
#include "model/fetcher.h"

namespace mirrorproof {

/// LogHost that decides errors as told and remembers what it was asked.
class DecidingHost : public LogHost {
 public:
  ErrorDecision on_error;  ///< for fetch and truncation errors
  ErrorDecision on_failure{ErrorDecision::Kind::delay, kUndefinedEpoch};
  HostVerdict truncate_verdict = HostVerdict::proceed;
  std::vector<ErrorCode> errors;
  std::vector<bool> failures;  ///< on_request_failed calls: io_error

  HostVerdict truncate(PartitionId partition, Offset target, TruncationReason reason,
                       bool completed) override {
    if (truncate_verdict != HostVerdict::proceed) {
      return truncate_verdict;
    }
    return LogHost::truncate(partition, target, reason, completed);
  }
  ErrorDecision on_fetch_error(const PartitionFetchState&, const FetchPartitionResponse& answer) override {
    errors.push_back(answer.error);
    return on_error;
  }
  ErrorDecision on_truncation_error(const PartitionFetchState&, ErrorCode error) override {
    errors.push_back(error);
    return on_error;
  }
  ErrorDecision on_request_failed(const PartitionFetchState&, bool io_error) override {
    failures.push_back(io_error);
    return on_failure;
  }
};

/// A run of offsets written in one epoch.
struct EpochRun {
  Offset base_offset = 0;
  Offset last_offset = 0;
  Epoch epoch = 0;
};

/// The log that leaders of these epochs would have written; equal runs give equal batches.
inline Log make_log(std::initializer_list<EpochRun> runs, Offset high_watermark = 0) {
  Log log;
  for (const EpochRun& run : runs) {
    Batch batch;
    batch.base_offset = run.base_offset;
    batch.last_offset = run.last_offset;
    batch.epoch = run.epoch;
    batch.first_id = RecordId::make(0, static_cast<std::uint64_t>(run.epoch + 1) << 16);
    const AppendResult result = log.append_as_follower({&batch, 1}, run.epoch, false);
    EXPECT_EQ(result.error, AppendError::none);
  }
  log.set_high_watermark(high_watermark);
  return log;
}

inline FetcherRules on_fetch_rules() {
  return {};
}

inline FetcherRules ofle_rules() {
  FetcherRules rules;
  rules.truncate_on_fetch = false;
  return rules;
}

/// Follower 0..4:1 5..9:3, leader 0..6:1 7..11:4: they agree on 0..4.
inline Log diverged_follower() {
  return make_log({{0, 4, 1}, {5, 9, 3}});
}
inline Log diverged_leader() {
  return make_log({{0, 4, 1}, {5, 6, 1}, {7, 11, 4}}, 12);
}

class FetcherTest : public ::testing::Test {
 protected:
  static constexpr PartitionId kFirst = 0;
  static constexpr PartitionId kSecond = 1;
  static constexpr TopicId kTopic = 7;
  static constexpr Epoch kLeaderEpoch = 5;

  void start(const FetcherRules& rules, Log follower, Log leader) {
    fetcher_ = Fetcher(rules);
    host_.logs[kFirst] = std::move(follower);
    broker_.leaders[kFirst] = {std::move(leader), kLeaderEpoch};
    fetcher_.add_partition(kFirst, kTopic, host_.logs[kFirst].log_end_offset(), kLeaderEpoch, host_);
  }

  const PartitionFetchState& state(PartitionId partition = kFirst) {
    const PartitionFetchState* found = fetcher_.find(partition);
    EXPECT_NE(found, nullptr);
    static const PartitionFetchState kNotHeld;
    return found != nullptr ? *found : kNotHeld;
  }

  template <class RequestType>
  RequestType next() {
    const std::optional<Request> request = fetcher_.next_request(host_);
    if (!request || !std::holds_alternative<RequestType>(*request)) {
      ADD_FAILURE() << "another request, or none, is next";
      return RequestType{};
    }
    return std::get<RequestType>(*request);
  }

  /// The next request goes to the leader and its answer comes back.
  template <class RequestType>
  RequestType exchange() {
    RequestType request = next<RequestType>();
    EXPECT_TRUE(fetcher_.handle_response(request, broker_.answer(request), host_));
    return request;
  }

  void answer_error(const Request& request, ErrorCode error) {
    Response response = broker_.answer(request);
    std::visit(
        [error](auto& all) {
          for (auto& answer : all.partitions) {
            const PartitionId partition = answer.partition;
            answer = {};
            answer.partition = partition;
            answer.error = error;
          }
        },
        response);
    EXPECT_TRUE(fetcher_.handle_response(request, response, host_));
  }

  Fetcher fetcher_;
  DecidingHost host_;
  LeaderBroker broker_;
};

}  // namespace mirrorproof
