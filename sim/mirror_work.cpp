// The destination leader's work on a mirrored partition: transitions, and the steps of every state.

#include <fmt/format.h>

#include <algorithm>

#include "model/check.h"
#include "model/mutant.h"
#include "model/producer_state.h"
#include "sim/fetch_hosts.h"
#include "sim/log_snapshot.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {

using Step = MirrorTask::Step;

namespace {

/// M31: the state before failing, or LOG_ALIGNMENT if there was none.
MirrorState retry_target(const MirrorRecord& record, const ProtocolOptions& protocol) {
  // M7 knows no way from FAILED to these; the mend goes through MIRRORING, which leads to all of them.
  const MirrorState before = record.state_before_failing;
  if (mutated(Mutant::retry_skips_alignment)) {
    return MirrorState::mirroring;
  }
  if (protocol.orders_while_failed && before != MirrorState::unknown &&
      !is_valid_transition(MirrorState::failed, before)) {
    return MirrorState::mirroring;
  }
  return record.state_before_failing == MirrorState::unknown ? MirrorState::log_alignment
                                                             : record.state_before_failing;
}

}  // namespace

bool Simulator::mirror_transition(ClusterId cluster, BrokerId broker, PartitionId id, MirrorState to,
                                  MirrorReason reason, bool retryable, EventId cause) {
  MirrorRecord& record = world_.clusters[cluster].mirrors[id];
  Broker& leader = broker_at(cluster, broker);
  const Partition& partition = leader.partitions[id];
  MirrorTask& task = leader.tasks[id];
  note_progress();
  if (record.source == kNoCluster || leads_deleted_topic(cluster, broker, id)) {
    task.step = Step::idle;  // deleted, with its topic or by order
    return false;
  }
  // M6: a writer of an older leader epoch is fenced; it stops and waits for metadata.
  if (partition.leader_epoch < record.writer_epoch && !mutated(Mutant::deposed_leader_changes_mirror_state)) {
    task.step = Step::idle;
    return false;
  }
  if (!is_valid_transition(record.state, to) && !mutated(Mutant::mirror_transition_unchecked)) {
    return false;
  }
  const MirrorState from = record.state;
  record.writer_epoch = partition.leader_epoch;
  record.reason = reason;
  record.retryable = retryable;
  if (to == MirrorState::failed) {
    record.attempts = static_cast<std::int16_t>(record.attempts + 1);
    if (record.attempts >= kMaxRetryAttempts) {
      record.retryable = false;
    }
    if (from != MirrorState::failed) {
      record.state_before_failing = from;
    }
  }
  if (to == MirrorState::log_alignment) {
    if (setup_->protocol.alignment_fails_parked_produce) {
      forget_pending_acks(cluster, broker, id);
    }
    record.aligned = false;
    record.source_epoch = kUndefinedEpoch;
  }
  if (from == MirrorState::log_alignment && to == MirrorState::mirroring) {
    record.aligned = true;
    record.origin = record.source_origin;  // not before: another replica may lead that has not followed yet
  }
  if (from != MirrorState::stopping && to == MirrorState::stopping) {
    record.stop_began_in_epoch = partition.leader_epoch;
  }
  record.state = to;
  EventId event = cause;
  if (from != to) {
    event = recorder_.emit(cluster, kController, id,
                           MirrorStateChanged{from, to, reason, record.retryable, record.source}, {cause});
  }
  task.step = first_step(to);
  task.cause = event;
  if (to != MirrorState::stopped && to != MirrorState::paused) {
    recorder_.emit(cluster, broker, id, MirrorActionStarted{to, record.source}, {event});
  }
  return true;
}

void Simulator::fail_mirror(ClusterId cluster, BrokerId broker, PartitionId id, MirrorReason reason,
                            bool retryable, bool needs_news, EventId cause) {
  MirrorTask& task = broker_at(cluster, broker).tasks[id];
  const LeaderView& view = broker_at(cluster, broker).source_views[id];
  task.retry_needs_news = needs_news;
  task.failed_broker = view.broker;
  task.failed_epoch = view.epoch;
  mirror_transition(cluster, broker, id, MirrorState::failed, reason, retryable, cause);
}

void Simulator::request_epoch_bump(ClusterId cluster, PartitionId partition, std::optional<Epoch> target) {
  if (!target) {
    return;
  }
  auto& pending = world_.clusters[cluster].pending_bumps[partition];
  if (!pending || *pending < *target) {
    pending = *target;
    note_progress();
  }
}

/// Re-asserting writes the state again, so that older leaders are fenced at the coordinator from now on (M6).
void Simulator::reassert_mirror_state(ClusterId cluster, BrokerId broker, PartitionId id, EventId cause) {
  MirrorRecord& record = world_.clusters[cluster].mirrors[id];
  Broker& leader = broker_at(cluster, broker);
  MirrorTask& task = leader.tasks[id];
  record.writer_epoch = leader.partitions[id].leader_epoch;
  task.step = first_step(record.state);
  task.cause = cause;
  if (task.step != Step::idle) {
    recorder_.emit(cluster, broker, id, MirrorActionStarted{record.state, record.source}, {cause});
  }
}

/// The transition that ends a state's work. Where it is invalid by now it is skipped, not tried again (M6):
/// the leader has read what is stored, and does that state's work.
bool Simulator::end_mirror_work(ClusterId cluster, BrokerId broker, PartitionId id, MirrorState to,
                                MirrorReason reason) {
  const MirrorTask& task = broker_at(cluster, broker).tasks[id];
  const Step ended = task.step;
  if (mirror_transition(cluster, broker, id, to, reason, true, task.cause)) {
    return true;
  }
  if (task.step == ended) {
    reassert_mirror_state(cluster, broker, id, task.cause);
  }
  return false;
}

/// Section 7.3: what a destination leader does on a new leader epoch or a new order; first match.
void Simulator::mirror_metadata_changed(ClusterId cluster, BrokerId broker, PartitionId id, EventId cause) {
  const PartitionRegistration& registration = world_.clusters[cluster].controller.partition(id);
  MirrorRecord& record = world_.clusters[cluster].mirrors[id];
  Broker& leader = broker_at(cluster, broker);
  MirrorTask& task = leader.tasks[id];
  if (task.applied_order == DesiredMirror::none) {
    return;
  }
  if (leader.partitions[id].leader_epoch < record.writer_epoch || leads_deleted_topic(cluster, broker, id)) {
    task.step = Step::idle;
    return;
  }
  const auto reassert = [&] { reassert_mirror_state(cluster, broker, id, cause); };
  const auto move_to = [&](MirrorState state) {
    if (!mirror_transition(cluster, broker, id, state, MirrorReason::operator_order, true, cause)) {
      reassert();
    }
  };
  const MirrorState state = record.state;
  const bool stop_from_failed =
      setup_->protocol.orders_while_failed && task.applied_order == DesiredMirror::stopped;
  if (state == MirrorState::failed && !stop_from_failed) {
    reassert();
  } else if (task.applied_order == DesiredMirror::stopped) {
    if (state == MirrorState::stopped || state == MirrorState::unknown) {
      task.step = Step::idle;
      leader.partitions[id].read_only = state != MirrorState::stopped;
    } else {
      if (!mutated(Mutant::stop_keeps_fetcher)) {
        remove_from_fetchers(cluster, broker, id, true);
      }
      move_to(MirrorState::stopping);
    }
  } else if (task.applied_order == DesiredMirror::paused) {
    if (state == MirrorState::paused) {
      task.step = Step::idle;
    } else {
      move_to(MirrorState::pausing);
    }
  } else if (state == MirrorState::paused) {
    move_to(MirrorState::mirroring);
  } else if (state == MirrorState::unknown || state == MirrorState::stopped) {
    if (record.source != registration.mirror_source) {
      record.source = registration.mirror_source;
      for (Broker& other : world_.clusters[cluster].brokers) {
        other.source_views[id] = LeaderView{};
      }
    }
    move_to(MirrorState::log_alignment);
  } else {
    reassert();
  }
}

std::optional<Epoch> Simulator::wanted_bump(ClusterId cluster, BrokerId broker, PartitionId id) const {
  const Broker& leader = broker_at(cluster, broker);
  const Partition& partition = leader.partitions[id];
  const EpochBump rule = setup_->protocol.epoch_bump;
  if (leader.tasks[id].step == Step::stop_bump) {
    if (setup_->protocol.epoch_blocks_at_failover) {
      return block_stop_bump_target(cluster, leader.source_views[id].epoch,
                                    world_.clusters[cluster].mirrors[id].stop_began_in_epoch,
                                    partition.leader_epoch);
    }
    return stop_bump_target(rule, partition.log, partition.leader_epoch);
  }
  const Epoch source_epoch = std::max(leader.source_views[id].epoch, leader.tasks[id].fence_epoch);
  return epoch_bump_target(rule, source_epoch, partition.leader_epoch);
}

/// Would the source broker that is believed to lead answer in the epoch that is believed in?
bool Simulator::leads_in_epoch(ClusterId source, PartitionId id, const LeaderView& view) const {
  if (view.broker == kNoBroker || !broker_at(source, view.broker).alive) {
    return false;
  }
  const Partition& theirs = partition_at(source, view.broker, id);
  return theirs.role == Role::leader && theirs.leader_epoch == view.epoch;
}

std::string Simulator::mirror_step_blocked(ClusterId cluster, BrokerId broker, PartitionId id) const {
  const Broker& leader = broker_at(cluster, broker);
  const Partition& partition = leader.partitions[id];
  const MirrorTask& task = leader.tasks[id];
  const MirrorRecord& record = world_.clusters[cluster].mirrors[id];
  const ProtocolOptions& protocol = setup_->protocol;
  if (partition.role != Role::leader) {
    return "it does not lead the partition";
  }
  if (record.source == kNoCluster || leads_deleted_topic(cluster, broker, id)) {
    return "the mirror is deleted";
  }
  if (leader.holds(Held::mirror)) {
    return "its mirror work is held";
  }
  const auto followed = [&](FollowerWait wait) {
    return followers_have_followed(partition, broker, wait, protocol.ule_support)
               ? std::string{}
               : std::string{"its followers have not followed yet"};
  };
  switch (task.step) {
    case Step::idle:
      return "it has no mirror work to do";
    case Step::align_wait:
      switch (protocol.alignment_wait) {
        case AlignmentWait::relevant_replicas:
          return followed(FollowerWait::relevant);
        case AlignmentWait::all_replicas:
          return followed(FollowerWait::all_heard);
        case AlignmentWait::none:
          return {};
      }
      return {};
    case Step::recovery_wait:
      switch (protocol.recovery_wait) {
        case RecoveryWait::all_replicas:
          return followed(FollowerWait::all);
        case RecoveryWait::isr:
          return followed(FollowerWait::isr);
        case RecoveryWait::none:
          return {};
        case RecoveryWait::all_heard:
          return followed(FollowerWait::all_heard);
      }
      return {};
    case Step::fence_bump:
    case Step::stop_bump: {
      if (world_.clusters[cluster].pending_bumps[id]) {
        return "the epoch bump it asked for is not done";
      }
      const std::optional<Epoch> target = wanted_bump(cluster, broker, id);
      const bool raised = target && world_.clusters[cluster].controller.partition(id).leader_epoch > *target;
      return raised ? "it has not applied the metadata of the epoch bump" : "";
    }
    case Step::stop_await_position:
      return record.pending_position ? "its last mirror position is not stored" : "";
    case Step::stop_await_pid_reset:
      return partition.log.high_watermark() > task.pid_reset_offset ||
                     mutated(Mutant::stopped_before_pid_reset_is_replicated)
                 ? ""
                 : "its PID_RESET is not replicated";
    case Step::retry: {
      if (!record.retryable) {
        return "the mirror has failed for good";
      }
      if (!is_valid_transition(MirrorState::failed, retry_target(record, setup_->protocol))) {
        return fmt::format("FAILED may not go back to {}", to_string(retry_target(record, setup_->protocol)));
      }
      const LeaderView& view = leader.source_views[id];
      if (world_.is_cut(cluster, record.source)) {
        return "the source cannot be reached";
      }
      if (record.state_before_failing == MirrorState::mirroring) {
        if (view.broker == kNoBroker) {
          return "it knows no source leader";
        }
        if (!broker_at(record.source, view.broker).alive) {
          return "the source leader it knows is down";
        }
      }
      if (record.reason == MirrorReason::source_version_too_old && view.broker != kNoBroker &&
          !negotiate(fetcher_rules(cluster, record.source).fetch_versions,
                     supported_range(broker_at(record.source, view.broker).version, ApiKey::fetch))) {
        return "the source leader's version is still too old";
      }
      if (record.reason == MirrorReason::source_not_stopped) {
        if (mirrors_back(record.source, cluster, id)) {
          return "the source still mirrors from this cluster";
        }
      }
      if (record.reason != MirrorReason::source_version_too_old && task.retry_needs_news &&
          view.broker == task.failed_broker && view.epoch == task.failed_epoch &&
          !leads_in_epoch(record.source, id, view)) {
        return "it has learned nothing new of the source's leader";
      }
      return {};
    }
    default:
      return {};
  }
}

void Simulator::mirror_step(ClusterId cluster, BrokerId broker, PartitionId id) {
  Broker& leader = broker_at(cluster, broker);
  MirrorTask& task = leader.tasks[id];
  const MirrorRecord& record = world_.clusters[cluster].mirrors[id];
  note_progress();
  switch (task.step) {
    case Step::align_look_up:
      align_look_up(cluster, broker, id);
      break;
    case Step::align_truncate:
      align_truncate(cluster, broker, id);
      break;
    case Step::align_wait:
      end_mirror_work(cluster, broker, id, MirrorState::mirroring, MirrorReason::aligned);
      break;
    case Step::recovery_wait:
      end_mirror_work(cluster, broker, id, MirrorState::mirroring, MirrorReason::recovered);
      break;
    case Step::fence_bump: {
      if (const auto target = wanted_bump(cluster, broker, id)) {
        request_epoch_bump(cluster, id, target);
      } else {
        end_mirror_work(cluster, broker, id, MirrorState::mirroring, MirrorReason::epoch_bumped);
      }
      break;
    }
    case Step::start_fetcher:
      start_mirror_fetcher(cluster, broker, id);
      break;
    case Step::pause:
      if (!mutated(Mutant::pause_keeps_fetcher)) {
        remove_from_fetchers(cluster, broker, id, true);
      }
      end_mirror_work(cluster, broker, id, MirrorState::paused, MirrorReason::operator_order);
      break;
    case Step::retry:
      end_mirror_work(cluster, broker, id, retry_target(record, setup_->protocol), MirrorReason::retry);
      break;
    case Step::idle:
      MP_CHECK(false, "no mirror work to do");
      break;
    default:
      stop_step(cluster, broker, id);
  }
}

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
  if (setup_->protocol.alignment_by_origin && setup_->protocol.alignment_verifies_epochs &&
      position == MirrorPosition{} && record.source_origin.topic_id != 0 &&
      record.source_origin == origin_of(cluster, id, leader.partitions[id].topic_id)) {
    position = stop_position(leader.partitions[id].log);
  }
  if (setup_->protocol.scratch_needs_empty_log && position == MirrorPosition{} && !acquainted &&
      leader.partitions[id].log.log_end_offset() > 0) {
    fail_mirror(cluster, broker, id, MirrorReason::topic_mismatch, false, false, task.cause);
    return;
  }
  record.source_topic_id = source_topic;
  record.source_cuts = static_cast<std::uint32_t>(other.alignment_cuts.size());
  task.position = position;
  task.step = Step::align_truncate;
  task.cause =
      recorder_.emit(cluster, broker, id, MirrorPositionRead{position, source}, {task.cause, stored});
}

void Simulator::align_truncate(ClusterId cluster, BrokerId broker, PartitionId id) {
  Broker& leader = broker_at(cluster, broker);
  MirrorTask& task = leader.tasks[id];
  const Log& log = leader.partitions[id].log;
  Offset target = alignment_target(log, task.position, setup_->protocol.alignment);
  if (setup_->protocol.alignment_verifies_epochs && target > 0) {
    const ClusterId source = world_.clusters[cluster].mirrors[id].source;
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
    if (theirs.role != Role::leader || theirs.leader_epoch != view.epoch || deposed) {
      fail_mirror(cluster, broker, id, MirrorReason::source_metadata_stale, true, true, task.cause);
      return;
    }
    target = agreed_end(log, theirs.log, std::min(target, log.log_end_offset()));
  }
  if (setup_->protocol.alignment_fails_parked_produce) {
    forget_pending_acks(cluster, broker, id);  // also where an earlier leader has begun the alignment
  }
  EventId cut = 0;
  MirrorRecord& record = world_.clusters[cluster].mirrors[id];
  if (target < log.log_end_offset()) {
    cut = truncate_log(cluster, broker, id, target, TruncationReason::alignment, true, false, {task.cause});
    record.alignment_cuts.push_back(target);
    if (setup_->protocol.alignment_clamps_positions) {
      record.clamp_positions(target);
    }
  }
  task.cause = recorder_.emit(
      cluster, broker, id, MirrorAligned{task.position, target, world_.clusters[cluster].mirrors[id].source},
      {task.cause, cut});
  task.step = Step::align_wait;
}

/// The source's topic has another id than the one this session began with, as far as both are known.
bool Simulator::topic_changed(ClusterId cluster, BrokerId broker, PartitionId id) const {
  const TopicId now = broker_at(cluster, broker).source_views[id].topic_id;
  const TopicId before = world_.clusters[cluster].mirrors[id].source_topic_id;
  return setup_->protocol.topic_id_check && now != 0 && before != 0 && now != before;
}

void Simulator::start_mirror_fetcher(ClusterId cluster, BrokerId broker, PartitionId id) {
  Broker& leader = broker_at(cluster, broker);
  MirrorRecord& record = world_.clusters[cluster].mirrors[id];
  const ClusterId source = record.source;
  MirrorTask& task = leader.tasks[id];
  const LeaderView view = leader.source_views[id];
  if (setup_->protocol.orders_while_failed && task.applied_order == DesiredMirror::paused) {
    // The order came while the way to PAUSING was closed.
    end_mirror_work(cluster, broker, id, MirrorState::pausing, MirrorReason::operator_order);
    return;
  }
  if (view.broker == kNoBroker) {
    fail_mirror(cluster, broker, id, MirrorReason::source_unavailable, true, false, task.cause);
    return;
  }
  if (record.source_topic_id == 0) {
    record.source_topic_id = view.topic_id;  // nobody could tell when the session began
  }
  if (setup_->protocol.source_epoch_stored && view.epoch < record.source_epoch) {
    // Whoever told this broker of the source's leader knows less than its predecessor did.
    fail_mirror(cluster, broker, id, MirrorReason::source_metadata_stale, true, true, task.cause);
    return;
  }
  task.step = Step::idle;
  // M33: what the periodic refresh finds as well.
  request_epoch_bump(
      cluster, id,
      epoch_bump_target(setup_->protocol.epoch_bump, view.epoch, leader.partitions[id].leader_epoch));
  if (topic_changed(cluster, broker, id)) {
    fail_mirror(cluster, broker, id, MirrorReason::topic_mismatch, false, false, task.cause);
    return;
  }
  task.source_cuts = record.source_cuts;
  task.resume_offset = leader.partitions[id].log.log_end_offset();
  FetcherSlot& slot = slot_for(cluster, broker, source, view.broker);
  MirrorHost host(*this, cluster, broker, source, view.broker);
  host.set_cause(id, task.cause);
  slot.fetcher.add_partition(id, view.topic_id, leader.partitions[id].log.log_end_offset(), view.epoch, host);
}

Batch Simulator::new_control_batch(ClusterId cluster, BatchKind kind, std::int16_t producer) {
  Batch batch;
  batch.kind = kind;
  batch.producer_id = producer;
  batch.first_id = RecordId::make(cluster, world_.clusters[cluster].next_serial++);
  return batch;
}

/// M30 step 4.
void Simulator::end_open_transactions(ClusterId cluster, BrokerId broker, PartitionId id) {
  MirrorTask& task = broker_at(cluster, broker).tasks[id];
  const Log& log = partition_at(cluster, broker, id).log;
  switch (setup_->protocol.open_transactions_at_stop) {
    case OpenTransactionsAtStop::keep:
      return;
    case OpenTransactionsAtStop::truncate:
      if (const std::optional<Offset> unstable = first_unstable_offset(log)) {
        truncate_log(cluster, broker, id, *unstable, TruncationReason::open_transaction, false, false,
                     {task.cause});
      }
      return;
    case OpenTransactionsAtStop::abort:
      for (const std::int16_t producer : open_transactions(log)) {
        if (mutated(Mutant::transactions_left_open_at_stop)) {
          break;
        }
        task.cause = append_as_leader(
            cluster, broker, id, new_control_batch(cluster, BatchKind::abort_marker, producer), task.cause);
      }
  }
}

/// M30: remove the fetcher, record the position, raise the epoch, abort transactions, append PID_RESET, open
/// up.
void Simulator::stop_step(ClusterId cluster, BrokerId broker, PartitionId id) {
  Broker& leader = broker_at(cluster, broker);
  Partition& partition = leader.partitions[id];
  MirrorTask& task = leader.tasks[id];
  MirrorRecord& record = world_.clusters[cluster].mirrors[id];
  const auto control_batch = [&](BatchKind kind, std::int16_t producer) {
    return new_control_batch(cluster, kind, producer);
  };
  switch (task.step) {
    case Step::stop_remove_fetcher:
      if (!mutated(Mutant::stop_keeps_fetcher)) {
        remove_from_fetchers(cluster, broker, id, true);
      }
      task.step = Step::stop_send_position;
      break;
    case Step::stop_send_position:
      // Stopped out of FAILED, the session may never have aligned: its log end says nothing of the source.
      if (setup_->protocol.orders_while_failed && !record.aligned) {
        task.step = Step::stop_bump;
        break;
      }
      // M6: a deposed leader's write does not get past its successor's.
      if (record.pending_position && record.pending_position->sender != broker &&
          partition_at(cluster, record.pending_position->sender, id).leader_epoch > partition.leader_epoch) {
        task.step = Step::stop_await_position;
        break;
      }
      record.source_cuts = std::max(record.source_cuts, task.source_cuts);  // the position is of this log
      record.pending_position =
          MirrorRecord::PendingPosition{record.source,
                                        setup_->protocol.stop_position_excludes_stop_writes
                                            ? stop_position_before(partition.log, record.stop_began_in_epoch)
                                            : stop_position(partition.log),
                                        broker, task.cause};
      task.step = setup_->protocol.stop_position_write == StopPositionWrite::awaited
                      ? Step::stop_await_position
                      : Step::stop_bump;
      break;
    case Step::stop_await_position:
      task.step = Step::stop_bump;
      break;
    case Step::stop_bump:
      if (const auto target = wanted_bump(cluster, broker, id)) {
        request_epoch_bump(cluster, id, target);
      } else {
        task.step = Step::stop_abort_transactions;
      }
      break;
    case Step::stop_abort_transactions:
      end_open_transactions(cluster, broker, id);
      task.step = Step::stop_append_pid_reset;
      break;
    case Step::stop_append_pid_reset:
      task.pid_reset_offset = partition.log.log_end_offset() - 1;
      if (setup_->protocol.pid_reset) {
        task.pid_reset_offset = partition.log.log_end_offset();
        task.cause =
            append_as_leader(cluster, broker, id, control_batch(BatchKind::pid_reset, -1), task.cause);
      }
      task.step = Step::stop_await_pid_reset;
      break;
    case Step::stop_await_pid_reset:
      if (end_mirror_work(cluster, broker, id, MirrorState::stopped, MirrorReason::operator_order)) {
        partition.read_only = false;
        partition.mirror_leader = false;
      }
      break;
    default:
      MP_CHECK(false, "not a step of stopping");
  }
}

}  // namespace mirrorproof::sim
