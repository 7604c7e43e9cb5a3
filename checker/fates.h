#pragma once
// Fates: what became of the batches that once belonged to a lineage and were killed in it: who killed them,
// who brought them back. Batches that were never killed have no fate; the office log of the lineage says
// whether they belong.

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "model/event.h"

namespace mirrorproof::checker {

struct Fate {
  enum class Kind : std::uint8_t {
    unclean_election,   ///< killed by a ULE
    clean_election,     ///< killed by any other change of leadership
    alignment,          ///< killed: LOG_ALIGNMENT cut the leader's log
    mirror_truncation,  ///< killed: the leader was a mirror and its source's answer cut its log
    revival,            ///< an elected leader still had it
  };
  Kind kind = Kind::unclean_election;
  /// What must lie in the causal past of whoever acts on this fate: the Election, the Truncated, or, for a
  /// revival, the BecameLeader (until then nobody can have seen the batch again).
  EventId event = 0;
  /// A power loss of the leader that had the batch, or of the one that lacks it, took it.
  bool after_power_loss = false;
  /// The new leader had lost the batch to LOG_ALIGNMENT or a mirror truncation: an operator's order.
  bool after_mirror_cut = false;
  /// The batch had been committed before.
  bool committed = false;
  /// revival: a ULE lies between the two leaders.
  bool unclean = false;
  /// mirror_truncation: its place in Judgement::mirror_truncations.
  std::size_t truncation = 0;

  bool kills() const { return kind != Kind::revival; }
};

class Fates {
 public:
  using History = boost::container::small_vector<Fate, 1>;

  /// Oldest first; nullptr when the batch was never killed. The same id at another offset is another batch.
  const History* of(const Batch& batch) const {
    const auto found = by_first_id_.find(batch.first_id.packed);
    return found == by_first_id_.end() || found->second.base_offset != batch.base_offset
               ? nullptr
               : &found->second.fates;
  }
  bool dead(const Batch& batch) const {
    const History* fates = of(batch);
    return fates != nullptr && fates->back().kills();
  }
  void add(const Batch& batch, const Fate& fate) {
    Entry& entry = by_first_id_[batch.first_id.packed];
    if (entry.base_offset != batch.base_offset) {
      entry = Entry{batch.base_offset, {}};
    }
    entry.fates.push_back(fate);
  }
  bool empty() const { return by_first_id_.empty(); }

 private:
  friend struct JudgeState;

  struct Entry {
    Offset base_offset = kUndefinedOffset;
    History fates;
  };
  // Looked up only, never iterated.
  boost::unordered_flat_map<std::uint64_t, Entry> by_first_id_;
};

}  // namespace mirrorproof::checker
