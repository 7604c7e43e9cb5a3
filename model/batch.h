#pragma once
// Record batches: the unit that logs store and replication moves (protocol.md section 1.1).

#include <boost/container/small_vector.hpp>

#include "model/types.h"

namespace mirrorproof {

enum class BatchKind : std::uint8_t {
  data,
  abort_marker,   ///< control batch that ends an open transaction (written by a stopping mirror)
  commit_marker,  ///< control batch that commits a transaction
  pid_reset,      ///< control batch that resets producer state after a mirror stops
};

/// What compaction has left of a batch.
enum class BatchContent : std::uint8_t {
  records,  ///< all of them
  emptied,  ///< the log cleaner took the records and kept the batch: offsets, epoch, sequence numbers
  gone,     ///< taken as a whole; in no log, only in a judge's memory of one
};

/// Records appended together: one epoch, consecutive record ids. Offsets between batches may have holes
/// (compaction), offsets inside a batch do not. epoch == kUndefinedEpoch marks the message formats before v2.
struct Batch {
  Offset base_offset = 0;
  Offset last_offset = 0;  ///< inclusive
  RecordId first_id;
  Epoch epoch = kUndefinedEpoch;
  std::int16_t producer_id = -1;  ///< -1 = no idempotent producer
  BatchKind kind = BatchKind::data;
  bool transactional = false;
  std::int16_t producer_epoch = -1;
  BatchContent content = BatchContent::records;
  std::int32_t base_sequence = -1;  ///< of the first record; -1 = not idempotent

  constexpr Offset next_offset() const { return last_offset + 1; }
  /// Offsets, and with them sequence numbers: what the batch was written with.
  constexpr std::int64_t record_count() const { return last_offset - base_offset + 1; }
  constexpr bool has_records() const { return content == BatchContent::records; }
  /// Records that are still there.
  constexpr std::int64_t stored_records() const { return has_records() ? record_count() : 0; }
  constexpr bool is_control() const { return kind != BatchKind::data; }
  /// Ends a transaction of its producer.
  constexpr bool is_marker() const {
    return kind == BatchKind::commit_marker || kind == BatchKind::abort_marker;
  }
  /// Only meaningful for base_offset <= offset <= last_offset.
  constexpr RecordId id_at(Offset offset) const {
    return RecordId{first_id.packed + static_cast<std::uint64_t>(offset - base_offset)};
  }
  friend constexpr bool operator==(const Batch&, const Batch&) = default;
};

using BatchList = boost::container::small_vector<Batch, 8>;
/// Batches carried by one message or event.
using BatchSlice = boost::container::small_vector<Batch, 2>;

}  // namespace mirrorproof
