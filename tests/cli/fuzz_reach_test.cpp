// mirrorproof fuzz: bounds on what seeds draw, what they reached, and goals.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/reachability.h"
#include "tests/cli/program.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Json = nlohmann::json;

/// Runs a small campaign and returns its summary.
Json campaign(const TemporaryFolder& folder, const std::vector<std::string>& more, int code = 0,
              const std::string& seeds = "40") {
  std::vector<std::string> call{"fuzz", "--seeds", seeds, "--json", "--out", folder / "out"};
  call.insert(call.end(), more.begin(), more.end());
  const ProgramResult result = run_program(call);
  EXPECT_EQ(result.code, code) << result.out << result.err;
  return parse_json(result.out);
}

std::vector<std::string> names(const Json& list) {
  return list.get<std::vector<std::string>>();
}

TEST(FuzzReach, SaysWhatWasReachedAndWhatWasNot) {
  const TemporaryFolder folder;
  const Json reach = campaign(folder, {})["reachability"];
  ASSERT_TRUE(reach.is_object());
  EXPECT_EQ(reach.size(), static_cast<std::size_t>(reports::kReachGroupCount));
  std::size_t points = 0;
  for (const auto& [name, group] : reach.items()) {
    points += group["never"].size() + group["reached"].size();
    if (group.contains("forbidden")) {
      points += group["forbidden"].size();
      for (const Json& forbidden : group["forbidden"]) {
        EXPECT_FALSE(group["reached"].contains(forbidden.get<std::string>())) << forbidden;
      }
    }
  }
  EXPECT_EQ(points, reports::reach_points().size()) << "each point is in one list";
  EXPECT_GT(reach["mirror_state"]["reached"]["MIRRORING"]["seeds"], 5);
  EXPECT_GT(reach["fetcher_branch"]["reached"]["replica:records_appended"]["seeds"], 20);
  EXPECT_THAT(names(reach["mirror_transition"]["forbidden"]), Contains("MIRRORING->STOPPED"));
  EXPECT_FALSE(reach["mirror_transition"]["reached"].contains("MIRRORING->STOPPED"));
}

TEST(FuzzReach, ThePageNamesEverythingThatWasTypedAndDecidesWhatIsReached) {
  const TemporaryFolder folder;
  const std::string page = folder / "reached.md";
  const std::vector<std::string> typed{"--seeds",          "4",
                                       "--first-seed",     "9",
                                       "--shard",          "2/2",
                                       "--max-actions",    "50",
                                       "--strategy",       "pct",
                                       "--change-points",  "2",
                                       "--max-clusters",   "2",
                                       "--max-brokers",    "2",
                                       "--max-partitions", "1",
                                       "--versions",       "2.4..3.9",
                                       "--faults",         "none",
                                       "--preset",         "prototype",
                                       "--protocol",       "pid_reset=false"};
  std::vector<std::string> call{"fuzz", "--coverage", page, "--out", folder / "out"};
  call.insert(call.end(), typed.begin(), typed.end());
  run_program(call);
  std::string command = "mirrorproof fuzz";
  for (const std::string& word : typed) {
    command += " " + word;
  }
  EXPECT_THAT(read_file(page), HasSubstr("`" + command + "`"));
}

TEST(FuzzReach, TheFirstSeedReachesItAlone) {
  const TemporaryFolder folder;
  const Json reach = campaign(folder, {})["reachability"];
  const Json& branch = reach["fetcher_branch"]["reached"]["mirror:fell_back"];
  ASSERT_TRUE(branch.is_object());
  const std::uint64_t first = branch["first_seed"].get<std::uint64_t>();
  const Json alone = campaign(folder, {"--first-seed", std::to_string(first)}, 0, "1")["reachability"];
  EXPECT_EQ(alone["fetcher_branch"]["reached"]["mirror:fell_back"]["seeds"], 1);
}

TEST(FuzzReach, ThreadsDoNotMatter) {
  const TemporaryFolder folder;
  EXPECT_EQ(campaign(folder, {"--jobs", "1"})["reachability"],
            campaign(folder, {"--jobs", "4"})["reachability"]);
}

TEST(FuzzReach, TheTextNamesWhatWasNeverReached) {
  const TemporaryFolder folder;
  const ProgramResult result =
      run_program({"fuzz", "--seeds", "5", "--versions", "4.3", "--out", folder / "out"});
  EXPECT_THAT(result.out, HasSubstr("\nReached\n"));
  EXPECT_THAT(result.out, HasSubstr("  kafka_version: 1 of 22; never: 2.1, 2.2,"));
}

TEST(FuzzReach, ThePageHasTheTableOfTransitions) {
  const TemporaryFolder folder;
  const std::string page = folder / "reached.md";
  ASSERT_EQ(run_program({"fuzz", "--seeds", "40", "--coverage", page, "--out", folder / "out"}).code, 0);
  const std::string text = read_file(page);
  EXPECT_THAT(text, StartsWith("# What a campaign reaches\n\nMade by `mirrorproof fuzz --seeds 40`"));
  EXPECT_THAT(text, HasSubstr("\n| from \\ to | LOG_ALIGNMENT |"));
  EXPECT_THAT(text, Not(HasSubstr("FORBIDDEN")));
  EXPECT_EQ(run_program({"fuzz", "--seeds", "1", "--coverage", page, "--out", folder / "out"}).code, 2)
      << "what is there is kept";
}

TEST(FuzzBounds, LimitWhatSeedsDraw) {
  const TemporaryFolder folder;
  const std::string file = folder.write("bounds.json", R"({
    "clusters": {"min": 2, "max": 2}, "brokers": {"min": 2, "max": 2}, "versions": {"from": "2.4", "to": "2.4"},
    "subjects": ["mixed"], "faults": {"crash": true, "clean_election": 0, "change_version": false, "power_loss": false}
  })");
  const Json reach = campaign(folder, {"--bounds", file})["reachability"];
  EXPECT_THAT(names(reach["action"]["never"]), testing::IsSupersetOf({"clean_election", "power_loss"}));
  EXPECT_GT(reach["action"]["reached"]["crash"]["seeds"], 30);
  std::vector<std::string> versions;
  for (const auto& [version, count] : reach["kafka_version"]["reached"].items()) {
    versions.push_back(version);
  }
  EXPECT_THAT(versions, ElementsAre("2.4", "4.3"));
}

TEST(FuzzBounds, OptionsWinOverTheFile) {
  const TemporaryFolder folder;
  const std::string file = folder.write("bounds.json", R"({"versions": {"from": "2.1", "to": "2.2"}})");
  const Json reach =
      campaign(folder, {"--bounds", file, "--versions", "4.0", "--faults", "none"})["reachability"];
  EXPECT_TRUE(reach["kafka_version"]["reached"].contains("4.0"));
  EXPECT_FALSE(reach["kafka_version"]["reached"].contains("2.1"));
  EXPECT_THAT(names(reach["action"]["never"]),
              testing::IsSupersetOf({"crash", "unclean_election", "cut_clusters"}));
}

TEST(FuzzBounds, ABadFileIsRefusedWithItsPlace) {
  const TemporaryFolder folder;
  const std::string file = folder.write("bounds.json", R"({
  "clusters": {"min": 3, "max": 2},
  "versions": {"from": "3.9", "to": "2.1"},
  "faults": {"fetcher_send": 0, "recreate_topic": true, "crash": -1},
  "brokers": {"max": 9},
  "colour": "red"
})");
  const ProgramResult result = run_program({"fuzz", "--seeds", "1", "--bounds", file});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err,
              HasSubstr(file + ":2:33: /clusters/max: found 2, expected at least the \"min\" of 3"));
  EXPECT_THAT(result.err, HasSubstr(file + ":3:"));
  EXPECT_THAT(result.err, HasSubstr("/versions/to: found \"2.1\", expected 3.9 or newer"));
  EXPECT_THAT(result.err, HasSubstr("/faults/fetcher_send: found"));
  EXPECT_THAT(result.err, HasSubstr("/faults/recreate_topic: found true, expected false or a number"));
  EXPECT_THAT(result.err, HasSubstr("/faults/crash: found -1"));
  EXPECT_THAT(result.err, HasSubstr("/brokers/max: found 9"));
  EXPECT_THAT(result.err, HasSubstr("/colour: found"));
  const Json document = parse_json(run_program({"fuzz", "--bounds", file, "--json"}).out);
  EXPECT_EQ(document["problems"].size(), 7U) << document;
}

TEST(FuzzBounds, WhatCannotBeMeantIsRefused) {
  const TemporaryFolder folder;
  const std::string nothing =
      folder.write("nothing.json", R"({"clusters": {"max": 1}, "subjects": ["failback"]})");
  const std::string scenario = scenario_path("ule-truncate-on-fetch.json");
  const std::vector<std::vector<std::string>> calls{
      {"--bounds", nothing},       {"--bounds", folder / "missing.json"},
      {"--bounds", folder.path()}, {"--versions", "3.9..2.1"},
      {"--versions", "1.0"},       {"--versions", "2.1.."},
      {"--faults", "unclean"},     {"--max-brokers", "0"},
      {"--max-clusters", "9"},     {scenario, "--faults", "none"},
  };
  for (const std::vector<std::string>& more : calls) {
    std::vector<std::string> call{"fuzz", "--seeds", "1", "--out", folder / "out"};
    call.insert(call.end(), more.begin(), more.end());
    const ProgramResult result = run_program(call);
    EXPECT_EQ(result.code, 2) << more.front() << result.err;
    EXPECT_THAT(result.err, HasSubstr("expected")) << more.front();
  }
}

TEST(FuzzGoals, AreMetOrNamed) {
  const TemporaryFolder folder;
  const std::string file = folder.write("goals.json", R"({
    "goals": ["election/*", "mirror_state/MIRRORING", "fetcher_branch/mirror:fell_back"], "except": ["election/epoch_bump"]
  })");
  EXPECT_EQ(campaign(folder, {"--goals", file})["goals_not_met"], Json::array());
  const Json missed = campaign(folder, {"--goals", file, "--versions", "4.3"}, 1);
  EXPECT_EQ(missed["verdict"], "violated");
  EXPECT_THAT(names(missed["goals_not_met"]), ElementsAre("fetcher_branch/mirror:fell_back"));
  const ProgramResult text =
      run_program({"fuzz", "--seeds", "40", "--goals", file, "--versions", "4.3", "--out", folder / "out"});
  EXPECT_EQ(text.code, 1);
  EXPECT_THAT(text.out, StartsWith("NOT REACHED: 1 of the goals was not reached.\n"));
  EXPECT_THAT(text.out, HasSubstr("\nGoals not reached\n  fetcher_branch/mirror:fell_back\n"));
}

TEST(FuzzGoals, WrongNamesAreRefused) {
  const TemporaryFolder folder;
  const std::string file = folder.write("goals.json", R"({
    "goals": ["mirror_state/MIRORING", "mirror_transition/MIRRORING->STOPPED", "nothing/*", 7]
  })");
  const ProgramResult result = run_program({"fuzz", "--seeds", "1", "--goals", file});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("/goals/0: found \"mirror_state/MIRORING\""));
  EXPECT_THAT(result.err, HasSubstr("did you mean \"mirror_state/MIRRORING\"?"));
  EXPECT_THAT(
      result.err,
      HasSubstr("/goals/1: found \"mirror_transition/MIRRORING->STOPPED\", expected a transition that"));
  EXPECT_THAT(result.err, HasSubstr("/goals/2: found \"nothing/*\""));
  EXPECT_THAT(result.err, HasSubstr("/goals/3: found 7"));
}

/// What the project demands of itself: CI fails when a state, an error or a branch is no longer reached.
TEST(FuzzGoals, ACampaignReachesAllThatIsDemanded) {
  const TemporaryFolder folder;
  const std::string goals = std::string(MIRRORPROOF_SOURCE_DIR) + "/tests/reachability-goals.json";
  const ProgramResult result =
      run_program({"fuzz", "--seeds", "4000", "--goals", goals, "--out", folder / "out"});
  EXPECT_THAT(result.out, Not(HasSubstr("Goals not reached"))) << result.out;
  EXPECT_THAT(result.out, HasSubstr("\nReached\n"));
}

}  // namespace
}  // namespace mirrorproof::cli_tests
