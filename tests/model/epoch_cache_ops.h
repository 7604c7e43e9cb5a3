#pragma once
// Runs the operations of epoch-cache.json, epoch-cache-extended.json and the epoch_cache rows of
// fetcher-behaviours.json against LeaderEpochCache and its checkpoint text.

#include <string>

#include "model/leader_epoch_cache.h"
#include "vector_file.h"

namespace mirrorproof::vectors {

/// A cache with its checkpoint file as Kafka keeps them: an applied assign writes at once, truncations only
/// schedule a write (protocol.md E2).
class CheckpointedCache {
 public:
  /// False for an invalid entry.
  bool assign(EpochEntry entry);
  /// Stops at the first invalid entry; writes once at the end, and not at all if it failed.
  bool assign_all(const std::vector<EpochEntry>& entries);
  void truncate_from_end(Offset offset);
  void truncate_from_start(Offset offset);
  void clear() { cache_.clear(); }
  void clear_and_flush();
  void run_pending_flush();
  /// Scheduled writes are lost; a new cache reads the file. Throws VectorError if the text does not parse.
  void reopen();

  const LeaderEpochCache& cache() const { return cache_; }
  const std::string& checkpoint() const { return checkpoint_; }

 private:
  void flush();

  LeaderEpochCache cache_;
  std::string checkpoint_;
  bool flush_pending_ = false;
};

/// One operation with its `expect`; mismatches are test failures, an unknown operation is a VectorError.
void run_epoch_cache_op(CheckpointedCache& cache, const Json& op);

}  // namespace mirrorproof::vectors
