// Topics deleted and created again, and the mirror coordinator moving to another broker.

#include <fmt/format.h>

#include <algorithm>

#include "model/check.h"
#include "model/mutant.h"
#include "sim/log_snapshot.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {

std::string Simulator::recreate_blocked(const Action& action) const {
  const PartitionRegistration& registration =
      world_.clusters[action.cluster].controller.partition(action.partition);
  if (!registration.hosted()) {
    return "the cluster does not host the partition";
  }
  if (registration.mirror_source != kNoCluster && registration.desired_mirror != DesiredMirror::stopped) {
    return "the topic is a mirror; only its source can be created again";
  }
  for (const BrokerId replica : registration.replicas) {
    if (world_.clusters[action.cluster].controller.is_unfenced(replica)) {
      return {};
    }
  }
  return "no broker with a replica is up";
}

std::string Simulator::min_insync_replicas_blocked(const Action& action) const {
  const PartitionRegistration& registration =
      world_.clusters[action.cluster].controller.partition(action.partition);
  if (!registration.hosted()) {
    return fmt::format("{} does not host the partition", setup_->clusters[action.cluster].name);
  }
  return registration.min_insync_replicas == action.number
             ? fmt::format("min.insync.replicas is {} already", action.number)
             : "";
}

void Simulator::set_min_insync_replicas(const Action& action) {
  note_progress();
  const EventId changed =
      recorder_.emit(action.cluster, kController, action.partition,
                     Note{fmt::format("min.insync.replicas is {} from now on", action.number)});
  publish(action.cluster,
          world_.clusters[action.cluster].controller.set_min_insync_replicas(
              action.partition, static_cast<std::int16_t>(action.number)),
          changed);
}

void Simulator::recreate_topic(const Action& action) {
  Cluster& cluster = world_.clusters[action.cluster];
  const MetadataRecords records = cluster.controller.recreate(action.partition);
  note_progress();
  // Mirror state and group offsets are keyed by topic id.
  cluster.mirrors[action.partition] = MirrorRecord{};
  cluster.group_offsets[action.partition].clear();
  cluster.group_syncs[action.partition].reset();
  cluster.pending_bumps[action.partition].reset();
  for (Producer& producer : world_.producers) {
    if (producer.cluster == action.cluster && producer.partition == action.partition) {
      producer.transaction_epoch = kUndefinedEpoch;
    }
  }
  const EventId event = recorder_.emit(
      action.cluster, kController, action.partition,
      TopicRecreated{static_cast<std::int64_t>(cluster.controller.partition(action.partition).topic_id)});
  publish(action.cluster, records, event);
}

bool Simulator::leads_deleted_topic(ClusterId cluster, BrokerId broker, PartitionId id) const {
  return world_.clusters[cluster].brokers[broker].partitions[id].topic_id !=
         world_.clusters[cluster].controller.partition(id).topic_id;
}

bool Simulator::coordinates_mirrors(ClusterId id) const {
  const auto& mirrors = world_.clusters[id].mirrors;
  return std::any_of(mirrors.begin(), mirrors.end(),
                     [](const MirrorRecord& record) { return record.state != MirrorState::unknown; });
}

/// What the coordinator has stored survives. What was sent to the old one is lost: who waits for it sends it
/// again; who does not, never knows (M30). A cycle of group offset syncing that it was at begins anew.
void Simulator::coordinator_failover(ClusterId id) {
  Cluster& cluster = world_.clusters[id];
  note_progress();
  recorder_.emit(id, kController, kNoPartition, Note{"the mirror coordinator moved to another broker"});
  for (std::size_t p = 0; p < cluster.mirrors.size(); ++p) {
    cluster.group_syncs[p].reset();
    auto& pending = cluster.mirrors[p].pending_position;
    if (!pending) {
      continue;
    }
    MirrorTask& task = cluster.brokers[pending->sender].tasks[p];
    if (task.step == MirrorTask::Step::stop_await_position &&
        !mutated(Mutant::lost_position_not_sent_again)) {
      task.step = MirrorTask::Step::stop_send_position;
    }
    pending.reset();
  }
}

}  // namespace mirrorproof::sim
