#pragma once
// Which batches belong to a transaction that was aborted for good: its ABORT marker was committed, so that
// the producer and its coordinator are done with it. An unclean election may take the marker and leave the
// batches; the next transaction of that producer must not bring them back.

#include <map>
#include <utility>

#include "checker/replica_log.h"

namespace mirrorproof::checker {

class AbortedTransactions {
 public:
  /// The log of the partition's leader is committed up to `end`; it was up to `begin` before.
  void committed(ClusterId cluster, PartitionId partition, const ReplicaLog& log, Offset begin, Offset end);
  /// A mirror cut its log: markers from `target` on are gone by order, or by the judgement of the source.
  void cut_by_mirror(ClusterId cluster, PartitionId partition, Offset target);
  /// The cluster has aborted the transaction of the batch that begins with this record, no later than in the
  /// epoch of a marker that commits it. (A deposed leader that has yet to hear of the abort brings nothing
  /// back.)
  bool contain(ClusterId cluster, PartitionId partition, RecordId first_id, Epoch committed_in) const;

 private:
  struct Marker {
    Offset offset = 0;
    Epoch epoch = kUndefinedEpoch;
  };
  /// By the first record of the batch.
  using Markers = std::map<RecordId, Marker>;

  std::map<std::pair<ClusterId, PartitionId>, Markers> batches_;
};

}  // namespace mirrorproof::checker
