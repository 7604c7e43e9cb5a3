#include "checker/late_batches.h"

#include <algorithm>

namespace mirrorproof::checker {
namespace {

/// Batches of one producer that are remembered as open.
constexpr std::size_t kMostOpen = 1024;
/// Batches looked at before a batch for the marker that precedes it.
constexpr ReplicaLog::Index kFarthestMarker = 10'000;

bool of_transaction(const Batch& batch) {
  return batch.kind == BatchKind::data && batch.transactional && batch.producer_id >= 0;
}

}  // namespace

void LateBatches::written(PartitionId partition, const ReplicaLog& log, ReplicaLog::Index first) {
  for (ReplicaLog::Index at = first; at < log.end_index(); ++at) {
    const Batch& batch = log.at(at).batch;
    if (of_transaction(batch)) {
      std::vector<Open>& open = open_[{partition, batch.producer_id}];
      if (open.size() == kMostOpen) {
        open.erase(open.begin(), open.begin() + kMostOpen / 2);
      }
      open.push_back({batch.first_id, batch.base_offset, batch.producer_epoch});
    } else if (batch.is_marker()) {
      ended(partition, log, batch);
    }
  }
}

void LateBatches::ended(PartitionId partition, const ReplicaLog& log, const Batch& marker) {
  const auto found = open_.find({partition, marker.producer_id});
  if (found == open_.end()) {
    return;
  }
  std::vector<Open>& open = found->second;
  // Those that this leader has are ended, whichever transaction they were sent in.
  const auto here = std::stable_partition(open.begin(), open.end(), [&log](const Open& batch) {
    const LogEntry* entry = log.find(batch.base_offset);
    return entry == nullptr || entry->batch.first_id != batch.first_id;
  });
  // A producer raises its epoch between transactions, never within one.
  int epoch = -1;
  std::for_each(here, open.end(),
                [&epoch](const Open& batch) { epoch = std::max(epoch, batch.producer_epoch); });
  for (auto batch = here; batch != open.end() && marker.kind == BatchKind::commit_marker; ++batch) {
    if (batch->producer_epoch < epoch) {
      committed_.insert({partition, batch->first_id});
    }
  }
  open.erase(here, open.end());
  if (open.empty()) {
    open_.erase(found);
  }
}

bool LateBatches::opened_anew(PartitionId partition, const ReplicaLog& log, ReplicaLog::Index index) const {
  const Batch& late = log.at(index).batch;
  const auto open = open_.find({partition, late.producer_id});
  if (open == open_.end() || std::none_of(open->second.begin(), open->second.end(), [&late](const Open& one) {
        return one.first_id == late.first_id;
      })) {
    return false;
  }
  const ReplicaLog::Index far = index > kFarthestMarker ? index - kFarthestMarker : 0;
  for (ReplicaLog::Index at = index; at > std::max(log.first_index(), far); --at) {
    const Batch& batch = log.at(at - 1).batch;
    if (batch.kind == BatchKind::pid_reset) {
      return false;
    }
    if (batch.is_marker() && batch.producer_id == late.producer_id) {
      return batch.producer_epoch >= late.producer_epoch;
    }
  }
  return false;
}

}  // namespace mirrorproof::checker
