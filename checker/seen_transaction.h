#pragma once
// What became of the transaction of a batch in a log, by the markers that follow it. The judge's own look:
// the model's is in model/producer_state.h.

#include <cstdint>

#include "checker/replica_log.h"

namespace mirrorproof::checker {

struct SeenTransaction {
  /// none: the batch belongs to no transaction.
  enum class Fate : std::uint8_t { none, open, committed, aborted };
  Fate fate = Fate::none;
  /// What ended it, in the log; nullptr: nothing did, or it is too far away, and then it counts as committed.
  const Batch* marker = nullptr;
};

/// `index` lies in the log.
SeenTransaction transaction_of(const ReplicaLog& log, ReplicaLog::Index index);

}  // namespace mirrorproof::checker
