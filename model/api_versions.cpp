#include "model/api_versions.h"

#include <algorithm>

#include "model/check.h"
#include "model/mutant.h"

namespace mirrorproof {
namespace {

struct Release {
  std::string_view name;
  ApiVersionRange fetch;
  ApiVersionRange offset_for_leader_epoch;
  ApiVersionRange list_offsets;
  bool has_describe_cluster_mirrors = false;
};

constexpr std::array kReleases{
    Release{"2.1", {0, 10}, {0, 2}, {0, 4}},  Release{"2.2", {0, 10}, {0, 2}, {0, 5}},
    Release{"2.3", {0, 11}, {0, 3}, {0, 5}},  Release{"2.4", {0, 11}, {0, 3}, {0, 5}},
    Release{"2.5", {0, 11}, {0, 3}, {0, 5}},  Release{"2.6", {0, 11}, {0, 3}, {0, 5}},
    Release{"2.7", {0, 12}, {0, 3}, {0, 5}},  Release{"2.8", {0, 12}, {0, 4}, {0, 6}},
    Release{"3.0", {0, 12}, {0, 4}, {0, 7}},  Release{"3.1", {0, 13}, {0, 4}, {0, 7}},
    Release{"3.2", {0, 13}, {0, 4}, {0, 7}},  Release{"3.3", {0, 13}, {0, 4}, {0, 7}},
    Release{"3.4", {0, 13}, {0, 4}, {0, 7}},  Release{"3.5", {0, 15}, {0, 4}, {0, 8}},
    Release{"3.6", {0, 15}, {0, 4}, {0, 8}},  Release{"3.7", {0, 16}, {0, 4}, {0, 8}},
    Release{"3.8", {0, 16}, {0, 4}, {0, 8}},  Release{"3.9", {0, 17}, {0, 4}, {0, 9}},
    Release{"4.0", {4, 17}, {2, 4}, {1, 10}}, Release{"4.1", {4, 18}, {2, 4}, {1, 10}},
    Release{"4.2", {4, 18}, {2, 4}, {1, 11}}, Release{"4.3", {4, 19}, {2, 4}, {1, 11}, true},
};

constexpr KafkaVersion release(std::string_view name) {
  for (std::size_t i = 0; i < kReleases.size(); ++i) {
    if (kReleases[i].name == name) {
      return KafkaVersion{static_cast<std::int8_t>(i)};
    }
  }
  return KafkaVersion{-1};
}

}  // namespace

std::optional<KafkaVersion> parse_kafka_version(std::string_view text) {
  const KafkaVersion found = release(text);
  if (found.index < 0) {
    return std::nullopt;
  }
  return found;
}

std::string_view kafka_version_name(KafkaVersion version) {
  MP_CHECK(version.index >= 0 && version.index < kafka_version_count(), "unknown Kafka version");
  return kReleases[static_cast<std::size_t>(version.index)].name;
}

std::string known_kafka_versions() {
  std::string all;
  for (const Release& known : kReleases) {
    if (!all.empty()) {
      all += ", ";
    }
    all += known.name;
  }
  return all;
}

int kafka_version_count() {
  return static_cast<int>(kReleases.size());
}

KafkaVersion latest_kafka_version() {
  return KafkaVersion{static_cast<std::int8_t>(kReleases.size() - 1)};
}

ApiVersionRange supported_range(KafkaVersion version, ApiKey api) {
  const Release& known = kReleases[static_cast<std::size_t>(version.index)];
  switch (api) {
    case ApiKey::fetch:
      return known.fetch;
    case ApiKey::offset_for_leader_epoch:
      return known.offset_for_leader_epoch;
    case ApiKey::list_offsets:
      return known.list_offsets;
    case ApiKey::describe_cluster_mirrors:
      return known.has_describe_cluster_mirrors ? ApiVersionRange{0, 0} : ApiVersionRange{};
  }
  return {};
}

std::optional<ApiVersion> negotiate(ApiVersionRange client, ApiVersionRange server) {
  const ApiVersion low = std::max(client.min, server.min);
  const ApiVersion high = std::min(client.max, server.max);
  if (high < low) {
    return std::nullopt;
  }
  return mutated(Mutant::versions_not_negotiated) ? client.max : high;
}

bool serves_consumers_from_followers(KafkaVersion version) {
  return version >= release("2.4");
}
bool fills_current_leader(KafkaVersion version) {
  return version >= release("3.7");
}
bool keeps_eligible_leader_replicas(KafkaVersion oldest_in_cluster) {
  return oldest_in_cluster >= release("4.0");
}
bool metadata_tells_topic_ids(KafkaVersion version) {
  return version >= release("2.8");
}
bool writes_old_message_formats(KafkaVersion oldest_in_cluster) {
  return oldest_in_cluster < release("3.0");
}
bool guards_high_watermark_under_min_isr(KafkaVersion version) {
  return version >= release("3.7");
}
bool verifies_transactions(KafkaVersion version) {
  return version >= release("3.6");
}
bool checks_broker_epochs(KafkaVersion oldest_in_cluster) {
  return oldest_in_cluster >= release("3.5");
}
bool shrinks_raise_leader_epoch(KafkaVersion oldest_in_cluster) {
  return oldest_in_cluster < release("3.6");
}

}  // namespace mirrorproof
