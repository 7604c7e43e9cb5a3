#include "model/leader_epoch_cache.h"

#include <algorithm>

#include "model/mutant.h"

namespace mirrorproof {

bool LeaderEpochCache::assign(Epoch epoch, Offset start_offset) {
  if (epoch < 0 || start_offset < 0) {
    return false;
  }
  if (!entries_.empty() && epoch == entries_.back().epoch && start_offset >= entries_.back().start_offset) {
    return true;
  }
  while (!entries_.empty() &&
         (entries_.back().epoch >= epoch || entries_.back().start_offset >= start_offset)) {
    if (mutated(Mutant::cache_keeps_empty_epoch) && entries_.back().start_offset == start_offset) {
      break;
    }
    entries_.pop_back();
  }
  entries_.push_back({epoch, start_offset});
  return true;
}

void LeaderEpochCache::truncate_from_end(Offset end_offset) {
  if (end_offset < 0) {
    return;
  }
  const Offset kept_end = end_offset + (mutated(Mutant::cache_truncation_off_by_one) ? 1 : 0);
  while (!entries_.empty() && entries_.back().start_offset >= kept_end) {
    entries_.pop_back();
  }
}

void LeaderEpochCache::truncate_from_start(Offset start_offset) {
  const auto first_above =
      std::find_if(entries_.begin(), entries_.end(),
                   [start_offset](const EpochEntry& entry) { return entry.start_offset > start_offset; });
  if (first_above == entries_.begin()) {
    return;
  }
  const auto survivor = first_above - 1;
  survivor->start_offset = start_offset;
  entries_.erase(entries_.begin(), survivor);
}

void LeaderEpochCache::remove(Epoch epoch) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [epoch](const EpochEntry& entry) { return entry.epoch == epoch; });
  if (found != entries_.end()) {
    entries_.erase(found);
  }
}

EpochEndOffset LeaderEpochCache::end_offset_for(Epoch requested, Offset log_end_offset) const {
  if (requested == kUndefinedEpoch || entries_.empty()) {
    return {};
  }
  if (requested == entries_.back().epoch) {
    return {requested, mutated(Mutant::epoch_end_of_latest_is_its_start) ? entries_.back().start_offset
                                                                         : log_end_offset};
  }
  const auto above = std::find_if(entries_.begin(), entries_.end(),
                                  [requested](const EpochEntry& entry) { return entry.epoch > requested; });
  if (above == entries_.end()) {
    return {};
  }
  if (above == entries_.begin()) {
    return {requested, above->start_offset};
  }
  return {mutated(Mutant::missing_epoch_answered_as_held) ? requested : (above - 1)->epoch,
          above->start_offset + (mutated(Mutant::epoch_end_one_too_large) ? 1 : 0) -
              (mutated(Mutant::epoch_end_one_too_small) ? 1 : 0)};
}

std::optional<Epoch> LeaderEpochCache::latest_epoch() const {
  if (entries_.empty()) {
    return std::nullopt;
  }
  return entries_.back().epoch;
}

std::optional<Epoch> LeaderEpochCache::previous_epoch(Epoch epoch) const {
  for (auto it = entries_.rbegin(); it != entries_.rend(); ++it) {
    if (it->epoch < epoch) {
      return it->epoch;
    }
  }
  return std::nullopt;
}

std::optional<Epoch> LeaderEpochCache::next_epoch(Epoch epoch) const {
  for (const EpochEntry& candidate : entries_) {
    if (candidate.epoch > epoch) {
      return candidate.epoch;
    }
  }
  return std::nullopt;
}

std::optional<Epoch> LeaderEpochCache::epoch_for_offset(Offset offset) const {
  for (auto it = entries_.rbegin(); it != entries_.rend(); ++it) {
    if (it->start_offset <= offset) {
      return it->epoch;
    }
  }
  return std::nullopt;
}

std::optional<EpochEntry> LeaderEpochCache::entry(Epoch epoch) const {
  for (const EpochEntry& candidate : entries_) {
    if (candidate.epoch == epoch) {
      return candidate;
    }
  }
  return std::nullopt;
}

std::optional<EpochEntry> LeaderEpochCache::earliest_entry() const {
  if (entries_.empty()) {
    return std::nullopt;
  }
  return entries_.front();
}

std::optional<EpochEntry> LeaderEpochCache::latest_entry() const {
  if (entries_.empty()) {
    return std::nullopt;
  }
  return entries_.back();
}

}  // namespace mirrorproof
