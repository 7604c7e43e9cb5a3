#pragma once
// The fields of the world that make up a state of an exhaustive search (see model/state_fields.h), and its
// ghosts: the event ids that may still become the cause of an event. Readers and consumer groups are left
// out: searches with them are refused.

#include <type_traits>
#include <utility>

#include "model/state_fields.h"
#include "sim/world.h"

namespace mirrorproof::sim {

template <class A, Is<LeaderView> S>
void fields(A& archive, S& view) {
  archive(view.broker, view.epoch, view.topic_id);
  if constexpr (A::kLoading) {
    view.event = 0;
  }
}

template <class A, Is<FetcherSlot> S>
void fields(A& archive, S& slot) {
  using Stage = FetcherSlot::Stage;
  archive(slot.server_cluster, slot.server, slot.fetcher, slot.connected, slot.stage);
  if (slot.connected) {
    archive(slot.learned_version);
  }
  if (slot.stage == Stage::requested) {
    archive(slot.sent, slot.wire);
  } else if (slot.stage == Stage::answered) {
    archive(slot.sent, slot.response);
  }
  if constexpr (A::kLoading) {
    const bool in_flight = slot.stage == Stage::requested || slot.stage == Stage::answered;
    const std::size_t partitions =
        in_flight ? std::visit([](const auto& typed) { return typed.partitions.size(); }, slot.sent.request)
                  : 0;
    slot.exchange.assign(partitions, 0);
  }
}

template <class A, Is<Broker> S>
void fields(A& archive, S& broker) {
  archive(broker.version, broker.alive, broker.cut_from_controller, broker.broker_epoch, broker.unclean_stop,
          broker.held);
  for (auto& partition : broker.partitions) {
    archive(partition);
  }
  if (broker.alive) {
    archive(broker.applied_records, broker.metadata, broker.source_views, broker.tasks, broker.fetchers);
  } else if constexpr (A::kLoading) {
    // What a process knew goes with it; see Simulator::stop_broker.
    for (std::size_t i = 0; i < broker.partitions.size(); ++i) {
      broker.metadata[i] = LeaderView{};
      broker.source_views[i] = LeaderView{};
      broker.tasks[i] = MirrorTask{};
    }
    broker.fetchers.clear();
  }
  if constexpr (A::kLoading) {
    broker.leadership_events.assign(broker.partitions.size(), 0);
    for (MirrorTask& task : broker.tasks) {
      task.cause = 0;
    }
  }
}

template <class A, Is<Producer> S>
void fields(A& archive, S& producer) {
  archive(producer.cluster, producer.partition, producer.id, producer.epoch, producer.next_sequence,
          producer.last_sequence, producer.last_records, producer.last_ids, producer.last_transactional,
          producer.in_transaction, producer.ending, producer.aborting, producer.transaction_epoch);
}

template <class A, Is<PendingAck> S>
void fields(A& archive, S& ack) {
  archive(ack.leader, ack.partition, ack.leader_epoch, ack.base_offset, ack.last_offset, ack.first_id,
          ack.ends_transaction_of);
  if constexpr (A::kLoading) {
    ack.event = 0;
  }
}

template <class A, Is<ClusterWide> S>
void fields(A& archive, S& cluster) {
  archive(cluster.controller, cluster.metadata_log.first, cluster.metadata_log.records, cluster.mirrors,
          cluster.pending_bumps, cluster.next_serial, cluster.pending_acks);
}

/// A world is a sequence of sections: each cluster as a whole followed by its brokers, and the rest. Calls
/// visit(cluster, broker) for each; the broker is kNoBroker for the cluster as a whole, and the cluster
/// kNoCluster for the rest.
template <Is<World> W, class Visitor>
void for_each_section(W& world, Visitor&& visit) {
  for (std::size_t c = 0; c < world.clusters.size(); ++c) {
    visit(static_cast<ClusterId>(c), kNoBroker);
    for (std::size_t b = 0; b < std::as_const(world).clusters[c].brokers.size(); ++b) {
      visit(static_cast<ClusterId>(c), static_cast<BrokerId>(b));
    }
  }
  visit(kNoCluster, kNoBroker);
}

/// Of the budgets those that can change: the protocol's own actions have none, but for the ISR shrinks.
template <class A, Is<World> S>
void section_fields(A& archive, S& world, ClusterId cluster, BrokerId broker) {
  if (cluster == kNoCluster) {
    archive(world.producers, world.cut_links);
    archive(world.budgets_left[static_cast<std::size_t>(ActionClass::isr_shrink)]);
    for (int i = kProtocolClassCount; i < kActionClassCount; ++i) {
      archive(world.budgets_left[static_cast<std::size_t>(i)]);
    }
  } else if (broker == kNoBroker) {
    using Wide = std::conditional_t<std::is_const_v<S>, const ClusterWide, ClusterWide>;
    archive(static_cast<Wide&>(world.clusters[static_cast<std::size_t>(cluster)]));
  } else {
    archive(world.clusters[static_cast<std::size_t>(cluster)].brokers[static_cast<std::size_t>(broker)]);
  }
}

template <Is<World> W>
bool section_touched(const W& world, ClusterId cluster, BrokerId broker) {
  if (cluster == kNoCluster) {
    return true;
  }
  const auto place = static_cast<std::size_t>(cluster);
  return broker == kNoBroker ? (world.clusters.touched() >> place & 1U) != 0
                             : (world.clusters[place].brokers.touched() >> broker & 1U) != 0;
}

inline void forget_touched(World& world) {
  for (std::size_t c = 0; c < world.clusters.size(); ++c) {
    world.clusters.untouched(c).brokers.forget_touched();
  }
  world.clusters.forget_touched();
}

/// Makes `to` equal to `from`, where they differ only in what was touched in one of them.
inline void copy_touched_of(const World& touched, World& to, const World& from) {
  for (std::size_t c = 0; c < to.clusters.size(); ++c) {
    Cluster& cluster = to.clusters.untouched(c);
    const Cluster& other = from.clusters[c];
    if ((touched.clusters.touched() >> c & 1U) != 0) {
      static_cast<ClusterWide&>(cluster) = static_cast<const ClusterWide&>(other);
    }
    const std::uint32_t brokers = touched.clusters[c].brokers.touched();
    for (std::size_t b = 0; b < cluster.brokers.size(); ++b) {
      if ((brokers >> b & 1U) != 0) {
        cluster.brokers.untouched(b) = other.brokers[b];
      }
    }
  }
  to.producers = from.producers;
  to.cut_links = from.cut_links;
  to.budgets_left = from.budgets_left;
}

/// Makes a world what it was: all that was touched since forget_touched(), when it was as `before`.
inline void restore_touched(World& world, const World& before) {
  copy_touched_of(world, world, before);
  forget_touched(world);
}

/// Makes `copy`, which was as `world` at the last forget_touched(), as it is now.
inline void copy_touched(World& copy, const World& world) {
  copy_touched_of(world, copy, world);
}

/// After all sections were loaded: a broker that is down will read the newest metadata.
inline void complete_loaded(World& world) {
  for (std::size_t c = 0; c < world.clusters.size(); ++c) {
    Cluster& cluster = world.clusters.untouched(c);
    for (std::size_t b = 0; b < cluster.brokers.size(); ++b) {
      const Broker& broker = std::as_const(cluster).brokers[b];
      if (!broker.alive && broker.applied_records != cluster.metadata_log.end()) {
        cluster.brokers[b].applied_records = cluster.metadata_log.end();
      }
    }
  }
}

/// What a ghost of the world is to the judge.
enum class GhostKind : std::uint8_t {
  cause,          ///< becomes a cause
  answer,         ///< the RequestHandled of an answer under way
  position_read,  ///< the MirrorPositionRead that LOG_ALIGNMENT acts on
};

/// Calls visit(id, partition, kind) for every live ghost, in a fixed order; the partition only for answers.
/// Ghosts that it does not show matter to nobody any more: ids that only lead back to what their own actor
/// did before.
template <Is<World> W, class Visitor>
void for_each_ghost(W& world, Visitor&& visit) {
  using Stage = FetcherSlot::Stage;
  for (auto& cluster : world.clusters) {
    for (auto& event : cluster.registration_events) {
      visit(event, kNoPartition, GhostKind::cause);
    }
    for (auto& record : cluster.metadata_log.records) {
      visit(record.event, kNoPartition, GhostKind::cause);
    }
    for (auto& mirror : cluster.mirrors) {
      for (auto& stored : mirror.positions) {
        visit(stored.event, kNoPartition, GhostKind::cause);
      }
      if (mirror.pending_position) {
        visit(mirror.pending_position->event, kNoPartition, GhostKind::cause);
      }
    }
    for (auto& broker : cluster.brokers) {
      if (!broker.alive) {
        continue;
      }
      for (auto& task : broker.tasks) {
        if (task.step != MirrorTask::Step::idle) {
          visit(task.cause, kNoPartition,
                task.step == MirrorTask::Step::align_truncate ? GhostKind::position_read : GhostKind::cause);
        }
      }
      for (auto& slot : broker.fetchers) {
        if (slot.stage == Stage::requested || slot.stage == Stage::answered) {
          for (std::size_t i = 0; i < slot.exchange.size(); ++i) {
            const PartitionId partition = std::visit(
                [i](const auto& request) { return request.partitions[i].partition; }, slot.sent.request);
            visit(slot.exchange[i], partition,
                  slot.stage == Stage::answered ? GhostKind::answer : GhostKind::cause);
          }
        }
      }
    }
  }
}

}  // namespace mirrorproof::sim
