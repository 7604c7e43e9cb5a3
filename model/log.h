#pragma once
// Log: the batches of one replica with log start, log end, high watermark and epoch cache (protocol.md
// section 2; Kafka: UnifiedLog).

#include <optional>
#include <span>

#include "model/batch.h"
#include "model/leader_epoch_cache.h"
#include "model/types.h"

namespace mirrorproof {

enum class AppendError : std::uint8_t {
  none,
  unexpected_offset,  ///< first kept offset is below the log end (L6), or above it without gaps_accepted
  out_of_order,       ///< offsets do not increase batch by batch (L7)
  invalid_epoch,      ///< a negative start or an epoch below -1 (E4)
};

struct AppendResult {
  AppendError error = AppendError::none;
  int appended_batches = 0;         ///< a prefix of what was offered (the batch-epoch guard drops the rest)
  std::optional<Epoch> last_epoch;  ///< epoch of the last appended batch, if it has one
  bool restarted_at_batch_base = false;  ///< the log was empty and moved back to the first batch (L6)
};

struct TruncateResult {
  int removed_batches = 0;
  std::int64_t removed_records = 0;
};

/// Rules of the log that have been wrong in public (protocol_options.h).
struct LogRules {
  bool noop_truncation_trims_epochs = true;    ///< L10
  bool restart_moves_high_watermark = true;    ///< L13
  bool epochless_records_clear_epochs = true;  ///< L2, L8
  bool epochs_start_at_batches = false;  ///< not E8, which lets an epoch begin at a log start inside a batch
  bool gaps_accepted = true;             ///< L6: a batch above the log end is as good as one at it
  bool cleaner_takes_markers = false;    ///< while their transactions are still there
  bool cleaner_keeps_epoch_starts = false;  ///< not Kafka's: the first batch of an epoch is emptied at most
  friend bool operator==(const LogRules&, const LogRules&) = default;
};

/// A value. Invariant after every operation, with the right rules: log start <= high watermark <= log end.
class Log {
 public:
  Log() = default;
  /// An empty log that starts and ends at `start_offset`.
  static Log starting_at(Offset start_offset);
  /// A log with the given content: initial states, logs read from a trace or a dump. Nothing is derived; the
  /// epoch cache may differ from what the batches imply. 0 <= log start <= high watermark <= log end. All of
  /// it is flushed.
  static Log restore(std::span<const Batch> batches, LeaderEpochCache epochs, Offset log_start_offset,
                     Offset log_end_offset, Offset high_watermark);

  void set_rules(const LogRules& rules) { rules_ = rules; }
  const LogRules& rules() const { return rules_; }

  Offset log_start_offset() const { return log_start_offset_; }
  Offset log_end_offset() const { return log_end_offset_; }
  Offset high_watermark() const { return high_watermark_; }
  /// Everything below survives a power loss.
  Offset recovery_point() const { return recovery_point_; }
  std::span<const Batch> batches() const { return {batches_.data(), batches_.size()}; }
  const LeaderEpochCache& leader_epoch_cache() const { return epochs_; }
  std::optional<Epoch> latest_epoch() const { return epochs_.latest_epoch(); }
  /// Section 1.6 with this log's end; E10's "absent" is {-1,-1}.
  EpochEndOffset end_offset_for_epoch(Epoch epoch) const {
    return epochs_.end_offset_for(epoch, log_end_offset_);
  }

  /// Appends one batch as leader: base offset := log end, epoch := `leader_epoch` (L1; kUndefinedEpoch for
  /// the message formats before v2). Returns the stored batch.
  const Batch& append_as_leader(Batch batch, Epoch leader_epoch);
  /// Appends as follower, offsets and epochs as given. With `epoch_guard`, the first batch above
  /// `current_leader_epoch` and all after it are dropped silently (L4-L8).
  AppendResult append_as_follower(std::span<const Batch> batches, Epoch current_leader_epoch,
                                  bool epoch_guard);
  /// P28: a new leader registers its epoch at the log end before writing anything.
  void assign_leader_epoch(Epoch epoch) { epochs_.assign(epoch, log_end_offset_); }

  /// KAFKA-10432: a recovery of the log that does not bring back epoch 0.
  void forget_epoch_zero() { epochs_.remove(0); }
  /// none_after_power_loss: the checkpoint file is gone.
  void forget_epochs() { epochs_.clear(); }

  /// L9-L12. `target` must not be negative. Truncating at or above the log end still trims the epoch cache.
  TruncateResult truncate_to(Offset target);
  /// L13: drops everything, empties the epoch cache.
  TruncateResult truncate_fully_and_start_at(Offset start_offset);

  /// L14: false (OFFSET_OUT_OF_RANGE, nothing changes) above the high watermark; otherwise the start never
  /// goes back.
  bool increment_log_start(Offset offset);

  /// The log cleaner's work on one batch (compaction): may it take the records of the batch at `base_offset`?
  /// Only below `bound`, the last stable offset, and only if a later batch below it has overwritten their
  /// keys.
  bool can_clean(Offset base_offset, Offset bound) const;
  /// Takes them, or the batch that was emptied before. It stays, empty, while it is the last one of its
  /// producer. Offsets, epoch cache and log end stay as they are; what was looked at is flushed.
  /// Precondition: can_clean. Returns what is left of the batch.
  BatchContent clean(Offset base_offset, Offset bound);

  /// L16/L18: clamped to [log start, log end]; may go down.
  void set_high_watermark(Offset offset);
  /// L17: only upwards; `offset` must not exceed the log end. True if it moved.
  bool advance_high_watermark(Offset offset);

  /// Marks everything as flushed.
  void flush() { recovery_point_ = log_end_offset_; }
  /// L22: everything after the recovery point is lost.
  TruncateResult lose_unflushed_tail() { return truncate_to(recovery_point_); }

  /// L24 without the errors: whole batches from the one containing `from`, all ending below `upper_bound`, at
  /// most `max_batches` (0 = no limit).
  std::span<const Batch> read(Offset from, Offset upper_bound, int max_batches) const;
  /// The batch that contains `offset`, or the first one above it; nullptr if there is none.
  const Batch* batch_at_or_after(Offset offset) const;

  friend bool operator==(const Log&, const Log&) = default;

 private:
  friend struct StateFields;

  void store(const Batch& batch);
  std::size_t index_of(Offset base_offset) const;
  bool must_keep(std::size_t index) const;

  LogRules rules_;
  BatchList batches_;
  LeaderEpochCache epochs_;
  Offset log_start_offset_ = 0;
  Offset log_end_offset_ = 0;
  Offset high_watermark_ = 0;
  Offset recovery_point_ = 0;
};

}  // namespace mirrorproof
