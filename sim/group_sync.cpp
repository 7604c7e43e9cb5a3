// Group offsets of a mirrored topic, copied from the source once per cycle (protocol.md N5).

#include <algorithm>

#include "model/mutant.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {
namespace {

Offset fitted(const GroupSync& sync, Offset source_offset, GroupOffsetClamp clamp) {
  const Offset beyond = mutated(Mutant::group_offset_one_beyond_log_end) ? 1 : 0;
  return clamp == GroupOffsetClamp::none
             ? source_offset
             : std::max(sync.log_start, std::min(sync.log_end + beyond, source_offset));
}

}  // namespace

bool Simulator::syncs_groups(ClusterId cluster, PartitionId id) const {
  const MirrorRecord& record = world_.clusters[cluster].mirrors[id];
  return record.source != kNoCluster &&
         (record.state == MirrorState::mirroring ||
          (setup_->protocol.group_sync_after_stop && record.state == MirrorState::stopped));
}

/// Groups that are at work on the destination are left alone.
bool Simulator::may_sync_group(ClusterId cluster, PartitionId id, const GroupOffset& theirs) const {
  if (setup_->protocol.group_sync_waits_for_epoch &&
      theirs.epoch > world_.clusters[cluster].controller.partition(id).leader_epoch) {
    return false;
  }
  const GroupOffset* known = group_offset(cluster, id, theirs.group);
  return known == nullptr || mutated(Mutant::active_group_overwritten) ||
         (!known->has_members && !setup_->protocol.group_sync_skips_memberless);
}

std::string Simulator::group_look_up_blocked(ClusterId cluster, PartitionId id) const {
  if (!syncs_groups(cluster, id)) {
    return "the partition does not mirror";
  }
  if (world_.clusters[cluster].group_syncs[id]) {
    return "a cycle is under way";
  }
  const ClusterId source = world_.clusters[cluster].mirrors[id].source;
  if (world_.is_cut(cluster, source)) {
    return "the source cannot be reached";
  }
  const BrokerId leader = leader_of(cluster, id);
  if (leader == kNoBroker || !broker_at(cluster, leader).alive) {
    return "the partition has no leader";
  }
  const Log& log = partition_at(cluster, leader, id).log;
  const GroupSync now{log.log_start_offset(), log.log_end_offset()};
  for (const GroupOffset& theirs : world_.clusters[source].group_offsets[id]) {
    const GroupOffset* ours = group_offset(cluster, id, theirs.group);
    const Offset wanted = fitted(now, theirs.offset, setup_->protocol.group_offset_clamp);
    if (may_sync_group(cluster, id, theirs) && (ours == nullptr || ours->offset != wanted)) {
      return {};
    }
  }
  return "no group offset would change";
}

void Simulator::group_look_up(ClusterId cluster, PartitionId id) {
  const Log& log = partition_at(cluster, leader_of(cluster, id), id).log;
  world_.clusters[cluster].group_syncs[id] = GroupSync{log.log_start_offset(), log.log_end_offset()};
  note_progress();
}

void Simulator::group_write(ClusterId cluster, PartitionId id) {
  const GroupSync sync = *world_.clusters[cluster].group_syncs[id];
  world_.clusters[cluster].group_syncs[id].reset();
  note_progress();
  if (!syncs_groups(cluster, id)) {
    return;
  }
  const ClusterId source = world_.clusters[cluster].mirrors[id].source;
  const auto theirs = world_.clusters[source].group_offsets[id];
  for (const GroupOffset& from : theirs) {
    if (!may_sync_group(cluster, id, from)) {
      continue;
    }
    GroupOffset* ours = group_offset(cluster, id, from.group);
    if (ours == nullptr) {
      ours = &world_.clusters[cluster].group_offsets[id].emplace_back();
      ours->group = from.group;
    }
    ours->offset = fitted(sync, from.offset, setup_->protocol.group_offset_clamp);
    ours->epoch = from.epoch;
    ours->has_members = false;
    recorder_.emit(
        cluster, kController, id,
        GroupOffsetSynced{from.group, from.offset, sync.log_start, sync.log_end, ours->offset, from.epoch});
  }
}

/// group_offsets_follow_truncation: nobody is left beyond the log end.
void Simulator::clamp_group_offsets(ClusterId cluster, BrokerId leader, PartitionId id, EventId cause) {
  const Log& log = partition_at(cluster, leader, id).log;
  if (auto& sync = world_.clusters[cluster].group_syncs[id]) {
    sync->log_end = std::min(sync->log_end, log.log_end_offset());
  }
  for (GroupOffset& group : world_.clusters[cluster].group_offsets[id]) {
    if (group.offset > log.log_end_offset()) {
      group.offset = log.log_end_offset();
      group.epoch = log.latest_epoch().value_or(kUndefinedEpoch);
      recorder_.emit(cluster, kController, id, GroupOffsetCommitted{group.group, group.offset, group.epoch},
                     {cause});
    }
  }
}

}  // namespace mirrorproof::sim
