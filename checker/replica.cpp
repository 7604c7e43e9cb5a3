#include "checker/replica.h"

#include <algorithm>

namespace mirrorproof::checker {

void Replica::append(const Batch& batch, EventId event) {
  log.append(batch, event);
  if (!power_lost.empty()) {
    power_lost.erase(batch.first_id.packed);
  }
  if (batch.epoch == kUndefinedEpoch) {
    epoch_starts_.clear();
  } else if (epoch_starts_.empty() || epoch_starts_.back().epoch != batch.epoch) {
    epoch_starts_.push_back({batch.epoch, batch.base_offset});
  }
}

void Replica::truncate(Offset target, Offset log_start, bool power_loss, std::vector<LogEntry>& removed) {
  log.truncate(target, log_start, removed);
  high_watermark = std::clamp(high_watermark, log_start, target);
  highest_log_start = std::max(highest_log_start, log_start);
  if (power_loss) {
    for (const LogEntry& entry : removed) {
      power_lost.insert(entry.batch.first_id.packed);
    }
  }
  while (!epoch_starts_.empty() &&
         (log.empty() || epoch_starts_.back().start_offset > log.back().batch.last_offset)) {
    epoch_starts_.pop_back();
  }
  forget_lost_epochs();
}

void Replica::move_log_start(Offset log_start) {
  log.move_start(log_start);
  highest_log_start = std::max(highest_log_start, log_start);
  forget_lost_epochs();
}

void Replica::forget_lost_epochs() {
  // An epoch is gone with its last record: when the next one starts at or below the first batch left.
  const Offset first = log.empty() ? log.log_end() : log.at(log.first_index()).batch.base_offset;
  std::size_t gone = 0;
  while (gone + 1 < epoch_starts_.size() && epoch_starts_[gone + 1].start_offset <= first) {
    ++gone;
  }
  if (log.empty()) {
    gone = epoch_starts_.size();
  }
  epoch_starts_.erase(epoch_starts_.begin(), epoch_starts_.begin() + static_cast<std::ptrdiff_t>(gone));
}

}  // namespace mirrorproof::checker
