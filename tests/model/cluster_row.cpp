#include "cluster_row.h"

#include <gtest/gtest.h>

#include "divergence_run.h"
#include "log_host.h"
#include "model/leader_epoch_check.h"

namespace mirrorproof::vectors {
namespace {

constexpr int kMaxExchanges = 1000;

/// A few replicas of one partition; the row says who leads and who copies from whom.
class ClusterRow {
 public:
  explicit ClusterRow(const Json& setup) {
    require_known_keys(setup, {"replicas", "protocol"});
    path_ = parse_divergence_path(text_field(setup, "protocol"));
    for (const Json& name : field(setup, "replicas")) {
      replicas_[to_text(name)];
    }
  }

  void run_step(const Json& step);
  void check(const Json& expect);

 private:
  struct Replica {
    Log log;
    Epoch leader_epoch = 0;
  };

  Replica& replica(const Json& step, const char* key) {
    const auto found = replicas_.find(text_field(step, key));
    if (found == replicas_.end()) {
      throw VectorError("no such replica: " + step.dump());
    }
    return found->second;
  }
  void produce(const Json& step);
  void replicate(const Json& step);

  DivergencePath path_ = DivergencePath::truncate_on_fetch;
  std::map<std::string, Replica> replicas_;
  Json truncated_to_ = Json::array();  // by the last replicate
};

void ClusterRow::run_step(const Json& step) {
  SCOPED_TRACE("step " + step.dump().substr(0, 200));
  const std::string verb = text_field(step, "do");
  if (verb == "elect") {
    require_known_keys(step, {"do", "replica", "epoch", "expect"});
    Replica& leader = replica(step, "replica");
    leader.leader_epoch = epoch_field(step, "epoch");
    leader.log.assign_leader_epoch(leader.leader_epoch);
  } else if (verb == "produce") {
    produce(step);
  } else if (verb == "replicate") {
    replicate(step);
  } else if (verb == "restart") {
    // A clean stop flushes; the log and its epochs are read back as they were.
    require_known_keys(step, {"do", "replica", "expect"});
    Log& log = replica(step, "replica").log;
    log.flush();
    const Log before = log;
    log.lose_unflushed_tail();
    EXPECT_TRUE(std::ranges::equal(log.batches(), before.batches()));
  } else if (verb == "lose_tail") {
    require_known_keys(step, {"do", "replica", "log_end_offset", "expect"});
    replica(step, "replica").log.truncate_to(offset_field(step, "log_end_offset"));
  } else {
    throw VectorError("unknown step \"" + verb + "\"");
  }
  if (step.contains("expect")) {
    check(step.at("expect"));
  }
}

void ClusterRow::produce(const Json& step) {
  require_known_keys(step, {"do", "replica", "batches", "expect"});
  Replica& leader = replica(step, "replica");
  for (const Json& value : field(step, "batches")) {
    const Batch expected = to_batch(value);
    const Batch stored = leader.log.append_as_leader(expected, leader.leader_epoch);
    EXPECT_EQ(stored, expected) << "the leader wrote [" << stored.base_offset << ", " << stored.last_offset
                                << "] at epoch " << stored.epoch << " for " << value.dump();
  }
}

void ClusterRow::replicate(const Json& step) {
  require_known_keys(step, {"do", "leader", "follower", "expect"});
  const Replica& leader = replica(step, "leader");
  Replica& follower = replica(step, "follower");
  LogHost host;
  host.logs[kPartition] = follower.log;
  LeaderBroker broker;
  broker.leaders[kPartition] = {leader.log, leader.leader_epoch};
  broker.ofle_version = path_ == DivergencePath::offsets_for_leader_epoch_v0 ? 0 : 4;
  FetcherRules rules;
  rules.truncate_on_fetch = path_ == DivergencePath::truncate_on_fetch;
  Fetcher fetcher(rules);
  const bool from_end = rules.truncate_on_fetch && follower.log.latest_epoch().has_value();
  fetcher.add_partition(kPartition, 1,
                        from_end ? follower.log.log_end_offset() : follower.log.high_watermark(),
                        leader.leader_epoch, host);
  bool caught_up = false;
  for (int i = 0; i < kMaxExchanges && !caught_up; ++i) {
    const std::optional<Request> request = fetcher.next_request(host);
    ASSERT_TRUE(request.has_value());
    const Response response = broker.answer(*request);
    ASSERT_TRUE(fetcher.handle_response(*request, response, host));
    ASSERT_FALSE(fetcher.failed(kPartition));
    const PartitionFetchState& state = *fetcher.find(kPartition);
    caught_up = state.ready_to_fetch() && state.fetch_offset == leader.log.log_end_offset() &&
                api_of(*request) == ApiKey::fetch;
  }
  EXPECT_TRUE(caught_up);
  follower.log = host.logs[kPartition];
  truncated_to_ = Json::array();
  for (const Cut& cut : host.cuts) {
    truncated_to_.push_back(cut.target);
  }
}

void ClusterRow::check(const Json& expect) {
  require_known_keys(expect, {"epochs", "logs_match", "log_end_offset", "truncated_to"});
  if (expect.contains("epochs")) {
    for (const auto& [name, entries] : expect.at("epochs").items()) {
      const auto found = replicas_.find(name);
      ASSERT_NE(found, replicas_.end()) << name;
      EXPECT_EQ(entries_json(found->second.log.leader_epoch_cache().entries()), entries) << name;
    }
  }
  if (expect.contains("truncated_to")) {
    EXPECT_EQ(truncated_to_, expect.at("truncated_to"));
  }
  const Log& first = replicas_.begin()->second.log;
  if (expect.contains("logs_match")) {
    const bool match = std::ranges::all_of(replicas_, [&first](const auto& entry) {
      return entry.second.log.log_end_offset() == first.log_end_offset() &&
             std::ranges::equal(entry.second.log.batches(), first.batches());
    });
    EXPECT_EQ(match, to_bool(expect.at("logs_match")));
  }
  if (expect.contains("log_end_offset")) {
    for (const auto& [name, entry] : replicas_) {
      EXPECT_EQ(entry.log.log_end_offset(), offset_field(expect, "log_end_offset")) << name;
    }
  }
}

/// What one broker says about one partition.
EpochPartitionResponse answer_query(const Json& hosted, const EpochPartition& asked) {
  EpochPartitionResponse response;
  if (hosted.is_null()) {
    response.error = ErrorCode::unknown_topic_or_partition;
    return response;
  }
  require_known_keys(hosted, {"hosted", "log", "leader_epoch"});
  const std::string role = text_field(hosted, "hosted");
  if (role == "elsewhere") {
    response.error = ErrorCode::not_leader_or_follower;
    return response;
  }
  if (role == "offline") {
    response.error = ErrorCode::kafka_storage_error;
    return response;
  }
  if (role != "leader" && role != "follower") {
    throw VectorError("unknown role \"" + role + "\"");
  }
  const Log log = to_log(field(hosted, "log"));
  const Epoch leader_epoch =
      hosted.contains("leader_epoch") ? epoch_field(hosted, "leader_epoch") : log.latest_epoch().value_or(0);
  return answer_offset_for_leader_epoch(log, {leader_epoch, role == "leader"}, asked,
                                        kOfleWithCurrentLeaderEpoch);
}

}  // namespace

void run_cluster_row(const Json& row) {
  ClusterRow cluster(field(row, "setup"));
  for (const Json& step : field(row, "steps")) {
    cluster.run_step(step);
  }
  cluster.check(field(row, "expect"));
}

void run_leader_query_row(const Json& row) {
  const Json& setup = field(row, "setup");
  require_known_keys(setup, {"partitions", "brokers"});
  int queries = 0;
  for (const Json& step : field(row, "steps")) {
    require_known_keys(step, {"do", "broker", "partition", "epoch", "current_leader_epoch", "expect"});
    if (text_field(step, "do") != "offset_for_leader_epoch") {
      throw VectorError("unknown step " + step.dump());
    }
    const Json& partitions = step.contains("broker")
                                 ? field(field(setup, "brokers"), text_field(step, "broker"))
                                 : field(setup, "partitions");
    EpochPartition asked;
    asked.current_leader_epoch = optional_epoch_field(step, "current_leader_epoch");
    asked.leader_epoch = epoch_field(step, "epoch");
    const EpochPartitionResponse response =
        answer_query(partitions.value(text_field(step, "partition"), Json(nullptr)), asked);
    const Json answer = {{"error", to_string(response.error)},
                         {"epoch", response.answer.epoch},
                         {"end_offset", response.answer.end_offset}};
    EXPECT_EQ(answer, field(step, "expect")) << step.dump();
    ++queries;
  }
  EXPECT_GT(queries, 0);
}

}  // namespace mirrorproof::vectors
