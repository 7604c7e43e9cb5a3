#include "checker/aborted_transactions.h"

#include <algorithm>

namespace mirrorproof::checker {
namespace {

/// Batches looked at before a marker for those of its transaction.
constexpr ReplicaLog::Index kLongestTransaction = 10'000;

bool ends_transaction_of(const Batch& batch, const Batch& marker) {
  return batch.kind == BatchKind::pid_reset || (batch.is_marker() && batch.producer_id == marker.producer_id);
}

}  // namespace

void AbortedTransactions::committed(ClusterId cluster, PartitionId partition, const ReplicaLog& log,
                                    Offset begin, Offset end) {
  for (ReplicaLog::Index at = log.index_at(begin); at < log.end_index(); ++at) {
    const Batch& marker = log.at(at).batch;
    if (marker.base_offset >= end) {
      return;
    }
    if (marker.kind != BatchKind::abort_marker) {
      continue;
    }
    const ReplicaLog::Index far = at > kLongestTransaction ? at - kLongestTransaction : 0;
    const ReplicaLog::Index first = std::max(log.first_index(), far);
    for (ReplicaLog::Index i = at; i > first && !ends_transaction_of(log.at(i - 1).batch, marker); --i) {
      const Batch& batch = log.at(i - 1).batch;
      if (batch.kind == BatchKind::data && batch.transactional && batch.producer_id == marker.producer_id) {
        batches_[{cluster, partition}].insert_or_assign(batch.first_id,
                                                        Marker{marker.base_offset, marker.epoch});
      }
    }
  }
}

void AbortedTransactions::cut_by_mirror(ClusterId cluster, PartitionId partition, Offset target) {
  const auto found = batches_.find({cluster, partition});
  if (found != batches_.end()) {
    std::erase_if(found->second, [target](const auto& batch) { return batch.second.offset >= target; });
  }
}

bool AbortedTransactions::contain(ClusterId cluster, PartitionId partition, RecordId first_id,
                                  Epoch committed_in) const {
  const auto found = batches_.find({cluster, partition});
  if (found == batches_.end()) {
    return false;
  }
  const auto batch = found->second.find(first_id);
  return batch != found->second.end() && batch->second.epoch <= committed_in;
}

}  // namespace mirrorproof::checker
