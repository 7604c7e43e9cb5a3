#pragma once
// LogReplay: the logs of all replicas, rebuilt from events alone, so that reports can show them for any
// trace. A trace that contradicts itself gives odd logs, never a crash: judging it is the checker's business.

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>

#include "model/event.h"

namespace mirrorproof::reports {

/// One replica's log as the events so far tell it.
struct ReplayedLog {
  std::deque<Batch> batches;  ///< those with records
  Offset log_start = 0;
  Offset log_end = 0;
  Offset high_watermark = 0;
};

struct ReplicaKey {
  ClusterId cluster = kNoCluster;
  BrokerId broker = kNoBroker;
  PartitionId partition = kNoPartition;
  friend auto operator<=>(const ReplicaKey&, const ReplicaKey&) = default;
};

class LogReplay {
 public:
  /// True if the event changed what a log shows (records, ends or high watermark).
  bool observe(const Event& event);

  /// The log of the event's replica; nullptr while it has none.
  const ReplayedLog* find(const ReplicaKey& key) const;

 private:
  std::map<ReplicaKey, ReplayedLog> logs_;
};

/// "0..4:1 5:10R": runs of offsets by epoch, R marks the PID_RESET of a stopped mirror; "empty" for no
/// records. At most `max_runs` runs, the middle left out.
std::string records_text(const ReplayedLog& log, std::size_t max_runs = 24);

/// records_text() of a list of batches.
std::string batches_text(const BatchSlice& batches, std::size_t max_runs = 8);

/// "0..4:1 5:10  (high watermark 5, log end 6)", with the log start if it is not 0.
std::string log_text(const ReplayedLog& log);

}  // namespace mirrorproof::reports
