#include "explore/broker_names.h"

#include <algorithm>

#include "model/state_fields.h"

namespace mirrorproof::explore {
namespace {

/// Renames what names a broker of one cluster.
struct InCluster {
  const BrokerNames& names;
  ClusterId cluster;

  void operator()(BrokerId& broker) const { broker = names.of(cluster, broker); }
  void operator()(BrokerSet& brokers) const { brokers = names.of(cluster, brokers); }
  void operator()(PartitionRegistration& registration) const {
    for (BrokerId& replica : registration.replicas) {
      (*this)(replica);
    }
    (*this)(registration.adding);
    (*this)(registration.removing);
    (*this)(registration.isr);
    (*this)(registration.elr);
    (*this)(registration.last_known_leader);
    (*this)(registration.leader);
    permute(registration.assignments, names.names(cluster));
  }
  void operator()(Partition& partition) const {
    (*this)(partition.leader);
    (*this)(partition.replicas);
    (*this)(partition.isr);
    if (partition.pending_isr) {
      (*this)(partition.pending_isr->members);
      permute(partition.pending_isr->broker_epochs, names.names(cluster));
    }
    permute(partition.follower_end_offset, names.names(cluster));
    permute(partition.follower_broker_epoch, names.names(cluster));
  }
  void operator()(Response& response) const {
    if (auto* fetch = std::get_if<FetchResponse>(&response)) {
      for (FetchPartitionResponse& answer : fetch->partitions) {
        (*this)(answer.current_leader);
      }
    }
  }
};

/// Does it name brokers of another cluster that have new names?
bool names_renamed(const sim::Broker& broker, const sim::Cluster& cluster, const BrokerNames& names) {
  return std::any_of(cluster.mirrors.begin(), cluster.mirrors.end(),
                     [&](const MirrorRecord& mirror) {
                       return mirror.source != kNoCluster && names.changes(mirror.source);
                     }) ||
         std::any_of(broker.fetchers.begin(), broker.fetchers.end(),
                     [&](const sim::FetcherSlot& slot) { return names.changes(slot.server_cluster); });
}

void rename_in_broker(sim::Broker& broker, const sim::Cluster& cluster, ClusterId own,
                      const BrokerNames& names) {
  const InCluster here{names, own};
  for (std::size_t p = 0; p < broker.partitions.size(); ++p) {
    const InCluster at_source{names, cluster.mirrors[p].source};
    here(broker.partitions[p]);
    here(broker.metadata[p].broker);
    at_source(broker.source_views[p].broker);
    at_source(broker.tasks[p].failed_broker);
  }
  for (sim::FetcherSlot& slot : broker.fetchers) {
    const InCluster at_server{names, slot.server_cluster};
    at_server(slot.server);
    at_server(slot.response);
  }
  const auto key = [](const sim::FetcherSlot& slot) { return std::pair{slot.server_cluster, slot.server}; };
  const auto earlier = [&](const sim::FetcherSlot& left, const sim::FetcherSlot& right) {
    return key(left) < key(right);
  };
  if (!std::is_sorted(broker.fetchers.begin(), broker.fetchers.end(), earlier)) {
    std::sort(broker.fetchers.begin(), broker.fetchers.end(), earlier);
  }
}

}  // namespace

BrokerNames::BrokerNames() {
  for (auto& cluster : names_) {
    for (std::size_t broker = 0; broker < cluster.size(); ++broker) {
      cluster[broker] = static_cast<BrokerId>(broker);
    }
  }
}

BrokerSet BrokerNames::of(ClusterId cluster, BrokerSet brokers) const {
  BrokerSet renamed;
  for (BrokerId broker = 0; broker < kMaxBrokers; ++broker) {
    if (brokers.contains(broker)) {
      renamed.insert(of(cluster, broker));
    }
  }
  return renamed;
}

sim::Action BrokerNames::of(const sim::Action& action) const {
  sim::Action renamed = action;
  renamed.broker = of(action.cluster, action.broker);
  const ClusterId other = action.other_cluster == kNoCluster ? action.cluster : action.other_cluster;
  renamed.other_broker = of(other, action.other_broker);
  if (action.kind == sim::ActionClass::reassign) {
    ReplicaList replicas = sim::unpacked_replicas(action.number);
    for (BrokerId& replica : replicas) {
      replica = of(action.cluster, replica);
    }
    renamed.number = sim::packed_replicas(replicas);
  }
  return renamed;
}

bool BrokerNames::changes(ClusterId cluster) const {
  return !std::is_sorted(names(cluster).begin(), names(cluster).end());
}

bool BrokerNames::changes_any() const {
  return *this != BrokerNames();
}

BrokerNames BrokerNames::then(const BrokerNames& next) const {
  BrokerNames both;
  for (ClusterId cluster = 0; cluster < kMaxClusters; ++cluster) {
    for (BrokerId broker = 0; broker < kMaxBrokers; ++broker) {
      both.names(cluster)[static_cast<std::size_t>(broker)] = next.of(cluster, of(cluster, broker));
    }
  }
  return both;
}

BrokerNames BrokerNames::inverse() const {
  BrokerNames back;
  for (ClusterId cluster = 0; cluster < kMaxClusters; ++cluster) {
    for (BrokerId broker = 0; broker < kMaxBrokers; ++broker) {
      back.names(cluster)[static_cast<std::size_t>(of(cluster, broker))] = broker;
    }
  }
  return back;
}

void rename_brokers(sim::World& world, const BrokerNames& names) {
  for (std::size_t c = 0; c < world.clusters.size(); ++c) {
    const auto id = static_cast<ClusterId>(c);
    const auto& brokers = std::as_const(world).clusters[c].brokers;
    for (std::size_t b = 0; b < brokers.size(); ++b) {
      if (names.changes(id) || names_renamed(brokers[b], std::as_const(world).clusters[c], names)) {
        rename_in_broker(world.clusters.untouched(c).brokers[b], std::as_const(world).clusters[c], id, names);
      }
    }
    if (!names.changes(id)) {
      continue;
    }
    sim::Cluster& cluster = world.clusters[c];
    const InCluster here{names, id};
    for (std::size_t p = 0; p < cluster.mirrors.size(); ++p) {
      here(StateFields::registration(cluster.controller, static_cast<PartitionId>(p)));
      if (cluster.mirrors[p].pending_position) {
        here(cluster.mirrors[p].pending_position->sender);
      }
    }
    here(StateFields::unfenced(cluster.controller));
    for (MetadataRecord& record : cluster.metadata_log.records) {
      here(record.registration);
    }
    for (sim::PendingAck& ack : cluster.pending_acks) {
      here(ack.leader);
    }
    permute(cluster.brokers, names.names(id));
  }
}

}  // namespace mirrorproof::explore
