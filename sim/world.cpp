#include "sim/world.h"

#include <algorithm>

#include "model/check.h"

namespace mirrorproof::sim {
namespace {

std::uint64_t link_bit(ClusterId a, ClusterId b) {
  const auto low = static_cast<unsigned>(std::min(a, b));
  const auto high = static_cast<unsigned>(std::max(a, b));
  return 1ULL << (low * kMaxClusters + high);
}

/// The log a replica starts with: its own, else the one for every replica, else the first named in its
/// cluster.
const InitialLog* initial_log_of(const Setup& setup, ClusterId cluster, PartitionId partition,
                                 BrokerId broker) {
  const InitialLog* fallback = nullptr;
  for (const InitialLog& log : setup.initial_logs) {
    if (log.cluster != cluster || log.partition != partition) {
      continue;
    }
    if (log.broker == broker) {
      return &log;
    }
    if (fallback == nullptr) {
      fallback = &log;
    }
  }
  return fallback;
}

LogRules log_rules(const ProtocolOptions& protocol) {
  LogRules rules;
  rules.noop_truncation_trims_epochs = protocol.noop_truncation == NoopTruncation::trims_epochs;
  rules.restart_moves_high_watermark = protocol.log_restart == LogRestart::moves_high_watermark;
  rules.epochless_records_clear_epochs = protocol.epochless_records == EpochlessRecords::clear_epochs;
  rules.epochs_start_at_batches = protocol.epoch_starts_at_batch;
  rules.gaps_accepted = protocol.gaps_accepted;
  rules.cleaner_takes_markers = protocol.cleaned_markers == CleanedMarkers::taken;
  rules.cleaner_keeps_epoch_starts = protocol.cleaner_keeps_epoch_starts;
  return rules;
}

LeaderRules leader_rules(const ProtocolOptions& protocol) {
  LeaderRules rules;
  rules.registers_epoch_on_election = protocol.epoch_registration == EpochRegistration::on_election;
  rules.isr_join_needs_epoch_start = protocol.isr_join == IsrJoin::epoch_start;
  rules.diverging_fetch_is_no_progress = protocol.diverging_fetch == DivergingFetch::ignored;
  rules.checks_range_before_divergence = protocol.fetch_checks == FetchChecks::range_first;
  rules.keeps_followers_over_epochs = !protocol.skipped_epoch_forgets_followers;
  rules.unknown_epochs_diverge = protocol.unknown_epochs_diverge;
  rules.reads_take_racing_writes = protocol.racing_writes == RacingWrites::taken_along;
  rules.high_watermark_read_twice = protocol.stable_bound == StableBound::two_looks;
  rules.epochless_leaders_enter_no_epoch = protocol.epochless_records == EpochlessRecords::clear_epochs;
  return rules;
}

bool starts_in_sync(const Setup& setup, ClusterId cluster, PartitionId partition, BrokerId broker) {
  const InitialLog* log = initial_log_of(setup, cluster, partition, broker);
  return log == nullptr || log->broker != broker || log->in_sync;
}

/// Replaying the batches as a follower would gives offsets, epoch cache and log end; holes stay holes.
Log make_log(const InitialLog* initial) {
  Log log;
  if (initial != nullptr && !initial->batches.empty()) {
    log = Log::starting_at(initial->batches.front().base_offset);
    const AppendResult result =
        log.append_as_follower({initial->batches.data(), initial->batches.size()}, 0, false);
    MP_CHECK(result.error == AppendError::none, "an initial log that no log can hold");
  }
  log.flush();
  return log;
}

PartitionRegistration make_registration(const Setup& setup, ClusterId cluster, PartitionId partition) {
  const HostedPartition& hosting = setup.partitions[partition].hosting[cluster];
  PartitionRegistration registration;
  for (const BrokerId replica : hosting.replicas) {
    registration.replicas.push_back(replica);
    if (starts_in_sync(setup, cluster, partition, replica)) {
      registration.isr.insert(replica);
    }
  }
  registration.min_insync_replicas = static_cast<std::int16_t>(hosting.min_insync_replicas);
  const auto& versions = setup.clusters[cluster].brokers;
  registration.epochless = setup.partitions[partition].epochless &&
                           writes_old_message_formats(*std::min_element(versions.begin(), versions.end()));
  // A mirrored topic is read-only from its creation: nobody but the mirror writes before the first failover.
  for (const MirrorSetup& mirror : setup.mirrors) {
    if (mirror.start && mirror.destination == cluster && mirror.partition == partition &&
        registration.mirror_source == kNoCluster) {
      registration.mirror_source = mirror.source;
    }
  }
  return registration;
}

void place_replicas(const Setup& setup, Cluster& cluster, ClusterId id, PartitionId partition) {
  PartitionRegistration registration = make_registration(setup, id, partition);
  Offset committed = -1;
  Epoch largest_epoch = 0;
  for (Broker& broker : cluster.brokers) {  // any of them may host a replica one day
    broker.partitions[partition].log.set_rules(log_rules(setup.protocol));
    broker.partitions[partition].rules = leader_rules(setup.protocol);
  }
  for (const BrokerId replica : registration.replicas) {
    Partition& replica_state = cluster.brokers[replica].partitions[partition];
    replica_state.hosted = true;
    replica_state.log = make_log(initial_log_of(setup, id, partition, replica));
    replica_state.log.set_rules(log_rules(setup.protocol));
    replica_state.rules = leader_rules(setup.protocol);
    if (registration.isr.contains(replica)) {
      const Offset end = replica_state.log.log_end_offset();
      committed = committed < 0 ? end : std::min(committed, end);
    }
    for (const Batch& batch : replica_state.log.batches()) {
      largest_epoch = std::max(largest_epoch, batch.epoch);
    }
  }
  for (const BrokerId replica : registration.replicas) {
    cluster.brokers[replica].partitions[partition].log.set_high_watermark(committed);
  }
  for (const BrokerId replica : registration.replicas) {
    if (registration.isr.contains(replica)) {
      registration.leader = replica;
      break;
    }
  }
  registration.leader_epoch = largest_epoch;
  cluster.controller.add_partition(registration);
}

}  // namespace

KafkaVersion inter_broker_version(const Setup& setup, ClusterId cluster) {
  const auto& brokers = setup.clusters[cluster].brokers;
  KafkaVersion oldest = *std::min_element(brokers.begin(), brokers.end());
  for (const ScriptStep& step : setup.steps) {
    if (step.kind == StepKind::action && step.action.kind == ActionClass::change_version &&
        step.action.cluster == cluster) {
      oldest = std::min(oldest, KafkaVersion{static_cast<std::int8_t>(step.action.number)});
    }
  }
  const bool may_change = setup.faults.budgets[static_cast<int>(ActionClass::change_version)] != 0 &&
                          setup.faults.weights[static_cast<int>(ActionClass::change_version)] != 0;
  if (may_change &&
      std::none_of(setup.mirrors.begin(), setup.mirrors.end(), [cluster](const MirrorSetup& mirror) {
        return mirror.destination == cluster;  // never given a release without cluster mirroring
      })) {
    for (const KafkaVersion version : setup.faults.versions) {
      oldest = std::min(oldest, version);
    }
  }
  return oldest;
}

bool World::is_cut(ClusterId a, ClusterId b) const {
  return a != b && (cut_links & link_bit(a, b)) != 0;
}

void World::set_cut(ClusterId a, ClusterId b, bool cut) {
  if (cut) {
    cut_links |= link_bit(a, b);
  } else {
    cut_links &= ~link_bit(a, b);
  }
}

World make_world(const Setup& setup) {
  World world;
  const std::size_t partitions = setup.partitions.size();
  for (std::size_t c = 0; c < setup.clusters.size(); ++c) {
    const auto id = static_cast<ClusterId>(c);
    const ClusterSetup& cluster_setup = setup.clusters[c];
    const KafkaVersion inter_broker = inter_broker_version(setup, id);
    const ProtocolOptions& protocol = setup.protocol;
    ControllerRules rules;
    rules.shrink_bumps_epoch = shrinks_raise_leader_epoch(inter_broker);
    rules.eligible_leader_replicas =
        protocol.eligible_leader_replicas &&
        (protocol.elr_on_every_release || keeps_eligible_leader_replicas(inter_broker));
    rules.refuses_fenced_members = protocol.fenced_isr_members == FencedIsrMembers::refused;
    rules.min_isr_change_clears_elr = protocol.elr_on_min_isr_change == ElrOnMinIsrChange::cleared;
    rules.counts_assignments = protocol.reassigned_replica == ReassignedReplica::starts_empty;
    Cluster& cluster = world.clusters.emplace_back();
    cluster.controller = Controller(rules);
    for (const KafkaVersion version : cluster_setup.brokers) {
      Broker& broker = cluster.brokers.emplace_back();
      broker.version = version;
      broker.partitions.resize(partitions);
      broker.metadata.resize(partitions);
      broker.source_views.resize(partitions);
      broker.tasks.resize(partitions);
      broker.leadership_events.resize(partitions);
    }
    cluster.mirrors.resize(partitions);
    cluster.pending_bumps.resize(partitions);
    cluster.registration_events.resize(partitions);
    cluster.group_offsets.resize(partitions);
    cluster.group_syncs.resize(partitions);
    for (std::size_t p = 0; p < partitions; ++p) {
      place_replicas(setup, cluster, id, static_cast<PartitionId>(p));
    }
  }
  // Record ids of the initial logs are taken; what is written later gets larger ones.
  for (const InitialLog& log : setup.initial_logs) {
    for (const Batch& batch : log.batches) {
      Cluster& origin = world.clusters[batch.first_id.origin()];
      const std::uint64_t next = batch.first_id.serial() + static_cast<std::uint64_t>(batch.record_count());
      origin.next_serial = std::max(origin.next_serial, next);
    }
  }
  for (const ReaderSetup& reader : setup.readers) {
    world.readers.emplace_back().cluster = reader.cluster;
  }
  for (int i = 0; i < kActionClassCount; ++i) {
    world.budgets_left[i] = setup.faults.budgets[i];
  }
  return world;
}

}  // namespace mirrorproof::sim
