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
  /// The batch stands behind a marker that ended a transaction of its producer epoch, and none has ended it
  /// since, in whichever log. `index` lies in the log.
  bool opened_anew(PartitionId partition, const ReplicaLog& log, ReplicaLog::Index index) const;

 private:
  struct Open {
    RecordId first_id;
    Offset base_offset = 0;
    int producer_epoch = 0;
  };
  void ended(PartitionId partition, const ReplicaLog& log, const Batch& marker);

  /// By producer id: what no marker has ended yet, oldest first. What was lost stays, as long as there is
  /// little of it.
  std::map<std::pair<PartitionId, std::int64_t>, std::vector<Open>> open_;
  std::set<std::pair<PartitionId, RecordId>> committed_;
};

}  // namespace mirrorproof::checker
