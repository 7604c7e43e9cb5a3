// Brokers come and go, links break and heal.

#include "model/check.h"
#include "sim/log_snapshot.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {

void Simulator::break_connections_to(ClusterId cluster, BrokerId broker) {
  for (std::size_t c = 0; c < world_.clusters.size(); ++c) {
    const auto client_cluster = static_cast<ClusterId>(c);
    for (std::size_t b = 0; b < view_of(client_cluster).brokers.size(); ++b) {
      if (FetcherSlot* slot = find_slot(client_cluster, static_cast<BrokerId>(b), cluster, broker)) {
        break_connection(*slot);
      }
    }
  }
}

void Simulator::stop_broker(ClusterId cluster, BrokerId id, StopKind kind) {
  Broker& broker = broker_at(cluster, id);
  const EventId stopped = recorder_.emit(cluster, id, kNoPartition, BrokerStopped{kind});
  note_progress();
  broker.alive = false;
  broker.unclean_stop = broker.unclean_stop || kind != StopKind::clean;
  for (const FetcherSlot& slot : broker.fetchers) {
    branches_[slot.fetcher.rules().mirror ? 1 : 0].note_all(slot.fetcher.branches());
  }
  broker.fetchers.clear();
  forget_pending_acks(cluster, id, kNoPartition);
  break_connections_to(cluster, id);
  for (std::size_t i = 0; i < broker.partitions.size(); ++i) {
    Partition& partition = broker.partitions[i];
    const auto partition_id = static_cast<PartitionId>(i);
    if (partition.hosted && kind == StopKind::power_loss) {
      truncate_log(cluster, id, partition_id, partition.log.recovery_point(), TruncationReason::power_loss,
                   false, false, {stopped});
    }
    if (partition.hosted && kind == StopKind::power_loss &&
        setup_->protocol.epoch_recovery == EpochRecovery::none_after_power_loss) {
      const LogSnapshot before = LogSnapshot::of(partition.log);
      partition.log.forget_epochs();
      emit_log_changes(cluster, id, partition_id, before, stopped);
    }
    if (partition.hosted && kind == StopKind::clean) {
      partition.log.flush();  // L22
    }
    partition.forget_role();
    broker.tasks[i] = MirrorTask{};
    broker.source_views[i] = LeaderView{};
    broker.leadership_events[i] = 0;
    // A position on its way to the coordinator dies with its sender when nobody waits for it (M30).
    auto& pending = world_.clusters[cluster].mirrors[i].pending_position;
    if (pending && pending->sender == id) {
      pending.reset();
    }
  }
}

void Simulator::start_broker(ClusterId cluster_id, BrokerId id) {
  Cluster& cluster = world_.clusters[cluster_id];
  Broker& broker = cluster.brokers[id];
  broker.alive = true;
  broker.broker_epoch += 1;
  note_progress();
  const bool historic = setup_->protocol.replication != Replication::kip320;
  BrokerStarted started;
  started.version = broker.version;
  started.fetch = historic ? ApiVersionRange{0, 19} : supported_range(broker.version, ApiKey::fetch);
  started.offset_for_leader_epoch =
      historic ? ApiVersionRange{0, 4} : supported_range(broker.version, ApiKey::offset_for_leader_epoch);
  recorder_.emit(cluster_id, id, kNoPartition, started);
  for (std::size_t i = 0; i < broker.partitions.size() && broker.unclean_stop; ++i) {
    Log& log = broker.partitions[i].log;
    const LogSnapshot before = LogSnapshot::of(log);
    if (setup_->protocol.epoch_recovery == EpochRecovery::all_but_epoch_zero) {
      log.forget_epoch_zero();
    }
    if (setup_->protocol.high_watermark_recovery == HighWatermarkRecovery::lost) {
      log.set_high_watermark(log.log_start_offset());
    }
    emit_log_changes(cluster_id, id, static_cast<PartitionId>(i), before, 0);
  }
  // It catches up with the metadata log before it serves anything; fenced until the controller lets it back
  // in.
  broker.applied_records = cluster.metadata_log.end();
  for (std::size_t i = 0; i < cluster.controller.partition_count(); ++i) {
    const auto partition = static_cast<PartitionId>(i);
    apply_registration(cluster_id, id, partition, cluster.controller.partition(partition),
                       cluster.registration_events[i]);
  }
  trim_metadata_log(cluster);
}

void Simulator::execute_fault(const Action& action) {
  Cluster& cluster = world_.clusters[action.cluster];
  switch (action.kind) {
    case ActionClass::crash:
      stop_broker(action.cluster, action.broker, StopKind::crash);
      break;
    case ActionClass::power_loss:
      stop_broker(action.cluster, action.broker, StopKind::power_loss);
      break;
    case ActionClass::shut_down:
      if (cluster.controller.is_unfenced(action.broker)) {
        publish(action.cluster, cluster.controller.fence(action.broker), 0);
      }
      stop_broker(action.cluster, action.broker, StopKind::clean);
      break;
    case ActionClass::restart:
      start_broker(action.cluster, action.broker);
      break;
    case ActionClass::flush:
      for (Partition& partition : cluster.brokers[action.broker].partitions) {
        partition.log.flush();
      }
      break;
    case ActionClass::change_version:
      // A controlled shutdown hands leadership over before the process ends.
      if (cluster.controller.is_unfenced(action.broker)) {
        publish(action.cluster, cluster.controller.fence(action.broker), 0);
      }
      stop_broker(action.cluster, action.broker, StopKind::clean);
      cluster.brokers[action.broker].version = KafkaVersion{static_cast<std::int8_t>(action.number)};
      start_broker(action.cluster, action.broker);
      break;
    case ActionClass::drop_connection:
      break_connection(*find_slot(action.cluster, action.broker, action.other_cluster, action.other_broker));
      break;
    case ActionClass::late_read:
      late_read(*find_slot(action.cluster, action.broker, action.other_cluster, action.other_broker));
      break;
    case ActionClass::cut_clusters:
    case ActionClass::heal_clusters: {
      const bool cut = action.kind == ActionClass::cut_clusters;
      world_.set_cut(action.cluster, action.other_cluster, cut);
      note_progress();
      recorder_.emit(
          action.cluster, kController, kNoPartition,
          Note{(cut ? "cut off from " : "reaches again ") + setup_->clusters[action.other_cluster].name});
      for (const auto& [client, server] : {std::pair{action.cluster, action.other_cluster},
                                           std::pair{action.other_cluster, action.cluster}}) {
        for (Broker& broker : world_.clusters[client].brokers) {
          for (FetcherSlot& slot : broker.fetchers) {
            if (cut && slot.server_cluster == server) {
              break_connection(slot);
            }
          }
        }
      }
      break;
    }
    case ActionClass::cut_controller:
    case ActionClass::heal_controller:
      cluster.brokers[action.broker].cut_from_controller = action.kind == ActionClass::cut_controller;
      note_progress();
      recorder_.emit(action.cluster, action.broker, kNoPartition,
                     Note{action.kind == ActionClass::cut_controller ? "cut off from its controller"
                                                                     : "reaches its controller again"});
      break;
    case ActionClass::delete_records: {
      const BrokerId leader = leader_of(action.cluster, action.partition);
      Partition& partition = partition_at(action.cluster, leader, action.partition);
      const LogSnapshot before = LogSnapshot::of(partition.log);
      partition.log.increment_log_start(action.number);
      note_progress();
      const EventId moved = recorder_.emit(
          action.cluster, leader, action.partition,
          LogStartMoved{LogStartMoved::Reason::delete_records, partition.log.log_start_offset()});
      emit_log_changes(action.cluster, leader, action.partition, before, moved);
      break;
    }
    default:
      MP_CHECK(false, "not a fault");
  }
}

}  // namespace mirrorproof::sim
