// mirrorproof merge: campaigns counted together, each failure once, nothing silently left out.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <set>

#include "reports/campaign_merge.h"
#include "reports/script_shape.h"
#include "tests/cli/campaigns.h"
#include "tests/cli/program.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

void fuzz_failing(const std::string& out, std::vector<std::string> more) {
  std::vector<std::string> call{"fuzz", failing_scenario_path(), "--max-actions", "4", "--jobs", "1", "--out",
                                out};
  call.insert(call.end(), more.begin(), more.end());
  EXPECT_EQ(run_program(call).code, 1);
}

nlohmann::json merge_folders(std::vector<std::string> call, int code) {
  call.insert(call.begin(), "merge");
  call.emplace_back("--json");
  const ProgramResult result = run_program(call);
  EXPECT_EQ(result.code, code) << result.err;
  return parse_json(result.out);
}

TEST(Merge, ShardsMakeWhatOneCampaignMakes) {
  const TemporaryFolder folder;
  std::vector<std::string> parts;
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    parts.push_back(folder / (std::string("shard-") + shard[0]));
    fuzz_failing(parts.back(), {"--seeds", "10", "--shard", shard});
  }
  fuzz_failing(folder / "whole", {"--seeds", "30"});
  const nlohmann::json one = merge_folders(parts, 1);
  const nlohmann::json whole = merge_folders({folder / "whole"}, 1);
  for (const char* field : {"campaign", "verdict", "first_seed", "seeds", "actions", "events",
                            "failing_seeds", "consequences", "inconclusive_seeds", "mirror_truncations",
                            "justified_mirror_truncations", "unclean_elections", "plan_digest"}) {
    EXPECT_EQ(one[field], whole[field]) << field;
  }
  ASSERT_EQ(one["failures"].size(), whole["failures"].size());
  for (std::size_t i = 0; i < one["failures"].size(); ++i) {
    for (const char* field : {"invariant", "kind", "seeds", "first_seed", "message"}) {
      EXPECT_EQ(one["failures"][i][field], whole["failures"][i][field]);
    }
  }
  EXPECT_EQ(one["complete"], true);
  EXPECT_EQ(one["parts"].size(), 3U);
  EXPECT_EQ(one["overlaps"], nlohmann::json::array());
  EXPECT_EQ(one["missing_shards"], nlohmann::json::array());
}

TEST(Merge, MissingShardsAreSaidAndMayBeDemanded) {
  const TemporaryFolder folder;
  const std::string world =
      folder.write("world.json", R"({"name": "w", "clusters": [{"name": "A", "brokers": 1},
      {"name": "B", "brokers": 1}], "topics": [{"name": "t"}], "mirrors": [{"source": "A", "destination": "B"}]})");
  std::vector<std::string> call{"merge"};
  for (const char* shard : {"1/4", "3/4", "4/4"}) {
    const std::string out = folder / (std::string("shard-") + shard[0]);
    EXPECT_EQ(
        run_program({"fuzz", world, "--seeds", "2", "--max-actions", "10", "--shard", shard, "--out", out})
            .code,
        0);
    call.push_back(out);
  }
  const ProgramResult said = run_program(call);
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.out, HasSubstr("Missing: shard 2/4.\n"));
  call.emplace_back("--complete");
  EXPECT_EQ(run_program(call).code, 3);
  call.emplace_back("--json");
  const nlohmann::json document = parse_json(run_program(call).out);
  EXPECT_EQ(document["complete"], false);
  EXPECT_EQ(document["missing_shards"],
            nlohmann::json::parse(R"([{"index": 2, "count": 4, "campaign_from_seed": 1}])"));
}

TEST(Merge, WhatWasRunTwiceIsSaid) {
  const TemporaryFolder folder;
  fuzz_failing(folder / "long", {"--seeds", "12"});
  fuzz_failing(folder / "short", {"--seeds", "5", "--first-seed", "3"});
  fuzz_failing(folder / "late", {"--seeds", "10", "--first-seed", "9"});
  const nlohmann::json document = merge_folders({folder / "short", folder / "long", folder / "late"}, 1);
  EXPECT_EQ(document["seeds"], 22) << "short is left out";
  EXPECT_EQ(document["parts"].size(), 2U);
  ASSERT_EQ(document["overlaps"].size(), 2U);
  EXPECT_EQ(document["overlaps"][0]["folder"], folder / "short");
  EXPECT_EQ(document["overlaps"][0]["other"], folder / "long");
  EXPECT_EQ(document["overlaps"][0]["left_out"], true);
  EXPECT_EQ(document["overlaps"][1]["folder"], folder / "late");
  EXPECT_EQ(document["overlaps"][1]["seeds"], 4);
  EXPECT_EQ(document["overlaps"][1]["left_out"], false);
  const std::string text = run_program({"merge", folder / "short", folder / "long", folder / "late"}).out;
  EXPECT_THAT(text, HasSubstr("have both run 4 seeds, which is counted twice.\n"));
  EXPECT_THAT(text, HasSubstr("Left out: " + (folder / "short")));
  const ProgramResult twice = run_program(
      {"merge", folder / "long", folder / "../" + fs::path(folder.path()).filename().string() + "/long"});
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("found the same folder again, expected each campaign once"));
}

TEST(Merge, AnotherPlanIsRefused) {
  const TemporaryFolder folder;
  fuzz_failing(folder / "one", {"--seeds", "2"});
  fuzz_failing(folder / "two", {"--seeds", "2", "--protocol", "alignment=none"});
  const ProgramResult result = run_program({"merge", folder / "one", folder / "two"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr(folder / "two/campaign.json is of another campaign than"),
                    HasSubstr("/plan/scenario/protocol/alignment: \"none\", not \"epoch_only\"\n")));
}

TEST(Merge, FoldersWithoutACampaignAreRefused) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "hostile");
  folder.write("hostile/campaign.json", R"({"mirrorproof_campaign": 1, "plan": {"shards": "many"}})");
  const ProgramResult result = run_program({"merge", folder / "nowhere", folder / "hostile"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr(folder / "nowhere/campaign.json: found no file that can be read"));
  EXPECT_THAT(result.err, HasSubstr(folder / "hostile/campaign.json: /plan/shards: found \"many\""));
  EXPECT_EQ(run_program({"merge"}).code, 2);
}

TEST(Merge, ShrunkFormsOfOneShapeAreListedOnce) {
  const TemporaryFolder folder;
  for (const char* shard : {"1", "2"}) {
    fuzz_failing(folder / shard, {"--seeds", "1", "--shard", std::string(shard) + "/2", "--shrink"});
  }
  const nlohmann::json document = merge_folders({folder / "1", folder / "2", "--out", folder / "all"}, 1);
  ASSERT_EQ(document["failures"].size(), 3U);
  for (const nlohmann::json& failure : document["failures"]) {
    // Every seed runs the same script, so all shrink to the same story.
    ASSERT_EQ(failure["shrunk_forms"].size(), 1U) << failure.dump(1);
    EXPECT_EQ(failure["shrunk_forms"][0]["folders"], nlohmann::json({folder / "1", folder / "2"}));
    EXPECT_EQ(run_program({"run", failure["shrunk_forms"][0]["file"].get<std::string>()}).code, 0);
  }
}

TEST(Merge, CollectsFailuresAndWritesReports) {
  const TemporaryFolder folder;
  fuzz_failing(folder / "1", {"--seeds", "15", "--shard", "1/2"});
  fuzz_failing(folder / "2", {"--seeds", "15", "--shard", "2/2"});
  const nlohmann::json document =
      merge_folders({folder / "1", folder / "2", "--out", folder / "all", "--junit", folder / "junit.xml",
                     "--html", folder / "page.html"},
                    1);
  EXPECT_EQ(parse_json(read_file(folder / "all/merged.json")), document);
  const nlohmann::json& failures = document["failures"];
  ASSERT_EQ(failures.size(), 3U);
  for (const nlohmann::json& failure : failures) {
    const std::string name =
        failure["invariant"].get<std::string>() + "--" + failure["kind"].get<std::string>();
    EXPECT_EQ(failure["seeds"], 30);
    EXPECT_EQ(failure["replay"], "mirrorproof replay " + (folder / "all/") + name + "/seed-1.json");
    for (int seed = 1; seed <= 30; ++seed) {
      EXPECT_EQ(fs::exists(folder / "all/" + name + "/seed-" + std::to_string(seed) + ".json"), seed <= 20);
    }
  }
  EXPECT_EQ(
      run_program({"replay", folder / "all/truncation-provenance--never-in-source-lineage/seed-2.json"}).code,
      1);
  EXPECT_THAT(read_file(folder / "junit.xml"), HasSubstr("failures=\"3\""));
  EXPECT_THAT(read_file(folder / "page.html"), HasSubstr("The campaign"));
  const ProgramResult again = run_program({"merge", folder / "1", folder / "2", "--out", folder / "all"});
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("exists and is kept; --force replaces it"));
}

TEST(Merge, AFailureFileThatIsGoneIsSaid) {
  const TemporaryFolder folder;
  fuzz_failing(folder / "1", {"--seeds", "3"});
  fs::remove_all(folder / "1/truncation-provenance--never-in-source-lineage");
  const ProgramResult result =
      run_program({"merge", folder / "1", "--out", folder / "all", "--html", folder / "p.html"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(
      result.out,
      HasSubstr("Not saved: " + (folder / "1/truncation-provenance--never-in-source-lineage/seed-1.json")));
}

reports::CampaignFile progression(std::uint64_t first, reports::Shard shard, std::uint64_t in_order,
                                  std::vector<std::uint64_t> beyond) {
  reports::CampaignFile file;
  file.first_seed = first;
  file.shard = shard;
  file.state.result.digest_seeds = in_order;
  for (const std::uint64_t index : beyond) {
    file.state.early_digests[index] = 0;
  }
  return file;
}

TEST(CommonSeeds, AreThoseThatCountingFinds) {
  const auto seeds_of = [](const reports::CampaignFile& file) {
    std::set<std::uint64_t> seeds;
    for (std::uint64_t i = 0; i < 60; ++i) {
      if (file.state.done(i)) {
        seeds.insert(file.seed_at(i));
      }
    }
    return seeds;
  };
  std::vector<reports::CampaignFile> files;
  for (const std::uint64_t first : {1, 4, 17}) {
    for (const std::uint64_t count : {1, 2, 3, 6, 10}) {
      files.push_back(progression(first, {0, count}, 20, {}));
      files.push_back(progression(first, {count - 1, count}, 7, {9, 12, 40}));
      files.push_back(progression(first, {count / 2, count}, 0, {3}));
    }
  }
  for (const auto& a : files) {
    for (const auto& b : files) {
      const auto sa = seeds_of(a);
      const auto sb = seeds_of(b);
      std::vector<std::uint64_t> both;
      std::set_intersection(sa.begin(), sa.end(), sb.begin(), sb.end(), std::back_inserter(both));
      ASSERT_EQ(reports::common_seeds(a, b), both.size())
          << a.first_seed << " " << a.shard.index << "/" << a.shard.count << " and " << b.first_seed << " "
          << b.shard.index << "/" << b.shard.count;
    }
  }
  const auto huge = progression(UINT64_MAX - 5, {0, 1}, std::uint64_t{1} << 40, {});
  EXPECT_EQ(reports::common_seeds(huge, progression(UINT64_MAX - 2, {0, 1}, 2, {})), 2U);
}

TEST(ScriptShape, LeavesOutNamesAndNumbers) {
  const auto shape = [](const std::string& steps) {
    const scenarios::LoadResult loaded = scenarios::load_scenario(
        R"({"name": "s", "clusters": [{"name": "A", "brokers": 3}, {"name": "B", "brokers": 2}],
            "topics": [{"name": "t"}], "mirrors": [{"source": "A", "destination": "B"}], "steps": [)" +
            steps + "]}",
        "");
    EXPECT_TRUE(loaded.scenario.has_value());
    return loaded.scenario ? reports::script_shape(loaded.scenario->setup) : "";
  };
  const std::string first = shape(
      R"({"do": "produce", "cluster": "A", "records": 2}, {"do": "crash", "cluster": "A", "broker": 2},
         {"do": "settle"})");
  EXPECT_EQ(first, "produce a; crash a0; settle");
  EXPECT_EQ(first, shape(R"({"do": "produce", "cluster": "B"}, {"do": "crash", "cluster": "B", "broker": 1},
                            {"do": "settle", "note": "x"})"));
  EXPECT_NE(first, shape(R"({"do": "produce", "cluster": "A"}, {"do": "crash", "cluster": "B", "broker": 1},
                            {"do": "settle"})"));
}

}  // namespace
}  // namespace mirrorproof::cli_tests
