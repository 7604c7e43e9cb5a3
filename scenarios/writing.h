#pragma once
// What the parts of to_json() share.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "scenarios/scenario.h"

namespace mirrorproof::scenarios {

/// Where to find names: the parts of the setup that all sections refer to.
class Names {
 public:
  explicit Names(const sim::Setup& setup) : setup_(setup) {}

  const std::string& cluster(ClusterId id) const {
    return setup_.clusters[static_cast<std::size_t>(id)].name;
  }
  const std::string& partition(PartitionId id) const {
    return setup_.partitions[static_cast<std::size_t>(id)].name;
  }
  const std::string& reader(int index) const { return setup_.readers[static_cast<std::size_t>(index)].name; }
  std::string endpoint(ClusterId id, BrokerId broker) const {
    return fmt::format("{}/{}", cluster(id), broker);
  }
  /// Adds "partition" where a file needs it.
  void add_partition(nlohmann::ordered_json& object, PartitionId id) const {
    if (setup_.partitions.size() > 1) {
      object["partition"] = partition(id);
    }
  }

 private:
  const sim::Setup& setup_;
};

template <class E>
nlohmann::ordered_json name_of(E value) {
  return std::string(to_string(value));
}

inline nlohmann::ordered_json version_name(KafkaVersion version) {
  return std::string(kafka_version_name(version));
}

nlohmann::ordered_json write_clusters(const sim::Setup& setup);
nlohmann::ordered_json write_topics(const sim::Setup& setup);
nlohmann::ordered_json write_mirrors(const sim::Setup& setup, const Names& names);

}  // namespace mirrorproof::scenarios
