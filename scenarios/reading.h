#pragma once
// Reading: the state of turning a document into a Scenario, and one function per section of the file. Each
// reads what is well formed and reports what contradicts the rest of the file; what the schema refuses is
// skipped silently.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/cursor.h"
#include "scenarios/log_notation.h"
#include "scenarios/problems.h"
#include "scenarios/scenario.h"

namespace mirrorproof::scenarios {

class Reading {
 public:
  explicit Reading(Problems& sink) : problems(sink) {}

  /// Names something the file declares; reports an unknown name. While a declaration is unreadable nothing is
  /// reported: the name may well be meant.
  std::optional<ClusterId> cluster(const Cursor& name) const;
  std::optional<BrokerId> broker(const Cursor& number, ClusterId cluster) const;
  /// `name` may be missing when there is only one partition; `owner` is the object it is missing in.
  std::optional<PartitionId> partition(const Cursor& name, const Cursor& owner) const;
  /// partition() that `cluster` hosts.
  std::optional<PartitionId> partition_of(const Cursor& name, const Cursor& owner, ClusterId cluster) const;
  /// Reports a broker that is no replica of the partition.
  bool check_replica(const Cursor& number, BrokerId broker, ClusterId cluster, PartitionId partition) const;
  /// A step assigns replicas to these brokers; later ones may name them.
  void assign(ClusterId cluster, PartitionId partition, BrokerSet replicas) {
    assigned_[{cluster, partition}].bits |= replicas.bits;
  }
  std::optional<KafkaVersion> version(const Cursor& name) const;

  /// Does the file declare this mirror, or its reverse (a failback may be ordered for every mirror)?
  bool may_mirror(ClusterId source, ClusterId destination, PartitionId partition) const;
  /// The same for any partition.
  bool may_mirror(ClusterId source, ClusterId destination) const;
  /// Reports a destination with a broker too old to mirror.
  bool check_destination(const Cursor& name, ClusterId destination) const;

  const std::string& cluster_name(ClusterId cluster) const {
    return scenario.setup.clusters[static_cast<std::size_t>(cluster)].name;
  }
  const sim::HostedPartition& hosted(ClusterId cluster, PartitionId partition) const {
    return scenario.setup.partitions[static_cast<std::size_t>(partition)]
        .hosting[static_cast<std::size_t>(cluster)];
  }

  Problems& problems;
  Scenario scenario;
  bool clusters_known = true;    ///< false: some declaration could not be read
  bool partitions_known = true;  ///< same
  bool mirrors_known = true;     ///< same
  bool readers_known = true;     ///< same
  /// By reader: a step lets it go on in some cluster, or may.
  std::vector<bool> readers_moved;

 private:
  std::map<std::pair<ClusterId, PartitionId>, BrokerSet> assigned_;
};

/// The value of an enumeration; nothing if it is none of its names.
template <class E>
std::optional<E> read_enum(const Cursor& name) {
  const std::optional<std::string> text = name.string();
  return text ? parse_enum<E>(*text) : std::nullopt;
}

/// Letters, digits, '.', '_' and '-', not "." or ".." (Kafka's rule for topics, ours for clusters too).
bool is_legal_name(std::string_view name);

/// The first release with cluster mirroring has the API for last mirror positions.
bool can_mirror(KafkaVersion version);

void read_clusters(const Cursor& clusters, Reading& reading);
void read_topics(const Cursor& topics, Reading& reading);
void read_mirrors(const Cursor& mirrors, Reading& reading);
void read_initial_logs(const Cursor& logs, Reading& reading);
void read_protocol(const Cursor& protocol, Reading& reading);
void read_faults(const Cursor& faults, Reading& reading);
void read_run(const Cursor& run, Reading& reading);
void read_bounds(const Cursor& bounds, Reading& reading);
void read_readers(const Cursor& readers, Reading& reading);
void read_steps(const Cursor& steps, Reading& reading);
void read_expect(const Cursor& expect, Reading& reading);

}  // namespace mirrorproof::scenarios
