#include "checker/replay.h"

#include <utility>

namespace mirrorproof::checker {

Replay::Replay(TraceHeader header, bool forgetful) : order(header, forgetful), header_(std::move(header)) {
  std::size_t brokers = 0;
  for (const TraceCluster& cluster : header_.clusters) {
    first_broker_.push_back(brokers);
    brokers += static_cast<std::size_t>(cluster.brokers);
  }
  replicas_.resize(brokers * header_.partitions.size());
  lineages_.resize(header_.clusters.size() * header_.partitions.size());
  touched_replicas_.resize(replicas_.size(), true);
  touched_lineages_.resize(lineages_.size(), true);
  mirrors_.resize(header_.clusters.size() * header_.partitions.size());
  joining_.resize(mirrors_.size());
  for (std::size_t cluster = 0; cluster < header_.clusters.size(); ++cluster) {
    for (const TracePartition& partition : header_.partitions) {
      hosts_.push_back(cluster < partition.replicas.size() ? partition.replicas[cluster] : BrokerSet{});
    }
  }
}

bool Replay::known(ClusterId cluster, BrokerId broker) const {
  return cluster >= 0 && static_cast<std::size_t>(cluster) < header_.clusters.size() && broker >= 0 &&
         broker < brokers(cluster);
}

const Replica* Replay::leader(ClusterId cluster, PartitionId partition) const {
  const BrokerId broker = lineage(cluster, partition).leader();
  return broker == kNoBroker ? nullptr : &replica(cluster, broker, partition);
}

}  // namespace mirrorproof::checker
