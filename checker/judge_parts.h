#pragma once
// The order in which the parts of a judge are written and read (judge_saver.cpp, judge_loader.cpp).

#include "checker/replay.h"

namespace mirrorproof::checker {

/// How the landmark of an election, a take-over or a fate is told (judge_state.h).
inline constexpr std::uint64_t kForgottenLandmark = 0;
inline constexpr std::uint64_t kLandmarkKnownToAll = 1;
inline constexpr std::uint64_t kFirstLandmark = 2;

/// Everything the replay has one of per (cluster, broker, partition).
template <class R, class Visitor>
void for_each_replica_of(R& replay, Visitor&& visit) {
  for (std::size_t c = 0; c < replay.header().clusters.size(); ++c) {
    const auto cluster = static_cast<ClusterId>(c);
    for (BrokerId broker = 0; broker < replay.brokers(cluster); ++broker) {
      for (PartitionId partition = 0; partition < replay.partitions(); ++partition) {
        visit(cluster, broker, replay.replica(cluster, broker, partition));
      }
    }
  }
}
template <class R, class Visitor>
void for_each_replica(R& replay, Visitor&& visit) {
  for_each_replica_of(replay, [&visit](ClusterId, BrokerId, auto& replica) { visit(replica); });
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
