#pragma once
// Which batches came too late for the transaction that they were sent in: a marker had ended it, and the
// producer had gone on under a larger producer epoch. To the log such a batch begins the next transaction,
// and the marker of that one commits it (KIP-890).

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "checker/replica_log.h"

namespace mirrorproof::checker {

class LateBatches {
 public:
  /// A leader wrote what its log has from `first` on itself.
  void written(PartitionId partition, const ReplicaLog& log, ReplicaLog::Index first);
  /// The commit marker of a later transaction has taken along the batch that begins with this record.
  bool committed(PartitionId partition, RecordId first_id) const {
    return committed_.contains({partition, first_id});
  }
  /// The batch was written behind a marker that had ended a transaction of its producer epoch.
  bool opened_anew(PartitionId partition, const Batch& batch) const {
    return begun_late_.contains({partition, batch.first_id});
  }

 private:
  struct Open {
    RecordId first_id;
    Offset base_offset = 0;
    int producer_epoch = 0;
    bool begins_late = false;  ///< of its transaction, as this log has it: the first batch came too late
    bool is_late = false;      ///< some leader had ended its transaction when it was written
  };
  static void remember(std::vector<Open>& list, Open batch);
  void ended(PartitionId partition, const ReplicaLog& log, const Batch& marker);
  bool begins_late(PartitionId partition, const ReplicaLog& log, const Batch& batch) const;
  bool is_ended(PartitionId partition, const Batch& batch) const;

  /// By producer id: what no marker has ended yet, oldest first. What was lost stays, as long as there is
  /// little of it.
  std::map<std::pair<PartitionId, std::int64_t>, std::vector<Open>> open_;
  /// By producer id: the markers that leaders wrote, oldest first; and every PID_RESET.
  std::map<std::pair<PartitionId, std::int64_t>, std::vector<Open>> endings_;
  std::map<PartitionId, std::vector<Open>> resets_;
  std::set<std::pair<PartitionId, RecordId>> begun_late_;
  std::set<std::pair<PartitionId, RecordId>> committed_;
};

}  // namespace mirrorproof::checker
