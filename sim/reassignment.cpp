// Replica sets that change: the order, and what a broker does that gains or loses a replica.

#include <algorithm>

#include "model/check.h"
#include "sim/log_snapshot.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {
namespace {

constexpr int kReplicaBits = 3;
constexpr std::uint32_t kReplicaMask = (1U << kReplicaBits) - 1;
constexpr int kCountShift = kReplicaBits * kMaxBrokers;

static_assert(kMaxBrokers <= 1 << kReplicaBits, "a broker id fits its bits");

}  // namespace

std::int64_t packed_replicas(const ReplicaList& replicas) {
  auto packed = static_cast<std::uint32_t>(replicas.size()) << kCountShift;
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    packed |= static_cast<std::uint32_t>(replicas[i]) << (kReplicaBits * static_cast<int>(i));
  }
  return packed;
}

ReplicaList unpacked_replicas(std::int64_t packed) {
  const auto bits = static_cast<std::uint32_t>(packed);
  ReplicaList replicas;
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(bits >> kCountShift, kMaxBrokers); ++i) {
    replicas.push_back(static_cast<BrokerId>((bits >> (kReplicaBits * i)) & kReplicaMask));
  }
  return replicas;
}

std::string Simulator::reassign_blocked(const Action& action) const {
  const Cluster& cluster = world_.clusters[action.cluster];
  const ReplicaList target = unpacked_replicas(action.number);
  BrokerSet named;
  for (const BrokerId replica : target) {
    if (static_cast<std::size_t>(replica) >= cluster.brokers.size() || named.contains(replica)) {
      return "the new assignment names a broker twice, or one that there is not";
    }
    named.insert(replica);
  }
  return cluster.controller.reassignment_blocked(action.partition, target);
}

/// One replica more, one less, one instead of another, or another preferred leader.
void Simulator::enumerate_reassignments(ClusterId id, Actions& out) const {
  const Cluster& cluster = world_.clusters[id];
  for (std::size_t p = 0; p < cluster.controller.partition_count(); ++p) {
    const auto partition = static_cast<PartitionId>(p);
    const PartitionRegistration& registration = cluster.controller.partition(partition);
    if (!registration.hosted()) {
      continue;
    }
    const auto offer = [&](const ReplicaList& target) {
      Action action;
      action.kind = ActionClass::reassign;
      action.cluster = id;
      action.partition = partition;
      action.number = packed_replicas(target);
      if (reassign_blocked(action).empty()) {
        out.push_back(action);
      }
    };
    const ReplicaList& now = registration.replicas;
    const BrokerSet members = registration.replica_set();
    for (BrokerId broker = 0; broker < static_cast<BrokerId>(cluster.brokers.size()); ++broker) {
      if (!members.contains(broker)) {
        ReplicaList more = now;
        more.push_back(broker);
        offer(more);
        for (std::size_t i = 0; i < now.size(); ++i) {
          ReplicaList instead = now;
          instead[i] = broker;
          offer(instead);
        }
      }
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
      ReplicaList less = now;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
      offer(less);
    }
    ReplicaList rotated = now;
    std::rotate(rotated.begin(), rotated.begin() + 1, rotated.end());
    offer(rotated);
  }
}

void Simulator::begin_hosting(ClusterId cluster, BrokerId broker, PartitionId id) {
  Partition& partition = partition_at(cluster, broker, id);
  const LeaderRules rules = partition.rules;
  Log log;
  log.set_rules(partition.log.rules());
  partition = Partition{};
  partition.log = std::move(log);
  partition.rules = rules;
  partition.hosted = true;
}

/// Kafka: ReplicaManager.stopReplicas with deletion. What the broker led or copied of the partition ends
/// here.
void Simulator::delete_replica(ClusterId cluster, BrokerId broker, PartitionId id,
                               const PartitionRegistration& registration, EventId event) {
  Broker& owner = broker_at(cluster, broker);
  Partition& partition = owner.partitions[id];
  EventId cause = event;
  if (partition.role != Role::offline) {
    cause = recorder_.emit(cluster, broker, id,
                           BecameFollower{registration.leader_epoch, registration.leader}, {event});
  }
  remove_from_fetchers(cluster, broker, id, false);
  forget_pending_acks(cluster, broker, id);
  owner.tasks[id] = MirrorTask{};
  owner.leadership_events[id] = 0;
  owner.source_views[id] = LeaderView{};
  // Nobody leads by this log any more: what it loses is no loss of the mirror's.
  partition.forget_role();
  truncate_log(cluster, broker, id, 0, TruncationReason::replica_removed, false, true, {cause});
}

void Simulator::stop_hosting(ClusterId cluster, BrokerId broker, PartitionId id,
                             const PartitionRegistration& registration, EventId event) {
  delete_replica(cluster, broker, id, registration, event);
  Partition& partition = partition_at(cluster, broker, id);
  partition.hosted = false;
  partition.assignment = 0;
}

}  // namespace mirrorproof::sim
