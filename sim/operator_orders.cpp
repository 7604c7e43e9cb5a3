// The operator's orders to a mirror and their preconditions (protocol.md section 7.3).

#include <fmt/format.h>

#include "model/check.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {

std::string Simulator::order_blocked(const Action& action) const {
  const Cluster& cluster = world_.clusters[action.cluster];
  const PartitionRegistration& registration = cluster.controller.partition(action.partition);
  const MirrorRecord& record = cluster.mirrors[action.partition];
  if (!registration.hosted()) {
    return "the destination does not host the partition";
  }
  const auto needs = [&](std::string_view states) {
    const bool starting = registration.desired_mirror == DesiredMirror::running &&
                          (record.state == MirrorState::unknown || record.state == MirrorState::stopped);
    return fmt::format("needs mirror state {}, found {}{}", states, to_string(record.state),
                       record.state == MirrorState::failed ? " (orders are ignored while FAILED)"
                       : starting                          ? " (a start is ordered: settle)"
                                                           : "");
  };
  const DesiredMirror desired = registration.desired_mirror;
  switch (action.kind) {
    case ActionClass::start_mirror:
      if (!world_.clusters[action.other_cluster].controller.partition(action.partition).hosted()) {
        return "the source does not host the partition";
      }
      if (!may_mirror(action.cluster)) {
        return fmt::format("the destination's inter-broker protocol {} does not know cluster mirroring",
                           kafka_version_name(inter_broker_version_[action.cluster]));
      }
      if (record.state != MirrorState::stopped && record.state != MirrorState::unknown) {
        return needs("STOPPED or UNKNOWN");
      }
      if (desired == DesiredMirror::running) {
        return "a start is ordered already";
      }
      return {};
    case ActionClass::stop_mirror:
      if (record.state != MirrorState::mirroring && record.state != MirrorState::paused &&
          !(setup_->protocol.orders_while_failed && record.state == MirrorState::failed)) {
        return needs("MIRRORING or PAUSED");
      }
      return desired == DesiredMirror::stopped ? "a stop is ordered already" : "";
    case ActionClass::pause_mirror:
      if (record.state != MirrorState::mirroring) {
        return needs("MIRRORING");
      }
      return desired == DesiredMirror::running ? "" : "another order is under way";
    case ActionClass::resume_mirror:
      if (record.state != MirrorState::paused) {
        return needs("PAUSED");
      }
      return desired == DesiredMirror::paused ? "" : "another order is under way";
    case ActionClass::delete_mirror:
      if (record.state != MirrorState::stopped) {
        return needs("STOPPED");
      }
      return desired == DesiredMirror::stopped ? "" : "another order is under way";
    case ActionClass::recover_mirror:
      return record.state == MirrorState::failed ? recovery_blocked(action) : needs("FAILED");
    default:
      return "not an operator's order";
  }
}

/// M31: the state before failing is written back, and the destination's leader takes it from there.
std::string Simulator::recovery_blocked(const Action& action) const {
  const Cluster& cluster = world_.clusters[action.cluster];
  const MirrorRecord& record = cluster.mirrors[action.partition];
  const MirrorState target = retry_target(record, setup_->protocol);
  if (!is_valid_transition(MirrorState::failed, target)) {
    return fmt::format("FAILED may not go back to {} (orders_while_failed goes through MIRRORING)",
                       to_string(target));
  }
  const PartitionRegistration& registration = cluster.controller.partition(action.partition);
  if (registration.leader == kNoBroker) {
    return "the partition has no leader";
  }
  const Broker& leader = broker_at(action.cluster, registration.leader);
  const Partition& partition = leader.partitions[action.partition];
  return leader.alive && partition.role == Role::leader && partition.leader_epoch == registration.leader_epoch
             ? ""
             : fmt::format("{} is down, or has not heard yet that it leads",
                           broker_name(action.cluster, registration.leader));
}

void Simulator::order(const Action& action) {
  Cluster& cluster = world_.clusters[action.cluster];
  const PartitionRegistration& registration = cluster.controller.partition(action.partition);
  OperatorAction what = OperatorAction::start_mirror;
  DesiredMirror desired = DesiredMirror::running;
  ClusterId source = registration.mirror_source;
  switch (action.kind) {
    case ActionClass::start_mirror:
      source = action.other_cluster;
      break;
    case ActionClass::stop_mirror:
      what = OperatorAction::stop_mirror;
      desired = DesiredMirror::stopped;
      break;
    case ActionClass::pause_mirror:
      what = OperatorAction::pause_mirror;
      desired = DesiredMirror::paused;
      break;
    case ActionClass::resume_mirror:
      what = OperatorAction::resume_mirror;
      break;
    case ActionClass::delete_mirror:
      what = OperatorAction::delete_mirror;
      desired = DesiredMirror::none;
      break;
    case ActionClass::recover_mirror:
      what = OperatorAction::recover_mirror;
      break;
    default:
      MP_CHECK(false, "not an operator's order");
  }
  const EventId event =
      recorder_.emit(action.cluster, kController, action.partition, OperatorOrdered{what, source});
  if (action.kind == ActionClass::recover_mirror) {
    MirrorRecord& record = cluster.mirrors[action.partition];
    record.attempts = 0;
    mirror_transition(action.cluster, registration.leader, action.partition,
                      retry_target(record, setup_->protocol), MirrorReason::operator_order, true, event);
    return;
  }
  if (action.kind == ActionClass::delete_mirror) {
    // What the coordinator knew of the mirror goes with it; the last mirror positions too, unless a restart
    // is to resume.
    MirrorRecord kept;
    if (setup_->protocol.deleted_mirrors_fence) {
      kept.writer_epoch = cluster.mirrors[action.partition].writer_epoch;
    }
    if (setup_->protocol.deleted_mirrors_fence || setup_->protocol.unclean_leader_resets_producers) {
      // A deposed leader may still be at the stop that this one ended; and a leader elected uncleanly has to
      // know that there was one.
      kept.stop_began_in_epoch = cluster.mirrors[action.partition].stop_began_in_epoch;
    }
    if (setup_->protocol.restart_alignment == RestartAlignment::resume) {
      kept.positions = cluster.mirrors[action.partition].positions;
      kept.alignment_cuts = cluster.mirrors[action.partition].alignment_cuts;
      kept.followed_cuts = cluster.mirrors[action.partition].followed_cuts;
      kept.origin = cluster.mirrors[action.partition].origin;
    }
    cluster.mirrors[action.partition] = kept;
    source = kNoCluster;
  }
  publish(action.cluster, cluster.controller.set_mirror(action.partition, source, desired), event);
}

}  // namespace mirrorproof::sim
