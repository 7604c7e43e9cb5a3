#pragma once
// The leader-epoch cache once more, written without looking at model/: the reference of the property tests.

#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include "model/types.h"

namespace mirrorproof {

/// The cache as a plain map, each rule written down as it is stated.
class NaiveCache {
 public:
  void assign(Epoch epoch, Offset start) {
    if (epoch < 0 || start < 0) {
      return;
    }
    if (!starts_.empty() && epoch == starts_.rbegin()->first && start >= starts_.rbegin()->second) {
      return;
    }
    // Entries strictly increase in both, so "from the newest down, while" is "everywhere".
    std::erase_if(starts_, [&](const auto& entry) { return entry.first >= epoch || entry.second >= start; });
    starts_[epoch] = start;
  }
  void truncate_from_end(Offset end) {
    if (end >= 0) {
      std::erase_if(starts_, [&](const auto& entry) { return entry.second >= end; });
    }
  }
  void truncate_from_start(Offset start) {
    std::map<Epoch, Offset> removed;
    for (const auto& entry : starts_) {
      if (entry.second <= start) {
        removed.insert(entry);
      }
    }
    for (const auto& entry : removed) {
      starts_.erase(entry.first);
    }
    if (!removed.empty()) {
      starts_[removed.rbegin()->first] = start;
    }
  }
  void clear() { starts_.clear(); }
  EpochEndOffset end_offset_for(Epoch requested, Offset log_end) const {
    if (requested == -1 || starts_.empty()) {
      return {};
    }
    if (requested == starts_.rbegin()->first) {
      return {requested, log_end};
    }
    const auto above = starts_.upper_bound(requested);
    if (above == starts_.end()) {
      return {};
    }
    return {above == starts_.begin() ? requested : std::prev(above)->first, above->second};
  }
  std::optional<Epoch> epoch_for_offset(Offset offset) const {
    std::optional<Epoch> found;
    for (const auto& [epoch, start] : starts_) {
      if (start <= offset) {
        found = epoch;
      }
    }
    return found;
  }
  std::optional<Epoch> previous_epoch(Epoch epoch) const {
    const auto at_or_above = starts_.lower_bound(epoch);
    return at_or_above == starts_.begin() ? std::nullopt
                                          : std::optional<Epoch>(std::prev(at_or_above)->first);
  }
  std::optional<Epoch> next_epoch(Epoch epoch) const {
    const auto above = starts_.upper_bound(epoch);
    return above == starts_.end() ? std::nullopt : std::optional<Epoch>(above->first);
  }
  std::vector<EpochEntry> entries() const {
    std::vector<EpochEntry> list;
    for (const auto& [epoch, start] : starts_) {
      list.push_back({epoch, start});
    }
    return list;
  }

 private:
  std::map<Epoch, Offset> starts_;
};

}  // namespace mirrorproof
