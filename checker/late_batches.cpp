#include "checker/late_batches.h"

#include <algorithm>

namespace mirrorproof::checker {
namespace {

/// Batches of one kind that are remembered of one producer.
constexpr std::size_t kMostRemembered = 1024;

bool of_transaction(const Batch& batch) {
  return batch.kind == BatchKind::data && batch.transactional && batch.producer_id >= 0;
}

}  // namespace

void LateBatches::remember(std::vector<Open>& list, Open batch) {
  if (list.size() == kMostRemembered) {
    list.erase(list.begin(), list.begin() + kMostRemembered / 2);
  }
  list.push_back(batch);
}

void LateBatches::written(PartitionId partition, const ReplicaLog& log, ReplicaLog::Index first) {
  for (ReplicaLog::Index at = first; at < log.end_index(); ++at) {
    const Batch& batch = log.at(at).batch;
    if (of_transaction(batch)) {
      const bool late = begins_late(partition, log, batch);
      if (late) {
        begun_late_.insert({partition, batch.first_id});
      }
      remember(open_[{partition, batch.producer_id}],
               {batch.first_id, batch.base_offset, batch.producer_epoch, late, is_ended(partition, batch)});
    } else if (batch.is_marker()) {
      ended(partition, log, batch);
      remember(endings_[{partition, batch.producer_id}],
               {batch.first_id, batch.base_offset, batch.producer_epoch});
    } else if (batch.kind == BatchKind::pid_reset) {
      remember(resets_[partition], {batch.first_id, batch.base_offset});
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
    // At a deposed leader the marker may be missing that its successor has written: what came in time stays
    // what it is, whoever commits it there.
    if (batch->producer_epoch < epoch && batch->is_late) {
      committed_.insert({partition, batch->first_id});
    }
  }
  open.erase(here, open.end());
  if (open.empty()) {
    open_.erase(found);
  }
}

bool LateBatches::is_ended(PartitionId partition, const Batch& batch) const {
  const auto endings = endings_.find({partition, batch.producer_id});
  return endings != endings_.end() &&
         std::any_of(endings->second.begin(), endings->second.end(),
                     [&batch](const Open& marker) { return marker.producer_epoch >= batch.producer_epoch; });
}

bool LateBatches::begins_late(PartitionId partition, const ReplicaLog& log, const Batch& batch) const {
  const auto in_log = [&log](const Open& one) {
    const LogEntry* entry = log.find(one.base_offset);
    return entry != nullptr && entry->batch.first_id == one.first_id;
  };
  const auto open = open_.find({partition, batch.producer_id});
  if (open != open_.end()) {
    // It goes on with what this leader has that is open.
    const auto before = std::find_if(open->second.rbegin(), open->second.rend(), in_log);
    if (before != open->second.rend()) {
      return before->begins_late;
    }
  }
  const auto endings = endings_.find({partition, batch.producer_id});
  if (endings == endings_.end()) {
    return false;
  }
  // What retention has taken may have been in this log.
  const auto marker = std::find_if(endings->second.rbegin(), endings->second.rend(), [&](const Open& one) {
    return one.base_offset < log.log_start() || in_log(one);
  });
  if (marker == endings->second.rend() || marker->producer_epoch < batch.producer_epoch) {
    return false;
  }
  const auto resets = resets_.find(partition);
  return resets == resets_.end() ||
         std::none_of(resets->second.begin(), resets->second.end(), [&](const Open& reset) {
           return reset.base_offset > marker->base_offset && in_log(reset);
         });
}

}  // namespace mirrorproof::checker
