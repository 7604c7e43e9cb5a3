#include "sim/simulator.h"

#include <algorithm>

#include "model/check.h"
#include "sim/log_snapshot.h"

namespace mirrorproof::sim {
Simulator::Simulator(const Setup& setup, std::vector<Event>* buffer)
    : setup_(&setup), world_(make_world(setup)), recorder_(buffer) {
  for (std::size_t c = 0; c < setup.clusters.size(); ++c) {
    inter_broker_version_.push_back(inter_broker_version(setup, static_cast<ClusterId>(c)));
  }
}

void Simulator::start() {
  for (std::size_t c = 0; c < world_.clusters.size(); ++c) {
    const auto id = static_cast<ClusterId>(c);
    Cluster& cluster = world_.clusters[c];
    for (std::size_t p = 0; p < cluster.controller.partition_count(); ++p) {
      const auto partition = static_cast<PartitionId>(p);
      const PartitionRegistration& registration = cluster.controller.partition(partition);
      for (const BrokerId replica : registration.replicas) {
        const Log& log = cluster.brokers[replica].partitions[p].log;
        if (log.batches().empty()) {
          continue;
        }
        Appended appended;
        appended.origin = AppendOrigin::initial;
        appended.leader_epoch = registration.leader_epoch;
        appended.batches.assign(log.batches().begin(), log.batches().end());
        const EventId event = recorder_.emit(id, replica, partition, std::move(appended));
        EpochCacheChanged epochs;
        epochs.entries.assign(log.leader_epoch_cache().entries().begin(),
                              log.leader_epoch_cache().entries().end());
        recorder_.emit(id, replica, partition, std::move(epochs), {event});
      }
      if (registration.hosted()) {
        cluster.registration_events[p] = recorder_.emit(
            id, kController, partition,
            Election{ElectionKind::clean, registration.leader, registration.leader_epoch, registration.isr});
      }
    }
    for (std::size_t b = 0; b < cluster.brokers.size(); ++b) {
      start_broker(id, static_cast<BrokerId>(b));
    }
    for (std::size_t p = 0; p < cluster.controller.partition_count(); ++p) {
      for (const BrokerId replica : cluster.controller.partition(static_cast<PartitionId>(p)).replicas) {
        const Offset high_watermark = cluster.brokers[replica].partitions[p].log.high_watermark();
        if (high_watermark > 0) {
          recorder_.emit(id, replica, static_cast<PartitionId>(p), HighWatermarkMoved{high_watermark});
        }
      }
    }
  }
  for (const MirrorSetup& mirror : setup_->mirrors) {
    if (mirror.start) {
      Action action;
      action.kind = ActionClass::start_mirror;
      action.cluster = mirror.destination;
      action.other_cluster = mirror.source;
      action.partition = mirror.partition;
      order(action);
    }
  }
}

BrokerId Simulator::leader_of(ClusterId cluster, PartitionId partition) const {
  return world_.clusters[cluster].controller.partition(partition).leader;
}

std::string Simulator::broker_name(ClusterId cluster, BrokerId broker) const {
  return setup_->clusters[cluster].name + "/" +
         (broker == kController ? "controller" : std::to_string(broker));
}

void Simulator::execute_fetcher(const Action& action) {
  FetcherSlot* slot = find_slot(action.cluster, action.broker, action.other_cluster, action.other_broker);
  MP_CHECK(slot != nullptr, "no such fetcher");
  switch (action.kind) {
    case ActionClass::fetcher_send:
      fetcher_send(action.cluster, action.broker, *slot);
      break;
    case ActionClass::server_handle:
      server_handle(action.cluster, action.broker, *slot);
      break;
    case ActionClass::fetcher_receive:
      fetcher_receive(action.cluster, action.broker, *slot);
      break;
    default:
      slot->fetcher.backoff_elapsed(action.partition);
  }
}

void Simulator::execute(const Action& action) {
  recorder_.set_step(step_);
  ++step_;
  last_action_ = action;
  std::int32_t& budget = world_.budgets_left[static_cast<int>(action.kind)];
  if (budget > 0) {
    --budget;
  }
  if (action.kind <= ActionClass::fetcher_backoff) {
    execute_fetcher(action);
    return;
  }
  Cluster& cluster = world_.clusters[action.cluster];
  switch (action.kind) {
    case ActionClass::isr_shrink: {
      Partition& partition = partition_at(action.cluster, action.broker, action.partition);
      BrokerSet members = partition.isr;
      members.erase(action.other_broker);
      partition.propose_isr(members);
      note_progress();
      break;
    }
    case ActionClass::alter_partition: {
      Partition& partition = partition_at(action.cluster, action.broker, action.partition);
      if (proposes_restarted_broker(action.cluster, action.broker, action.partition)) {
        partition.pending_isr.reset();
        note_progress();
        break;
      }
      const MetadataRecords records =
          cluster.controller.alter_isr(action.partition, action.broker, partition.leader_epoch,
                                       partition.partition_epoch, partition.pending_isr->members);
      // P27: an ineligible member makes the leader revert; an accepted proposal stays in force until its
      // metadata arrives.
      if (records.empty()) {
        partition.pending_isr.reset();
      }
      note_progress();
      publish(action.cluster, records, 0);
      break;
    }
    case ActionClass::metadata_apply:
      apply_records(action.cluster, action.broker, std::max(static_cast<int>(action.number), 1));
      break;
    case ActionClass::fence:
      note_progress();
      publish(action.cluster, cluster.controller.fence(action.broker), 0);
      break;
    case ActionClass::unfence:
      note_progress();
      publish(action.cluster,
              cluster.controller.unfence(action.broker, cluster.brokers[action.broker].unclean_stop), 0);
      cluster.brokers[action.broker].unclean_stop = false;
      break;
    case ActionClass::mirror_step:
      mirror_step(action.cluster, action.broker, action.partition);
      break;
    case ActionClass::epoch_bump: {
      const Epoch target = *cluster.pending_bumps[action.partition];
      cluster.pending_bumps[action.partition].reset();
      note_progress();
      publish(action.cluster, cluster.controller.raise_leader_epoch(action.partition, target), 0);
      break;
    }
    case ActionClass::position_write: {
      MirrorRecord& record = cluster.mirrors[action.partition];
      const MirrorRecord::PendingPosition pending = *record.pending_position;
      record.pending_position.reset();
      note_progress();
      record.store_position(pending.source, pending.position,
                            recorder_.emit(action.cluster, kController, action.partition,
                                           MirrorPositionStored{pending.position}, {pending.event}));
      break;
    }
    case ActionClass::source_refresh:
      refresh_source(action.cluster, action.broker, action.other_cluster, action.other_broker);
      break;
    case ActionClass::group_look_up:
      group_look_up(action.cluster, action.partition);
      break;
    case ActionClass::group_write:
      group_write(action.cluster, action.partition);
      break;
    case ActionClass::produce:
      produce(action);
      break;
    case ActionClass::produce_again:
      produce_again(action);
      break;
    case ActionClass::produce_late:
      produce_late(action);
      break;
    case ActionClass::end_transaction:
      end_transaction(action);
      break;
    case ActionClass::read:
      read(action);
      break;
    case ActionClass::commit_group_offset:
      commit_group_offset(action);
      break;
    case ActionClass::resume_reader:
      resume_reader(action);
      break;
    case ActionClass::recreate_topic:
      recreate_topic(action);
      break;
    case ActionClass::set_min_insync_replicas:
      set_min_insync_replicas(action);
      break;
    case ActionClass::coordinator_failover:
      coordinator_failover(action.cluster);
      break;
    case ActionClass::clean_election:
      publish(action.cluster, cluster.controller.elect_cleanly(action.partition, action.broker), 0);
      break;
    case ActionClass::unclean_election:
      publish(action.cluster, cluster.controller.elect_uncleanly(action.partition, action.broker), 0);
      break;
    case ActionClass::preferred_election:
      publish(action.cluster, cluster.controller.elect_preferred(action.partition), 0);
      break;
    case ActionClass::reassign:
      publish(action.cluster, cluster.controller.reassign(action.partition, unpacked_replicas(action.number)),
              0);
      break;
    case ActionClass::cancel_reassignment:
      publish(action.cluster, cluster.controller.cancel_reassignment(action.partition), 0);
      break;
    case ActionClass::compact:
      compact(action);
      break;
    case ActionClass::start_mirror:
    case ActionClass::stop_mirror:
    case ActionClass::pause_mirror:
    case ActionClass::resume_mirror:
    case ActionClass::delete_mirror:
    case ActionClass::recover_mirror:
      note_progress();
      order(action);
      break;
    default:
      execute_fault(action);
  }
}

}  // namespace mirrorproof::sim
