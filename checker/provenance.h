#pragma once
// Invariant truncation-provenance: for every mirror truncation after alignment and every record it removed,
// the record had belonged to the lineage of the mirrored source, and its latest killer there in the
// truncation's causal past is a ULE, recursively along a chain of mirrors.

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

/// A death by an unclean election, or by a mirror truncation that itself goes back to one or is excused.
bool killed_by_ule(const Replay& replay, const Fate& fate);

/// The batch's latest fate in the causal past of `event`; nullptr if there is none.
const Fate* latest_fate_in_past(const Replay& replay, const Lineage& lineage, const Batch& batch,
                                EventId event);
/// `fate`, or what is behind it: a clean election of `source` lost the batch because the new leader had cut
/// it off before, as a mirror's leader that had yet to hear that it was deposed.
const Fate* fate_behind(const Replay& replay, ClusterId source, const Batch& batch, const Event& event,
                        const Fate* fate);

/// Truncations that wait for a take-over at the same time; beyond that they are judged as if the trace ended.
inline constexpr std::size_t kMaxUndecided = 1000;

class Provenance {
 public:
  /// Judges one mirror truncation that removed records and adds it to replay.mirror_truncations (its path is
  /// left for later). Before the lineage of the destination hears of the cut. Returns its place in that list.
  std::size_t judge(Replay& replay, Findings& findings, const Event& event, const Truncated& cut,
                    const std::vector<LogEntry>& removed);

  /// A new reign began: truncations that waited for it are judged.
  void reign_began(Replay& replay, Findings& findings, ClusterId cluster, PartitionId partition);
  /// No more reigns will begin.
  void finish(Replay& replay, Findings& findings);
  bool has_undecided() const { return !undecided_.empty(); }

 private:
  friend struct JudgeState;
  friend class JudgeMemory;

  /// A killer is known by its reign, but it may be heard of before: (1) the source's controller writes an
  /// unclean election; (2) another replica of the source applies it and serves the mirror in its epoch; (3)
  /// the mirror truncates; (4) the elected broker takes over. Between (3) and (4) nobody can tell whether
  /// that election kills.
  struct Undecided {
    std::size_t truncation = 0;
    Event event;  // without payload and causes
    Truncated cut;
    std::vector<LogEntry> removed;
    /// The answer was one of a deleted topic: its lineage says what was lost there. A server that answered
    /// after the deletion, unknowing, is beyond what a lineage can follow.
    bool of_deleted_topic = false;
    bool after_deletion = false;
  };

  /// True if a verdict was reached; with `last_word` one always is.
  bool decide(Replay& replay, Findings& findings, const Undecided& open, bool last_word);
  /// A mirror truncation upstream that waits itself.
  bool waits(const Fate& fate) const;

  std::vector<Undecided> undecided_;  // in trace order, at most kMaxUndecided
};

/// Fills in the shortest causal path of every judged truncation that has an unclean election at its root.
void find_paths(Replay& replay);

}  // namespace mirrorproof::checker
