// The states of a mirrored partition (section 7.2): transitions at the coordinator, and what a destination
// leader does on a new leader epoch or a new order.

#include "model/mutant.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {

using Step = MirrorTask::Step;

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
    record.followed_cuts = static_cast<std::uint32_t>(record.alignment_cuts.size());
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
    return;
  }
  if (task.applied_order == DesiredMirror::stopped) {
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

}  // namespace mirrorproof::sim
