// Bounds and goals as files: their schemas say what the code says, and no text breaks the reader.

#include "scenarios/swarm_bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/reachability_goals.h"
#include "scenarios/schema_text.h"
#include "tests/scenarios/loading.h"

namespace mirrorproof::scenarios {
namespace {

using Json = nlohmann::json;

template <class E>
Json names(int first = 0) {
  Json list = Json::array();
  for (const auto& [value, name] : EnumNames<E>::entries) {
    if (static_cast<int>(value) >= first) {
      list.push_back(std::string(name));
    }
  }
  return list;
}

TEST(SwarmBoundsSchema, ListsTheNamesOfTheCode) {
  const Json schema = Json::parse(kSwarmBoundsSchema);
  EXPECT_EQ(std::string(kSwarmBoundsSchema),
            read_text(MIRRORPROOF_SOURCE_DIR "/scenarios/swarm-bounds.schema.json"));
  const Json& definitions = schema["definitions"];
  EXPECT_EQ(definitions["subject"]["enum"], names<sim::SwarmSubject>());
  EXPECT_EQ(definitions["fault_class"]["enum"], names<sim::FaultClass>());
  EXPECT_EQ(definitions["limited_class"]["enum"], names<sim::ActionClass>(sim::kProtocolClassCount));
  EXPECT_EQ(definitions["kafka_version"]["enum"],
            Json::parse(kScenarioSchema)["definitions"]["kafka_version"]["enum"]);
}

TEST(SwarmBoundsFile, SetsWhatItNamesAndLeavesTheRest) {
  sim::SwarmOptions options;
  const std::string text = R"({"clusters": {"max": 2}, "brokers": {"min": 5}, "versions": {"to": "3.0"},
    "subjects": ["failback", "mixed"], "fault_class": "crashes", "faults": {"crash": 7, "flush": true, "read": false}})";
  ASSERT_THAT(read_swarm_bounds(text, "f", options), testing::IsEmpty());
  EXPECT_EQ(options.clusters.min, 1);
  EXPECT_EQ(options.clusters.max, 2);
  EXPECT_EQ(options.brokers.min, 5);
  EXPECT_EQ(options.brokers.max, 5) << "one end moves the other out of its way";
  EXPECT_EQ(options.partitions.max, 2);
  EXPECT_EQ(kafka_version_name(options.oldest), "2.1");
  EXPECT_EQ(kafka_version_name(options.newest), "3.0");
  EXPECT_EQ(options.subjects.to_string(), "10001");
  EXPECT_EQ(options.faults, sim::FaultClass::crashes);
  EXPECT_EQ(options.limits[static_cast<std::size_t>(sim::ActionClass::crash)].most, 7);
  EXPECT_TRUE(options.limits[static_cast<std::size_t>(sim::ActionClass::flush)].always);
  EXPECT_EQ(options.limits[static_cast<std::size_t>(sim::ActionClass::read)].most, 0);
}

TEST(SwarmBoundsFile, NoTextBreaksTheReaders) {
  const std::string bounds = read_text(MIRRORPROOF_SOURCE_DIR "/tests/data/bounds/old-sources.json");
  const std::string goals = read_text(MIRRORPROOF_SOURCE_DIR "/tests/data/goals/small.json");
  for (const std::string& whole : {bounds, goals}) {
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const char* piece : {"", "\"", "9", "{}", "null,", "\x01"}) {
        const std::string text = whole.substr(0, at) + piece + whole.substr(at + 1);
        sim::SwarmOptions options;
        const auto problems = read_swarm_bounds(text, "f", options);
        if (problems.empty()) {
          EXPECT_TRUE(possible_subjects(options).any());
        }
        for (const Problem& problem : problems) {
          EXPECT_FALSE(problem.found.empty() || problem.expected.empty()) << text;
        }
        for (const Problem& problem : reports::read_reach_goals(text, "f").problems) {
          EXPECT_FALSE(problem.found.empty() || problem.expected.empty()) << text;
        }
      }
    }
  }
}

}  // namespace
}  // namespace mirrorproof::scenarios
