// mirrorproof fuzz: what it finds, keeps and says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <thread>

#include "tests/cli/campaigns.h"
#include "tests/cli/program.h"
#include "tests/cli/worlds.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

namespace fs = std::filesystem;

std::set<std::string> files_below(const std::string& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files.insert(fs::relative(entry.path(), folder).string());
    }
  }
  return files;
}

TEST(Fuzz, ACampaignWithoutFailuresHasCode0AndCountsItsSeeds) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("world.json", small_world(R"(, "faults": {"weights": {"produce": 20}})"));
  const ProgramResult result = run_program({"fuzz", file, "--seeds", "3", "--max-actions", "40", "--jobs",
                                            "1", "--json", "--out", folder / "out"});
  ASSERT_EQ(result.code, 0) << result.out << result.err;
  const nlohmann::json summary = parse_json(result.out);
  EXPECT_EQ(summary["campaign"], "small-world");
  EXPECT_EQ(summary["verdict"], "holds");
  EXPECT_EQ(summary["seeds"], 3);
  EXPECT_EQ(summary["digest_seeds"], 3);
  EXPECT_EQ(summary["actions"], 120);
  EXPECT_EQ(summary["failures"], nlohmann::json::array());
  EXPECT_EQ(summary["interrupted"], false);
  EXPECT_EQ(files_below(folder / "out"), std::set<std::string>{"campaign.json"});
}

TEST(Fuzz, EveryFailureIsFiledUnderItsInvariantAndKind) {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  const ProgramResult result =
      run_program({"fuzz", failing_scenario_path(), "--seeds", "3", "--max-actions", "4", "--out", out});
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, StartsWith("VIOLATED: 3 of 3 seeds break an invariant.\n"));
  EXPECT_THAT(result.out, HasSubstr("truncation-provenance (never-in-source-lineage): 3 seeds, first 1\n"));
  const std::string replay =
      "mirrorproof replay " + out + "/truncation-provenance--never-in-source-lineage/seed-1.json\n";
  EXPECT_THAT(result.out, HasSubstr(replay));
  EXPECT_THAT(result.err, HasSubstr(replay)) << "said the moment it was found";
  std::set<std::string> expected{"campaign.json"};
  for (const char* shape :
       {"alignment-exactness--kept-foreign-record", "follower-truncation--removed-committed-record",
        "truncation-provenance--never-in-source-lineage"}) {
    for (const char* seed : {"1", "2", "3"}) {
      expected.insert(std::string(shape) + "/seed-" + seed + ".json");
    }
  }
  EXPECT_EQ(files_below(out), expected);
}

TEST(Fuzz, AFailureFileIsSelfContained) {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  run_program({"fuzz", failing_scenario_path(), "--seeds", "1", "--max-actions", "10", "--out", out});
  const nlohmann::json file =
      parse_json(read_file(out + "/truncation-provenance--never-in-source-lineage/seed-1.json"));
  ASSERT_TRUE(file.is_object());
  EXPECT_EQ(file["mirrorproof_failure"], 1);
  EXPECT_EQ(file["seed"], 1);
  EXPECT_EQ(file["scenario"]["name"], "reverse-mirroring-epoch-only");
  EXPECT_EQ(file["scenario"]["protocol"]["alignment"], "epoch_only");
  EXPECT_EQ(file["scenario"]["run"]["max_actions"], 10);
  EXPECT_GE(file["choices"].size(), 10U);
  EXPECT_EQ(file["digest"].get<std::string>().size(), 16U);
  EXPECT_THAT(file["replay"].get<std::string>(), StartsWith("mirrorproof replay "));
  ASSERT_GE(file["violations"].size(), 1U);
  EXPECT_EQ(file["violations"][0]["invariant"], "alignment-exactness");
}

TEST(Fuzz, TheNumberOfJobsChangesNothing) {
  const TemporaryFolder folder;
  const auto campaign = [&](const std::string& jobs, const std::string& out) {
    const ProgramResult result =
        run_program({"fuzz", "--protocol", "alignment=none", "--seeds", "40", "--max-actions", "200",
                     "--jobs", jobs, "--json", "--out", out});
    EXPECT_EQ(result.signal, 0);
    return timeless(parse_json(result.out));
  };
  const nlohmann::json one = campaign("1", folder / "one");
  const nlohmann::json two = campaign("2", folder / "two");
  const nlohmann::json many = campaign("7", folder / "many");
  EXPECT_EQ(one, two);
  EXPECT_EQ(one, many);
  EXPECT_EQ(one["digest_seeds"], 40);
  EXPECT_EQ(files_below(folder / "one"), files_below(folder / "two"));
  EXPECT_EQ(files_below(folder / "one"), files_below(folder / "many"));
}

TEST(Fuzz, KeepsTheFirstTwentyFilesOfAFolderAndCountsAll) {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  const ProgramResult result = run_program({"fuzz", failing_scenario_path(), "--seeds", "30", "--max-actions",
                                            "4", "--jobs", "4", "--json", "--out", out});
  const nlohmann::json summary = parse_json(result.out);
  EXPECT_EQ(summary["failing_seeds"], 30);
  std::set<std::string> expected;
  for (int seed = 1; seed <= 20; ++seed) {
    expected.insert("truncation-provenance--never-in-source-lineage/seed-" + std::to_string(seed) + ".json");
  }
  std::set<std::string> found;
  for (const std::string& file : files_below(out)) {
    if (file.starts_with("truncation-provenance--never-in-source-lineage/")) {
      found.insert(file);
    }
  }
  EXPECT_EQ(found, expected);
}

TEST(Fuzz, ShardsTogetherRunWhatOneCampaignRuns) {
  const TemporaryFolder folder;
  const std::string file = folder.write("world.json", random_world(50, 1));
  const auto actions = [&](const std::vector<std::string>& more) {
    std::vector<std::string> call{"fuzz", file, "--json", "--out", folder / "out"};
    call.insert(call.end(), more.begin(), more.end());
    const nlohmann::json summary = parse_json(run_program(call).out);
    return summary["events"].get<std::uint64_t>();
  };
  EXPECT_EQ(actions({"--seeds", "3", "--shard", "1/2"}) + actions({"--seeds", "3", "--shard", "2/2"}),
            actions({"--seeds", "6"}));
}

TEST(Fuzz, StopsWhenTheTimeIsOver) {
  const TemporaryFolder folder;
  const ProgramResult result =
      run_program({"fuzz", "--time", "300ms", "--jobs", "2", "--json", "--out", folder / "out"});
  const nlohmann::json summary = parse_json(result.out);
  ASSERT_TRUE(summary.is_object()) << result.out << result.err;
  EXPECT_EQ(summary["campaign"], "swarm");
  EXPECT_EQ(summary["interrupted"], false);
  EXPECT_GE(summary["seconds"].get<double>(), 0.3);
  EXPECT_EQ(summary["digest_seeds"], summary["seeds"]);
}

TEST(Fuzz, AScriptThatNoSeedCanCarryOutIsInconclusive) {
  const TemporaryFolder folder;
  const std::string file = folder.write("world.json", impossible_world(""));
  const ProgramResult result = run_program({"fuzz", file, "--seeds", "2", "--out", folder / "out"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.out, StartsWith("INCONCLUSIVE: none of 2 seeds could be carried out: /steps/2"));
}

TEST(Fuzz, AFolderThatCannotBeWrittenIsRefusedAtOnce) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "");
  for (const std::string& out : {file, file + "/below", std::string("/proc/nothing/here")}) {
    const ProgramResult result = run_program({"fuzz", "--seeds", "1", "--out", out});
    EXPECT_EQ(result.code, 2) << out;
    EXPECT_THAT(result.err, HasSubstr("--out")) << out;
  }
}

TEST(Fuzz, DoesNotTakeAFailureFile) {
  const TemporaryFolder folder;
  run_program(
      {"fuzz", failing_scenario_path(), "--seeds", "1", "--max-actions", "4", "--out", folder / "out"});
  const ProgramResult result =
      run_program({"fuzz", folder / "out/truncation-provenance--never-in-source-lineage/seed-1.json"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("mirrorproof replay "));
}

class FuzzInterrupted : public testing::TestWithParam<int> {};

TEST_P(FuzzInterrupted, KeepsWhatWasFound) {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  RunningProgram program({"fuzz", failing_scenario_path(), "--time", "1h", "--jobs", "2", "--max-actions",
                          "20", "--json", "--out", out});
  const std::string first = out + "/truncation-provenance--never-in-source-lineage/seed-1.json";
  for (int tries = 0; tries < 6000 && !fs::exists(first); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  program.send(GetParam());
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.signal, 0) << result.err;
  EXPECT_EQ(result.code, 1) << result.err;
  const nlohmann::json summary = parse_json(result.out);
  ASSERT_TRUE(summary.is_object()) << result.out;
  EXPECT_EQ(summary["interrupted"], true);
  EXPECT_GE(summary["failures"].size(), 1U);
  EXPECT_EQ(summary["digest_seeds"], summary["seeds"]) << "seeds under way are finished";
  ASSERT_TRUE(fs::exists(first));
  EXPECT_EQ(run_program({"replay", first}).code, 1);
  for (const std::string& file : files_below(out)) {
    EXPECT_TRUE(file.ends_with(".json")) << file << " was left half-written";
  }
}

INSTANTIATE_TEST_SUITE_P(Signals, FuzzInterrupted, testing::Values(SIGINT, SIGTERM));

TEST(Fuzz, ASeedThatTakesForEverIsGivenUpWhenInterrupted) {
  const TemporaryFolder folder;
  std::string steps;
  for (int i = 0; i < 20; ++i) {
    steps += std::string(i == 0 ? "" : ", ") + R"({"do": "random", "actions": 10000000})";
  }
  const std::string file = folder.write("world.json", small_world(R"(, "steps": [)" + steps + "]"));
  RunningProgram program({"fuzz", file, "--seeds", "1", "--jobs", "1", "--json", "--out", folder / "out"});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  program.send(SIGINT);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.code, 3) << result.out << result.err;
  EXPECT_EQ(parse_json(result.out)["seeds"], 0);
}

}  // namespace
}  // namespace mirrorproof::cli_tests
