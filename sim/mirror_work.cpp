// The destination leader's work on a mirrored partition, step by step: which step may be taken, what it does,
// and the steps that need few words. The others: mirror_alignment.cpp, mirror_stopping.cpp.

#include <fmt/format.h>

#include <algorithm>

#include "model/check.h"
#include "model/mutant.h"
#include "sim/fetch_hosts.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {

using Step = MirrorTask::Step;

namespace {}  // namespace

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

}  // namespace mirrorproof::sim
