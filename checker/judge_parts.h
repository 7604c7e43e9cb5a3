#pragma once
// The order in which the parts of a judge are written and read (judge_saver.cpp, judge_loader.cpp).

#include "checker/replay.h"

namespace mirrorproof::checker {

/// Everything the replay has one of per (cluster, broker, partition).
template <class R, class Visitor>
void for_each_replica(R& replay, Visitor&& visit) {
  for (std::size_t c = 0; c < replay.header().clusters.size(); ++c) {
    const auto cluster = static_cast<ClusterId>(c);
    for (BrokerId broker = 0; broker < replay.brokers(cluster); ++broker) {
      for (PartitionId partition = 0; partition < replay.partitions(); ++partition) {
        visit(replay.replica(cluster, broker, partition));
      }
    }
  }
}

template <class R, class Visitor>
void for_each_partition(R& replay, Visitor&& visit) {
  for (std::size_t c = 0; c < replay.header().clusters.size(); ++c) {
    for (PartitionId partition = 0; partition < replay.partitions(); ++partition) {
      visit(static_cast<ClusterId>(c), partition);
    }
  }
}

}  // namespace mirrorproof::checker
