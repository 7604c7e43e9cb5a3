// The ranges of protocol.md 6.1, and what a version can carry.

#include "model/api_versions.h"

#include <gtest/gtest.h>

namespace mirrorproof {
namespace {

struct Row {
  const char* release;
  ApiVersionRange fetch;
  ApiVersionRange offset_for_leader_epoch;
  ApiVersionRange list_offsets;
};

constexpr Row kRows[] = {
    {"2.1", {0, 10}, {0, 2}, {0, 4}},  {"2.2", {0, 10}, {0, 2}, {0, 5}},  {"2.3", {0, 11}, {0, 3}, {0, 5}},
    {"2.4", {0, 11}, {0, 3}, {0, 5}},  {"2.5", {0, 11}, {0, 3}, {0, 5}},  {"2.6", {0, 11}, {0, 3}, {0, 5}},
    {"2.7", {0, 12}, {0, 3}, {0, 5}},  {"2.8", {0, 12}, {0, 4}, {0, 6}},  {"3.0", {0, 12}, {0, 4}, {0, 7}},
    {"3.1", {0, 13}, {0, 4}, {0, 7}},  {"3.2", {0, 13}, {0, 4}, {0, 7}},  {"3.3", {0, 13}, {0, 4}, {0, 7}},
    {"3.4", {0, 13}, {0, 4}, {0, 7}},  {"3.5", {0, 15}, {0, 4}, {0, 8}},  {"3.6", {0, 15}, {0, 4}, {0, 8}},
    {"3.7", {0, 16}, {0, 4}, {0, 8}},  {"3.8", {0, 16}, {0, 4}, {0, 8}},  {"3.9", {0, 17}, {0, 4}, {0, 9}},
    {"4.0", {4, 17}, {2, 4}, {1, 10}}, {"4.1", {4, 18}, {2, 4}, {1, 10}}, {"4.2", {4, 18}, {2, 4}, {1, 11}},
    {"4.3", {4, 19}, {2, 4}, {1, 11}},
};

TEST(ApiVersions, every_release_serves_the_ranges_of_its_schemas) {
  EXPECT_EQ(kafka_version_count(), static_cast<int>(std::size(kRows)));
  for (const Row& row : kRows) {
    const std::optional<KafkaVersion> version = parse_kafka_version(row.release);
    ASSERT_TRUE(version.has_value()) << row.release;
    EXPECT_EQ(kafka_version_name(*version), row.release);
    EXPECT_EQ(supported_range(*version, ApiKey::fetch), row.fetch) << row.release;
    EXPECT_EQ(supported_range(*version, ApiKey::offset_for_leader_epoch), row.offset_for_leader_epoch)
        << row.release;
    EXPECT_EQ(supported_range(*version, ApiKey::list_offsets), row.list_offsets) << row.release;
    EXPECT_EQ(supported_range(*version, ApiKey::describe_cluster_mirrors).empty(),
              std::string_view(row.release) != "4.3")
        << row.release;
  }
}

TEST(ApiVersions, releases_are_ordered_by_age) {
  for (std::size_t i = 1; i < std::size(kRows); ++i) {
    EXPECT_LT(*parse_kafka_version(kRows[i - 1].release), *parse_kafka_version(kRows[i].release));
  }
  EXPECT_EQ(kafka_version_name(latest_kafka_version()), "4.3");
}

TEST(ApiVersions, unknown_releases_are_not_guessed) {
  for (const char* name : {"", "2.0", "4.4", "3", "2.1 ", "2.10", "latest"}) {
    EXPECT_FALSE(parse_kafka_version(name).has_value()) << name;
  }
  EXPECT_EQ(known_kafka_versions().substr(0, 9), "2.1, 2.2,");
}

TEST(ApiVersions, negotiation_takes_the_highest_common_version) {
  EXPECT_EQ(negotiate({0, 12}, {4, 17}), ApiVersion{12});
  EXPECT_EQ(negotiate({0, 17}, {0, 11}), ApiVersion{11});
  EXPECT_EQ(negotiate({4, 4}, {4, 4}), ApiVersion{4});
  EXPECT_EQ(negotiate({12, 17}, {0, 11}), std::nullopt);
  EXPECT_EQ(negotiate({0, 3}, {4, 17}), std::nullopt);
  EXPECT_EQ(negotiate(ApiVersionRange{}, {0, 17}), std::nullopt);
}

/// The first release at or above which `holds`, and below which it does not.
void expect_first(const char* first, bool (*holds)(KafkaVersion)) {
  for (const Row& row : kRows) {
    const KafkaVersion version = *parse_kafka_version(row.release);
    EXPECT_EQ(holds(version), version >= *parse_kafka_version(first)) << row.release;
  }
}

TEST(ApiVersions, broker_behaviour_by_release) {
  expect_first("2.4", serves_consumers_from_followers);
  expect_first("3.7", fills_current_leader);
  expect_first("3.7", guards_high_watermark_under_min_isr);
  expect_first("2.7", [](KafkaVersion version) {
    return supported_range(version, ApiKey::fetch).supports(kFetchWithLastFetchedEpoch);
  });
  expect_first("3.7", [](KafkaVersion version) {
    return supported_range(version, ApiKey::fetch).supports(kFetchWithNodeEndpoints);
  });
}

}  // namespace
}  // namespace mirrorproof
