#pragma once
// FetcherRow: one row of fetcher-behaviours.json being carried out (fetcher_row.cpp) and looked at
// (fetcher_row_expectations.cpp).

#include <map>
#include <string>

#include "scripted_leader.h"
#include "stub_host.h"
#include "vector_file.h"

namespace mirrorproof::vectors {

class FetcherRow {
 public:
  explicit FetcherRow(const Json& setup);

  void run_steps(const Json& steps);
  void check(const Json& expect);

 private:
  PartitionId id_of(const std::string& name);
  TopicId topic_id_of(const Json& step);

  void run_step(const Json& step);
  void add_partition(const Json& step);
  void set_leader(const Json& step);
  void set_stub(PartitionId partition, const Json& values);
  void update_topic_ids(const Json& step);
  void poll_step(const Json& step);
  void poll();
  /// Carries one request to its answer; false after an answer that breaks the protocol.
  bool exchange(const Request& request);
  void count(const Request& request);
  /// The out-of-range procedure, which Kafka runs inside the call that starts it.
  bool finish_out_of_range();
  void block();
  void note_delays();
  void end_delays();

  bool logs_match(PartitionId partition);
  bool all_logs_match();
  Json observed(PartitionId partition, const std::string& key);
  Json appends_json(const Json& like);

  std::map<std::string, PartitionId> ids_;
  std::map<std::string, TopicId> topic_ids_;
  StubHost host_;
  ScriptedLeader leader_;
  Fetcher fetcher_;
  std::map<std::string, int> requests_;
  std::int64_t backoff_ms_ = 0;
  std::int64_t now_ms_ = 0;
  std::map<PartitionId, std::int64_t> delayed_until_ms_;
  // Of the poll step under way.
  Json during_;
  std::int64_t blocked_ms_ = 0;
  std::string thrown_;
};

}  // namespace mirrorproof::vectors
