#pragma once
// The other two parts of a fetcher's world, as plain logs: LogHost is the follower's side (FetcherHost over
// Log), LogLeader answers requests from a leader's Log.

#include <map>
#include <set>
#include <vector>

#include "model/fetcher.h"
#include "model/log.h"

namespace mirrorproof {

/// One log operation a fetcher asked for.
struct Cut {
  PartitionId partition = kNoPartition;
  Offset target = 0;
  TruncationReason reason = TruncationReason::diverging_epoch;
  bool completed = true;
  bool fully = false;  ///< truncate_fully_and_start_at
  friend bool operator==(const Cut&, const Cut&) = default;
};

/// An ordinary follower (protocol.md F24, L18, L14). Calls about a partition without a log are test failures.
class LogHost : public FetcherHost {
 public:
  std::map<PartitionId, Log> logs;
  std::vector<Cut> cuts;
  std::map<PartitionId, int> appends;  ///< answers with records that reached process_data
  AppendResult last_append;
  std::set<PartitionId> failing_truncations;
  std::set<PartitionId> failing_appends;
  /// The next add_partition finds no latest epoch: it starts truncating whatever the log says.
  bool hide_latest_epoch = false;

  Log& log(PartitionId partition);

  Offset log_start_offset(PartitionId partition) override;
  Offset log_end_offset(PartitionId partition) override;
  std::optional<Epoch> latest_epoch(PartitionId partition) override;
  EpochEndOffset end_offset_for_epoch(PartitionId partition, Epoch epoch) override;
  HostVerdict truncate(PartitionId partition, Offset target, TruncationReason reason,
                       bool completed) override;
  HostVerdict truncate_fully_and_start_at(PartitionId partition, Offset start) override;
  ProcessedData process_data(const PartitionFetchState& state, const FetchPartitionResponse& data) override;
};

/// A leader's replica as its broker serves it (protocol.md sections 3.1-3.4), for replica fetches.
struct LogLeader {
  Log log;
  Epoch leader_epoch = 0;

  FetchPartitionResponse fetch(const FetchPartition& asked, int max_batches) const;
  EpochPartitionResponse offset_for_leader_epoch(const EpochPartition& asked, ApiVersion version) const;
  ListOffsetsPartitionResponse list_offsets(const ListOffsetsPartition& asked) const;
};

/// All leaders on one broker; partitions it does not lead are answered UNKNOWN_TOPIC_OR_PARTITION.
struct LeaderBroker {
  std::map<PartitionId, LogLeader> leaders;
  int max_batches = 1;
  ApiVersion ofle_version = 4;

  Response answer(const Request& request) const;
};

}  // namespace mirrorproof
