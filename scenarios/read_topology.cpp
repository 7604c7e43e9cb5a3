// Clusters, topics and mirrors.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scenarios/reading.h"
#include "scenarios/text_tools.h"
#include "scenarios/topic_name.h"

namespace mirrorproof::scenarios {
namespace {

constexpr std::string_view kNameRule = "letters, digits, '.', '_' and '-'";
constexpr std::size_t kMaxTopicName = 249;
constexpr std::size_t kMaxClusterName = 32;

/// The name of a declaration; reports a bad or repeated one.
std::optional<std::string> declared_name(const Cursor& name, std::size_t max_size,
                                         std::set<std::string>& taken, Problems& problems) {
  std::optional<std::string> text = name.string();
  if (!text || text->empty() || text->size() > max_size) {
    return std::nullopt;
  }
  if (!is_legal_name(*text)) {
    problems.add(name.pointer(), in_quotes(*text), std::string(kNameRule));
    return std::nullopt;
  }
  if (!taken.insert(*text).second) {
    problems.add(name.pointer(), in_quotes(*text) + " again", "a name that is not taken");
    return std::nullopt;
  }
  return text;
}

std::vector<KafkaVersion> read_brokers(const Cursor& cluster, Reading& reading) {
  const Cursor brokers = cluster["brokers"];
  const Cursor version = cluster["version"];
  std::vector<KafkaVersion> out;
  if (const std::optional<int> count = brokers.integer(1, kMaxBrokers)) {
    const KafkaVersion one = reading.version(version).value_or(latest_kafka_version());
    out.assign(static_cast<std::size_t>(*count), one);
  } else if (brokers.is_array()) {
    if (version.exists()) {
      reading.problems.add_at_name(version.pointer(), "\"version\" beside a list of versions",
                                   "\"version\" only where \"brokers\" is a number");
    }
    for (const Cursor& broker : brokers.elements()) {
      // An unreadable version still counts as a broker, so that numbers mean what they say.
      out.push_back(reading.version(broker).value_or(latest_kafka_version()));
    }
    out.resize(std::min<std::size_t>(out.size(), kMaxBrokers));
  }
  return out;
}

struct TopicPlan {
  std::string name;
  int partitions = 1;
  std::vector<bool> on;  ///< by ClusterId
};

/// One list of brokers, checked.
std::vector<BrokerId> read_replica_list(const Cursor& list, ClusterId cluster, Reading& reading) {
  std::vector<BrokerId> replicas;
  for (const Cursor& element : list.elements()) {
    const std::optional<BrokerId> broker = reading.broker(element, cluster);
    if (!broker) {
      continue;
    }
    if (std::find(replicas.begin(), replicas.end(), *broker) != replicas.end()) {
      reading.problems.add(element.pointer(), fmt::format("broker {} again", *broker),
                           "each broker at most once among the replicas");
      continue;
    }
    replicas.push_back(*broker);
  }
  return replicas;
}

std::vector<BrokerId> rotated(std::vector<BrokerId> replicas, int by) {
  if (!replicas.empty()) {
    std::rotate(replicas.begin(), replicas.begin() + by % static_cast<int>(replicas.size()), replicas.end());
  }
  return replicas;
}

/// Replicas by partition for one cluster.
std::vector<std::vector<BrokerId>> read_replicas(const Cursor& lists, ClusterId cluster,
                                                 const TopicPlan& topic, Reading& reading) {
  std::vector<std::vector<BrokerId>> out;
  const std::vector<Cursor> elements = lists.elements();
  const bool by_partition = !elements.empty() && elements.front().is_array();
  if (!by_partition) {
    std::vector<BrokerId> all;
    if (lists.exists()) {
      all = read_replica_list(lists, cluster, reading);
    } else {
      for (std::size_t i = 0;
           i < reading.scenario.setup.clusters[static_cast<std::size_t>(cluster)].brokers.size(); ++i) {
        all.push_back(static_cast<BrokerId>(i));
      }
    }
    for (int k = 0; k < topic.partitions; ++k) {
      out.push_back(rotated(all, k));
    }
    return out;
  }
  if (elements.size() != static_cast<std::size_t>(topic.partitions)) {
    reading.problems.add(lists.pointer(), fmt::format("{} lists of replicas", elements.size()),
                         fmt::format("one list for each of the {} partitions", topic.partitions));
  }
  for (const Cursor& element : elements) {
    if (!element.is_array()) {
      reading.problems.add(element.pointer(), describe(element.json()),
                           "a list of brokers, as in the first partition");
    }
    out.push_back(read_replica_list(element, cluster, reading));
  }
  out.resize(static_cast<std::size_t>(topic.partitions));
  return out;
}

/// Reports members of a by-cluster object that name clusters which do not host the topic.
void check_hosting_names(const Cursor& by_cluster, const TopicPlan& topic, Reading& reading) {
  for (const auto& [name, value] : by_cluster.members()) {
    const auto& clusters = reading.scenario.setup.clusters;
    const auto found = std::find_if(clusters.begin(), clusters.end(),
                                    [&name = name](const sim::ClusterSetup& c) { return c.name == name; });
    if (found == clusters.end()) {
      if (reading.clusters_known) {
        std::vector<std::string_view> names;
        names.reserve(clusters.size());
        for (const sim::ClusterSetup& cluster : clusters) {
          names.emplace_back(cluster.name);
        }
        reading.problems.add_at_name(value.pointer(), "an unknown cluster " + in_quotes(name),
                                     one_of(names, name));
      }
    } else if (!topic.on[static_cast<std::size_t>(found - clusters.begin())]) {
      reading.problems.add_at_name(value.pointer(), "cluster " + in_quotes(name),
                                   "a cluster that hosts the topic (see \"on\")");
    }
  }
}

std::vector<bool> read_on(const Cursor& on, Reading& reading) {
  std::vector<bool> hosts(reading.scenario.setup.clusters.size(), !on.exists());
  for (const Cursor& name : on.elements()) {
    const std::optional<ClusterId> cluster = reading.cluster(name);
    if (!cluster) {
      reading.partitions_known = false;
      continue;
    }
    if (hosts[static_cast<std::size_t>(*cluster)]) {
      reading.problems.add(name.pointer(), "cluster " + in_quotes(reading.cluster_name(*cluster)) + " again",
                           "each cluster at most once");
    }
    hosts[static_cast<std::size_t>(*cluster)] = true;
  }
  return hosts;
}

/// min.insync.replicas by partition: one number, or one each.
std::vector<int> read_min_isr(const Cursor& wanted, const std::vector<std::vector<BrokerId>>& replicas,
                              const std::string& cluster, Reading& reading) {
  const std::vector<Cursor> each = wanted.elements();
  if (wanted.is_array() && each.size() != replicas.size()) {
    reading.problems.add(wanted.pointer(), describe(wanted.json()),
                         fmt::format("one number for each of the {} partitions", replicas.size()));
  }
  std::vector<int> out;
  for (std::size_t k = 0; k < replicas.size(); ++k) {
    const Cursor number = !wanted.is_array() ? wanted : k < each.size() ? each[k] : Cursor();
    out.push_back(number.integer(1, kMaxBrokers).value_or(1));
    if (!replicas[k].empty() && static_cast<std::size_t>(out.back()) > replicas[k].size()) {
      reading.problems.add(number.pointer(), fmt::format("{}", out.back()),
                           fmt::format("at most {}, the number of replicas in cluster {}", replicas[k].size(),
                                       in_quotes(cluster)));
    }
  }
  return out;
}

void read_topic(const Cursor& topic, TopicPlan plan, Reading& reading) {
  auto& partitions = reading.scenario.setup.partitions;
  const std::size_t first = partitions.size();
  const std::size_t cluster_count = reading.scenario.setup.clusters.size();
  for (int k = 0; k < plan.partitions; ++k) {
    partitions.push_back(
        {fmt::format("{}-{}", plan.name, k), std::vector<sim::HostedPartition>(cluster_count), false});
  }
  for (std::size_t p = first; p < partitions.size(); ++p) {
    partitions[p].epochless = topic["message_format"].string() == "v1";
  }
  plan.on = read_on(topic["on"], reading);
  const Cursor replicas = topic["replicas"];
  const Cursor min_isr = topic["min_insync_replicas"];
  check_hosting_names(replicas, plan, reading);
  check_hosting_names(min_isr, plan, reading);
  for (std::size_t c = 0; c < cluster_count; ++c) {
    if (!plan.on[c]) {
      continue;
    }
    const auto cluster = static_cast<ClusterId>(c);
    const std::string& name = reading.cluster_name(cluster);
    const auto lists = read_replicas(replicas[name], cluster, plan, reading);
    const std::vector<int> minimums =
        read_min_isr(min_isr.is_object() ? min_isr[name] : min_isr, lists, name, reading);
    for (std::size_t k = 0; k < lists.size(); ++k) {
      partitions[first + k].hosting[c] = {lists[k], minimums[k]};
      reading.partitions_known = reading.partitions_known && !lists[k].empty();
    }
  }
}

class MirrorReader {
 public:
  explicit MirrorReader(Reading& reading) : reading_(reading) {}

  void read(const Cursor& mirror) {
    const std::optional<ClusterId> source = reading_.cluster(mirror["source"]);
    const std::optional<ClusterId> destination = reading_.cluster(mirror["destination"]);
    if (!source || !destination) {
      return;
    }
    if (*source == *destination) {
      reading_.problems.add(mirror["destination"].pointer(), in_quotes(reading_.cluster_name(*source)),
                            "another cluster than the source");
      return;
    }
    reading_.check_destination(mirror["destination"], *destination);
    const bool start = mirror["start"].boolean().value_or(true);
    for (const PartitionId partition : partitions_of(mirror, *source, *destination)) {
      add(mirror, {*source, *destination, partition, start});
    }
  }

 private:
  bool both_host(ClusterId source, ClusterId destination, std::size_t partition) const {
    const auto id = static_cast<PartitionId>(partition);
    return !reading_.hosted(source, id).replicas.empty() &&
           !reading_.hosted(destination, id).replicas.empty();
  }

  std::vector<PartitionId> partitions_of(const Cursor& mirror, ClusterId source, ClusterId destination) {
    const Cursor topics = mirror["topics"];
    const Cursor partitions = mirror["partitions"];
    const auto& declared = reading_.scenario.setup.partitions;
    std::vector<PartitionId> out;
    if (topics.exists() && partitions.exists()) {
      reading_.problems.add_at_name(partitions.pointer(), "\"partitions\" beside \"topics\"",
                                    "one of the two");
      return out;
    }
    if (!topics.exists() && !partitions.exists()) {
      for (std::size_t p = 0; p < declared.size(); ++p) {
        if (both_host(source, destination, p)) {
          out.push_back(static_cast<PartitionId>(p));
        }
      }
      if (out.empty() && reading_.partitions_known) {
        reading_.problems.add(mirror.pointer(), "a mirror of nothing", "a topic that both clusters host");
      }
      return out;
    }
    for (const Cursor& topic : topics.elements()) {
      add_topic(topic, source, destination, out);
    }
    for (const Cursor& element : partitions.elements()) {
      const std::optional<PartitionId> id = reading_.partition(element, mirror);
      if (id && check_both_host(element, source, destination, *id)) {
        out.push_back(*id);
      }
    }
    return out;
  }

  void add_topic(const Cursor& topic, ClusterId source, ClusterId destination,
                 std::vector<PartitionId>& out) {
    const auto& declared = reading_.scenario.setup.partitions;
    const std::optional<std::string> name = topic.string();
    if (!name || name->empty()) {
      return;
    }
    std::vector<std::string_view> names;
    bool known = false;
    for (std::size_t p = 0; p < declared.size(); ++p) {
      const std::string_view its_topic = topic_of(declared[p].name);
      if (names.empty() || names.back() != its_topic) {
        names.push_back(its_topic);
      }
      if (its_topic == *name) {
        const auto id = static_cast<PartitionId>(p);
        if (!known && !check_both_host(topic, source, destination, id)) {
          return;
        }
        known = true;
        out.push_back(id);
      }
    }
    if (!known && reading_.partitions_known) {
      reading_.problems.add(topic.pointer(), "an unknown topic " + in_quotes(*name), one_of(names, *name));
    }
  }

  bool check_both_host(const Cursor& where, ClusterId source, ClusterId destination, PartitionId partition) {
    for (const ClusterId cluster : {source, destination}) {
      if (reading_.hosted(cluster, partition).replicas.empty()) {
        if (reading_.partitions_known && reading_.clusters_known) {
          reading_.problems.add(
              where.pointer(), describe(where.json()),
              fmt::format("a topic that cluster {} hosts", in_quotes(reading_.cluster_name(cluster))));
        }
        return false;
      }
    }
    return true;
  }

  void add(const Cursor& where, const sim::MirrorSetup& mirror) {
    for (const sim::MirrorSetup& other : reading_.scenario.setup.mirrors) {
      const bool same_target = other.destination == mirror.destination && other.partition == mirror.partition;
      if (!same_target) {
        continue;
      }
      const std::string& partition =
          reading_.scenario.setup.partitions[static_cast<std::size_t>(mirror.partition)].name;
      if (other.source == mirror.source) {
        reading_.problems.add(where.pointer(),
                              fmt::format("the same mirror of {} again", in_quotes(partition)),
                              "each mirror once");
        return;
      }
      if (other.start && mirror.start) {
        reading_.problems.add(
            where.pointer(),
            fmt::format("a second mirror that starts by itself onto {} of cluster {}", in_quotes(partition),
                        in_quotes(reading_.cluster_name(mirror.destination))),
            "\"start\": false in all but one of them");
      }
    }
    reading_.scenario.setup.mirrors.push_back(mirror);
  }

  Reading& reading_;
};

}  // namespace

void read_clusters(const Cursor& clusters, Reading& reading) {
  std::set<std::string> taken;
  reading.clusters_known = clusters.is_array();
  for (const Cursor& cluster : clusters.elements()) {
    if (reading.scenario.setup.clusters.size() >= static_cast<std::size_t>(kMaxClusters)) {
      reading.clusters_known = false;
      return;
    }
    std::optional<std::string> name =
        declared_name(cluster["name"], kMaxClusterName, taken, reading.problems);
    std::vector<KafkaVersion> brokers = read_brokers(cluster, reading);
    reading.clusters_known = reading.clusters_known && name && !brokers.empty();
    if (name) {
      reading.scenario.setup.clusters.push_back({std::move(*name), std::move(brokers)});
    }
  }
}

void read_topics(const Cursor& topics, Reading& reading) {
  std::set<std::string> taken;
  int total = 0;
  reading.partitions_known = reading.clusters_known && topics.is_array();
  for (const Cursor& topic : topics.elements()) {
    std::optional<std::string> name = declared_name(topic["name"], kMaxTopicName, taken, reading.problems);
    const Cursor count = topic["partitions"];
    const std::optional<int> partitions = count.exists() ? count.integer(1, kMaxPartitions) : 1;
    if (!name || !partitions) {
      reading.partitions_known = false;
      continue;
    }
    total += *partitions;
    if (total > kMaxPartitions) {
      reading.problems.add(topic.pointer(), fmt::format("{} partitions up to here", total),
                           fmt::format("at most {} partitions in all topics", kMaxPartitions));
      reading.partitions_known = false;
      return;
    }
    read_topic(topic, {std::move(*name), *partitions, {}}, reading);
  }
}

void read_mirrors(const Cursor& mirrors, Reading& reading) {
  MirrorReader reader(reading);
  const std::size_t problems_before = reading.problems.count();
  for (const Cursor& mirror : mirrors.elements()) {
    reader.read(mirror);
  }
  reading.mirrors_known = reading.partitions_known && reading.problems.count() == problems_before;
}

}  // namespace mirrorproof::scenarios
