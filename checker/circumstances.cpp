#include "checker/circumstances.h"

#include <variant>

namespace mirrorproof::checker {

CircumstanceTracker::CircumstanceTracker(const TraceHeader& header) : partitions_(header.partitions.size()) {
  for (Partition& partition : partitions_) {
    partition.clusters.resize(header.clusters.size());
    for (std::size_t c = 0; c < header.clusters.size(); ++c) {
      partition.clusters[c].leads.resize(static_cast<std::size_t>(header.clusters[c].brokers));
    }
  }
}

Circumstances CircumstanceTracker::of(PartitionId partition) const {
  if (partition != kNoPartition) {
    return partitions_[static_cast<std::size_t>(partition)].seen;
  }
  Circumstances all;
  for (const Partition& each : partitions_) {
    all.bits |= each.seen.bits;
  }
  return all;
}

void CircumstanceTracker::observe(const Event& event) {
  if (const auto* stopped = std::get_if<BrokerStopped>(&event.payload)) {
    for (Partition& partition : partitions_) {
      partition.clusters[static_cast<std::size_t>(event.cluster)]
          .leads[static_cast<std::size_t>(event.broker)]
          .reset();
      if (stopped->kind == StopKind::power_loss) {
        partition.seen.add(Circumstance::power_loss);
      }
    }
    return;
  }
  if (event.partition != kNoPartition && event.cluster != kNoCluster) {
    Partition& partition = partitions_[static_cast<std::size_t>(event.partition)];
    observe(event, partition, partition.clusters[static_cast<std::size_t>(event.cluster)]);
  }
}

void CircumstanceTracker::observe(const Event& event, Partition& partition, Cluster& cluster) {
  Circumstances& seen = partition.seen;
  if (const auto* election = std::get_if<Election>(&event.payload)) {
    if (election->kind == ElectionKind::unclean) {
      seen.add(Circumstance::unclean_election);
    }
  } else if (const auto* became = std::get_if<BecameLeader>(&event.payload)) {
    std::optional<Epoch>& leads = cluster.leads[static_cast<std::size_t>(event.broker)];
    if (leads && became->epoch > *leads + 1) {
      seen.add(Circumstance::epoch_skipped);
    }
    leads = became->epoch;
    if (cluster.mirrors) {
      seen.add(Circumstance::mirror_leader_changed);
    }
  } else if (std::holds_alternative<BecameFollower>(event.payload)) {
    cluster.leads[static_cast<std::size_t>(event.broker)].reset();
  } else if (std::holds_alternative<LogStartMoved>(event.payload)) {
    seen.add(Circumstance::records_deleted);
  } else if (std::holds_alternative<LogCleaned>(event.payload)) {
    seen.add(Circumstance::log_cleaned);
  } else if (const auto* order = std::get_if<OperatorOrdered>(&event.payload)) {
    if (order->action == OperatorAction::delete_mirror) {
      seen.add(Circumstance::mirror_deleted);
    }
  } else if (std::holds_alternative<TopicRecreated>(event.payload)) {
    seen.add(Circumstance::topic_recreated);
  } else if (std::holds_alternative<MirrorAligned>(event.payload)) {
    seen.add(seen.has(Circumstance::aligned) ? Circumstance::aligned_again : Circumstance::aligned);
  } else if (const auto* cut = std::get_if<Truncated>(&event.payload)) {
    if (cut->by_mirror && cut->removed_records > 0) {
      seen.add(cut->reason == TruncationReason::alignment ? Circumstance::alignment_cut
                                                          : Circumstance::mirror_truncated);
    }
  } else if (const auto* change = std::get_if<MirrorStateChanged>(&event.payload)) {
    if (change->to == MirrorState::stopped) {
      seen.add(Circumstance::mirror_stopped);
    } else if (change->to == MirrorState::failed) {
      seen.add(Circumstance::mirror_failed);
    }
  } else if (const auto* action = std::get_if<MirrorActionStarted>(&event.payload)) {
    if (action->state == MirrorState::stopping && cluster.last_action == MirrorState::stopping) {
      seen.add(Circumstance::stopping_again);
    }
    seen.add(Circumstance::mirror_started);
    cluster.last_action = action->state;
    cluster.mirrors = true;
  }
}

}  // namespace mirrorproof::checker
