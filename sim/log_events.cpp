// Log operations together with the events they cause.

#include "sim/log_snapshot.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {

Simulator::LogSnapshot Simulator::snapshot(const Log& log) const {
  return LogSnapshot::of(log);
}

void Simulator::emit_log_changes(ClusterId cluster, BrokerId broker, PartitionId partition,
                                 const LogSnapshot& before, EventId cause) {
  const Log& log = partition_at(cluster, broker, partition).log;
  const LogSnapshot after = LogSnapshot::of(log);
  if (after == before) {
    return;
  }
  note_progress();
  if (!before.same_cache(after)) {
    EpochCacheChanged changed;
    if (recorder_.active()) {
      for (const EpochEntry& entry : log.leader_epoch_cache().entries()) {
        changed.entries.push_back(entry);
      }
    }
    recorder_.emit(cluster, broker, partition, std::move(changed), {cause});
  }
  if (after.high_watermark != before.high_watermark) {
    recorder_.emit(cluster, broker, partition, HighWatermarkMoved{after.high_watermark}, {cause});
  }
}

EventId Simulator::truncate_log(ClusterId cluster, BrokerId broker, PartitionId partition, Offset target,
                                TruncationReason reason, bool by_mirror, bool fully,
                                std::initializer_list<EventId> causes) {
  Log& log = partition_at(cluster, broker, partition).log;
  const LogSnapshot before = LogSnapshot::of(log);
  Truncated truncated;
  truncated.reason = reason;
  truncated.by_mirror = by_mirror;
  truncated.target = target;
  truncated.log_end_before = log.log_end_offset();
  const TruncateResult result = fully ? log.truncate_fully_and_start_at(target) : log.truncate_to(target);
  Partition& replica = partition_at(cluster, broker, partition);
  if (by_mirror && replica.role == Role::leader && !setup_->protocol.follower_positions_survive_cut &&
      truncated.log_end_before != log.log_end_offset()) {
    replica.forget_followers();
  }
  truncated.removed_records = result.removed_records;
  truncated.log_start = log.log_start_offset();
  EventId event = 0;
  if (result.removed_records > 0 || log.log_start_offset() != before.log_start ||
      log.log_end_offset() != truncated.log_end_before) {
    note_progress();
    event = recorder_.emit(cluster, broker, partition, truncated, causes);
  }
  emit_log_changes(cluster, broker, partition, before, event);
  return event;
}

EventId Simulator::append_as_leader(ClusterId cluster, BrokerId broker, PartitionId partition,
                                    const Batch& batch, EventId cause) {
  Broker& leader = broker_at(cluster, broker);
  Partition& replica = leader.partitions[partition];
  const LogSnapshot before = LogSnapshot::of(replica.log);
  const Batch& stored = replica.log.append_as_leader(batch, replica.leader_epoch);
  note_progress();
  Appended appended;
  appended.origin = AppendOrigin::local;
  appended.leader_epoch = replica.leader_epoch;
  appended.batches.push_back(stored);
  const EventId event = recorder_.emit(cluster, broker, partition, std::move(appended),
                                       {cause, leader.leadership_events[partition]});
  replica.maybe_advance_high_watermark(broker, guards_high_watermark(cluster, broker));
  emit_log_changes(cluster, broker, partition, before, event);
  return event;
}

}  // namespace mirrorproof::sim
