#pragma once
// Invariant epoch-order: epochs never decrease along a log; each record's epoch is at most its partition's
// leader epoch; the epoch cache equals what the log implies; what is written locally after a stop has a
// strictly larger epoch than everything mirrored.

#include <vector>

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

class EpochOrder {
 public:
  explicit EpochOrder(const Replay& replay);

  /// False: the record does not continue the sequence of elections, leave it out.
  bool check_election(const Replay& replay, Findings& findings, const Event& event,
                      const Election& election) const;
  /// Before the append is replayed.
  void check_append(const Replay& replay, Findings& findings, const Event& event, const Appended& append);

  /// The replica's log or its cache changed; they are compared when the step is over. The whole of both when
  /// the cache was reported; otherwise only the ends, which is where a log can change under its cache.
  void touched(const Event& event, Replica& replica, Replica::EpochsTouched what);
  void end_step(Replay& replay, Findings& findings);

  /// The topic was created again: its epochs begin anew.
  void forget(const Event& event) {
    largest_mirrored_[static_cast<std::size_t>(event.cluster) * partitions_ +
                      static_cast<std::size_t>(event.partition)] = kUndefinedEpoch;
  }

 private:
  friend struct JudgeState;
  friend class JudgeMemory;

  std::vector<Epoch> largest_mirrored_;  // by cluster and partition
  std::size_t partitions_ = 0;
  // The last event of the running step per replica whose log or cache it changed.
  std::vector<Event> touched_;
};

}  // namespace mirrorproof::checker
