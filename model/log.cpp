#include "model/log.h"

#include <algorithm>
#include <utility>

#include "model/check.h"
#include "model/mutant.h"

namespace mirrorproof {

Log Log::starting_at(Offset start_offset) {
  Log log;
  log.log_start_offset_ = start_offset;
  log.log_end_offset_ = start_offset;
  log.high_watermark_ = start_offset;
  log.recovery_point_ = start_offset;
  return log;
}

Log Log::restore(std::span<const Batch> batches, LeaderEpochCache epochs, Offset log_start_offset,
                 Offset log_end_offset, Offset high_watermark) {
  MP_CHECK(0 <= log_start_offset && log_start_offset <= high_watermark && high_watermark <= log_end_offset,
           "log start, high watermark and log end out of order");
  MP_CHECK(batches.empty() || batches.back().last_offset < log_end_offset, "a batch ends above the log end");
  Log log;
  log.batches_.assign(batches.begin(), batches.end());
  log.epochs_ = std::move(epochs);
  log.log_start_offset_ = log_start_offset;
  log.log_end_offset_ = log_end_offset;
  log.high_watermark_ = high_watermark;
  log.recovery_point_ = log_end_offset;
  return log;
}

void Log::store(const Batch& batch) {
  // L2/L8: a batch without an epoch switches the whole log back to high-watermark truncation.
  if (batch.epoch == kUndefinedEpoch) {
    if (rules_.epochless_records_clear_epochs) {
      epochs_.clear();
    }
  } else if (!mutated(Mutant::append_forgets_epoch)) {
    epochs_.assign(batch.epoch, batch.base_offset);
  }
  batches_.push_back(batch);
  log_end_offset_ = batch.next_offset();
}

const Batch& Log::append_as_leader(Batch batch, Epoch leader_epoch) {
  const Offset count = batch.record_count();
  batch.base_offset = log_end_offset_;
  batch.last_offset = log_end_offset_ + count - 1;
  batch.epoch = leader_epoch;
  store(batch);
  return batches_.back();
}

AppendResult Log::append_as_follower(std::span<const Batch> batches, Epoch current_leader_epoch,
                                     bool epoch_guard) {
  AppendResult result;
  std::size_t kept = batches.size();
  if (epoch_guard) {
    kept = 0;
    while (kept < batches.size() &&
           (batches[kept].epoch == kUndefinedEpoch || batches[kept].epoch <= current_leader_epoch)) {
      ++kept;
    }
  }
  if (kept == 0) {
    return result;
  }
  Offset previous_last = batches[0].base_offset - 1;
  for (std::size_t i = 0; i < kept; ++i) {
    if (batches[i].base_offset <= previous_last || batches[i].last_offset < batches[i].base_offset) {
      result.error = AppendError::out_of_order;
      return result;
    }
    if (batches[i].epoch < kUndefinedEpoch || batches[i].base_offset < 0) {
      result.error = AppendError::invalid_epoch;
      return result;
    }
    const bool after_gap =
        i == 0 ? batches[0].base_offset > log_end_offset_ : batches[i].base_offset > previous_last + 1;
    if (after_gap && !rules_.gaps_accepted) {
      result.error = AppendError::unexpected_offset;
      return result;
    }
    previous_last = batches[i].last_offset;
  }
  if (batches[0].base_offset < log_end_offset_) {
    const bool log_is_empty = log_end_offset_ == log_start_offset_;
    if (!log_is_empty || batches[kept - 1].last_offset < log_end_offset_) {
      result.error = AppendError::unexpected_offset;
      return result;
    }
    truncate_fully_and_start_at(batches[0].base_offset);
    result.restarted_at_batch_base = true;
  }
  for (std::size_t i = 0; i < kept; ++i) {
    store(batches[i]);
  }
  result.appended_batches = static_cast<int>(kept);
  if (batches_.back().epoch != kUndefinedEpoch) {
    result.last_epoch = batches_.back().epoch;
  }
  return result;
}

TruncateResult Log::truncate_to(Offset target) {
  MP_CHECK(target >= 0, "truncation to a negative offset");
  TruncateResult result;
  if (target >= log_end_offset_) {
    // An epoch that led without writing starts at the log end; it must go even though no record does (L10).
    if (rules_.noop_truncation_trims_epochs) {
      epochs_.truncate_from_end(log_end_offset_);
    }
    return result;
  }
  const Offset touched = target + (mutated(Mutant::truncation_keeps_touched_batch) ? 1 : 0);
  while (!batches_.empty() && batches_.back().last_offset >= touched) {
    result.removed_batches += 1;
    result.removed_records += batches_.back().stored_records();
    batches_.pop_back();
  }
  log_end_offset_ = target;
  if (!mutated(Mutant::truncation_keeps_epochs)) {
    epochs_.truncate_from_end(target);
  }
  log_start_offset_ = std::min(log_start_offset_, target);
  if (!mutated(Mutant::truncation_keeps_high_watermark)) {
    high_watermark_ = std::min(high_watermark_, target);
  }
  recovery_point_ = std::min(recovery_point_, target);
  return result;
}

TruncateResult Log::truncate_fully_and_start_at(Offset start_offset) {
  TruncateResult result;
  for (const Batch& batch : batches_) {
    result.removed_batches += 1;
    result.removed_records += batch.stored_records();
  }
  batches_.clear();
  if (!mutated(Mutant::restarted_log_keeps_epochs)) {
    epochs_.clear();
  }
  log_start_offset_ = start_offset;
  log_end_offset_ = start_offset;
  high_watermark_ =
      rules_.restart_moves_high_watermark ? start_offset : std::min(high_watermark_, start_offset);
  recovery_point_ = start_offset;
  return result;
}

bool Log::increment_log_start(Offset offset) {
  if (offset > high_watermark_) {
    return false;
  }
  if (offset <= log_start_offset_) {
    return true;
  }
  log_start_offset_ = offset;
  recovery_point_ = std::max(recovery_point_, offset);
  const auto first_kept = std::find_if(batches_.begin(), batches_.end(),
                                       [offset](const Batch& batch) { return batch.last_offset >= offset; });
  const bool inside_batch = first_kept != batches_.end() && first_kept->base_offset < offset;
  if (!mutated(Mutant::log_start_forgets_epochs)) {
    epochs_.truncate_from_start(rules_.epochs_start_at_batches && inside_batch ? first_kept->base_offset
                                                                               : offset);
  }
  batches_.erase(batches_.begin(), first_kept);
  return true;
}

std::size_t Log::index_of(Offset base_offset) const {
  const Batch* batch = batch_at_or_after(base_offset);
  return batch == nullptr || batch->base_offset != base_offset
             ? batches_.size()
             : static_cast<std::size_t>(batch - batches_.data());
}

/// Kafka: LogCleaner's BatchRetention.RETAIN_EMPTY. The last batch of a producer holds its sequence numbers.
bool Log::must_keep(std::size_t index) const {
  const Batch& batch = batches_[index];
  const auto later = batches_.begin() + static_cast<std::ptrdiff_t>(index) + 1;
  const bool last_of_producer =
      batch.producer_id >= 0 && !mutated(Mutant::cleaner_drops_producer_state) &&
      std::none_of(later, batches_.end(), [&](const Batch& other) {
        return other.producer_id == batch.producer_id && other.kind == BatchKind::data;
      });
  // Without it, whoever copies this log takes the epoch to begin later than it did, or never to have been.
  const bool first_of_epoch =
      rules_.cleaner_keeps_epoch_starts && (index == 0 || batches_[index - 1].epoch != batch.epoch);
  return last_of_producer || first_of_epoch;
}

bool Log::can_clean(Offset base_offset, Offset bound) const {
  const std::size_t index = index_of(base_offset);
  if (index == batches_.size()) {
    return false;
  }
  const Batch& batch = batches_[index];
  if (batch.is_marker() && rules_.cleaner_takes_markers) {
    return batch.next_offset() <= bound;
  }
  if (batch.kind != BatchKind::data || batch.next_offset() > bound ||
      (!batch.has_records() && must_keep(index))) {
    return false;
  }
  const auto overwrites = [bound](const Batch& later) {
    return later.kind == BatchKind::data && later.has_records() && later.next_offset() <= bound;
  };
  return mutated(Mutant::cleaner_takes_latest_record) ||
         std::any_of(batches_.begin() + static_cast<std::ptrdiff_t>(index) + 1, batches_.end(), overwrites);
}

BatchContent Log::clean(Offset base_offset, Offset bound) {
  MP_CHECK(can_clean(base_offset, bound), "the cleaner may not touch this batch");
  const std::size_t index = index_of(base_offset);
  // Segments are flushed when the next one begins; the cleaner leaves the newest one alone.
  recovery_point_ = std::max(recovery_point_, bound);
  if (!batches_[index].is_marker() && must_keep(index)) {
    batches_[index].content = BatchContent::emptied;
    return BatchContent::emptied;
  }
  batches_.erase(batches_.begin() + static_cast<std::ptrdiff_t>(index));
  return BatchContent::gone;
}

void Log::set_high_watermark(Offset offset) {
  high_watermark_ = std::clamp(offset, log_start_offset_, log_end_offset_);
}

bool Log::advance_high_watermark(Offset offset) {
  MP_CHECK(offset <= log_end_offset_, "high watermark above the log end");
  if (offset <= high_watermark_) {
    return false;
  }
  high_watermark_ = offset;
  return true;
}

const Batch* Log::batch_at_or_after(Offset offset) const {
  const auto found =
      std::lower_bound(batches_.begin(), batches_.end(), offset,
                       [](const Batch& batch, Offset wanted) { return batch.last_offset < wanted; });
  return found == batches_.end() ? nullptr : &*found;
}

std::span<const Batch> Log::read(Offset from, Offset upper_bound, int max_batches) const {
  const Batch* first = batch_at_or_after(from);
  if (first == nullptr) {
    return {};
  }
  const Batch* end = first;
  const Batch* last = batches_.data() + batches_.size();
  while (end != last && end->last_offset < upper_bound && (max_batches == 0 || end - first < max_batches)) {
    ++end;
  }
  return {first, end};
}

}  // namespace mirrorproof
