#include "scenarios/reading.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/text_tools.h"

namespace mirrorproof::scenarios {

std::optional<ClusterId> Reading::cluster(const Cursor& name) const {
  const std::optional<std::string> text = name.string();
  if (!text) {
    return std::nullopt;
  }
  std::vector<std::string_view> names;
  for (const sim::ClusterSetup& declared : scenario.setup.clusters) {
    if (declared.name == *text) {
      return static_cast<ClusterId>(names.size());
    }
    names.emplace_back(declared.name);
  }
  if (clusters_known && !text->empty()) {
    problems.add(name.pointer(), "an unknown cluster " + in_quotes(*text), one_of(names, *text));
  }
  return std::nullopt;
}

std::optional<BrokerId> Reading::broker(const Cursor& number, ClusterId cluster) const {
  const auto id = number.integer<BrokerId>(0, kMaxBrokers - 1);
  if (!id) {
    return std::nullopt;
  }
  const std::size_t count = scenario.setup.clusters[static_cast<std::size_t>(cluster)].brokers.size();
  if (static_cast<std::size_t>(*id) < count) {
    return id;
  }
  if (count > 0) {
    problems.add(
        number.pointer(), fmt::format("broker {}", *id),
        fmt::format("a broker of cluster {}, from 0 to {}", in_quotes(cluster_name(cluster)), count - 1));
  }
  return std::nullopt;
}

std::optional<PartitionId> Reading::partition(const Cursor& name, const Cursor& owner) const {
  const auto& partitions = scenario.setup.partitions;
  std::vector<std::string_view> names;
  names.reserve(partitions.size());
  for (const sim::PartitionSetup& declared : partitions) {
    names.emplace_back(declared.name);
  }
  if (!name.exists()) {
    if (partitions.size() == 1) {
      return PartitionId{0};
    }
    if (partitions_known && partitions.size() > 1) {
      problems.add(owner.pointer(), "no field \"partition\"",
                   "one, as there are several partitions: " + one_of(names, ""));
    }
    return std::nullopt;
  }
  const std::optional<std::string> text = name.string();
  if (!text) {
    return std::nullopt;
  }
  const auto found = std::find(names.begin(), names.end(), *text);
  if (found != names.end()) {
    return static_cast<PartitionId>(found - names.begin());
  }
  if (partitions_known && !text->empty()) {
    problems.add(name.pointer(), "an unknown partition " + in_quotes(*text), one_of(names, *text));
  }
  return std::nullopt;
}

std::optional<PartitionId> Reading::partition_of(const Cursor& name, const Cursor& owner,
                                                 ClusterId cluster) const {
  const std::optional<PartitionId> id = partition(name, owner);
  if (!id || !hosted(cluster, *id).replicas.empty()) {
    return id;
  }
  if (partitions_known) {
    const std::string& text = scenario.setup.partitions[static_cast<std::size_t>(*id)].name;
    problems.add(name.exists() ? name.pointer() : owner.pointer(), "partition " + in_quotes(text),
                 fmt::format("a partition that cluster {} hosts", in_quotes(cluster_name(cluster))));
  }
  return std::nullopt;
}

bool Reading::check_replica(const Cursor& number, BrokerId broker, ClusterId cluster,
                            PartitionId partition) const {
  const std::vector<BrokerId>& replicas = hosted(cluster, partition).replicas;
  if (std::find(replicas.begin(), replicas.end(), broker) != replicas.end()) {
    return true;
  }
  const auto assigned = assigned_.find({cluster, partition});
  if (assigned != assigned_.end() && assigned->second.contains(broker)) {
    return true;
  }
  problems.add(number.pointer(), fmt::format("broker {}", broker),
               fmt::format("a replica of {} in cluster {}: {}",
                           in_quotes(scenario.setup.partitions[static_cast<std::size_t>(partition)].name),
                           in_quotes(cluster_name(cluster)), fmt::join(replicas, ", ")));
  return false;
}

std::optional<KafkaVersion> Reading::version(const Cursor& name) const {
  const std::optional<std::string> text = name.string();
  return text ? parse_kafka_version(*text) : std::nullopt;
}

bool Reading::may_mirror(ClusterId source, ClusterId destination, PartitionId partition) const {
  const auto& mirrors = scenario.setup.mirrors;
  return std::any_of(mirrors.begin(), mirrors.end(), [&](const sim::MirrorSetup& mirror) {
    const bool forth = mirror.source == source && mirror.destination == destination;
    const bool back = mirror.source == destination && mirror.destination == source;
    return mirror.partition == partition && (forth || back);
  });
}

bool Reading::may_mirror(ClusterId source, ClusterId destination) const {
  for (std::size_t p = 0; p < scenario.setup.partitions.size(); ++p) {
    if (may_mirror(source, destination, static_cast<PartitionId>(p))) {
      return true;
    }
  }
  return false;
}

bool Reading::check_destination(const Cursor& name, ClusterId destination) const {
  const auto& brokers = scenario.setup.clusters[static_cast<std::size_t>(destination)].brokers;
  const auto old =
      std::find_if(brokers.begin(), brokers.end(), [](KafkaVersion v) { return !can_mirror(v); });
  if (old == brokers.end()) {
    return true;
  }
  problems.add(name.pointer(),
               fmt::format("cluster {}, whose broker {} runs {}", in_quotes(cluster_name(destination)),
                           old - brokers.begin(), kafka_version_name(*old)),
               "a destination whose brokers all run 4.3 or newer: older ones cannot mirror");
  return false;
}

bool is_legal_name(std::string_view name) {
  const auto legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name != "." && name != ".." && std::all_of(name.begin(), name.end(), legal);
}

bool can_mirror(KafkaVersion version) {
  return !supported_range(version, ApiKey::describe_cluster_mirrors).empty();
}

}  // namespace mirrorproof::scenarios
