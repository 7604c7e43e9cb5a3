// Log operations together with the events they cause.

#include <algorithm>

#include "model/mutant.h"
#include "sim/log_snapshot.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {
namespace {

/// Where the batches below the offset end: lower than that in a gap.
/// Where a log ends that is cut at `offset`: where those of its batches do that still have records. What the
/// log cleaner took behind them is given up with the gap that it left: what had overwritten it is cut off.
Offset end_of_records_below(const Log& log, Offset offset) {
  const auto batches = log.batches();
  const auto last = std::find_if(batches.rbegin(), batches.rend(), [offset](const Batch& batch) {
    return batch.last_offset < offset && batch.has_records();
  });
  return last == batches.rend() ? log.log_start_offset()
                                : std::max(last->next_offset(), log.log_start_offset());
}

}  // namespace

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
    const EventId moved =
        recorder_.emit(cluster, broker, partition, HighWatermarkMoved{after.high_watermark}, {cause});
    if (!view_of(cluster).pending_acks.empty()) {
      acknowledge(cluster, broker, partition, moved);
    }
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
  const Batch* hit = fully || target >= log.log_end_offset() ? nullptr : log.batch_at_or_after(target);
  if (setup_->protocol.truncation_at_batch_boundaries && hit != nullptr && hit->base_offset < target) {
    target = hit->base_offset;
    truncated.target = target;
  }
  if (setup_->protocol.truncation_at_batch_boundaries && !fully && target < log.log_end_offset()) {
    target = std::min(target, end_of_records_below(log, target));
    truncated.target = target;
  }
  const auto batches = log.batches();
  const auto stored = [](const Batch& batch) { return batch.has_records(); };
  const auto cut_from = std::find_if(batches.begin(), batches.end(), [&](const Batch& batch) {
    return fully || batch.last_offset >= target;
  });
  const auto first = std::find_if(cut_from, batches.end(), stored);
  LossReported loss;
  if (first != batches.end()) {
    loss.first = first->base_offset;
    loss.end = std::find_if(batches.rbegin(), batches.rend(), stored)->next_offset() -
               (mutated(Mutant::loss_report_one_short) ? 1 : 0);
  }
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
  if (setup_->protocol.cuts_drop_answers && result.removed_records > 0) {
    drop_answers_of(cluster, broker, partition, truncated.target);
  }
  emit_log_changes(cluster, broker, partition, before, event);
  if (by_mirror && event != 0) {
    loss.records = result.removed_records;
    report_losses(cluster, broker, partition, truncated, loss, event);
    if (setup_->protocol.group_offsets_follow_truncation) {
      clamp_group_offsets(cluster, broker, partition, event);
    }
  }
  return event;
}

void Simulator::report_losses(ClusterId cluster, BrokerId broker, PartitionId partition,
                              const Truncated& truncated, const LossReported& discarded, EventId event) {
  if (!setup_->protocol.loss_report) {
    return;
  }
  if (discarded.records > 0) {
    recorder_.emit(cluster, broker, partition, discarded, {event});
  }
  if (truncated.target > truncated.log_end_before) {
    recorder_.emit(cluster, broker, partition,
                   LossReported{LossKind::never_copied, truncated.log_end_before, truncated.target,
                                truncated.target - truncated.log_end_before},
                   {event});
  }
}

EventId Simulator::append_as_leader(ClusterId cluster, BrokerId broker, PartitionId partition,
                                    const Batch& batch, EventId cause) {
  Broker& leader = broker_at(cluster, broker);
  Partition& replica = leader.partitions[partition];
  const LogSnapshot before = LogSnapshot::of(replica.log);
  const Batch& stored = replica.log.append_as_leader(batch, replica.epoch_to_stamp());
  note_progress();
  Appended appended;
  appended.origin = AppendOrigin::local;
  appended.leader_epoch = replica.leader_epoch;
  appended.batches.push_back(stored);
  const EventId event = recorder_.emit(cluster, broker, partition, std::move(appended),
                                       {cause, leader.leadership_events[partition]});
  for (PendingAck& ack : world_.clusters[cluster].pending_acks) {
    if (ack.leader == broker && ack.partition == partition && ack.base_offset == stored.base_offset &&
        ack.event == 0) {
      ack.event = event;
    }
  }
  replica.maybe_advance_high_watermark(broker, guards_high_watermark(cluster, broker));
  emit_log_changes(cluster, broker, partition, before, event);
  return event;
}

}  // namespace mirrorproof::sim
