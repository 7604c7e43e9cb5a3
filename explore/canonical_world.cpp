#include "explore/canonical_world.h"

#include <algorithm>

#include "model/state_fields.h"

namespace mirrorproof::explore {
namespace {

using sim::Broker;
using sim::Cluster;

void renumber_partition_epochs(Cluster& cluster, PartitionId id) {
  boost::container::small_vector<std::int32_t*, 16> places;
  places.push_back(&StateFields::registration(cluster.controller, id).partition_epoch);
  for (MetadataRecord& record : cluster.metadata_log.records) {
    if (record.partition == id) {
      places.push_back(&record.registration.partition_epoch);
    }
  }
  for (Broker& broker : cluster.brokers) {
    std::int32_t& epoch = broker.partitions[static_cast<std::size_t>(id)].partition_epoch;
    if (epoch >= 0) {
      places.push_back(&epoch);
    }
  }
  boost::container::small_vector<std::int32_t, 16> values;
  for (const std::int32_t* place : places) {
    values.push_back(*place);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (std::int32_t* place : places) {
    *place =
        static_cast<std::int32_t>(std::lower_bound(values.begin(), values.end(), *place) - values.begin());
  }
}

/// A broker's epoch is only compared with the one that a leader heard of last: the same, or an earlier one.
void renumber_broker_epochs(Cluster& cluster) {
  constexpr std::uint32_t kCurrent = 2;
  constexpr std::uint32_t kEarlier = 1;
  for (std::size_t i = 0; i < cluster.brokers.size(); ++i) {
    const std::uint32_t current = cluster.brokers[i].broker_epoch;
    for (Broker& leader : cluster.brokers) {
      for (Partition& partition : leader.partitions) {
        std::uint32_t& heard = partition.follower_broker_epoch[i];
        if (heard != 0) {
          heard = heard == current ? kCurrent : kEarlier;
        }
      }
    }
    cluster.brokers[i].broker_epoch = kCurrent;
  }
}

void trim_metadata_log(Cluster& cluster) {
  auto& log = cluster.metadata_log;
  std::uint64_t applied = log.end();
  for (const Broker& broker : cluster.brokers) {
    applied = broker.alive ? std::min(applied, broker.applied_records) : applied;
  }
  log.records.erase(log.records.begin(),
                    log.records.begin() + static_cast<std::ptrdiff_t>(applied - log.first));
  const std::uint64_t end = log.records.size();
  for (Broker& broker : cluster.brokers) {
    broker.applied_records = broker.alive ? broker.applied_records - applied : end;
  }
  log.first = 0;
}

/// Why a mirror failed is asked for while it is FAILED, and by a deposed leader that has still to retry; the
/// next failure says it anew.
void forget_old_failure(Cluster& cluster, std::size_t partition) {
  MirrorRecord& record = cluster.mirrors[partition];
  const bool retries = std::any_of(cluster.brokers.begin(), cluster.brokers.end(), [&](const Broker& broker) {
    return broker.tasks[partition].step == MirrorTask::Step::retry;
  });
  if (record.state != MirrorState::failed && !retries) {
    record.state_before_failing = MirrorState::unknown;
    record.reason = MirrorReason::none;
    record.retryable = true;
  }
}

/// Every field of a task belongs to one step, which sets it before it is used (sim/mirror_work.cpp); those of
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

}  // namespace

void make_canonical(sim::World& world, bool power_losses_to_come) {
  const bool log_starts_move =
      any_log_start(world) ||
      world.budgets_left[static_cast<std::size_t>(sim::ActionClass::delete_records)] != 0;
  for (Cluster& cluster : world.clusters) {
    trim_metadata_log(cluster);
    renumber_broker_epochs(cluster);
    for (std::size_t p = 0; p < cluster.mirrors.size(); ++p) {
      forget_old_failure(cluster, p);
      renumber_partition_epochs(cluster, static_cast<PartitionId>(p));
    }
    for (Broker& broker : cluster.brokers) {
      for (std::size_t p = 0; p < broker.tasks.size(); ++p) {
        forget_other_steps(broker.tasks[p], cluster.mirrors[p].state, log_starts_move);
      }
      for (Partition& partition : broker.partitions) {
        if (!power_losses_to_come) {
          StateFields::forget_flushes(partition.log);
        }
      }
    }
  }
}

}  // namespace mirrorproof::explore
