#include "sim/fetch_hosts.h"

#include <algorithm>

#include "model/check.h"
#include "model/mutant.h"
#include "model/producer_state.h"
#include "sim/log_snapshot.h"

namespace mirrorproof::sim {
namespace {

/// Where the log has its first batch, if it was copied from inside a gap: what a log cleaner took in front of
/// it may have been of that epoch or of one before, and who asks must not be told either. 0: no such gap.
Offset end_of_gap_at_start(const Log& log) {
  const auto epochs = log.leader_epoch_cache().entries();
  const auto batches = log.batches();
  const bool unknown = !epochs.empty() && !batches.empty() &&
                       epochs.front().start_offset > log.log_start_offset() &&
                       batches.front().base_offset == epochs.front().start_offset;
  return unknown ? batches.front().base_offset : 0;
}

}  // namespace

EventId ReplicaHost::cause(PartitionId partition) const {
  for (const PartitionCause& known : causes_) {
    if (known.partition == partition) {
      return known.event;
    }
  }
  return 0;
}

HostVerdict ReplicaHost::truncate(PartitionId partition, Offset target, TruncationReason reason,
                                  bool completed) {
  (void)completed;
  simulator_.truncate_log(cluster_, broker_, partition, target, reason, false, false, {cause(partition)});
  return HostVerdict::proceed;
}

HostVerdict ReplicaHost::truncate_fully_and_start_at(PartitionId partition, Offset start) {
  simulator_.truncate_log(cluster_, broker_, partition, start, TruncationReason::out_of_range, false, true,
                          {cause(partition)});
  return HostVerdict::proceed;
}

ProcessedData ReplicaHost::append(const PartitionFetchState& state, std::span<const Batch> batches,
                                  AppendOrigin origin, bool epoch_guard, Epoch newest_epoch) {
  ProcessedData processed;
  Log& target = log(state.partition);
  const auto before = Simulator::LogSnapshot::of(target);
  const Offset end_before = target.log_end_offset();
  if (protocol().copied_sequences == CopiedSequences::checked && !sequences_follow(target, batches)) {
    processed.verdict = HostVerdict::fail;
    return processed;
  }
  const AppendResult result = target.append_as_follower(batches, newest_epoch, epoch_guard);
  if (result.error != AppendError::none) {
    processed.verdict = HostVerdict::fail;
    return processed;
  }
  if (result.restarted_at_batch_base) {
    Truncated restarted;
    restarted.reason = TruncationReason::log_restart;
    restarted.by_mirror = origin == AppendOrigin::mirror;
    restarted.target = target.log_start_offset();
    restarted.log_end_before = end_before;
    restarted.log_start = target.log_start_offset();
    simulator_.recorder_.emit(cluster_, broker_, state.partition, restarted, {cause(state.partition)});
  }
  if (result.appended_batches > 0) {
    simulator_.note_progress();
    Appended appended;
    appended.origin = origin;
    appended.source_cluster = server_cluster_;
    appended.source_broker = server_;
    appended.leader_epoch = state.current_leader_epoch;
    if (simulator_.recorder_.active()) {
      appended.batches.assign(batches.begin(), batches.begin() + result.appended_batches);
    }
    simulator_.recorder_.emit(cluster_, broker_, state.partition, std::move(appended),
                              {cause(state.partition)});
  }
  simulator_.emit_log_changes(cluster_, broker_, state.partition, before, cause(state.partition));
  processed.appended = result.appended_batches > 0;
  processed.next_offset = target.log_end_offset();
  processed.last_epoch = result.last_epoch.value_or(kUndefinedEpoch);
  return processed;
}

void ReplicaHost::move_log_start(PartitionId partition, Offset leader_log_start) {
  Log& target = log(partition);
  const auto before = Simulator::LogSnapshot::of(target);
  // L14: above the own high watermark the move is refused, and comes with a later answer.
  const Offset beyond = mutated(Mutant::log_start_one_too_far) && leader_log_start > 0 ? 1 : 0;
  const Offset wanted = leader_log_start + beyond;
  target.increment_log_start(
      protocol().cleaner_keeps_epoch_starts ? std::max(wanted, end_of_gap_at_start(target)) : wanted);
  if (target.log_start_offset() != before.log_start) {
    simulator_.recorder_.emit(cluster_, broker_, partition,
                              LogStartMoved{LogStartMoved::Reason::replicated, target.log_start_offset()},
                              {cause(partition)});
  }
  simulator_.emit_log_changes(cluster_, broker_, partition, before, cause(partition));
}

HostVerdict ReplicaHost::on_diverging_answer(const PartitionFetchState& state,
                                             const FetchPartitionResponse& answer) {
  if (protocol().diverging_answer == DivergingAnswer::only_truncates) {
    return HostVerdict::proceed;
  }
  Log& target = log(state.partition);
  const auto before = Simulator::LogSnapshot::of(target);
  target.set_high_watermark(answer.high_watermark);
  simulator_.emit_log_changes(cluster_, broker_, state.partition, before, cause(state.partition));
  move_log_start(state.partition, answer.log_start_offset);
  // L14: a log start above the high watermark is an error nobody expected, and fails the partition (F25).
  return target.log_start_offset() < answer.log_start_offset ? HostVerdict::fail : HostVerdict::proceed;
}

ProcessedData ReplicaHost::process_data(const PartitionFetchState& state,
                                        const FetchPartitionResponse& data) {
  Log& target = log(state.partition);
  if (state.fetch_offset != target.log_end_offset()) {
    return {HostVerdict::fail, false, kUndefinedOffset, kUndefinedEpoch};
  }
  const bool guard = protocol().batch_epoch_guard && protocol().replication == Replication::kip320;
  // M27: what the mirror leader's log was known to hold before this answer.
  const bool by_log_epoch = protocol().follower_guard_by_log_epoch && data.mirror_leader_epoch >= 0;
  if (by_log_epoch && data.mirror_leader_epoch > state.mirror_leader_epoch) {
    simulator_.note_progress();  // the next answer may bring what this one could not
  }
  const ProcessedData processed =
      append(state, {data.records.data(), data.records.size()}, AppendOrigin::replication, guard,
             by_log_epoch ? state.mirror_leader_epoch : state.current_leader_epoch);
  if (processed.verdict != HostVerdict::proceed) {
    return processed;
  }
  const auto before = Simulator::LogSnapshot::of(target);
  if (!mutated(Mutant::replica_ignores_high_watermark)) {
    target.set_high_watermark(data.high_watermark);
  }
  simulator_.emit_log_changes(cluster_, broker_, state.partition, before, cause(state.partition));
  move_log_start(state.partition, data.log_start_offset);
  return processed;
}

std::optional<Epoch> MirrorHost::metadata_leader_epoch(PartitionId partition) {
  const LeaderView& view = simulator_.broker_at(cluster_, broker_).source_views[partition];
  return view.broker == kNoBroker ? std::nullopt : std::optional(view.epoch);
}

HostVerdict MirrorHost::truncate(PartitionId partition, Offset target, TruncationReason reason,
                                 bool completed) {
  (void)completed;
  const Log& own = log(partition);
  const Batch* cut = own.batch_at_or_after(target);
  const bool removes_records = target < own.log_end_offset() && cut != nullptr;
  if (removes_records && refuses_realigned_source(partition)) {
    return HostVerdict::remove;
  }
  const bool diverges = reason == TruncationReason::diverging_epoch ||
                        reason == TruncationReason::offset_for_leader_epoch ||
                        (reason == TruncationReason::out_of_range && protocol().out_of_range_diverges);
  if (removes_records && diverges) {
    // A mirror on its way out of MIRRORING (PAUSING) cannot enter ULE_RECOVERY; what it resumes from finds
    // out again.
    if (simulator_.view_of(cluster_).mirrors[partition].state != MirrorState::mirroring) {
      return HostVerdict::remove;
    }
    // N3: only committed data is fetched, so the source must have had an unclean election.
    const EventId detected = simulator_.recorder_.emit(
        cluster_, broker_, partition,
        DivergenceDetected{reason, std::min(target, cut->base_offset), server_cluster_}, {cause(partition)});
    if (!protocol().ule_support) {
      if (mutated(Mutant::ule_policy_cuts_first)) {
        simulator_.truncate_log(cluster_, broker_, partition, target, reason, true, false, {detected});
      }
      simulator_.mirror_transition(cluster_, broker_, partition, MirrorState::failed,
                                   MirrorReason::divergence, mutated(Mutant::ule_policy_retries), detected);
      return HostVerdict::remove;
    }
    const Offset cut_to = mutated(Mutant::recovery_without_truncation) ? own.log_end_offset() : target;
    const EventId truncated = simulator_.truncate_log(cluster_, broker_, partition, cut_to, reason, true,
                                                      false, {detected, cause(partition)});
    if (mutated(Mutant::divergence_stays_mirroring)) {
      return HostVerdict::proceed;
    }
    simulator_.mirror_transition(cluster_, broker_, partition, MirrorState::ule_recovery,
                                 MirrorReason::divergence, true, truncated);
    return HostVerdict::remove;
  }
  simulator_.truncate_log(cluster_, broker_, partition, target, reason, true, false, {cause(partition)});
  return HostVerdict::proceed;
}

bool MirrorHost::refuses_realigned_source(PartitionId partition) {
  const MirrorTask& task = simulator_.broker_at(cluster_, broker_).tasks[partition];
  const Cluster& theirs = simulator_.view_of(server_cluster_);
  const MirrorRecord& source = theirs.mirrors[partition];
  const TopicId mirrored = simulator_.view_of(cluster_).mirrors[partition].source_topic_id;
  if (protocol().positions_end_with_alignment && protocol().topic_id_check && mirrored != 0 &&
      theirs.controller.partition(partition).topic_id != mirrored) {
    // What its coordinator knew of the deleted topic's cuts went with it.
    simulator_.fail_mirror(cluster_, broker_, partition, MirrorReason::topic_mismatch, false, false,
                           cause(partition));
    return true;
  }
  if (!protocol().positions_end_with_alignment ||
      source.lowest_cut_since(task.source_cuts) >= log(partition).log_end_offset()) {
    return false;
  }
  simulator_.fail_mirror(cluster_, broker_, partition, MirrorReason::source_realigned, false, false,
                         cause(partition));
  return true;
}

HostVerdict MirrorHost::on_diverging_answer(const PartitionFetchState& state,
                                            const FetchPartitionResponse& answer) {
  (void)state;
  (void)answer;
  return HostVerdict::proceed;  // a mirror leader's high watermark is its own
}

HostVerdict MirrorHost::truncate_fully_and_start_at(PartitionId partition, Offset start) {
  if (log(partition).log_end_offset() > 0 && refuses_realigned_source(partition)) {
    return HostVerdict::remove;
  }
  if (protocol().retention_gap == RetentionGap::fail && log(partition).log_end_offset() > 0) {
    simulator_.fail_mirror(cluster_, broker_, partition, MirrorReason::source_retention, false, false,
                           cause(partition));
    return HostVerdict::remove;
  }
  simulator_.truncate_log(cluster_, broker_, partition, start, TruncationReason::out_of_range, true, true,
                          {cause(partition)});
  return HostVerdict::proceed;
}

ProcessedData MirrorHost::process_data(const PartitionFetchState& state, const FetchPartitionResponse& data) {
  const PartitionId id = state.partition;
  Partition& partition = partition_at(id);
  ProcessedData taken_away{HostVerdict::remove, false, kUndefinedOffset, kUndefinedEpoch};
  if (state.fetch_offset != partition.log.log_end_offset()) {
    simulator_.fail_mirror(cluster_, broker_, id, MirrorReason::fetch_failed, true, false, cause(id));
    return taken_away;
  }
  const bool epochless = std::any_of(data.records.begin(), data.records.end(),
                                     [](const Batch& batch) { return batch.epoch == kUndefinedEpoch; });
  if (protocol().records_need_epochs && epochless) {
    simulator_.fail_mirror(cluster_, broker_, id, MirrorReason::source_without_epochs, false, false,
                           cause(id));
    return taken_away;
  }
  const Epoch last_epoch = data.records.empty() ? kUndefinedEpoch : data.records.back().epoch;
  const EpochBump bump = protocol().epoch_bump;
  const Epoch tolerated = mutated(Mutant::batch_above_leader_epoch_appended) ? 1 : 0;
  if (bump != EpochBump::none && last_epoch > partition.leader_epoch + tolerated) {
    simulator_.broker_at(cluster_, broker_).tasks[id].fence_epoch = last_epoch;
    simulator_.mirror_transition(cluster_, broker_, id, MirrorState::epoch_fencing,
                                 MirrorReason::source_epoch_ahead, true, cause(id));
    return taken_away;
  }
  MirrorRecord& record = simulator_.world_.clusters[cluster_].mirrors[id];
  record.attempts = 0;
  const MirrorRecord& source = simulator_.view_of(server_cluster_).mirrors[id];
  MirrorTask& task = simulator_.broker_at(cluster_, broker_).tasks[id];
  // What an empty log will hold comes from answers after these cuts.
  const bool holds_nothing = partition.log.log_start_offset() == partition.log.log_end_offset();
  if (holds_nothing || source.lowest_cut_since(task.source_cuts) >= partition.log.log_end_offset()) {
    task.source_cuts = std::max(task.source_cuts, data.alignments);
  }
  // Another replica that leads next may still have what the cuts took from the source.
  if (followers_have_followed(partition, broker_, FollowerWait::all_heard, protocol().ule_support)) {
    record.source_cuts = std::max(record.source_cuts, task.source_cuts);
  }
  record.source_epoch = std::max(record.source_epoch, state.current_leader_epoch);
  const bool deposed =
      partition.leader_epoch < record.writer_epoch || simulator_.leads_deleted_topic(cluster_, broker_, id);
  if (protocol().alignment_by_origin && state.topic_id != 0 && record.aligned && !deposed) {
    // A source that is a mirror may have found its own source only after this session began.
    record.origin = simulator_.origin_of(server_cluster_, id, state.topic_id);
  }
  if (!data.records.empty()) {
    // M22 step 3: the proactive bump; the batch is still accepted.
    simulator_.request_epoch_bump(cluster_, id, epoch_bump_target(bump, last_epoch, partition.leader_epoch));
  }
  if (protocol().batch_epoch_guard && last_epoch > state.current_leader_epoch) {
    // L5 would drop the batch for ever, since nobody tells this cluster of the source's newer epoch.
    simulator_.fail_mirror(cluster_, broker_, id, MirrorReason::source_metadata_stale, true, true, cause(id));
    return taken_away;
  }
  BatchSlice batches = data.records;
  if (protocol().mirror_epochs == MirrorEpochs::rewrite) {
    for (Batch& batch : batches) {
      batch.epoch = partition.leader_epoch;
    }
  }
  if (protocol().mirrored_producer_ids == MirroredProducerIds::negate) {
    for (Batch& batch : batches) {
      batch.producer_id =
          static_cast<std::int16_t>(batch.producer_id < 0 ? batch.producer_id : -2 - batch.producer_id);
    }
  }
  const bool guard = protocol().batch_epoch_guard && protocol().mirror_epochs == MirrorEpochs::preserve;
  ProcessedData processed = append(state, {batches.data(), batches.size()}, AppendOrigin::mirror, guard,
                                   state.current_leader_epoch);
  if (processed.verdict != HostVerdict::proceed) {
    simulator_.fail_mirror(cluster_, broker_, id, MirrorReason::fetch_failed, true, false, cause(id));
    return taken_away;
  }
  const auto before = Simulator::LogSnapshot::of(partition.log);
  if (protocol().destination_high_watermark == DestinationHighWatermark::source) {
    partition.log.set_high_watermark(data.high_watermark);
  } else {
    partition.maybe_advance_high_watermark(broker_, simulator_.guards_high_watermark(cluster_, broker_));
  }
  simulator_.emit_log_changes(cluster_, broker_, id, before, cause(id));
  Offset log_start = data.log_start_offset;
  if (protocol().log_start_resume_floor && log_start > partition.log.log_start_offset()) {
    log_start = std::max(log_start, simulator_.broker_at(cluster_, broker_).tasks[id].resume_offset);
  }
  move_log_start(id, log_start);
  return processed;
}

ErrorDecision MirrorHost::fail(const PartitionFetchState& state, MirrorReason reason, bool needs_news) {
  simulator_.fail_mirror(cluster_, broker_, state.partition, reason, true, needs_news,
                         cause(state.partition));
  return {ErrorDecision::Kind::remove, kUndefinedEpoch};
}

ErrorDecision MirrorHost::on_fetch_error(const PartitionFetchState& state,
                                         const FetchPartitionResponse& answer) {
  using Kind = ErrorDecision::Kind;
  switch (answer.error) {
    case ErrorCode::fenced_leader_epoch:
    case ErrorCode::not_leader_or_follower: {
      // M24, M25. Sources before 3.7 do not say who leads; then only a metadata refresh helps.
      if (answer.current_leader == kNoBroker || answer.current_leader_epoch == kUndefinedEpoch) {
        return fail(state, MirrorReason::source_metadata_stale, true);
      }
      LeaderView& view = simulator_.broker_at(cluster_, broker_).source_views[state.partition];
      if (answer.current_leader_epoch > view.epoch) {
        view.broker = answer.current_leader;
        view.epoch = answer.current_leader_epoch;
        view.event = cause(state.partition);
      }
      if (answer.current_leader != server_) {
        redirects_.push_back({state.partition, state.topic_id, answer.current_leader,
                              answer.current_leader_epoch, state.fetch_offset});
        return {Kind::remove, kUndefinedEpoch};
      }
      if (answer.error == ErrorCode::not_leader_or_follower) {
        return {Kind::delay, kUndefinedEpoch};
      }
      if (mutated(Mutant::fenced_mirror_keeps_its_epoch)) {
        return {Kind::delay, kUndefinedEpoch};
      }
      return {Kind::update_epoch, answer.current_leader_epoch};
    }
    case ErrorCode::inconsistent_topic_id:
    case ErrorCode::unknown_topic_id:
      if (protocol().topic_id_check) {
        simulator_.fail_mirror(cluster_, broker_, state.partition, MirrorReason::topic_mismatch, false, false,
                               cause(state.partition));
        return {Kind::remove, kUndefinedEpoch};
      }
      return fail(state, MirrorReason::source_metadata_stale, true);
    case ErrorCode::unknown_leader_epoch:
      return {Kind::delay, kUndefinedEpoch};
    default:
      return {};
  }
}

ErrorDecision MirrorHost::on_truncation_error(const PartitionFetchState& state, ErrorCode error) {
  (void)error;
  return fail(state, MirrorReason::source_metadata_stale, true);  // M20
}

ErrorDecision MirrorHost::on_request_failed(const PartitionFetchState& state, bool io_error) {
  if (io_error) {
    return fail(state, MirrorReason::source_unavailable, false);  // M23
  }
  if (protocol().divergence_detection == DivergenceDetection::fetch_only) {
    return fail(state, MirrorReason::source_version_too_old, true);
  }
  return {ErrorDecision::Kind::delay, kUndefinedEpoch};
}

}  // namespace mirrorproof::sim
