#pragma once
// LeaderEpochCache: which leader epoch starts at which offset (protocol.md section 1; Kafka:
// LeaderEpochFileCache).

#include <boost/container/small_vector.hpp>
#include <optional>
#include <span>

#include "model/types.h"

namespace mirrorproof {

/// Ordered list of (epoch, start offset). Epochs and start offsets both strictly increase after every
/// operation (E1).
class LeaderEpochCache {
 public:
  using Entries = boost::container::small_vector<EpochEntry, 6>;

  /// E4-E6. False (nothing changes) for a negative epoch or offset. Ignored when the epoch is the latest and
  /// the offset is not below its start; a *lower* epoch is applied and evicts newer entries.
  bool assign(Epoch epoch, Offset start_offset);
  /// E7: drops every entry that starts at or above `end_offset`; no-op if it is negative.
  void truncate_from_end(Offset end_offset);
  /// E8: keeps the last entry at or below `start_offset`, moved there.
  void truncate_from_start(Offset start_offset);
  void clear() { entries_.clear(); }
  /// Forgets one epoch, if it is known.
  void remove(Epoch epoch);

  /// Section 1.6. An epoch below all known ones is echoed with the lowest start offset (E9).
  EpochEndOffset end_offset_for(Epoch requested, Offset log_end_offset) const;

  std::optional<Epoch> latest_epoch() const;
  /// Largest tracked epoch strictly below `epoch`.
  std::optional<Epoch> previous_epoch(Epoch epoch) const;
  /// Smallest tracked epoch strictly above `epoch`.
  std::optional<Epoch> next_epoch(Epoch epoch) const;
  /// Epoch of the last entry that starts at or below `offset`; does not look at the log end (E11).
  std::optional<Epoch> epoch_for_offset(Offset offset) const;
  std::optional<EpochEntry> entry(Epoch epoch) const;
  std::optional<EpochEntry> earliest_entry() const;
  std::optional<EpochEntry> latest_entry() const;

  bool empty() const { return entries_.empty(); }
  std::span<const EpochEntry> entries() const { return {entries_.data(), entries_.size()}; }

  friend bool operator==(const LeaderEpochCache&, const LeaderEpochCache&) = default;

 private:
  friend struct StateFields;

  Entries entries_;
};

}  // namespace mirrorproof
