#include "explore/reduction.h"

#include <algorithm>

#include "model/api_versions.h"

namespace mirrorproof::explore {
namespace {

using sim::Action;
using sim::ActionClass;
using sim::Broker;
using sim::Cluster;
using sim::FetcherSlot;
using sim::World;
using Step = MirrorTask::Step;

bool some_left(const World& world, ActionClass kind) {
  return world.budgets_left[static_cast<std::size_t>(kind)] != 0;
}

/// Steps that ask the source's brokers or its coordinator.
bool asks_source(Step step) {
  return step == Step::align_look_up || step == Step::align_truncate || step == Step::retry;
}

bool mirrors_anything(const Cluster& cluster) {
  for (std::size_t p = 0; p < cluster.mirrors.size(); ++p) {
    if (cluster.mirrors[p].source != kNoCluster || cluster.pending_bumps[p] ||
        cluster.controller.partition(static_cast<PartitionId>(p)).mirror_source != kNoCluster) {
      return true;
    }
  }
  return false;
}

bool is_source_of_any(const World& world, ClusterId source) {
  return std::any_of(world.clusters.begin(), world.clusters.end(), [&](const Cluster& cluster) {
    for (std::size_t p = 0; p < cluster.mirrors.size(); ++p) {
      if (cluster.mirrors[p].source == source ||
          cluster.controller.partition(static_cast<PartitionId>(p)).mirror_source == source) {
        return true;
      }
    }
    return std::any_of(cluster.brokers.begin(), cluster.brokers.end(), [&](const Broker& broker) {
      return std::any_of(broker.fetchers.begin(), broker.fetchers.end(), [&](const FetcherSlot& slot) {
        return &cluster != &world.clusters[source] && slot.server_cluster == source;
      });
    });
  });
}

/// Without elections that nobody needs, crashes and the like, the partition's leader stays; so does its
/// epoch, unless the cluster mirrors.
bool leader_stays(const Cluster& cluster, PartitionId partition) {
  const PartitionRegistration& registration = cluster.controller.partition(partition);
  if (registration.leader == kNoBroker || registration.reassigning()) {
    return false;
  }
  for (std::size_t b = 0; b < cluster.brokers.size(); ++b) {
    const Broker& broker = cluster.brokers[b];
    const bool stops = !broker.alive || broker.cut_from_controller;
    if (stops && cluster.controller.is_unfenced(static_cast<BrokerId>(b))) {
      return false;
    }
    // Old controllers raise the epoch when the ISR shrinks.
    const std::optional<IsrProposal>& wanted =
        broker.partitions[static_cast<std::size_t>(partition)].pending_isr;
    if (cluster.controller.rules().shrink_bumps_epoch && broker.alive && wanted &&
        (registration.isr.bits & ~wanted->members.bits) != 0) {
      return false;
    }
  }
  return true;
}

bool all_leaders_stay(const World& world) {
  return std::all_of(world.clusters.begin(), world.clusters.end(), [](const Cluster& cluster) {
    for (std::size_t p = 0; p < cluster.mirrors.size(); ++p) {
      const auto partition = static_cast<PartitionId>(p);
      if (cluster.controller.partition(partition).hosted() && !leader_stays(cluster, partition)) {
        return false;
      }
    }
    return true;
  });
}

/// What is left of the budgets cannot reach from one cluster into another, and what one cluster uses of them
/// the cluster `self` does not miss.
bool budgets_are_local(const World& world, ClusterId self, std::span<const Action> moves) {
  for (int i = 0; i < sim::kActionClassCount; ++i) {
    const auto kind = static_cast<ActionClass>(i);
    const bool unlimited_or_none = is_protocol_class(kind) && kind != ActionClass::isr_shrink;
    if (unlimited_or_none || !some_left(world, kind)) {
      continue;
    }
    switch (kind) {
      case ActionClass::restart:
      case ActionClass::flush:
        break;  // as often as one likes, each in its cluster
      case ActionClass::produce:
        // Others may use up the records; then `self` must not want any.
        if (std::any_of(moves.begin(), moves.end(),
                        [&](const Action& move) { return move.kind == kind && move.cluster == self; })) {
          return false;
        }
        break;
      case ActionClass::unclean_election:
        // None while there are leaders.
        if (!all_leaders_stay(world)) {
          return false;
        }
        break;
      case ActionClass::stop_mirror:
        // Only who mirrors can stop.
        for (std::size_t c = 0; c < world.clusters.size(); ++c) {
          if (static_cast<ClusterId>(c) != self && mirrors_anything(world.clusters[c])) {
            return false;
          }
        }
        break;
      default:
        return false;
    }
  }
  return true;
}

/// The mirror of `self` takes no step that asks its source before something else happened in `self`.
bool mirror_keeps_to_itself(const Cluster& self, std::size_t p) {
  const MirrorRecord& record = self.mirrors[p];
  const PartitionRegistration& registration = self.controller.partition(static_cast<PartitionId>(p));
  if (record.source == kNoCluster && registration.mirror_source == kNoCluster) {
    return true;
  }
  if (record.source != registration.mirror_source) {
    return false;
  }
  const auto ordered_otherwise = [&](DesiredMirror order) {
    return registration.desired_mirror != order ||
           std::any_of(self.metadata_log.records.begin(), self.metadata_log.records.end(),
                       [&](const MetadataRecord& waiting) {
                         return waiting.partition == static_cast<PartitionId>(p) &&
                                waiting.registration.desired_mirror != order;
                       });
  };
  switch (record.state) {
    case MirrorState::mirroring:
    case MirrorState::epoch_fencing:
    case MirrorState::ule_recovery:
      // A stop may be under way: its steps are the destination's own.
      break;
    case MirrorState::stopping:
    case MirrorState::stopped:
      if (ordered_otherwise(DesiredMirror::stopped)) {
        return false;
      }
      break;
    default:
      return false;
  }
  return std::none_of(self.brokers.begin(), self.brokers.end(), [&](const Broker& broker) {
    return broker.alive && asks_source(broker.tasks[p].step);
  });
}

/// No broker of `self` has or will get anything to learn of its source's leader.
bool knows_its_source(const World& world, const Cluster& self, std::size_t p) {
  const ClusterId source_id = self.mirrors[p].source;
  if (source_id == kNoCluster) {
    return true;
  }
  const auto partition = static_cast<PartitionId>(p);
  const Cluster& source = world.clusters[static_cast<std::size_t>(source_id)];
  if (mirrors_anything(source) || !leader_stays(source, partition)) {
    return false;
  }
  const PartitionRegistration& registration = source.controller.partition(partition);
  const bool tells_topic_ids =
      std::any_of(source.brokers.begin(), source.brokers.end(),
                  [](const Broker& broker) { return metadata_tells_topic_ids(broker.version); });
  return std::all_of(self.brokers.begin(), self.brokers.end(), [&](const Broker& broker) {
    if (!broker.alive || broker.partitions[p].role != Role::leader) {
      return true;
    }
    const sim::LeaderView& view = broker.source_views[p];
    return view.broker == registration.leader && view.epoch == registration.leader_epoch &&
           (view.topic_id == registration.topic_id || (view.topic_id == 0 && !tells_topic_ids));
  });
}

/// Nothing that other clusters can do touches the moves of `self`, or is touched by them.
bool is_by_itself(const World& world, ClusterId self, std::span<const Action> moves) {
  const Cluster& cluster = world.clusters[static_cast<std::size_t>(self)];
  if (is_source_of_any(world, self) || !budgets_are_local(world, self, moves)) {
    return false;
  }
  for (const Action& move : moves) {
    if (move.cluster == self && reach_of(world, move) != Reach::within) {
      return false;
    }
  }
  for (const Broker& broker : cluster.brokers) {
    for (const FetcherSlot& slot : broker.fetchers) {
      if (slot.server_cluster != self && slot.stage == FetcherSlot::Stage::requested) {
        return false;
      }
    }
  }
  for (std::size_t p = 0; p < cluster.mirrors.size(); ++p) {
    if (!mirror_keeps_to_itself(cluster, p) || !knows_its_source(world, cluster, p)) {
      return false;
    }
  }
  return true;
}

}  // namespace

Reach reach_of(const World& world, const Action& action) {
  const auto between = [&](Reach reach) {
    return action.other_cluster == action.cluster ? Reach::within : reach;
  };
  switch (action.kind) {
    // The server's log and metadata; a mirror's requests leave no trace at the server.
    case ActionClass::fetcher_send:
    case ActionClass::server_handle:
    case ActionClass::late_read:
    case ActionClass::source_refresh:
      return between(Reach::reads);
    // What was answered, by the client alone.
    case ActionClass::fetcher_receive:
    case ActionClass::fetcher_backoff:
    case ActionClass::drop_connection:
      return Reach::within;
    case ActionClass::mirror_step: {
      const Broker& broker = world.clusters[static_cast<std::size_t>(action.cluster)]
                                 .brokers[static_cast<std::size_t>(action.broker)];
      return asks_source(broker.tasks[static_cast<std::size_t>(action.partition)].step) ? Reach::reads
                                                                                        : Reach::within;
    }
    // The controller, the coordinator, brokers and clients of one cluster among themselves.
    case ActionClass::isr_shrink:
    case ActionClass::alter_partition:
    case ActionClass::metadata_apply:
    case ActionClass::fence:
    case ActionClass::unfence:
    case ActionClass::epoch_bump:
    case ActionClass::position_write:
    case ActionClass::produce:
    case ActionClass::clean_election:
    case ActionClass::unclean_election:
    case ActionClass::restart:
    case ActionClass::flush:
    case ActionClass::stop_mirror:
      return Reach::within;
    // A crash, a power loss, a change of version: connections from other clusters break. The rest a search
    // does not do, or at the start of a mirror only.
    default:
      return Reach::writes;
  }
}

FirstMoves first_moves(const sim::Simulator& simulator, const checker::Checker& judge,
                       scenarios::Granularity granularity, std::span<const Action> moves) {
  // Whether a truncation that waits for a take-over is charged is asked in every state, also in those that a
  // reduction leaves out. A round takes what several brokers do together, some of it in every cluster.
  if (moves.empty() || judge.has_undecided() || granularity == scenarios::Granularity::rounds) {
    return {};
  }
  const World& world = simulator.world();
  for (std::size_t c = 0; c < world.clusters.size(); ++c) {
    const auto self = static_cast<ClusterId>(c);
    const auto own = [self](const Action& move) { return move.cluster == self; };
    const auto count = std::count_if(moves.begin(), moves.end(), own);
    if (count == 0 || static_cast<std::size_t>(count) == moves.size() || !is_by_itself(world, self, moves)) {
      continue;
    }
    const bool progress = std::any_of(moves.begin(), moves.end(), [&](const Action& move) {
      return own(move) && move.kind == ActionClass::fetcher_receive && move.other_cluster != self;
    });
    return {self, progress};
  }
  return {};
}

}  // namespace mirrorproof::explore
