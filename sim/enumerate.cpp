// Which actions are enabled, for the strategies: every instance, in a fixed order. enabled.cpp says why one
// is not.

#include "sim/simulator.h"

namespace mirrorproof::sim {
namespace {

using C = ActionClass;

Action at(C kind, ClusterId cluster, BrokerId broker, PartitionId partition = kNoPartition) {
  Action action;
  action.kind = kind;
  action.cluster = cluster;
  action.broker = broker;
  action.partition = partition;
  return action;
}

Action between(C kind, ClusterId cluster, BrokerId broker, ClusterId other_cluster, BrokerId other_broker) {
  Action action = at(kind, cluster, broker);
  action.other_cluster = other_cluster;
  action.other_broker = other_broker;
  return action;
}

}  // namespace

int Simulator::records_to_apply(ClusterId cluster, BrokerId broker) const {
  return static_cast<int>(world_.clusters[cluster].metadata_log.end() -
                          broker_at(cluster, broker).applied_records);
}

void Simulator::enumerate(ActionClass kind, Actions& out) const {
  out.clear();
  if (world_.budgets_left[static_cast<int>(kind)] == 0) {
    return;
  }
  for (std::size_t c = 0; c < world_.clusters.size(); ++c) {
    enumerate_in(static_cast<ClusterId>(c), kind, out);
  }
}

void Simulator::enumerate_in(ClusterId id, ActionClass kind, Actions& out) const {
  const Cluster& cluster = world_.clusters[id];
  const auto brokers = static_cast<BrokerId>(cluster.brokers.size());
  const auto partitions = static_cast<PartitionId>(cluster.mirrors.size());
  switch (kind) {
    case C::fetcher_send:
    case C::server_handle:
    case C::fetcher_receive:
    case C::fetcher_backoff:
    case C::drop_connection:
    case C::late_read:
      enumerate_fetchers(id, kind, out);
      return;
    case C::isr_shrink:
    case C::alter_partition:
    case C::mirror_step:
    case C::produce:
      for (BrokerId b = 0; b < brokers; ++b) {
        if (cluster.brokers[b].alive) {
          for (PartitionId p = 0; p < partitions; ++p) {
            enumerate_leader_actions(id, b, p, kind, out);
          }
        }
      }
      return;
    case C::metadata_apply:
      for (BrokerId b = 0; b < brokers; ++b) {
        const Broker& broker = cluster.brokers[b];
        if (broker.alive && !broker.cut_from_controller &&
            broker.applied_records < cluster.metadata_log.end() && !broker.holds(Held::metadata)) {
          out.push_back(at(kind, id, b));
        }
      }
      return;
    case C::epoch_bump:
    case C::position_write:
    case C::group_look_up:
    case C::group_write:
      for (PartitionId p = 0; p < partitions; ++p) {
        if (partition_action_enabled(id, p, kind)) {
          out.push_back(at(kind, id, kNoBroker, p));
        }
      }
      return;
    case C::source_refresh:
      enumerate_refreshes(id, out);
      return;
    case C::clean_election:
    case C::unclean_election:
      for (PartitionId p = 0; p < partitions; ++p) {
        for (BrokerId b = 0; b < brokers; ++b) {
          if (kind == C::clean_election ? cluster.controller.can_elect_cleanly(p, b)
                                        : cluster.controller.can_elect_uncleanly(p, b)) {
            out.push_back(at(kind, id, b, p));
          }
        }
      }
      return;
    case C::preferred_election:
      for (PartitionId p = 0; p < partitions; ++p) {
        if (cluster.controller.can_elect_preferred(p)) {
          out.push_back(at(kind, id, kNoBroker, p));
        }
      }
      return;
    case C::reassign:
      enumerate_reassignments(id, out);
      return;
    case C::cancel_reassignment:
      for (PartitionId p = 0; p < partitions; ++p) {
        if (cluster.controller.cancellation_blocked(p).empty()) {
          out.push_back(at(kind, id, kNoBroker, p));
        }
      }
      return;
    case C::compact:
      enumerate_compactions(id, out);
      return;
    case C::change_version:
      for (BrokerId b = 0; b < brokers; ++b) {
        const Broker& broker = cluster.brokers[b];
        for (const KafkaVersion version : setup_->faults.versions) {
          if (broker.alive && !broker.cut_from_controller && broker.version != version &&
              may_run(id, version)) {
            out.push_back(at(kind, id, b));
            out.back().number = version.index;
          }
        }
      }
      return;
    case C::cut_clusters:
    case C::heal_clusters:
      for (std::size_t other = static_cast<std::size_t>(id) + 1; other < world_.clusters.size(); ++other) {
        if (world_.is_cut(id, static_cast<ClusterId>(other)) == (kind == C::heal_clusters)) {
          out.push_back(at(kind, id, kNoBroker));
          out.back().other_cluster = static_cast<ClusterId>(other);
        }
      }
      return;
    case C::delete_records:
      for (PartitionId p = 0; p < partitions; ++p) {
        const BrokerId leader = leader_of(id, p);
        Action action = at(kind, id, kNoBroker, p);
        if (leader != kNoBroker) {
          action.number = partition_at(id, leader, p).log.log_start_offset() + 1;
          if (why_not_enabled(action).empty()) {
            out.push_back(action);
          }
        }
      }
      return;
    case C::produce_again:
    case C::produce_late:
    case C::end_transaction:
      enumerate_producers(id, kind, out);
      return;
    case C::read:
    case C::commit_group_offset:
    case C::resume_reader:
      enumerate_readers(id, kind, out);
      return;
    case C::set_min_insync_replicas:
      for (PartitionId p = 0; p < partitions; ++p) {
        // One more than it is, or back to one.
        Action action = at(kind, id, kNoBroker, p);
        const PartitionRegistration& registration = cluster.controller.partition(p);
        const auto replicas = static_cast<int>(registration.replicas.size());
        action.number =
            registration.min_insync_replicas < replicas ? registration.min_insync_replicas + 1 : 1;
        if (min_insync_replicas_blocked(action).empty()) {
          out.push_back(action);
        }
      }
      return;
    case C::recreate_topic:
      for (PartitionId p = 0; p < partitions; ++p) {
        if (recreate_blocked(at(kind, id, kNoBroker, p)).empty()) {
          out.push_back(at(kind, id, kNoBroker, p));
        }
      }
      return;
    case C::coordinator_failover:
      if (coordinates_mirrors(id)) {
        out.push_back(at(kind, id, kNoBroker));
      }
      return;
    case C::start_mirror:
    case C::stop_mirror:
    case C::pause_mirror:
    case C::resume_mirror:
    case C::delete_mirror:
    case C::recover_mirror:
      enumerate_orders(id, kind, out);
      return;
    default:
      for (BrokerId b = 0; b < brokers; ++b) {
        if (broker_action_enabled(id, b, kind)) {
          out.push_back(at(kind, id, b));
        }
      }
  }
}

bool Simulator::partition_action_enabled(ClusterId id, PartitionId p, ActionClass kind) const {
  const Cluster& cluster = world_.clusters[id];
  switch (kind) {
    case C::epoch_bump:
      return cluster.pending_bumps[p].has_value();
    case C::position_write:
      return cluster.mirrors[p].pending_position.has_value();
    case C::group_write:
      return cluster.group_syncs[p].has_value();
    default: {
      const ClusterId source = cluster.mirrors[p].source;
      return source != kNoCluster && !world_.clusters[source].group_offsets[p].empty() &&
             group_look_up_blocked(id, p).empty();
    }
  }
}

/// The same conditions as in why_not_enabled, without the words: this is the hot path.
bool Simulator::broker_action_enabled(ClusterId id, BrokerId b, ActionClass kind) const {
  const Cluster& cluster = world_.clusters[id];
  const Broker& broker = cluster.brokers[b];
  const bool in_touch = broker.alive && !broker.cut_from_controller;
  switch (kind) {
    case C::fence:
      return cluster.controller.is_unfenced(b) && !in_touch;
    case C::unfence:
      return !cluster.controller.is_unfenced(b) && in_touch &&
             broker.applied_records == cluster.metadata_log.end();
    case C::crash:
    case C::power_loss:
    case C::flush:
      return broker.alive;
    case C::shut_down:
      return in_touch;
    case C::restart:
      return !broker.alive && !broker.cut_from_controller && !cluster.controller.is_unfenced(b);
    case C::cut_controller:
      return !broker.cut_from_controller;
    case C::heal_controller:
      return broker.cut_from_controller;
    default:
      return false;
  }
}

void Simulator::enumerate_fetchers(ClusterId id, ActionClass kind, Actions& out) const {
  using Stage = FetcherSlot::Stage;
  const Cluster& cluster = world_.clusters[id];
  for (std::size_t b = 0; b < cluster.brokers.size(); ++b) {
    const Broker& broker = cluster.brokers[b];
    if (!broker.alive) {
      continue;
    }
    const bool held = broker.holds(Held::fetch);
    const auto broker_id = static_cast<BrokerId>(b);
    for (const FetcherSlot& slot : broker.fetchers) {
      const Action action = between(kind, id, broker_id, slot.server_cluster, slot.server);
      bool enabled = false;
      switch (kind) {
        case C::fetcher_send:
          enabled = !held && slot.stage == Stage::idle && slot.fetcher.has_work();
          break;
        case C::server_handle:
          enabled = slot.stage == Stage::requested && reachable(id, broker_id, slot);
          break;
        case C::fetcher_receive:
          enabled = !held && (slot.stage == Stage::answered || slot.stage == Stage::lost);
          break;
        case C::drop_connection:
          enabled = slot.connected;
          break;
        case C::late_read:
          enabled = reads_differently_now(slot);
          break;
        default:
          for (const PartitionFetchState& state : slot.fetcher.states()) {
            if (!held && state.delayed) {
              out.push_back(action);
              out.back().partition = state.partition;
            }
          }
      }
      if (enabled) {
        out.push_back(action);
      }
    }
  }
}

void Simulator::enumerate_leader_actions(ClusterId id, BrokerId b, PartitionId p, ActionClass kind,
                                         Actions& out) const {
  const Broker& broker = broker_at(id, b);
  const Partition& partition = broker.partitions[p];
  if (partition.role != Role::leader) {
    return;
  }
  Action action = at(kind, id, b, p);
  switch (kind) {
    case C::isr_shrink:
      for (BrokerId follower = 0; follower < kMaxBrokers; ++follower) {
        if (follower != b && !partition.pending_isr && partition.isr.contains(follower) &&
            !partition.is_caught_up(follower)) {
          action.other_broker = follower;
          out.push_back(action);
        }
      }
      return;
    case C::alter_partition:
      if (partition.pending_isr && why_not_enabled(action).empty()) {
        out.push_back(action);
      }
      return;
    case C::mirror_step:
      if (broker.tasks[p].step != MirrorTask::Step::idle && mirror_step_blocked(id, b, p).empty()) {
        out.push_back(action);
      }
      return;
    default:
      if (!partition.read_only && partition.isr.size() >= partition.min_insync_replicas) {
        action.number = 1;
        action.flags = static_cast<std::uint8_t>(ActionFlag::acks_all);
        out.push_back(action);
      }
  }
}

void Simulator::enumerate_refreshes(ClusterId id, Actions& out) const {
  const Cluster& cluster = world_.clusters[id];
  for (std::size_t source = 0; source < world_.clusters.size(); ++source) {
    const auto source_id = static_cast<ClusterId>(source);
    if (source_id == id || world_.is_cut(id, source_id)) {
      continue;
    }
    for (std::size_t b = 0; b < cluster.brokers.size(); ++b) {
      if (cluster.brokers[b].holds(Held::source_metadata)) {
        continue;
      }
      for (std::size_t asked = 0; asked < world_.clusters[source].brokers.size(); ++asked) {
        const auto broker = static_cast<BrokerId>(b);
        const auto source_broker = static_cast<BrokerId>(asked);
        if (cluster.brokers[b].alive && world_.clusters[source].brokers[asked].alive &&
            refresh_would_change(id, broker, source_id, source_broker)) {
          out.push_back(between(C::source_refresh, id, broker, source_id, source_broker));
        }
      }
    }
  }
}

void Simulator::enumerate_orders(ClusterId destination, ActionClass kind, Actions& out) const {
  for (const MirrorSetup& mirror : setup_->mirrors) {
    // Every mirror may also be reversed.
    for (const bool reversed : {false, true}) {
      const ClusterId to = reversed ? mirror.source : mirror.destination;
      const ClusterId from = reversed ? mirror.destination : mirror.source;
      if (to != destination) {
        continue;
      }
      Action action = at(kind, to, kNoBroker, mirror.partition);
      action.other_cluster = from;
      const bool other_source =
          kind != C::start_mirror && world_.clusters[to].mirrors[mirror.partition].source != from;
      if (!other_source && order_blocked(action).empty()) {
        out.push_back(action);
      }
    }
  }
}

bool Simulator::may_mirror(ClusterId destination) const {
  return !supported_range(inter_broker_version_[destination], ApiKey::describe_cluster_mirrors).empty();
}

bool Simulator::may_run(ClusterId cluster, KafkaVersion version) const {
  // A cluster that mirrors, or is told to, needs brokers that know cluster mirroring.
  for (const MirrorSetup& mirror : setup_->mirrors) {
    if (mirror.destination == cluster && supported_range(version, ApiKey::describe_cluster_mirrors).empty()) {
      return false;
    }
  }
  for (const MirrorRecord& record : world_.clusters[cluster].mirrors) {
    if (record.source != kNoCluster && supported_range(version, ApiKey::describe_cluster_mirrors).empty()) {
      return false;
    }
  }
  return true;
}

}  // namespace mirrorproof::sim
