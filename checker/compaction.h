#pragma once
// Compaction: what log cleaners took, and how the copies of a cleaned log get its gaps.
//
// A record that a cleaner took is no loss: later ones have overwritten its key. The judge's logs keep such
// batches, marked as gone (replica_log.h), and a copy inherits the marks of the log it was copied from.
//
// Invariant committed-stability: a cleaner takes committed data only, outside of open transactions, and never
// what nothing committed has overwritten.

#include <vector>

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

/// Judges and replays what a cleaner did.
void clean_log(Replay& replay, Findings& findings, const Event& event, const LogCleaned& cleaned);

/// The gaps of one append of copies.
class InheritedGaps {
 public:
  /// Before the append is replayed. Invariant log-matching: where the server's log was cleaned, the copy has
  /// the records that went, or a gap, and no others.
  InheritedGaps(Replay& replay, Findings& findings, const Event& event, const Appended& append);
  /// Puts marks for what precedes `batch` into the copy's log. In offset order, before the batch itself.
  void before(Replica& copy, const Batch& batch, EventId event);

 private:
  std::vector<Batch> gone_;
  std::size_t next_ = 0;
};

/// Those entries that have records; `scratch` is where the list is made if it is another one than `entries`.
const std::vector<LogEntry>& with_records(const std::vector<LogEntry>& entries,
                                          std::vector<LogEntry>& scratch);

}  // namespace mirrorproof::checker
