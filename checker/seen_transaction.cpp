#include "checker/seen_transaction.h"

#include <algorithm>

namespace mirrorproof::checker {
namespace {

/// Batches looked at for the marker of a transaction; beyond, it counts as committed.
constexpr ReplicaLog::Index kFarthestMarker = 10'000;

}  // namespace

SeenTransaction transaction_of(const ReplicaLog& log, ReplicaLog::Index index) {
  using F = SeenTransaction::Fate;
  const Batch& batch = log.at(index).batch;
  if (batch.kind != BatchKind::data || !batch.transactional || !is_present(batch)) {
    return {};
  }
  const ReplicaLog::Index end = std::min(log.end_index(), index + kFarthestMarker);
  for (ReplicaLog::Index later = index + 1; later < end; ++later) {
    const Batch& marker = log.at(later).batch;
    if (marker.is_marker() && marker.producer_id == batch.producer_id) {
      return {marker.kind == BatchKind::commit_marker ? F::committed : F::aborted, &marker};
    }
  }
  return {index + kFarthestMarker < log.end_index() ? F::committed : F::open, nullptr};
}

}  // namespace mirrorproof::checker
