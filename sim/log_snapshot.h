#pragma once
// LogSnapshot: just enough of a log to see afterwards which of its positions an operation changed.

#include <cstddef>

#include "model/log.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {

struct Simulator::LogSnapshot {
  Offset high_watermark = 0;
  Offset log_start = 0;
  std::size_t epochs = 0;
  EpochEntry first_epoch;
  EpochEntry last_epoch;

  static LogSnapshot of(const Log& log) {
    const auto entries = log.leader_epoch_cache().entries();
    LogSnapshot snapshot;
    snapshot.high_watermark = log.high_watermark();
    snapshot.log_start = log.log_start_offset();
    snapshot.epochs = entries.size();
    if (!entries.empty()) {
      snapshot.first_epoch = entries.front();
      snapshot.last_epoch = entries.back();
    }
    return snapshot;
  }

  /// Every cache operation changes the number of entries, the first or the last one.
  bool same_cache(const LogSnapshot& other) const {
    return epochs == other.epochs && first_epoch == other.first_epoch && last_epoch == other.last_epoch;
  }
  friend bool operator==(const LogSnapshot&, const LogSnapshot&) = default;
};

}  // namespace mirrorproof::sim
