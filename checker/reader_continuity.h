#pragma once
// Invariant reader-continuity: a reader that never asked to reset does not jump over a readable record, and
// is told when what it read was removed; a read_committed reader sees no open or aborted data, what was
// aborted once stays aborted, and no transaction brings along what was sent in the one before it.

#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "checker/aborted_transactions.h"
#include "checker/findings.h"
#include "checker/late_batches.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

class ReaderContinuity {
 public:
  void moved(const Replay& replay, const Event& event, const ReaderMoved& moved);
  /// A group's offset in this cluster comes from its readers here, or from a mirror's source.
  void committed(const Event& event, std::int64_t group, bool by_reader, Epoch epoch) {
    committed_here_[{event.cluster, event.partition, group}] = {by_reader, epoch};
  }
  void check_told(const Replay& replay, Findings& findings, const Event& event, const ReaderTold& told);
  void check_fetched(const Replay& replay, const LateBatches& late, Findings& findings, const Event& event,
                     const ReaderFetched& fetched);

  AbortedTransactions aborted;

 private:
  struct Ledger {
    bool started = false;
    Offset position = 0;
    /// The last record it was given, and where.
    std::optional<Batch> seen;
    ClusterId seen_in = kNoCluster;
    /// Of the last batch it came past, be it one that readers are not given.
    Epoch epoch = kUndefinedEpoch;
  };
  Ledger& ledger(const Event& event, std::int64_t reader) { return ledgers_[{event.partition, reader}]; }

  std::map<std::pair<PartitionId, std::int64_t>, Ledger> ledgers_;
  struct Committed {
    bool by_reader = false;
    Epoch epoch = kUndefinedEpoch;  ///< of what the reader had come past then
  };
  std::map<std::tuple<ClusterId, PartitionId, std::int64_t>, Committed> committed_here_;
};

}  // namespace mirrorproof::checker
