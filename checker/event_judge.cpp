#include "checker/event_judge.h"

#include <utility>
#include <variant>

#include "checker/alignment_exactness.h"
#include "checker/compaction.h"
#include "checker/follower_truncation.h"
#include "checker/log_matching.h"
#include "checker/mirror_rules.h"
#include "checker/producer_sequence.h"
#include "checker/recovery_barrier.h"

namespace mirrorproof::checker {

EventJudge::EventJudge(TraceHeader header, bool forgetful)
    : replay_(std::move(header), forgetful),
      circumstances_(replay_.header()),
      findings_(circumstances_),
      epoch_order_(replay_),
      epoch_identity_(replay_),
      version_safety_(replay_) {}

void EventJudge::observe(const Event& event) {
  if (event.step != step_ || statistics_.events == 0) {
    end_step();
    step_ = event.step;
  }
  statistics_.events += 1;
  replay_.order.add(event);
  if (!forgetful()) {
    circumstances_.observe(event);
  }
  std::visit([&](const auto& payload) { on(event, payload); }, event.payload);
}

void EventJudge::end_step() {
  epoch_order_.end_step(replay_, findings_);
  ule_policy_.end_step(replay_, findings_);
  group_offset_range_.end_step(replay_, findings_);
  loss_report_.end_step(replay_, findings_);
  restarted_logs_.end_step(replay_, findings_);
}

Judgement EventJudge::finish() {
  end_step();
  provenance_.finish(replay_, findings_);
  if (!forgetful()) {
    find_paths(replay_);
  }
  Judgement judgement;
  judgement.violations = findings_.take();
  judgement.mirror_truncations = std::move(replay_.mirror_truncations);
  judgement.statistics = statistics_;
  judgement.statistics.over_truncation = over_truncation_.statistics();
  return judgement;
}

Replica& EventJudge::replica_of(const Event& event) {
  return replay_.replica(event.cluster, event.broker, event.partition);
}

void EventJudge::forget_roles(const Event& event) {
  for (PartitionId partition = 0; partition < replay_.partitions(); ++partition) {
    replay_.replica(event.cluster, event.broker, partition).leads = false;
  }
}

// --- brokers and leadership

void EventJudge::on(const Event& event, const BrokerStarted& started) {
  version_safety_.started(event, started);
  convergence_.started(event);
  forget_roles(event);
}

void EventJudge::on(const Event& event, const BrokerStopped& stopped) {
  forget_roles(event);
  convergence_.stopped(event);
  if (stopped.kind == StopKind::power_loss) {
    for (PartitionId partition = 0; partition < replay_.partitions(); ++partition) {
      replay_.replica(event.cluster, event.broker, partition).last_power_loss = event.id;
    }
  }
}

void EventJudge::on(const Event& event, const Election& election) {
  statistics_.elections += 1;
  statistics_.unclean_elections += election.kind == ElectionKind::unclean ? 1 : 0;
  if (epoch_order_.check_election(replay_, findings_, event, election)) {
    lineage_of(event).elected(event.id, election, replay_.leader(event.cluster, event.partition));
  }
}

void EventJudge::on(const Event& event, const ReplicasChanged& changed) {
  replay_.set_hosts(event.cluster, event.partition, changed.replicas, changed.adding);
}

void EventJudge::on(const Event& event, const BecameLeader& became) {
  Replica& replica = replica_of(event);
  replica.leads = true;
  replica.took_role(event.causes);
  replica.leader_epoch = became.epoch;
  if (replica.of_deleted_topic) {
    return;
  }
  const Replica* previous = replay_.leader(event.cluster, event.partition);
  const TakeOver take_over =
      lineage_of(event).take_over(event.id, event.broker, became.epoch, replica, previous);
  check_take_over(replay_, findings_, event, take_over);
  provenance_.reign_began(replay_, findings_, event.cluster, event.partition);
}

void EventJudge::on(const Event& event, const BecameFollower& became) {
  Replica& replica = replica_of(event);
  replica.leads = false;
  replica.took_role(event.causes);
  replica.leader_epoch = became.epoch;
}

// --- logs

void EventJudge::on(const Event& event, const Appended& append) {
  if (!check_append_fits(replay_, findings_, event, append)) {
    return;
  }
  Replica& replica = replica_of(event);
  if (replica.of_deleted_topic) {
    // Nobody will ever read it: the broker has yet to hear that the topic is gone.
    for (const Batch& batch : append.batches) {
      replica.append(batch, event.id);
    }
    return;
  }
  const bool copy = append.origin == AppendOrigin::replication || append.origin == AppendOrigin::mirror;
  if (copy) {
    check_copy(replay_, findings_, event, append);
  }
  epoch_order_.check_append(replay_, findings_, event, append);
  epoch_identity_.check_append(replay_, findings_, event, append);
  check_sequences(replay_, findings_, event, append);
  check_mirrored_append(replay_, findings_, event, append);

  if (append.origin == AppendOrigin::initial && replica.log.empty()) {
    replica.log.start_at(append.batches.front().base_offset);
    replica.high_watermark = replica.log.log_start();
    replica.highest_log_start = replica.log.log_start();
  }
  std::optional<InheritedGaps> gaps;
  if (copy && cleaned_) {
    gaps.emplace(replay_, findings_, event, append);
  }
  const ReplicaLog::Index first = replica.log.end_index();
  const std::size_t epochs_before = replica.epoch_starts().size();
  for (const Batch& batch : append.batches) {
    if (gaps) {
      gaps->before(replica, batch, event.id);
    }
    replica.append(batch, event.id);
    aborts_ = aborts_ || batch.kind == BatchKind::abort_marker;
    statistics_.appended_records += static_cast<std::uint64_t>(batch.record_count());
  }
  if (replica.epoch_starts().size() != epochs_before) {
    epoch_order_.touched(event, replica, Replica::EpochsTouched::log);
  }
  // What a mirror appends names the source's leader epoch, not the one its leader believes to lead in.
  const Epoch believed = append.origin == AppendOrigin::mirror ? replica.leader_epoch : append.leader_epoch;
  lineage_of(event).appended(event.broker, append.origin, believed, replica, first);
  if (!forgetful()) {
    over_truncation_.mirrored(event, append);
    if (append.origin == AppendOrigin::local) {
      late_batches_.written(event.partition, std::as_const(replica).log, first);
    }
  }
}

void EventJudge::on(const Event& event, const Truncated& cut) {
  if (!check_cut_fits(replay_, findings_, event, cut)) {
    return;
  }
  restarted_logs_.truncated(replay_, event, cut);
  Replica& replica = replica_of(event);
  const ReplicaLog::Index end_before = replica.log.end_index();
  removed_.clear();
  replica.truncate(cut, removed_);
  const std::vector<LogEntry>& records = with_records(removed_, removed_records_);
  check_cut_count(replay_, findings_, event, cut, records);
  if (replica.of_deleted_topic) {
    return;
  }
  loss_report_.truncated(replay_, event, cut, records);
  if (cut.by_mirror) {
    reader_continuity_.aborted.cut_by_mirror(event.cluster, event.partition, cut.target);
    if (!forgetful()) {
      over_truncation_.truncated(replay_, event, records);
    }
    group_offset_range_.truncated(event);
  }
  epoch_order_.touched(event, replica, Replica::EpochsTouched::log);

  if (cut.by_mirror && cut.reason != TruncationReason::alignment) {
    give_up_deleted(event, cut);
  }
  Fate fate;
  fate.event = event.id;
  if (cut.reason == TruncationReason::alignment) {
    statistics_.alignment_truncations += records.empty() ? 0 : 1;
    fate.kind = Fate::Kind::alignment;
    replica.aligned_away = records;
  } else if (removed_.empty()) {
    if (cut.by_mirror) {
      lineage_of(event).truncated(event.broker, cut, removed_, replica, end_before, fate);
    }
    return;
  } else if (cut.reason == TruncationReason::topic_deleted) {
    return;
  } else if (cut.by_mirror) {
    statistics_.mirror_truncations += 1;
    fate.kind = Fate::Kind::mirror_truncation;
    fate.truncation = provenance_.judge(replay_, findings_, event, cut, removed_);
    UlePolicy::check_truncation(replay_, findings_, event, cut);
  } else if (cut.reason == TruncationReason::open_transaction) {
    check_stop_truncation(replay_, findings_, event, records);
  } else if (cut.reason != TruncationReason::power_loss && cut.reason != TruncationReason::log_restart &&
             cut.reason != TruncationReason::replica_removed && !records.empty()) {
    statistics_.follower_truncations += 1;
    check_follower_truncation(replay_, findings_, event, cut, records);
    give_up_gaps(replay_, event, removed_);
  }
  lineage_of(event).truncated(event.broker, cut, removed_, replica, end_before, fate);
}

void EventJudge::give_up_deleted(const Event& event, const Truncated& cut) {
  const ClusterId source = replay_.mirror(event.cluster, event.partition).source;
  if (source != kNoCluster && source != event.cluster) {
    const Lineage& theirs = replay_.lineage(source, event.partition);
    lineage_of(event).mirror_gave_up_deleted(event.broker, cut.target, [&](const Batch& batch) {
      return latest_fate_in_past(replay_, theirs, batch, event.id);
    });
  }
}

void EventJudge::on(const Event& event, const LogStartMoved& moved) {
  check_log_start(replay_, findings_, event, moved);
  Replica& replica = replica_of(event);
  if (moved.log_start > replica.log.log_start()) {
    lineage_of(event).deletes_front(event.broker, replica, moved.log_start);
    replica.move_log_start(moved.log_start);
    epoch_order_.touched(event, replica, Replica::EpochsTouched::log);
  }
}

void EventJudge::on(const Event& event, const LogCleaned& cleaned) {
  cleaned_ = true;
  clean_log(replay_, findings_, event, cleaned);
}

void EventJudge::on(const Event& event, const HighWatermarkMoved& moved) {
  check_high_watermark(replay_, findings_, event, moved);
  restarted_logs_.high_watermark_moved(event);
  ack_means_stored_.high_watermark_moved(findings_);
  const Offset before = std::exchange(replica_of(event).high_watermark, moved.high_watermark);
  if (std::as_const(replay_).lineage(event.cluster, event.partition).leader() == event.broker) {
    if (aborts_) {
      reader_continuity_.aborted.committed(
          event.cluster, event.partition, std::as_const(replica_of(event)).log, before, moved.high_watermark);
    }
    lineage_of(event).committed(moved.high_watermark);
  }
}

void EventJudge::on(const Event& event, const EpochCacheChanged& cache) {
  Replica& replica = replica_of(event);
  replica.epoch_cache.emplace(cache.entries.begin(), cache.entries.end());
  epoch_order_.touched(event, replica, Replica::EpochsTouched::cache);
}

// --- requests

void EventJudge::on(const Event& event, const RequestSent& request) {
  VersionSafety::check_sent(replay_, findings_, event, request);
  check_mirror_request(replay_, findings_, event, request);
}

void EventJudge::on(const Event& event, const RequestHandled& request) {
  version_safety_.check_handled(replay_, findings_, event, request);
  const Replica& server = std::as_const(replay_).replica(event.cluster, event.broker, event.partition);
  replay_.answers.handled(event, request, server.log, server.of_deleted_topic);
  if (!forgetful()) {
    over_truncation_.answered(replay_, event, request);
  }
}

void EventJudge::on(const Event& event, const ResponseReceived&) {
  if (const std::optional<Answer> answer = replay_.answers.received(event)) {
    replica_of(event).answers.add(event.id, *answer);
  }
}

// --- mirrors

void EventJudge::on(const Event& event, const MirrorStateChanged& change) {
  check_transition(replay_, findings_, event, change);
  check_recovery_barrier(replay_, findings_, event, change);
  ule_policy_.state_changed(event, change);
  MirrorSession& mirror = replay_.mirror(event.cluster, event.partition);
  mirror.state = change.to;
  mirror.reason = change.reason;
  mirror.retryable = change.retryable;
  mirror.position_stored = mirror.position_stored && change.to != MirrorState::stopping;
  mirror.has_mirrored =
      change.to == MirrorState::mirroring || (mirror.has_mirrored && change.to != MirrorState::stopped);
  mirror.ever_started = true;
  mirror.deleted = false;
  if (change.source != kNoCluster) {
    mirror.source = change.source;
  }
  if (change.to == MirrorState::mirroring && mirror.continues != mirror.source) {
    mirror.continues_since = event.id;
  }
  if (change.to == MirrorState::mirroring || change.to == MirrorState::stopping) {
    mirror.stopped_since = change.to == MirrorState::stopping ? event.id : 0;
  }
  if (change.to == MirrorState::mirroring || change.to == MirrorState::log_alignment) {
    mirror.continues = change.to == MirrorState::mirroring ? mirror.source : kNoCluster;
  }
}

void EventJudge::on(const Event& event, const MirrorPositionStored&) {
  replay_.mirror(event.cluster, event.partition).position_stored = true;
}

void EventJudge::on(const Event& event, const MirrorActionStarted& action) {
  if (action.source != kNoCluster) {
    replay_.mirror(event.cluster, event.partition).source = action.source;
  }
}

void EventJudge::on(const Event& event, const MirrorPositionRead& read) {
  if (!forgetful()) {
    over_truncation_.position_read(replay_, event, read);
  }
}

void EventJudge::on(const Event& event, const MirrorAligned& aligned) {
  check_alignment(replay_, findings_, event, aligned);
  epoch_identity_.check_aligned(replay_, findings_, event, aligned.source);
  replica_of(event).aligned_away.clear();
}

void EventJudge::on(const Event& event, const DivergenceDetected& divergence) {
  ule_policy_.detected(replay_, event, divergence);
}

void EventJudge::on(const Event& event, const OperatorOrdered& order) {
  for (PartitionId partition = 0; partition < replay_.partitions(); ++partition) {
    MirrorSession& mirror = replay_.mirror(event.cluster, partition);
    const bool named = event.partition == kNoPartition
                           ? order.source == kNoCluster || mirror.source == order.source
                           : event.partition == partition;
    if (named) {
      mirror.deleted = mirror.deleted || order.action == OperatorAction::delete_mirror;
      // To recover is to go on as ordered before.
      if (order.action != OperatorAction::recover_mirror) {
        mirror.last_order = order.action;
      }
    }
  }
}

// --- clients

void EventJudge::on(const Event& event, const ProduceAcked& acked) {
  ack_means_stored_.check(replay_, findings_, event, acked, restarted_logs_.told_any());
}

void EventJudge::on(const Event& event, const ReaderFetched& fetched) {
  reader_continuity_.check_fetched(replay_, late_batches_, findings_, event, fetched);
}

void EventJudge::on(const Event& event, const ReaderTold& told) {
  reader_continuity_.check_told(replay_, findings_, event, told);
}

void EventJudge::on(const Event& event, const ReaderMoved& moved) {
  reader_continuity_.moved(replay_, event, moved);
  group_offset_range_.resumed(event, moved);
}

void EventJudge::on(const Event& event, const GroupOffsetCommitted& committed) {
  group_offset_range_.committed(event, committed);
  reader_continuity_.committed(event, committed.group, true, committed.epoch);
}

void EventJudge::on(const Event& event, const GroupOffsetSynced& synced) {
  group_offset_range_.check_synced(replay_, findings_, event, synced);
  reader_continuity_.committed(event, synced.group, false, synced.epoch);
}

void EventJudge::on(const Event& event, const LossReported& loss) {
  if (!replica_of(event).of_deleted_topic) {
    loss_report_.reported(event, loss);
  }
}

// --- the whole

void EventJudge::on(const Event& event, const TopicRecreated&) {
  // A new history under an old name; what a mirror does with the old one is its own affair.
  replay_.deleted_lineage(event.cluster, event.partition) = std::exchange(lineage_of(event), Lineage{});
  epoch_identity_.forget(event.partition);
  epoch_order_.forget(event);
  group_offset_range_.forget(event.cluster, event.partition);
  replay_.mirror(event.cluster, event.partition) = MirrorSession{};
  for (BrokerId broker = 0; broker < replay_.brokers(event.cluster); ++broker) {
    Replica& replica = replay_.replica(event.cluster, broker, event.partition);
    replica.of_deleted_topic = true;
    replica.topic_recreated = event.id;
  }
}

void EventJudge::on(const Event& event, const WorldRested& world) {
  convergence_.check_rested(replay_, late_batches_, findings_, event, world);
  if (world.rested) {
    group_offset_range_.check_rested(replay_, findings_, event);
  }
}

}  // namespace mirrorproof::checker
