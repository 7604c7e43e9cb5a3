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

}  // namespace

void make_canonical(sim::World& world, bool power_losses_to_come) {
  for (Cluster& cluster : world.clusters) {
    trim_metadata_log(cluster);
    for (std::size_t p = 0; p < cluster.mirrors.size(); ++p) {
      renumber_partition_epochs(cluster, static_cast<PartitionId>(p));
    }
    for (Broker& broker : cluster.brokers) {
      for (Partition& partition : broker.partitions) {
        if (!power_losses_to_come) {
          StateFields::forget_flushes(partition.log);
        }
      }
    }
  }
}

}  // namespace mirrorproof::explore
