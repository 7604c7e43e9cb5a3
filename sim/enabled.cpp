// Which actions are enabled, for scripts and people: the condition that fails, and what was found.
// enumerate.cpp lists the enabled ones for the strategies.

#include <fmt/format.h>

#include "sim/simulator.h"

namespace mirrorproof::sim {
namespace {

/// What keeps the replica from leading, as the controller sees it.
std::string why_not_electable(const Controller& controller, const Action& action) {
  const PartitionRegistration& registration = controller.partition(action.partition);
  if (!registration.replica_set().contains(action.broker)) {
    return "is no replica of the partition";
  }
  if (registration.leader == action.broker) {
    return "is the leader already";
  }
  if (!controller.is_unfenced(action.broker)) {
    return "is fenced (restart it, or heal its controller, and settle)";
  }
  const bool eligible = registration.isr.contains(action.broker) || registration.elr.contains(action.broker);
  return eligible ? "is in the ISR, or eligible beside it (clean_election)"
                  : "is not in the ISR (unclean_election, once there is no leader)";
}

using C = ActionClass;

/// Empty if the condition is met, else the reason, which is put into words only then: scripts ask often.
template <class Reason>
std::string needs(bool condition, Reason&& reason) {
  return condition ? std::string{} : std::string{reason()};
}

}  // namespace

std::string Simulator::fetcher_action_blocked(const Action& action) const {
  const Broker& broker = broker_at(action.cluster, action.broker);
  const auto name = [&] { return broker_name(action.cluster, action.broker); };
  const FetcherSlot* slot =
      find_slot(action.cluster, action.broker, action.other_cluster, action.other_broker);
  const auto server = [&] { return broker_name(action.other_cluster, action.other_broker); };
  if (slot == nullptr) {
    return fmt::format("{} has no fetcher for {}", name(), server());
  }
  using Stage = FetcherSlot::Stage;
  if (action.kind == C::server_handle) {
    if (slot->stage != Stage::requested) {
      return fmt::format("no request of {} is on its way to {}", name(), server());
    }
    return needs(reachable(action.cluster, action.broker, *slot),
                 [&] { return fmt::format("{} cannot be reached", server()); });
  }
  if (action.kind == C::late_read) {
    return needs(reads_differently_now(*slot), [&] {
      return fmt::format(
          "no answer of {} with records is on its way to {}, or its log reads the same as before", server(),
          name());
    });
  }
  if (action.kind == C::drop_connection) {
    return needs(slot->connected, [&] { return fmt::format("{} is not connected to {}", name(), server()); });
  }
  if (!broker.alive) {
    return fmt::format("{} is down", name());
  }
  if (broker.holds(Held::fetch)) {
    return fmt::format("the fetchers of {} are held", name());
  }
  if (action.kind == C::fetcher_send) {
    if (slot->stage != Stage::idle) {
      return fmt::format("{} has a request in flight to {} already", name(), server());
    }
    return needs(slot->fetcher.has_work(), [&] {
      return fmt::format("the fetcher of {} for {} has nothing to send (its partitions back off)", name(),
                         server());
    });
  }
  if (action.kind == C::fetcher_receive) {
    return needs(slot->stage == Stage::answered || slot->stage == Stage::lost,
                 [&] { return fmt::format("no answer is on its way from {} to {}", server(), name()); });
  }
  const PartitionFetchState* state = slot->fetcher.find(action.partition);
  return needs(state != nullptr && state->delayed,
               [&] { return fmt::format("the partition does not back off in the fetcher of {}", name()); });
}

std::string Simulator::why_not_enabled(const Action& action) const {
  const Cluster& cluster = world_.clusters[action.cluster];
  const auto broker = [&]() -> const Broker& { return cluster.brokers[action.broker]; };
  const auto name = [&] { return broker_name(action.cluster, action.broker); };
  switch (action.kind) {
    case C::fetcher_send:
    case C::server_handle:
    case C::fetcher_receive:
    case C::fetcher_backoff:
    case C::drop_connection:
    case C::late_read:
      return fetcher_action_blocked(action);
    case C::isr_shrink: {
      const Partition& partition = broker().partitions[action.partition];
      if (!broker().alive || partition.role != Role::leader) {
        return not_leading(action.cluster, action.broker, action.partition);
      }
      if (partition.pending_isr) {
        return fmt::format("{} has an ISR change in flight already", name());
      }
      if (action.other_broker == action.broker || !partition.isr.contains(action.other_broker)) {
        return fmt::format("{} is not a follower in the ISR",
                           broker_name(action.cluster, action.other_broker));
      }
      return needs(!partition.is_caught_up(action.other_broker), [&] {
        return fmt::format("{} is caught up (hold its fetch before something is written)",
                           broker_name(action.cluster, action.other_broker));
      });
    }
    case C::alter_partition: {
      const Partition& partition = broker().partitions[action.partition];
      if (!broker().alive || partition.role != Role::leader || !partition.pending_isr) {
        return fmt::format(
            "{} proposes no ISR change (isr_shrink does, or the fetch of a follower; settle decides)",
            name());
      }
      if (broker().cut_from_controller) {
        return fmt::format("{} is cut off from its controller", name());
      }
      // P27: after a decision, or with stale epochs, the leader keeps its pending state until newer metadata
      // arrives.
      const PartitionRegistration& registration = cluster.controller.partition(action.partition);
      return needs(
          registration.leader == action.broker && registration.leader_epoch == partition.leader_epoch &&
              registration.partition_epoch == partition.partition_epoch,
          [&] { return fmt::format("{} has not applied the newest metadata of the partition", name()); });
    }
    case C::metadata_apply:
      if (!broker().alive) {
        return fmt::format("{} is down", name());
      }
      if (broker().cut_from_controller) {
        return fmt::format("{} is cut off from its controller", name());
      }
      if (broker().holds(Held::metadata)) {
        return fmt::format("the metadata of {} is held", name());
      }
      if (broker().applied_records == cluster.metadata_log.end()) {
        return fmt::format("{} has applied all metadata", name());
      }
      return needs(action.number <= records_to_apply(action.cluster, action.broker), [&] {
        return fmt::format("{} has {} metadata records to apply", name(),
                           records_to_apply(action.cluster, action.broker));
      });
    case C::fence:
      if (!cluster.controller.is_unfenced(action.broker)) {
        return fmt::format("{} is fenced already", name());
      }
      return needs(!broker().alive || broker().cut_from_controller, [&] {
        return fmt::format("{} is up and in touch with its controller (crash, or cut_controller, first)",
                           name());
      });
    case C::unfence:
      if (cluster.controller.is_unfenced(action.broker)) {
        return fmt::format("{} is not fenced", name());
      }
      if (!broker().alive || broker().cut_from_controller) {
        return fmt::format("{} is down or cut off from its controller", name());
      }
      return needs(broker().applied_records == cluster.metadata_log.end(),
                   [&] { return fmt::format("{} has not caught up with the metadata log", name()); });
    case C::mirror_step:
      if (!broker().alive) {
        return fmt::format("{} is down", name());
      }
      if (std::string blocked = mirror_step_blocked(action.cluster, action.broker, action.partition);
          !blocked.empty()) {
        return fmt::format("{} cannot take a mirror step: {}", name(), blocked);
      }
      return {};
    case C::epoch_bump:
      return needs(cluster.pending_bumps[action.partition].has_value(),
                   [] { return std::string{"no epoch bump is asked for"}; });
    case C::position_write:
      return needs(cluster.mirrors[action.partition].pending_position.has_value(),
                   [] { return std::string{"no mirror position is on its way to the coordinator"}; });
    case C::source_refresh: {
      if (!broker().alive) {
        return fmt::format("{} is down", name());
      }
      if (broker().holds(Held::source_metadata)) {
        return fmt::format("the source metadata of {} is held", name());
      }
      if (world_.is_cut(action.cluster, action.other_cluster) ||
          !broker_at(action.other_cluster, action.other_broker).alive) {
        return fmt::format("{} cannot be reached", broker_name(action.other_cluster, action.other_broker));
      }
      return needs(
          refresh_would_change(action.cluster, action.broker, action.other_cluster, action.other_broker),
          [] { return std::string{"it would learn nothing new"}; });
    }
    case C::group_look_up:
      return group_look_up_blocked(action.cluster, action.partition);
    case C::group_write:
      return needs(cluster.group_syncs[action.partition].has_value(),
                   [] { return std::string{"no cycle of group offset syncing is under way"}; });
    case C::produce:
    case C::produce_again:
    case C::produce_late:
    case C::end_transaction:
      return produce_blocked(action);
    case C::read:
      return read_blocked(action);
    case C::commit_group_offset:
      return commit_blocked(action);
    case C::resume_reader:
      return resume_blocked(action);
    case C::recreate_topic:
      return recreate_blocked(action);
    case C::coordinator_failover:
      return needs(coordinates_mirrors(action.cluster),
                   [] { return std::string{"the cluster has no mirror yet"}; });
    case C::clean_election:
      return needs(cluster.controller.can_elect_cleanly(action.partition, action.broker), [&] {
        return fmt::format("{} {}", name(), why_not_electable(cluster.controller, action));
      });
    case C::unclean_election:
      return needs(cluster.controller.can_elect_uncleanly(action.partition, action.broker), [&] {
        const BrokerId leader = cluster.controller.partition(action.partition).leader;
        return fmt::format(
            "an unclean election needs a partition without leader and a live replica out of the ISR; {}",
            leader != kNoBroker ? broker_name(action.cluster, leader) + " leads"
                                : name() + " " + why_not_electable(cluster.controller, action));
      });
    case C::preferred_election:
      return needs(cluster.controller.can_elect_preferred(action.partition), [&] {
        return std::string{
            "the first replica leads already, is out of the ISR or fenced, or the partition has no leader"};
      });
    case C::reassign:
      return reassign_blocked(action);
    case C::cancel_reassignment:
      return cluster.controller.cancellation_blocked(action.partition);
    case C::compact:
      return compact_blocked(action);
    case C::crash:
    case C::power_loss:
      return needs(broker().alive, [&] { return fmt::format("{} is down already", name()); });
    case C::shut_down:
      if (!broker().alive) {
        return fmt::format("{} is down already", name());
      }
      return needs(!broker().cut_from_controller, [&] {
        return fmt::format("{} is cut off from its controller, which has to agree (crash stops it anyway)",
                           name());
      });
    case C::set_min_insync_replicas:
      return min_insync_replicas_blocked(action);
    case C::restart:
      if (broker().alive) {
        return fmt::format("{} is up", name());
      }
      if (broker().cut_from_controller) {
        return fmt::format("{} is cut off from its controller", name());
      }
      return needs(!cluster.controller.is_unfenced(action.broker), [&] {
        return fmt::format(
            "the controller has not noticed yet that {} is down, and refuses a broker whose old session is "
            "alive (fence it first, or settle)",
            name());
      });
    case C::flush:
      return needs(broker().alive, [&] { return fmt::format("{} is down", name()); });
    case C::change_version:
      if (!broker().alive || broker().cut_from_controller) {
        return fmt::format("{} is down or cut off from its controller", name());
      }
      return needs(broker().version.index != action.number, [&] {
        return fmt::format("{} runs {} already", name(), kafka_version_name(broker().version));
      });
    case C::cut_clusters:
      return needs(!world_.is_cut(action.cluster, action.other_cluster),
                   [] { return std::string{"the clusters are cut off from each other already"}; });
    case C::heal_clusters:
      return needs(world_.is_cut(action.cluster, action.other_cluster),
                   [] { return std::string{"the clusters reach each other"}; });
    case C::cut_controller:
      return needs(!broker().cut_from_controller,
                   [&] { return fmt::format("{} is cut off already", name()); });
    case C::heal_controller:
      return needs(broker().cut_from_controller,
                   [&] { return fmt::format("{} reaches its controller", name()); });
    case C::delete_records: {
      const BrokerId leader = leader_of(action.cluster, action.partition);
      if (leader == kNoBroker || !broker_at(action.cluster, leader).alive ||
          partition_at(action.cluster, leader, action.partition).role != Role::leader) {
        return "the partition has no leader";
      }
      const Log& log = partition_at(action.cluster, leader, action.partition).log;
      return needs(action.number > log.log_start_offset() && action.number <= log.high_watermark(), [&] {
        return fmt::format("the log start can only move beyond {}, and up to the high watermark {}; found {}",
                           log.log_start_offset(), log.high_watermark(), action.number);
      });
    }
    case C::start_mirror:
    case C::stop_mirror:
    case C::pause_mirror:
    case C::resume_mirror:
    case C::delete_mirror:
    case C::recover_mirror:
      return order_blocked(action);
  }
  return "unknown action";
}

}  // namespace mirrorproof::sim
