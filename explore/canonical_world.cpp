#include "explore/canonical_world.h"

#include <algorithm>
#include <utility>

#include "model/state_fields.h"

namespace mirrorproof::explore {
namespace {

using sim::Broker;
using sim::Cluster;

// All of these write only what changes, and say whether that was more than brokers: a broker that is as it
// was must not count as touched.

bool renumber_partition_epochs(Cluster& cluster, PartitionId id) {
  const auto place = static_cast<std::size_t>(id);
  boost::container::small_vector<std::int32_t, 16> values;
  values.push_back(cluster.controller.partition(id).partition_epoch);
  for (const MetadataRecord& record : cluster.metadata_log.records) {
    if (record.partition == id) {
      values.push_back(record.registration.partition_epoch);
    }
  }
  for (const Broker& broker : std::as_const(cluster).brokers) {
    if (broker.partitions[place].partition_epoch >= 0) {
      values.push_back(broker.partitions[place].partition_epoch);
    }
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.back() + 1 == static_cast<std::int32_t>(values.size())) {
    return false;  // they count 0, 1, 2... already
  }
  const auto rank = [&values](std::int32_t& epoch) {
    epoch = static_cast<std::int32_t>(std::lower_bound(values.begin(), values.end(), epoch) - values.begin());
  };
  rank(StateFields::registration(cluster.controller, id).partition_epoch);
  for (MetadataRecord& record : cluster.metadata_log.records) {
    if (record.partition == id) {
      rank(record.registration.partition_epoch);
    }
  }
  for (std::size_t b = 0; b < cluster.brokers.size(); ++b) {
    if (std::as_const(cluster).brokers[b].partitions[place].partition_epoch >= 0) {
      rank(cluster.brokers[b].partitions[place].partition_epoch);
    }
  }
  return true;
}

/// A broker only asks whether the log that it has is for the assignment that it reads of.
bool renumber_assignments(Cluster& cluster, PartitionId id) {
  const auto place = static_cast<std::size_t>(id);
  const auto& newest = cluster.controller.partition(id).assignments;
  if (std::all_of(newest.begin(), newest.end(), [](std::uint16_t count) { return count == 0; })) {
    return false;
  }
  bool changed = false;
  for (std::size_t b = 0; b < cluster.brokers.size(); ++b) {
    boost::container::small_vector<std::uint16_t*, 16> counts;
    const Partition& replica = std::as_const(cluster).brokers[b].partitions[place];
    std::uint16_t of_log = replica.assignment;
    if (replica.hosted) {
      counts.push_back(&of_log);
    }
    counts.push_back(&StateFields::registration(cluster.controller, id).assignments[b]);
    for (MetadataRecord& record : cluster.metadata_log.records) {
      if (record.partition == id) {
        counts.push_back(&record.registration.assignments[b]);
      }
    }
    boost::container::small_vector<std::uint16_t, 16> values;
    for (const std::uint16_t* count : counts) {
      values.push_back(*count);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (std::uint16_t* count : counts) {
      const auto rank = std::lower_bound(values.begin(), values.end(), *count) - values.begin();
      changed = changed || *count != rank;
      *count = static_cast<std::uint16_t>(rank);
    }
    if (of_log != replica.assignment) {
      cluster.brokers[b].partitions[place].assignment = of_log;
    }
  }
  return changed;
}

/// A broker's epoch is only compared with those that a leader heard of last, or has proposed: the same, or an
/// earlier one.
void renumber_broker_epochs(Cluster& cluster) {
  constexpr std::uint32_t kCurrent = 2;
  constexpr std::uint32_t kEarlier = 1;
  const auto& brokers = std::as_const(cluster).brokers;
  for (std::size_t i = 0; i < brokers.size(); ++i) {
    const std::uint32_t current = brokers[i].broker_epoch;
    for (std::size_t leader = 0; leader < brokers.size(); ++leader) {
      for (std::size_t p = 0; p < brokers[leader].partitions.size(); ++p) {
        const auto renumbered = [current](std::uint32_t heard) {
          return heard == 0 ? 0 : heard == current ? kCurrent : kEarlier;
        };
        const Partition& theirs = brokers[leader].partitions[p];
        const std::uint32_t heard = theirs.follower_broker_epoch[i];
        if (heard != renumbered(heard)) {
          cluster.brokers[leader].partitions[p].follower_broker_epoch[i] = renumbered(heard);
        }
        const std::uint32_t proposed = theirs.pending_isr ? theirs.pending_isr->broker_epochs[i] : 0;
        if (proposed != renumbered(proposed)) {
          cluster.brokers[leader].partitions[p].pending_isr->broker_epochs[i] = renumbered(proposed);
        }
      }
    }
    if (current != kCurrent) {
      cluster.brokers[i].broker_epoch = kCurrent;
    }
  }
}

bool trim_metadata_log(Cluster& cluster) {
  auto& log = cluster.metadata_log;
  std::uint64_t applied = log.end();
  for (const Broker& broker : std::as_const(cluster).brokers) {
    applied = broker.alive ? std::min(applied, broker.applied_records) : applied;
  }
  log.records.erase(log.records.begin(),
                    log.records.begin() + static_cast<std::ptrdiff_t>(applied - log.first));
  const std::uint64_t end = log.records.size();
  for (std::size_t b = 0; b < cluster.brokers.size(); ++b) {
    const Broker& broker = std::as_const(cluster).brokers[b];
    const std::uint64_t wanted = broker.alive ? broker.applied_records - applied : end;
    if (broker.applied_records != wanted) {
      cluster.brokers[b].applied_records = wanted;
    }
  }
  const bool trimmed = log.first != 0 || applied != 0;
  log.first = 0;
  return trimmed;
}

/// Why a mirror failed is asked for while it is FAILED, and by a deposed leader that has still to retry; the
/// next failure says it anew.
bool forget_old_failure(Cluster& cluster, std::size_t partition) {
  MirrorRecord& record = cluster.mirrors[partition];
  const auto& brokers = std::as_const(cluster).brokers;
  const bool retries = std::any_of(brokers.begin(), brokers.end(), [&](const Broker& broker) {
    return broker.tasks[partition].step == MirrorTask::Step::retry;
  });
  if (record.state == MirrorState::failed || retries ||
      (record.state_before_failing == MirrorState::unknown && record.reason == MirrorReason::none &&
       record.retryable)) {
    return false;
  }
  record.state_before_failing = MirrorState::unknown;
  record.reason = MirrorReason::none;
  record.retryable = true;
  return true;
}

/// Every field of a task belongs to one step, which sets it before it is used (sim/mirror_*.cpp); those of
/// fencing and of failing outlive the step as long as the state does, for a leader that takes it up again.
void forget_other_steps(MirrorTask& task, MirrorState state, bool log_starts_move) {
  using Step = MirrorTask::Step;
  const MirrorTask none;
  if (task.step != Step::align_truncate) {
    task.position = none.position;
  }
  if (task.step != Step::fence_bump && state != MirrorState::epoch_fencing) {
    task.fence_epoch = none.fence_epoch;
  }
  if (task.step != Step::stop_await_pid_reset) {
    task.pid_reset_offset = none.pid_reset_offset;
  }
  if (task.step != Step::retry && state != MirrorState::failed) {
    task.retry_needs_news = none.retry_needs_news;
    task.failed_broker = none.failed_broker;
    task.failed_epoch = none.failed_epoch;
  }
  if (!log_starts_move) {
    task.resume_offset = none.resume_offset;
  }
}

/// An answer of another cluster is under way: without stale_response_guard it may still be used.
bool hears_from_another(const Broker& broker, ClusterId own) {
  return std::any_of(broker.fetchers.begin(), broker.fetchers.end(), [own](const sim::FetcherSlot& slot) {
    return slot.server_cluster != own && slot.stage != sim::FetcherSlot::Stage::idle;
  });
}

/// What brokers know of a source that they will ask nothing any more, and what the coordinator knows of it:
/// the next LOG_ALIGNMENT begins without.
void forget_source(Cluster& cluster, std::size_t p, bool for_good, bool never_again, bool& changed) {
  if (cluster.mirrors[p].state == MirrorState::stopped &&
      cluster.mirrors[p].source_epoch != kUndefinedEpoch) {
    cluster.mirrors[p].source_epoch = kUndefinedEpoch;
    changed = true;
  }
  for (std::size_t i = 0; never_again && i < cluster.mirrors[p].positions.size(); ++i) {
    Epoch& epoch = cluster.mirrors[p].positions[i].source_epoch;
    changed = changed || epoch != kUndefinedEpoch;
    epoch = kUndefinedEpoch;
  }
  for (std::size_t b = 0; for_good && b < cluster.brokers.size(); ++b) {
    if (!(std::as_const(cluster).brokers[b].source_views[p] == sim::LeaderView{})) {
      cluster.brokers[b].source_views[p] = sim::LeaderView{};
    }
  }
}

/// No log starts above 0: then none ever will, since a search deletes no records.
bool any_log_start(const sim::World& world) {
  for (const Cluster& cluster : world.clusters) {
    for (const Broker& broker : cluster.brokers) {
      for (const Partition& partition : broker.partitions) {
        if (partition.log.log_start_offset() > 0) {
          return true;
        }
      }
    }
  }
  return false;
}

/// STOPPED, and no order can come that starts it again; its brokers may still have to hear of the last one.
bool never_starts_again(const sim::World& world, ClusterId id, PartitionId partition) {
  const Cluster& cluster = world.clusters[static_cast<std::size_t>(id)];
  const auto p = static_cast<std::size_t>(partition);
  if (cluster.mirrors[p].state != MirrorState::stopped ||
      cluster.controller.partition(partition).desired_mirror != DesiredMirror::stopped) {
    return false;
  }
  const std::int32_t starts = world.budgets_left[static_cast<std::size_t>(sim::ActionClass::start_mirror)];
  const bool is_source = std::any_of(world.clusters.begin(), world.clusters.end(),
                                     [&](const Cluster& other) { return other.mirrors[p].source == id; });
  return starts == 0 || (starts == 1 && !is_source);
}

}  // namespace

bool stopped_for_good(const sim::World& world, ClusterId id, PartitionId partition) {
  const Cluster& cluster = world.clusters[static_cast<std::size_t>(id)];
  return never_starts_again(world, id, partition) &&
         std::all_of(cluster.brokers.begin(), cluster.brokers.end(), [&](const Broker& broker) {
           return !broker.alive ||
                  (broker.applied_records == cluster.metadata_log.end() && !hears_from_another(broker, id));
         });
}

bool refresh_matters(const sim::World& world, ClusterId cluster, ClusterId source) {
  const auto& mirrors = world.clusters[static_cast<std::size_t>(cluster)].mirrors;
  for (std::size_t p = 0; p < mirrors.size(); ++p) {
    if (mirrors[p].source == source && !stopped_for_good(world, cluster, static_cast<PartitionId>(p))) {
      return true;
    }
  }
  return false;
}

void make_canonical(sim::World& world, bool power_losses_to_come, bool all) {
  const bool log_starts_move =
      any_log_start(world) ||
      world.budgets_left[static_cast<std::size_t>(sim::ActionClass::delete_records)] != 0;
  for (std::size_t c = 0; c < world.clusters.size(); ++c) {
    const bool whole = all || (world.clusters.touched() >> c & 1U) != 0;
    Cluster& cluster = world.clusters.untouched(c);
    bool source_forgotten = false;
    for (std::size_t p = 0; p < cluster.mirrors.size(); ++p) {
      const auto id = static_cast<ClusterId>(c);
      const auto partition = static_cast<PartitionId>(p);
      const bool never_again = never_starts_again(std::as_const(world), id, partition);
      const bool for_good = never_again && stopped_for_good(std::as_const(world), id, partition);
      forget_source(cluster, p, for_good, never_again, source_forgotten);
    }
    if (source_forgotten) {
      (void)world.clusters[c];  // touched
    }
    const std::uint32_t brokers = all ? ~std::uint32_t{0} : cluster.brokers.touched();
    if (!whole && brokers == 0) {
      continue;
    }
    bool changed = trim_metadata_log(cluster);
    renumber_broker_epochs(cluster);
    for (std::size_t p = 0; p < cluster.mirrors.size(); ++p) {
      changed = forget_old_failure(cluster, p) || changed;
      changed = renumber_partition_epochs(cluster, static_cast<PartitionId>(p)) || changed;
      changed = renumber_assignments(cluster, static_cast<PartitionId>(p)) || changed;
    }
    if (changed) {
      (void)world.clusters[c];  // touched
    }
    for (std::size_t b = 0; b < cluster.brokers.size(); ++b) {
      // What is forgotten of a task depends on the state of the mirror.
      if (!whole && (brokers >> b & 1U) == 0) {
        continue;
      }
      const Broker& broker = std::as_const(cluster).brokers[b];
      for (std::size_t p = 0; p < broker.tasks.size(); ++p) {
        MirrorTask task = broker.tasks[p];
        forget_other_steps(task, cluster.mirrors[p].state, log_starts_move);
        if (!(task == broker.tasks[p])) {
          cluster.brokers[b].tasks[p] = task;
        }
        if (!power_losses_to_come && broker.partitions[p].log.recovery_point() != 0) {
          StateFields::forget_flushes(cluster.brokers[b].partitions[p].log);
        }
      }
    }
  }
}

}  // namespace mirrorproof::explore
