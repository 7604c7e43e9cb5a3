#pragma once
// The leader's broker of a fetcher row: its logs, overruled by the answers a poll step scripts.

#include <deque>
#include <map>
#include <set>
#include <string>

#include "log_host.h"
#include "vector_file.h"

namespace mirrorproof::vectors {

/// The api names of the rows; list-offsets requests are two of them.
inline constexpr const char* kFetchApi = "fetch";
inline constexpr const char* kEpochApi = "offset_for_leader_epoch";
inline constexpr const char* kLatestApi = "latest_offset";
inline constexpr const char* kEarliestApi = "earliest_offset";

/// The api name of `request`, by its first partition.
std::string api_name(const Request& request);

class ScriptedLeader {
 public:
  LeaderBroker broker;

  /// The script of one poll step: `answers`, `transport_error`, `extra_partition_in_answer`.
  void set_script(const Json& step, const std::function<PartitionId(const std::string&)>& id_of);
  void clear_script();

  /// True if the call fails as a whole (nothing of it is answered).
  bool takes_transport_error(const Request& request);
  /// `clean_high_watermark` fills clean answers for partitions without a leader.
  Response answer(const Request& request, const std::function<Offset(PartitionId)>& clean_high_watermark);

 private:
  /// The scripted answer that replaces the next one; consumed unless it repeats.
  std::optional<Json> take(PartitionId partition, const std::string& api);
  FetchPartitionResponse fetch_answer(const FetchPartition& asked, Offset clean_high_watermark);
  EpochPartitionResponse epoch_answer(const EpochPartition& asked);
  ListOffsetsPartitionResponse offset_answer(const ListOffsetsPartition& asked);

  std::map<PartitionId, std::deque<Json>> answers_;
  std::set<std::string> failing_calls_;  // api names; "*" = all
  std::optional<PartitionId> extra_partition_;
};

}  // namespace mirrorproof::vectors
