#pragma once
// Invariant group-offset-range: a synced committed offset is max(destination log start, min(destination log
// end, source committed offset)), a later truncation leaves no group beyond the log end, and a stopped mirror
// syncs nothing.

#include <map>
#include <utility>
#include <vector>

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

class GroupOffsetRange {
 public:
  void check_synced(const Replay& replay, Findings& findings, const Event& event,
                    const GroupOffsetSynced& synced);
  void committed(const Event& event, const GroupOffsetCommitted& committed);
  /// A reader takes a group over: the mirror leaves the group alone from now on.
  void resumed(const Event& event, const ReaderMoved& moved);
  void forget(ClusterId cluster, PartitionId partition) { groups_.erase({cluster, partition}); }
  /// A mirror truncation; what it leaves behind is looked at when the step is over.
  void truncated(const Event& event);
  void end_step(const Replay& replay, Findings& findings);
  /// Invariant convergence, for groups: at rest, a running mirror has synced every group nobody works in.
  void check_rested(const Replay& replay, Findings& findings, const Event& event) const;

 private:
  struct Committed {
    Offset offset = 0;
    bool synced = false;
  };
  using Groups = std::map<std::int64_t, Committed>;

  std::map<std::pair<ClusterId, PartitionId>, Groups> groups_;
  std::vector<Event> truncations_;  // of the running step
};

}  // namespace mirrorproof::checker
