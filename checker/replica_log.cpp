#include "checker/replica_log.h"

#include <algorithm>

#include "model/check.h"

namespace mirrorproof::checker {
namespace {

constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

constexpr std::uint64_t fingerprint(const Batch& batch) {
  const auto base = static_cast<std::uint64_t>(batch.base_offset);
  const auto count = static_cast<std::uint64_t>(batch.record_count());
  return mix(mix(mix(base + 0x9e3779b97f4a7c15ULL) ^ batch.first_id.packed) + count);
}

}  // namespace

ReplicaLog::Index ReplicaLog::index_at(Offset offset) const {
  // Nearly every question is about the tail: widen the window from the end before halving it.
  const std::size_t size = entries_.size();
  std::size_t window = 1;
  std::size_t low = head_;
  while (head_ + window <= size) {
    const std::size_t probe = size - window;
    if (entries_[probe].batch.last_offset < offset) {
      low = probe + 1;
      break;
    }
    window *= 2;
  }
  const std::size_t high = head_ + window / 2 <= size ? size - window / 2 : size;
  const auto begin = entries_.begin();
  const auto found = std::lower_bound(
      begin + static_cast<std::ptrdiff_t>(low), begin + static_cast<std::ptrdiff_t>(std::max(low, high)),
      offset, [](const LogEntry& entry, Offset wanted) { return entry.batch.last_offset < wanted; });
  return dropped_ + static_cast<Index>(found - begin);
}

const LogEntry* ReplicaLog::find(Offset offset) const {
  const Index index = index_at(offset);
  if (index == end_index() || at(index).batch.base_offset > offset) {
    return nullptr;
  }
  return &at(index);
}

const LogEntry* ReplicaLog::find_same(const Batch& batch) const {
  const LogEntry* entry = find(batch.base_offset);
  return entry != nullptr && same_records(entry->batch, batch) ? entry : nullptr;
}

bool ReplicaLog::has_records_in(Offset from, Offset end) const {
  for (Index index = index_at(from); index != end_index() && at(index).batch.base_offset < end; ++index) {
    if (is_present(at(index).batch)) {
      return true;
    }
  }
  return false;
}

void ReplicaLog::append(const Batch& batch, EventId event) {
  MP_CHECK(batch.base_offset >= log_end_, "append below the log end");
  const std::uint64_t sum = sum_before(end_index()) + fingerprint(batch);
  entries_.push_back(LogEntry{batch, event, sum});
  log_end_ = batch.next_offset();
  was_cleaned_ = was_cleaned_ || !batch.has_records();
}

void ReplicaLog::append_gap_across_start(const Batch& gone, EventId event) {
  MP_CHECK(empty() && gone.base_offset < log_end_ && gone.last_offset >= log_end_,
           "a gap across the log start of an empty log");
  const std::uint64_t sum = sum_before(end_index()) + fingerprint(gone);
  entries_.push_back(LogEntry{gone, event, sum});
  log_end_ = gone.next_offset();
  was_cleaned_ = true;
}

void ReplicaLog::clean(Index index, BatchContent left) {
  entries_[static_cast<std::size_t>(index - dropped_)].batch.content = left;
  was_cleaned_ = true;
}

std::vector<Batch> gone_around(const ReplicaLog& log, Offset from) {
  std::vector<Batch> gone;
  if (!log.was_cleaned()) {
    return gone;
  }
  ReplicaLog::Index index = log.index_at(from);
  while (index > log.first_index() && !is_present(log.at(index - 1).batch)) {
    --index;
  }
  for (; index < log.end_index(); ++index) {
    if (!is_present(log.at(index).batch)) {
      gone.push_back(log.at(index).batch);
    }
  }
  return gone;
}

void ReplicaLog::start_at(Offset offset) {
  MP_CHECK(empty(), "only an empty log can be moved");
  log_start_ = offset;
  log_end_ = offset;
}

void ReplicaLog::truncate(Offset target, Offset log_start, std::vector<LogEntry>& removed) {
  MP_CHECK(log_start >= 0 && log_start <= target, "truncation to an impossible place");
  // Log start may move up in the same breath (a full restart): the batches below it are removed as well.
  const Index kept_from =
      log_start > log_start_ ? std::min(index_at(log_start), index_at(target)) : first_index();
  const Index kept_end = std::max(kept_from, index_at(target));
  for (Index index = first_index(); index < kept_from; ++index) {
    removed.push_back(at(index));
  }
  for (Index index = kept_end; index < end_index(); ++index) {
    removed.push_back(at(index));
  }
  const std::uint64_t sum_at_start = sum_before(kept_from);
  entries_.resize(static_cast<std::size_t>(kept_end - dropped_));
  head_ = static_cast<std::size_t>(kept_from - dropped_);
  front_sum_ = sum_at_start;
  log_start_ = log_start;
  log_end_ = target;
  forget_dropped();
}

void ReplicaLog::move_start(Offset log_start) {
  const Index kept_from = index_at(log_start);
  front_sum_ = sum_before(kept_from);
  head_ = static_cast<std::size_t>(kept_from - dropped_);
  log_start_ = log_start;
  log_end_ = std::max(log_end_, log_start);
  forget_dropped();
}

void ReplicaLog::forget_dropped() {
  // At least half of the vector goes each time: amortised constant per entry.
  if (head_ >= 64 && head_ * 2 >= entries_.size()) {
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(head_));
    dropped_ += head_;
    head_ = 0;
  }
}

CommonPrefix common_prefix(const ReplicaLog& left, ReplicaLog::Index left_end, const ReplicaLog& right,
                           ReplicaLog::Index right_end) {
  CommonPrefix prefix;
  const Offset start = std::max(left.log_start(), right.log_start());
  prefix.left_begin = left.log_start() == start ? left.first_index() : left.index_at(start);
  prefix.right_begin = right.log_start() == start ? right.first_index() : right.index_at(start);
  // A cleaned batch across the start is no record that the other log would have to have.
  const auto reaches_below = [start](const ReplicaLog& log, ReplicaLog::Index index) {
    return index < log.end_index() && log.at(index).batch.base_offset < start;
  };
  if (left.was_cleaned() || right.was_cleaned()) {
    const bool left_below = reaches_below(left, prefix.left_begin);
    const bool right_below = reaches_below(right, prefix.right_begin);
    if (left_below && !right_below && !is_present(left.at(prefix.left_begin).batch)) {
      prefix.left_begin += 1;
    } else if (right_below && !left_below && !is_present(right.at(prefix.right_begin).batch)) {
      prefix.right_begin += 1;
    }
  }
  if (prefix.left_begin >= left_end || prefix.right_begin >= right_end) {
    return prefix;
  }
  const std::uint64_t left_sum = left.sum_before(prefix.left_begin);
  const std::uint64_t right_sum = right.sum_before(prefix.right_begin);
  const auto agree = [&](std::uint64_t count) {
    return left.sum_before(prefix.left_begin + count) - left_sum ==
           right.sum_before(prefix.right_begin + count) - right_sum;
  };
  std::uint64_t low = 0;
  std::uint64_t high = std::min(left_end - prefix.left_begin, right_end - prefix.right_begin);
  if (agree(high)) {
    prefix.count = high;
    return prefix;
  }
  // agree(low) holds, agree(high) does not.
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (agree(middle) ? low : high) = middle;
  }
  prefix.count = low;
  return prefix;
}

}  // namespace mirrorproof::checker
