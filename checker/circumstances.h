#pragma once
// Circumstances: what had happened to a partition when a violation was found. A known finding names the ones
// it cannot come about without, so that another hole that breaks the same invariant is not mistaken for it.

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/checker.h"

namespace mirrorproof::checker {

class CircumstanceTracker {
 public:
  explicit CircumstanceTracker(const TraceHeader& header);

  void observe(const Event& event);
  /// By the events observed so far. kNoPartition: what has happened to any.
  Circumstances of(PartitionId partition) const;

 private:
  struct Cluster {
    MirrorState last_action = MirrorState::unknown;
    bool mirrors = false;  ///< a mirror into this cluster has been started
    /// By BrokerId: the epoch in which the broker believes to lead, or nothing.
    std::vector<std::optional<Epoch>> leads;
  };
  struct Partition {
    Circumstances seen;
    std::vector<Cluster> clusters;
  };
  void observe(const Event& event, Partition& partition, Cluster& cluster);

  std::vector<Partition> partitions_;
};

}  // namespace mirrorproof::checker
