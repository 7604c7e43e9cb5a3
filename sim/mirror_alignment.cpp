// LOG_ALIGNMENT (M9-M13): look up the last mirror position at the source, and cut what it does not stand for.

#include <algorithm>

#include "model/mutant.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {

using Step = MirrorTask::Step;

/// The cluster mirrors `from`, itself or over others, and none of these mirrors is stopped.
bool Simulator::mirrors_back(ClusterId cluster, ClusterId from, PartitionId id) const {
  const std::size_t longest = setup_->protocol.loops_are_followed ? world_.clusters.size() : 1;
  for (std::size_t hops = 0; hops < longest; ++hops) {
    const MirrorRecord& record = world_.clusters[cluster].mirrors[id];
    const bool at_work = record.state != MirrorState::stopped && record.state != MirrorState::unknown;
    if (record.source == kNoCluster || !at_work) {
      return false;
    }
    if (record.source == from) {
      return true;
    }
    cluster = record.source;
  }
  return false;
}

MirrorRecord::Origin Simulator::origin_of(ClusterId cluster, PartitionId id, TopicId topic) const {
  const MirrorRecord::Origin& origin = world_.clusters[cluster].mirrors[id].origin;
  return origin.cluster == kNoCluster ? MirrorRecord::Origin{cluster, topic} : origin;
}

Simulator::SameOrigin Simulator::same_origin(ClusterId cluster, PartitionId id, TopicId topic) const {
  const MirrorRecord::Origin own = origin_of(cluster, id, topic);
  const MirrorRecord::Origin& theirs = world_.clusters[cluster].mirrors[id].source_origin;
  if (!setup_->protocol.alignment_by_origin || !setup_->protocol.alignment_verifies_epochs ||
      own.cluster != theirs.cluster) {
    return SameOrigin::no;
  }
  if (own.topic_id == 0 || theirs.topic_id == 0) {
    return SameOrigin::perhaps;
  }
  return own.topic_id == theirs.topic_id ? SameOrigin::yes : SameOrigin::no;
}

void Simulator::align_look_up(ClusterId cluster, BrokerId broker, PartitionId id) {
  Broker& leader = broker_at(cluster, broker);
  MirrorTask& task = leader.tasks[id];
  MirrorRecord& record = world_.clusters[cluster].mirrors[id];
  const ClusterId source = record.source;
  const Cluster& source_cluster = world_.clusters[source];
  const auto answering = std::find_if(source_cluster.brokers.begin(), source_cluster.brokers.end(),
                                      [](const Broker& candidate) { return candidate.alive; });
  if (world_.is_cut(cluster, source) || answering == source_cluster.brokers.end()) {
    fail_mirror(cluster, broker, id, MirrorReason::source_unavailable, true, false, task.cause);
    return;
  }
  refresh_source(cluster, broker, source, static_cast<BrokerId>(answering - source_cluster.brokers.begin()));
  const MirrorRecord& other = source_cluster.mirrors[id];
  if (mirrors_back(source, cluster, id) && !mutated(Mutant::source_not_stopped_ignored)) {
    fail_mirror(cluster, broker, id, MirrorReason::source_not_stopped, true, false, task.cause);
    return;
  }
  const bool describes_mirrors =
      std::any_of(source_cluster.brokers.begin(), source_cluster.brokers.end(), [](const Broker& candidate) {
        return candidate.alive &&
               !supported_range(candidate.version, ApiKey::describe_cluster_mirrors).empty();
      });
  MirrorPosition position;
  EventId stored = 0;
  // What either side's LOG_ALIGNMENT has cut since, the position does not stand for any longer.
  const auto as_far_as_shared = [&](MirrorPosition found, Offset lowest_cut) {
    if (setup_->protocol.positions_end_with_alignment && lowest_cut < found.offset) {
      found.offset = lowest_cut;
    }
    return found;
  };
  // A session between the two has come to its end: what was written since is told apart.
  bool acquainted = false;
  const auto speaks_of = [&](const MirrorRecord::StoredPosition& stored_position, TopicId topic) {
    return !setup_->protocol.positions_name_topics || stored_position.source_topic_id == 0 || topic == 0 ||
           stored_position.source_topic_id == topic;
  };
  if (const auto* found = other.position_for(cluster);
      found != nullptr && describes_mirrors && speaks_of(*found, leader.partitions[id].topic_id)) {
    position = as_far_as_shared(found->position, record.lowest_cut_since(found->source_cuts));
    stored = found->event;
    acquainted = true;
  }
  if (setup_->protocol.restart_alignment == RestartAlignment::resume) {
    // What the last session mirrored from this source is kept; local writes after it are not.
    if (const auto* own = record.position_for(source);
        own != nullptr && speaks_of(*own, leader.source_views[id].topic_id)) {
      if (setup_->protocol.source_epoch_stored) {
        record.source_epoch = own->source_epoch;
      }
      const MirrorPosition resumed =
          as_far_as_shared(own->position, other.lowest_cut_since(own->source_cuts));
      acquainted = true;
      if (resumed.offset > position.offset) {
        position = resumed;
        stored = own->event;
      }
    }
  }
  const TopicId source_topic = leader.source_views[id].topic_id;
  record.source_origin =
      describes_mirrors ? origin_of(source, id, source_topic) : MirrorRecord::Origin{source, source_topic};
  const SameOrigin same = same_origin(cluster, id, leader.partitions[id].topic_id);
  if (same == SameOrigin::yes || (same == SameOrigin::perhaps && acquainted)) {
    // Also where there is a position: over a third cluster the two may have come to share more since.
    position = stop_position(leader.partitions[id].log);
    stored = 0;
  }
  if (setup_->protocol.scratch_needs_empty_log && position == MirrorPosition{} && !acquainted &&
      leader.partitions[id].log.log_end_offset() > 0) {
    fail_mirror(cluster, broker, id, MirrorReason::topic_mismatch, false, false, task.cause);
    return;
  }
  record.source_topic_id = source_topic;
  record.source_cuts = other.followed_cuts;
  task.position = position;
  task.step = Step::align_truncate;
  task.cause =
      recorder_.emit(cluster, broker, id, MirrorPositionRead{position, source}, {task.cause, stored});
}

void Simulator::align_truncate(ClusterId cluster, BrokerId broker, PartitionId id) {
  Broker& leader = broker_at(cluster, broker);
  MirrorTask& task = leader.tasks[id];
  const Log& log = leader.partitions[id].log;
  MirrorRecord& record = world_.clusters[cluster].mirrors[id];
  Offset target = alignment_target(log, task.position, setup_->protocol.alignment);
  if (setup_->protocol.alignment_verifies_epochs && target > 0) {
    const ClusterId source = record.source;
    const LeaderView& view = leader.source_views[id];
    const bool answers =
        view.broker != kNoBroker && !world_.is_cut(cluster, source) && broker_at(source, view.broker).alive;
    if (!answers) {
      fail_mirror(cluster, broker, id, MirrorReason::source_unavailable, true, false, task.cause);
      return;
    }
    const Partition& theirs = partition_at(source, view.broker, id);
    // M6: what the source's coordinator stores names the epoch of its writer; who leads in a smaller one is
    // deposed.
    const bool deposed =
        setup_->protocol.alignment_by_origin && view.epoch < world_.clusters[source].mirrors[id].writer_epoch;
    const bool outlived = setup_->protocol.source_epoch_stored && view.epoch < record.source_epoch;
    if (theirs.role != Role::leader || theirs.leader_epoch != view.epoch || deposed || outlived) {
      fail_mirror(cluster, broker, id, MirrorReason::source_metadata_stale, true, true, task.cause);
      return;
    }
    if (setup_->protocol.positions_name_topics && record.source_topic_id != 0 &&
        theirs.topic_id != record.source_topic_id) {
      // Created again since the look-up: the position is one in the log of before.
      fail_mirror(cluster, broker, id, MirrorReason::source_metadata_stale, true, false, task.cause);
      return;
    }
    target = agreed_end(log, theirs.log, std::min(target, log.log_end_offset()));
    if (same_origin(cluster, id, leader.partitions[id].topic_id) == SameOrigin::perhaps) {
      // Epochs of another topic of that name may look alike.
      target = std::min(target, first_difference(log, theirs.log));
    }
  }
  if (setup_->protocol.alignment_fails_parked_produce) {
    forget_pending_acks(cluster, broker, id);  // also where an earlier leader has begun the alignment
  }
  EventId cut = 0;
  if (target < log.log_end_offset()) {
    cut = truncate_log(cluster, broker, id, target, TruncationReason::alignment, true, false, {task.cause});
    // Below the target where that lies in a batch or in a gap (truncation_at_batch_boundaries).
    const Offset end = partition_at(cluster, broker, id).log.log_end_offset();
    record.alignment_cuts.push_back(end);
    if (setup_->protocol.alignment_clamps_positions) {
      record.clamp_positions(end);
    }
  }
  task.cause = recorder_.emit(cluster, broker, id, MirrorAligned{task.position, target, record.source},
                              {task.cause, cut});
  task.step = Step::align_wait;
}

}  // namespace mirrorproof::sim
