#pragma once
// Invariant epoch-identity: within the clusters that mirror one another, (partition, offset, epoch) names at
// most one record.
//
// Logs that go back to one history are a family. At first each cluster is one of its own; LOG_ALIGNMENT takes
// the destination's log into the family of its source, with as much as it keeps. What it drops counts no
// longer: a mirror may have had another source before.

#include <map>
#include <vector>

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

class EpochIdentity {
 public:
  explicit EpochIdentity(const Replay& replay);

  /// Every append at every replica; batches without an epoch name nothing.
  void check_append(const Replay& replay, Findings& findings, const Event& event, const Appended& append);
  /// The destination's log is one with the source's from here on, up to what it holds now.
  void check_aligned(const Replay& replay, Findings& findings, const Event& event, ClusterId source);
  /// The topic was created again: its epochs begin anew, while mirrors may still hold the old ones. Not
  /// judged from here on.
  void forget(PartitionId partition) { recreated_[static_cast<std::size_t>(partition)] = true; }

 private:
  friend struct JudgeState;
  friend class JudgeMemory;

  /// Offsets [base, last] hold the records id_minus_offset + offset.
  struct Interval {
    Offset base = 0;
    Offset last = 0;
    std::uint64_t id_minus_offset = 0;
    EventId appended = 0;  ///< first append of its first record
  };
  /// Disjoint intervals. New records nearly always come at the end (a vector); the others go to the side.
  struct EpochRecords {
    std::vector<Interval> in_order;
    std::map<Offset, Interval> out_of_order;  // by base
  };

  /// The lowest interval that shares an offset with [base, last]; nullptr if none does.
  static const Interval* overlapping(const EpochRecords& records, Offset base, Offset last);
  void add(EpochRecords& records, const Interval& interval);

  using Names = std::map<Epoch, EpochRecords>;
  /// By cluster: whose family it belongs to, and did before. Families are called after a cluster.
  struct Families {
    std::vector<Names> names;
    std::vector<ClusterId> of;
    std::vector<ClusterId> before;
  };

  void check_batch(const Replay& replay, Findings& findings, const Event& event, Names& names,
                   const Batch& batch);
  static bool knows(const Names& names, const Batch& batch);

  std::vector<Families> partitions_;
  std::vector<bool> recreated_;
  bool touched_ = true;  ///< since a JudgeMemory looked
};

}  // namespace mirrorproof::checker
