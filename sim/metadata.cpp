// The controller's metadata log and what a broker does when it applies a record.

#include <algorithm>
#include <utility>

#include "model/check.h"
#include "model/mutant.h"
#include "sim/fetch_hosts.h"
#include "sim/log_snapshot.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {

void Simulator::publish(ClusterId cluster_id, const MetadataRecords& records, EventId cause) {
  Cluster& cluster = world_.clusters[cluster_id];
  for (const MetadataRecord& record : records) {
    note_progress();
    MetadataRecord stored = record;
    const PartitionRegistration& registration = record.registration;
    EventId changed = 0;
    if (record.replicas_changed) {
      changed = recorder_.emit(cluster_id, kController, record.partition,
                               ReplicasChanged{registration.replica_set(), registration.replicas.front(),
                                               registration.adding, registration.removing},
                               {cause});
    }
    switch (record.kind) {
      case MetadataRecord::Kind::election:
        stored.event = recorder_.emit(
            cluster_id, kController, record.partition,
            Election{record.election, registration.leader, registration.leader_epoch, registration.isr},
            {cause, changed});
        break;
      case MetadataRecord::Kind::isr_change:
        stored.event =
            recorder_.emit(cluster_id, kController, record.partition,
                           IsrChanged{registration.leader_epoch, registration.isr}, {cause, changed});
        break;
      case MetadataRecord::Kind::reassignment:
        stored.event = changed;
        break;
      case MetadataRecord::Kind::mirror:
      case MetadataRecord::Kind::config:
        stored.event = cause;
        break;
    }
    cluster.registration_events[record.partition] = stored.event;
    cluster.metadata_log.records.push_back(std::move(stored));
  }
}

void Simulator::trim_metadata_log(Cluster& cluster) {
  std::uint64_t applied = cluster.metadata_log.end();
  for (const Broker& broker : std::as_const(cluster).brokers) {
    // One that is down reads the newest state when it starts.
    applied = broker.alive ? std::min(applied, broker.applied_records) : applied;
  }
  auto& log = cluster.metadata_log;
  log.records.erase(log.records.begin(),
                    log.records.begin() + static_cast<std::ptrdiff_t>(applied - log.first));
  log.first = applied;
}

void Simulator::apply_records(ClusterId cluster_id, BrokerId broker_id, int count) {
  Cluster& cluster = world_.clusters[cluster_id];
  Broker& broker = cluster.brokers[broker_id];
  const std::uint64_t first = broker.applied_records;
  const std::uint64_t end = first + static_cast<std::uint64_t>(count);
  MP_CHECK(end <= cluster.metadata_log.end(), "more metadata records applied than there are");
  // What a broker does about a record may write further ones: copies, since the log may move.
  boost::container::small_vector<MetadataRecord, 1> delta;
  for (std::uint64_t position = first; position < end; ++position) {
    const MetadataRecord& record = cluster.metadata_log.at(position);
    const auto same = std::find_if(delta.begin(), delta.end(), [&record](const MetadataRecord& earlier) {
      return earlier.partition == record.partition;
    });
    if (same == delta.end()) {
      delta.push_back(record);
    } else if (!mutated(Mutant::delta_keeps_first_record)) {
      *same = record;
    }
  }
  broker.applied_records = end;
  note_progress();
  for (const MetadataRecord& record : delta) {
    apply_registration(cluster_id, broker_id, record.partition, record.registration, record.event);
  }
  trim_metadata_log(cluster);
}

void Simulator::apply_registration(ClusterId cluster_id, BrokerId broker_id, PartitionId id,
                                   const PartitionRegistration& registration, EventId event) {
  Broker& broker = broker_at(cluster_id, broker_id);
  broker.metadata[id] = {registration.leader, registration.leader_epoch, registration.topic_id, event};
  Partition& partition = broker.partitions[id];
  const std::uint16_t assignment = registration.assignments[static_cast<std::size_t>(broker_id)];
  if (!partition.hosted && registration.replica_set().contains(broker_id)) {
    begin_hosting(cluster_id, broker_id, id);
    partition.assignment = assignment;
  }
  if (!partition.hosted || registration.partition_epoch <= partition.partition_epoch) {
    return;
  }
  if (!registration.replica_set().contains(broker_id)) {
    stop_hosting(cluster_id, broker_id, id, registration, event);
    return;
  }
  if (partition.topic_id != 0 && registration.topic_id != partition.topic_id) {
    // The replica of the deleted topic goes with its data.
    if (!mutated(Mutant::recreated_topic_keeps_log)) {
      truncate_log(cluster_id, broker_id, id, 0, TruncationReason::topic_deleted, false, true, {event});
    }
    remove_from_fetchers(cluster_id, broker_id, id, false);
    forget_pending_acks(cluster_id, broker_id, id);
    partition.forget_role();
  } else if (assignment != partition.assignment) {
    // It was no replica for a while: the log may lack what the others did to theirs in that time.
    delete_replica(cluster_id, broker_id, id, registration, event);
  }
  partition.assignment = assignment;
  const MirrorRecord& mirror = view_of(cluster_id).mirrors[id];
  const bool desired_stopped = registration.desired_mirror == DesiredMirror::stopped;
  const bool was_mirror_leader = partition.mirror_leader;
  if (registration.leader == broker_id) {
    const LogSnapshot before = LogSnapshot::of(partition.log);
    // A deposed leader that never heard of its successor, and is elected again, has not led all the time.
    const bool led_until_now =
        partition.role == Role::leader && registration.leader_epoch <= partition.leader_epoch + 1;
    const bool was_read_only = partition.read_only;
    const bool newer = partition.become_leader(broker_id, registration);
    // A STOPPED that a later leader wrote tells this one that it is deposed, not that it may write.
    const bool stopped =
        mirror.state == MirrorState::stopped && mirror.writer_epoch <= registration.leader_epoch;
    const bool writable =
        desired_stopped && (stopped || mutated(Mutant::mirror_writable_when_stop_is_ordered));
    partition.read_only = registration.mirror_source != kNoCluster && !writable;
    EventId cause = event;
    if (newer) {
      cause = recorder_.emit(cluster_id, broker_id, id, BecameLeader{registration.leader_epoch}, {event});
      broker.leadership_events[id] = cause;
      if (!mutated(Mutant::new_leader_keeps_fetching)) {
        remove_from_fetchers(cluster_id, broker_id, id, false);
      }
    }
    // Elected when the mirror was deleted already, it hears of that only now.
    const bool opened = !newer && was_read_only && !partition.read_only;
    if (registration.recovering && !partition.read_only && (opened || (newer && !led_until_now))) {
      recover_from_unclean_election(cluster_id, broker_id, id, cause);
    }
    partition.maybe_advance_high_watermark(broker_id, guards_high_watermark(cluster_id, broker_id));
    emit_log_changes(cluster_id, broker_id, id, before, cause);
    const bool order_changed = was_mirror_leader != partition.mirror_leader ||
                               broker.tasks[id].applied_order != registration.desired_mirror;
    if (newer || order_changed) {
      broker.tasks[id].applied_order = registration.desired_mirror;
      mirror_metadata_changed(cluster_id, broker_id, id, cause);
    }
    return;
  }
  const BrokerId followed = partition.role == Role::follower ? partition.leader : kNoBroker;
  const bool newer = partition.become_follower(registration);
  if (!mutated(Mutant::deposed_leader_keeps_acks)) {
    forget_pending_acks(cluster_id, broker_id, id);
  }
  partition.read_only = true;  // followers take no writes; decided anew on becoming leader
  broker.tasks[id] = MirrorTask{};
  if (newer) {
    recorder_.emit(cluster_id, broker_id, id, BecameFollower{registration.leader_epoch, registration.leader},
                   {event});
    broker.leadership_events[id] = 0;
    if (setup_->protocol.same_leader_new_epoch == SameLeaderNewEpoch::keep_fetching &&
        followed == registration.leader && followed != kNoBroker) {
      if (FetcherSlot* slot = find_slot(cluster_id, broker_id, cluster_id, followed)) {
        slot->fetcher.update_leader_epoch(id, registration.leader_epoch);
        return;
      }
    }
    remove_from_fetchers(cluster_id, broker_id, id, false);
    start_replica_fetcher(cluster_id, broker_id, id);
  }
}

/// KIP-903: one that has registered again since the leader heard of it may not have what it had then.
bool Simulator::proposes_restarted_broker(ClusterId cluster, BrokerId leader, PartitionId id) const {
  const bool checked =
      checks_broker_epochs(inter_broker_version_[cluster]) || setup_->protocol.elr_on_every_release;
  const IsrProposal& proposal = *partition_at(cluster, leader, id).pending_isr;
  for (BrokerId broker = 0; checked && broker < kMaxBrokers; ++broker) {
    const std::uint32_t heard = proposal.broker_epochs[static_cast<std::size_t>(broker)];
    if (broker != leader && proposal.members.contains(broker) && heard != 0 &&
        heard != broker_at(cluster, broker).broker_epoch) {
      return true;
    }
  }
  return false;
}

/// What the log that won lacks of what its clients rely on is written again.
void Simulator::recover_from_unclean_election(ClusterId cluster, BrokerId broker, PartitionId id,
                                              EventId cause) {
  const ProtocolOptions& protocol = setup_->protocol;
  Partition& partition = partition_at(cluster, broker, id);
  if (protocol.unclean_leader_ends_transactions) {
    for (const std::int16_t producer : open_transactions(partition.log)) {
      append_as_leader(cluster, broker, id, new_control_batch(cluster, BatchKind::abort_marker, producer),
                       cause);
    }
  }
  const MirrorRecord& mirror = view_of(cluster).mirrors[id];
  // Deleting a stopped mirror leaves what its source's producers wrote.
  const bool deleted = mirror.state == MirrorState::unknown && mirror.source == kNoCluster &&
                       mirror.stop_began_in_epoch != kUndefinedEpoch;
  if (protocol.unclean_leader_resets_producers &&
      (mirror.state == MirrorState::stopped || (deleted && !partition.mirror_leader))) {
    append_as_leader(cluster, broker, id, new_control_batch(cluster, BatchKind::pid_reset, -1), cause);
  }
  if (protocol.unclean_leader_ends_transactions || protocol.unclean_leader_resets_producers) {
    // Whoever lacks what was written here may not join the ISR: it could lead without it.
    partition.leader_epoch_start_offset = partition.log.log_end_offset();
    // The ISR as it is, to say that the leader recovered: the next one need not do it again.
    partition.propose_isr(partition.isr);
  }
}

void Simulator::remove_from_fetchers(ClusterId cluster, BrokerId broker, PartitionId partition,
                                     bool mirrors_only) {
  Broker& owner = broker_at(cluster, broker);
  for (FetcherSlot& slot : owner.fetchers) {
    if (!mirrors_only || slot.server_cluster != cluster) {
      slot.fetcher.remove_partition(partition);
    }
  }
  drop_idle_slots(owner);
}

void Simulator::start_replica_fetcher(ClusterId cluster, BrokerId broker, PartitionId id) {
  const Partition& partition = partition_at(cluster, broker, id);
  if (partition.leader == kNoBroker) {
    return;
  }
  FetcherSlot& slot = slot_for(cluster, broker, cluster, partition.leader);
  // F3: the log end where epochs can tell where to cut, else the high watermark.
  const bool from_log_end =
      slot.fetcher.rules().truncate_on_fetch && partition.log.latest_epoch().has_value();
  const bool at_log_end = from_log_end && !mutated(Mutant::follower_starts_at_high_watermark);
  const Offset start = at_log_end ? partition.log.log_end_offset() : partition.log.high_watermark();
  ReplicaHost host(*this, cluster, broker, cluster, partition.leader);
  slot.fetcher.add_partition(id, partition.topic_id, start, partition.leader_epoch, host);
}

}  // namespace mirrorproof::sim
