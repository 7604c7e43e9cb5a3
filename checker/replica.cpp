#include "checker/replica.h"

#include <algorithm>

namespace mirrorproof::checker {

void Replica::append(const Batch& batch, EventId event) {
  log.append(batch, event);
  if (!power_lost.empty()) {
    power_lost.erase(batch.first_id.packed);
  }
  if (!mirror_lost.empty()) {
    mirror_lost.erase(batch.first_id.packed);
    alignment_lost.erase(batch.first_id.packed);
    gave_up.erase(batch.first_id.packed);
  }
  if (batch.epoch == kUndefinedEpoch) {
    forget_epochs();
  } else if (epoch_starts().empty() || epoch_starts_.back().epoch != batch.epoch) {
    epoch_starts_.push_back({batch.epoch, batch.base_offset});
  }
}

void Replica::truncate(const Truncated& cut, std::vector<LogEntry>& removed) {
  if (cut.log_start != log.log_start()) {
    deleted.clear();  // another history begins
  }
  log.truncate(cut.target, cut.log_start, removed);
  high_watermark = std::clamp(high_watermark, cut.log_start, cut.target);
  highest_log_start = std::max(highest_log_start, cut.log_start);
  if (cut.reason == TruncationReason::power_loss || cut.by_mirror) {
    BatchIds& lost = cut.by_mirror ? mirror_lost : power_lost;
    for (const LogEntry& entry : removed) {
      lost.insert(entry.batch.first_id.packed);
      if (cut.reason == TruncationReason::alignment) {
        alignment_lost.insert(entry.batch.first_id.packed);
      }
    }
  }
  while (!log.empty() && !epoch_starts().empty() &&
         epoch_starts_.back().start_offset > log.back().batch.last_offset) {
    epoch_starts_.pop_back();
  }
  forget_lost_epochs();
}

void Replica::move_log_start(Offset log_start) {
  if (deleted.empty()) {
    deleted_from = log.log_start();
  }
  for (ReplicaLog::Index index = log.first_index();
       index < log.end_index() && log.at(index).batch.last_offset < log_start; ++index) {
    deleted.insert(log.at(index).batch.first_id.packed);
  }
  log.move_start(log_start);
  highest_log_start = std::max(highest_log_start, log_start);
  forget_lost_epochs();
}

void Replica::forget_epochs() {
  epoch_starts_.clear();
  epoch_starts_head_ = 0;
}

void Replica::forget_lost_epochs() {
  if (log.empty()) {
    forget_epochs();
    return;
  }
  // An epoch is gone with its last record: when the next one starts at or below the first batch left.
  ReplicaLog::Index left = log.first_index();
  while (left + 1 < log.end_index() && !is_present(log.at(left).batch)) {
    ++left;
  }
  const Offset first = log.at(left).batch.base_offset;
  while (epoch_starts_head_ + 1 < epoch_starts_.size() &&
         epoch_starts_[epoch_starts_head_ + 1].start_offset <= first) {
    ++epoch_starts_head_;
  }
  if (epoch_starts_head_ >= 64 && epoch_starts_head_ * 2 >= epoch_starts_.size()) {
    epoch_starts_.erase(epoch_starts_.begin(),
                        epoch_starts_.begin() + static_cast<std::ptrdiff_t>(epoch_starts_head_));
    epoch_starts_head_ = 0;
  }
}

}  // namespace mirrorproof::checker
