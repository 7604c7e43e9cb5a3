// The part of to_json() for clusters, topics and mirrors.

#include <algorithm>

#include "scenarios/topic_name.h"
#include "scenarios/writing.h"

namespace mirrorproof::scenarios {
namespace {

using Json = nlohmann::ordered_json;

struct TopicRange {
  std::string name;
  std::size_t first = 0;
  std::size_t count = 0;
};

std::vector<TopicRange> topics_of(const sim::Setup& setup) {
  std::vector<TopicRange> out;
  for (std::size_t p = 0; p < setup.partitions.size(); ++p) {
    const std::string_view topic = topic_of(setup.partitions[p].name);
    if (out.empty() || out.back().name != topic) {
      out.push_back({std::string(topic), p, 0});
    }
    ++out.back().count;
  }
  return out;
}

bool is_rotation(const std::vector<BrokerId>& base, const std::vector<BrokerId>& replicas, std::size_t by) {
  if (base.size() != replicas.size()) {
    return false;
  }
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (replicas[i] != base[(i + by) % base.size()]) {
      return false;
    }
  }
  return true;
}

/// The replicas of one topic in one cluster; null if they are the default.
Json write_replicas(const sim::Setup& setup, const TopicRange& topic, std::size_t cluster) {
  const auto replicas = [&](std::size_t k) -> const std::vector<BrokerId>& {
    return setup.partitions[topic.first + k].hosting[cluster].replicas;
  };
  const auto all_rotations_of = [&](const std::vector<BrokerId>& base) {
    for (std::size_t k = 0; k < topic.count; ++k) {
      if (!is_rotation(base, replicas(k), k)) {
        return false;
      }
    }
    return true;
  };
  std::vector<BrokerId> all;
  for (std::size_t i = 0; i < setup.clusters[cluster].brokers.size(); ++i) {
    all.push_back(static_cast<BrokerId>(i));
  }
  if (all_rotations_of(all)) {
    return nullptr;
  }
  if (all_rotations_of(replicas(0))) {
    return replicas(0);
  }
  Json lists = Json::array();
  for (std::size_t k = 0; k < topic.count; ++k) {
    lists.push_back(replicas(k));
  }
  return lists;
}

/// One number if all partitions have the same, else one each.
Json write_min_isr(const sim::Setup& setup, const TopicRange& topic, std::size_t cluster) {
  Json each = Json::array();
  for (std::size_t p = topic.first; p < topic.first + topic.count; ++p) {
    each.push_back(setup.partitions[p].hosting[cluster].min_insync_replicas);
  }
  const bool all_equal =
      std::all_of(each.begin(), each.end(), [&](const Json& n) { return n == each.front(); });
  return all_equal ? each.front() : each;
}

Json write_topic(const sim::Setup& setup, const TopicRange& topic) {
  Json object{{"name", topic.name}};
  if (topic.count != 1) {
    object["partitions"] = topic.count;
  }
  if (setup.partitions[topic.first].epochless) {
    object["message_format"] = "v1";
  }
  const std::vector<sim::HostedPartition>& hosting = setup.partitions[topic.first].hosting;
  Json on = Json::array();
  Json replicas = Json::object();
  Json min_isr = Json::object();
  bool same_min_isr = true;
  for (std::size_t c = 0; c < hosting.size(); ++c) {
    if (hosting[c].replicas.empty()) {
      continue;
    }
    const std::string& name = setup.clusters[c].name;
    on.push_back(name);
    if (Json lists = write_replicas(setup, topic, c); !lists.is_null()) {
      replicas[name] = std::move(lists);
    }
    Json minimums = write_min_isr(setup, topic, c);
    same_min_isr = same_min_isr && minimums.is_number() && (min_isr.empty() || minimums == min_isr.front());
    min_isr[name] = std::move(minimums);
  }
  if (!min_isr.empty() && (!same_min_isr || min_isr.front() != 1)) {
    object["min_insync_replicas"] = same_min_isr ? min_isr.front() : min_isr;
  }
  if (!replicas.empty()) {
    object["replicas"] = std::move(replicas);
  }
  if (on.size() != setup.clusters.size()) {
    object["on"] = std::move(on);
  }
  return object;
}

/// Neighbours that a file can declare together: same clusters, same start, partitions in rising order.
bool belong_together(const sim::MirrorSetup& a, const sim::MirrorSetup& b) {
  return a.source == b.source && a.destination == b.destination && a.start == b.start &&
         a.partition < b.partition;
}

bool both_host(const sim::PartitionSetup& partition, const sim::MirrorSetup& mirror) {
  return !partition.hosting[static_cast<std::size_t>(mirror.source)].replicas.empty() &&
         !partition.hosting[static_cast<std::size_t>(mirror.destination)].replicas.empty();
}

/// "topics" if `partitions` are whole topics, nothing if they are all there is, "partitions" otherwise.
void write_mirrored(const sim::Setup& setup, const std::vector<PartitionId>& partitions,
                    const sim::MirrorSetup& mirror, Json& object) {
  const auto mirrored = [&](std::size_t p) {
    return std::find(partitions.begin(), partitions.end(), static_cast<PartitionId>(p)) != partitions.end();
  };
  bool all = true;
  bool whole_topics = true;
  Json topics = Json::array();
  for (const TopicRange& topic : topics_of(setup)) {
    std::size_t count = 0;
    for (std::size_t p = topic.first; p < topic.first + topic.count; ++p) {
      count += mirrored(p) ? 1 : 0;
      all = all && mirrored(p) == both_host(setup.partitions[p], mirror);
    }
    whole_topics = whole_topics && (count == 0 || count == topic.count);
    if (count > 0) {
      topics.push_back(topic.name);
    }
  }
  if (all) {
    return;
  }
  if (whole_topics) {
    object["topics"] = std::move(topics);
    return;
  }
  Json names = Json::array();
  for (const PartitionId partition : partitions) {
    names.push_back(setup.partitions[static_cast<std::size_t>(partition)].name);
  }
  object["partitions"] = std::move(names);
}

}  // namespace

Json write_clusters(const sim::Setup& setup) {
  Json out = Json::array();
  for (const sim::ClusterSetup& cluster : setup.clusters) {
    Json object{{"name", cluster.name}};
    const bool all_equal = std::all_of(cluster.brokers.begin(), cluster.brokers.end(),
                                       [&](KafkaVersion v) { return v == cluster.brokers.front(); });
    if (all_equal && !cluster.brokers.empty()) {
      object["brokers"] = cluster.brokers.size();
      if (cluster.brokers.front() != latest_kafka_version()) {
        object["version"] = version_name(cluster.brokers.front());
      }
    } else {
      object["brokers"] = Json::array();
      for (const KafkaVersion version : cluster.brokers) {
        object["brokers"].push_back(version_name(version));
      }
    }
    out.push_back(std::move(object));
  }
  return out;
}

Json write_topics(const sim::Setup& setup) {
  Json out = Json::array();
  for (const TopicRange& topic : topics_of(setup)) {
    out.push_back(write_topic(setup, topic));
  }
  return out;
}

Json write_mirrors(const sim::Setup& setup, const Names& names) {
  Json out = Json::array();
  const auto& mirrors = setup.mirrors;
  for (std::size_t begin = 0; begin < mirrors.size();) {
    std::vector<PartitionId> partitions{mirrors[begin].partition};
    std::size_t end = begin + 1;
    while (end < mirrors.size() && belong_together(mirrors[end - 1], mirrors[end])) {
      partitions.push_back(mirrors[end++].partition);
    }
    Json object{{"source", names.cluster(mirrors[begin].source)},
                {"destination", names.cluster(mirrors[begin].destination)}};
    write_mirrored(setup, partitions, mirrors[begin], object);
    if (!mirrors[begin].start) {
      object["start"] = false;
    }
    out.push_back(std::move(object));
    begin = end;
  }
  return out;
}

}  // namespace mirrorproof::scenarios
