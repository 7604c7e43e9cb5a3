#pragma once
// ReplicaLog: one replica's log, rebuilt from the trace. Knows when each batch was appended, and finds how
// far two logs agree without walking them.

#include <cstdint>
#include <vector>

#include "model/event.h"

namespace mirrorproof::checker {

struct LogEntry {
  Batch batch;
  EventId appended = 0;
  /// Sum of the fingerprints of all batches up to this one. Sums, not chained hashes: the difference of two
  /// sums is a fingerprint of the range between them, so logs that start at different offsets can be compared
  /// as well.
  std::uint64_t sum = 0;
};

/// Is the batch in the log? What the log cleaner took stays in the judge's log, marked: two logs of one
/// history then compare alike, position by position, whichever of them was cleaned.
constexpr bool is_present(const Batch& batch) {
  return batch.content != BatchContent::gone;
}

/// Same record at the same place. Epochs are left out: they are what the protocol says about a record.
constexpr bool same_records(const Batch& left, const Batch& right) {
  return left.base_offset == right.base_offset && left.last_offset == right.last_offset &&
         left.first_id == right.first_id;
}

/// Batches in offset order, holes allowed. Entries are addressed by an index that never changes while the
/// entry lives: dropping a prefix moves first_index(), truncation moves end_index().
class ReplicaLog {
 public:
  using Index = std::uint64_t;

  Offset log_start() const { return log_start_; }
  Offset log_end() const { return log_end_; }
  bool empty() const { return head_ == entries_.size(); }
  Index first_index() const { return dropped_ + head_; }
  Index end_index() const { return dropped_ + entries_.size(); }
  const LogEntry& at(Index index) const { return entries_[static_cast<std::size_t>(index - dropped_)]; }
  const LogEntry& back() const { return entries_.back(); }

  /// Index of the first batch that ends at or above `offset`; end_index() if there is none.
  Index index_at(Offset offset) const;
  /// The batch that contains `offset`; nullptr for a hole and outside the log.
  const LogEntry* find(Offset offset) const;
  /// The very same records at the very same offsets.
  const LogEntry* find_same(const Batch& batch) const;
  bool has_records_in(Offset from, Offset end) const;
  /// Some batch was cleaned, or copied as a gap, at some time.
  bool was_cleaned() const { return was_cleaned_; }

  /// Precondition: batch.base_offset >= log_end().
  void append(const Batch& batch, EventId event);
  /// An empty log that starts inside a batch which the cleaner of the log it is copied from has taken.
  void append_gap_across_start(const Batch& gone, EventId event);
  /// The log cleaner took the records of the batch at `index`.
  void clean(Index index, BatchContent left);
  /// An empty log that begins at `offset`.
  void start_at(Offset offset);
  /// Keeps the batches that end below `target` and reach `log_start`; the others are appended to `removed`,
  /// in offset order. The log then ends at `target`. Precondition: 0 <= log_start <= target.
  void truncate(Offset target, Offset log_start, std::vector<LogEntry>& removed);
  /// Drops the batches that end below `log_start`.
  void move_start(Offset log_start);

  /// Sum of the fingerprints of everything before `index`.
  std::uint64_t sum_before(Index index) const {
    return index == first_index() ? front_sum_ : at(index - 1).sum;
  }

 private:
  friend struct JudgeState;

  void forget_dropped();

  std::vector<LogEntry> entries_;
  std::size_t head_ = 0;  // entries before it were dropped by a moving log start and wait to be erased
  Index dropped_ = 0;     // index of entries_[0]
  std::uint64_t front_sum_ = 0;
  Offset log_start_ = 0;
  Offset log_end_ = 0;
  bool was_cleaned_ = false;
};

/// The cleaned batches a copy of `log` from `from` on comes across: those just below `from`, and all above.
std::vector<Batch> gone_around(const ReplicaLog& log, Offset from);

/// How far two logs agree, from the later of the two log starts on.
struct CommonPrefix {
  ReplicaLog::Index left_begin = 0;
  ReplicaLog::Index right_begin = 0;
  std::uint64_t count = 0;  ///< batches
};

/// Looks at entries below the given ends only. Logarithmic.
CommonPrefix common_prefix(const ReplicaLog& left, ReplicaLog::Index left_end, const ReplicaLog& right,
                           ReplicaLog::Index right_end);

}  // namespace mirrorproof::checker
