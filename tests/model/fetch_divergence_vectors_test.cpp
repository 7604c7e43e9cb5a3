#include <gtest/gtest.h>

#include <map>

#include "divergence_run.h"

namespace mirrorproof::vectors {
namespace {

constexpr const char* kPaths[] = {"truncate_on_fetch", "offsets_for_leader_epoch",
                                  "offsets_for_leader_epoch_v0"};

TEST(Fetcher, vectors_fetch_divergence) {
  int paths = 0;
  int steps = 0;
  const int pairs = for_each_case(load("fetch-divergence.json"), "name", [&](const Json& pair) {
    require_known_keys(pair, {"name", "origin", "leader", "follower", "paths"});
    require_known_keys(field(pair, "paths"), {kPaths[0], kPaths[1], kPaths[2]});
    for (const auto& [path, expected] : field(pair, "paths").items()) {
      const Json ran = run_divergence(pair, parse_divergence_path(path));
      for (std::size_t i = 0; i < std::min(ran["steps"].size(), field(expected, "steps").size()); ++i) {
        ASSERT_EQ(ran["steps"][i], expected["steps"][i]) << path << ", step " << i;
      }
      ASSERT_EQ(ran, expected) << path;
      ++paths;
      steps += static_cast<int>(ran["steps"].size());
    }
  });
  EXPECT_GT(pairs, 0);
  EXPECT_GE(paths, pairs);
  EXPECT_GT(steps, paths);
  std::cout << "fetch-divergence.json: " << pairs << " pairs, " << paths << " paths, " << steps << " steps\n";
}

/// What one path shows in the shape of known-nonmatching.json; null if it ends well.
Json nonmatching(const Json& ran) {
  const Json& final_state = ran.at("final");
  if (final_state.at("prefix_match") == true && final_state.at("outcome") == "fetching") {
    return nullptr;
  }
  return {{"outcome", final_state.at("outcome")},
          {"prefix_match", final_state.at("prefix_match")},
          {"first_mismatch", final_state.value("first_mismatch", Json(nullptr))}};
}

TEST(Fetcher, vectors_known_nonmatching) {
  const VectorFile file = load("known-nonmatching.json");
  const Json& known = file.content;
  require_known_keys(known, {"reasons", "cases"});
  std::map<std::pair<std::string, std::string>, Json> listed;
  const auto read_listed = [&](const Json& entry) {
    require_known_keys(entry, {"case", "path", "outcome", "prefix_match", "first_mismatch", "reason"});
    field(field(known, "reasons"), text_field(entry, "reason"));
    Json shown = {{"outcome", field(entry, "outcome")},
                  {"prefix_match", field(entry, "prefix_match")},
                  {"first_mismatch", field(entry, "first_mismatch")}};
    const bool is_new =
        listed.emplace(std::pair{text_field(entry, "case"), text_field(entry, "path")}, std::move(shown))
            .second;
    EXPECT_TRUE(is_new) << "listed twice";
  };
  for_each_case(file, "case", read_listed, "cases");
  ASSERT_FALSE(listed.empty());

  int shown = 0;
  for_each_case(load("fetch-divergence.json"), "name", [&](const Json& pair) {
    for (const char* path : kPaths) {
      if (!field(pair, "paths").contains(path)) {
        continue;
      }
      const Json found = nonmatching(run_divergence(pair, parse_divergence_path(path)));
      const auto expected = listed.find({text_field(pair, "name"), path});
      if (expected == listed.end()) {
        EXPECT_TRUE(found.is_null()) << path << " is not listed but shows " << found.dump();
        continue;
      }
      EXPECT_EQ(found, expected->second) << path;
      listed.erase(expected);
      ++shown;
    }
  });
  EXPECT_GT(shown, 0);
  for (const auto& [key, entry] : listed) {
    ADD_FAILURE() << key.first << " / " << key.second << " is listed but not in fetch-divergence.json";
  }
  std::cout << "known-nonmatching.json: " << shown << " cases\n";
}

}  // namespace
}  // namespace mirrorproof::vectors
