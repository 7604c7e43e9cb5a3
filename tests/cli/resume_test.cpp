// A campaign that was killed goes on where it was; what comes out is what an undisturbed one makes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <thread>

#include "reports/campaign_file.h"
#include "tests/cli/campaigns.h"
#include "tests/cli/program.h"
#include "tests/cli/worlds.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

/// The failure files below a folder, with what is in them but for the folder's name.
std::map<std::string, nlohmann::json> failure_files(const std::string& folder) {
  std::map<std::string, nlohmann::json> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (entry.is_regular_file() && entry.path().extension() == ".json" &&
        name.find('/') != std::string::npos) {
      files[name] = parse_json(read_file(entry.path().string()));
      files[name].erase("replay");
    }
  }
  return files;
}

std::uint64_t seeds_done(const std::string& folder) {
  const auto loaded = reports::load_campaign_folder(folder);
  return loaded.campaign ? loaded.campaign->state.result.counts.seeds : 0;
}

std::vector<std::string> campaign_call(const std::string& out, const std::string& seeds, bool resume) {
  std::vector<std::string> call{"fuzz",          "--protocol", "alignment=none", "--seeds", seeds,
                                "--max-actions", "200",        "--jobs",         "2",       "--json",
                                "--out",         out};
  if (resume) {
    call.emplace_back("--resume");
  }
  return call;
}

TEST(Resume, AfterAKillTheResultIsThatOfAnUndisturbedCampaign) {
  const TemporaryFolder folder;
  const std::string out = folder / "killed";
  const std::string seeds = "2500";
  std::uint64_t before = 0;
  for (int kills = 0; kills < 2; ++kills) {
    RunningProgram program(campaign_call(out, seeds, kills > 0));
    for (int tries = 0; tries < 3000 && seeds_done(out) <= before; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    program.send(SIGKILL);
    EXPECT_EQ(program.wait().signal, SIGKILL);
    EXPECT_GT(seeds_done(out), before);
    before = seeds_done(out);
  }
  EXPECT_LT(before, std::stoull(seeds)) << "killed too late to show anything";
  const ProgramResult resumed = run_program(campaign_call(out, seeds, true));
  EXPECT_THAT(resumed.err, HasSubstr("going on after " + std::to_string(before) + " seeds"));
  const ProgramResult whole = run_program(campaign_call(folder / "whole", seeds, false));
  EXPECT_EQ(resumed.code, whole.code);
  const nlohmann::json summary = timeless(parse_json(resumed.out));
  EXPECT_EQ(summary, timeless(parse_json(whole.out)));
  EXPECT_EQ(summary["digest_seeds"], 2500);
  EXPECT_GE(summary["failures"].size(), 2U);
  EXPECT_EQ(failure_files(out), failure_files(folder / "whole"));
  // What is done is done.
  const ProgramResult again = run_program(campaign_call(out, seeds, true));
  EXPECT_EQ(timeless(parse_json(again.out)), summary);
}

TEST(Resume, AnInterruptedCampaignGoesOnAndMayBeMadeLonger) {
  const TemporaryFolder folder;
  const auto summary = [&](const std::string& out, const std::string& seeds, bool resume) {
    return timeless(parse_json(run_program(campaign_call(folder / out, seeds, resume)).out));
  };
  summary("parts", "60", false);
  summary("parts", "130", true);
  EXPECT_EQ(summary("parts", "200", true), summary("whole", "200", false));
}

TEST(Resume, AFolderWithoutACampaignBeginsOne) {
  const TemporaryFolder folder;
  const ProgramResult result = run_program(campaign_call(folder / "out", "20", true));
  EXPECT_THAT(result.err, HasSubstr("nothing to go on with"));
  EXPECT_EQ(parse_json(result.out)["seeds"], 20);
}

TEST(Resume, AnotherPlanIsRefusedAndTheDifferencesAreNamed) {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  run_program(campaign_call(out, "20", false));
  const std::string before = read_file(out + "/campaign.json");
  const auto refused = [&](std::vector<std::string> call) {
    call.insert(call.end(), {"--out", out, "--resume", "--seeds", "40"});
    const ProgramResult result = run_program(call);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(out + "/campaign.json is of another campaign"));
    return result.err;
  };
  const std::string other =
      refused({"fuzz", "--protocol", "alignment=epoch_only", "--max-actions", "300", "--first-seed", "9"});
  EXPECT_THAT(other, HasSubstr("/plan/swarm/protocol/alignment: \"none\", not \"epoch_only\"\n"));
  EXPECT_THAT(other, HasSubstr("/plan/swarm/actions/max: 200, not 300\n"));
  EXPECT_THAT(other, HasSubstr("/plan/first_seed: 1, not 9\n"));
  EXPECT_THAT(refused({"fuzz", "--protocol", "alignment=none", "--max-actions", "200", "--shard", "2/3"}),
              testing::AllOf(HasSubstr("/plan/shard: 1, not 2\n"), HasSubstr("/plan/shards: 1, not 3\n")));
  EXPECT_THAT(refused({"fuzz", scenario_path("ule-truncate-on-fetch.json")}),
              HasSubstr("/plan/campaign: \"swarm\", not \"ule-truncate-on-fetch\"\n"));
  EXPECT_EQ(read_file(out + "/campaign.json"), before) << "nothing was lost";
}

TEST(Resume, AnotherBuildOfTheProgramIsNoticed) {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  run_program(campaign_call(out, "20", false));
  nlohmann::json file = parse_json(read_file(out + "/campaign.json"));
  file["done"]["first_trace"] = "0123456789abcdef";
  folder.write("out/campaign.json", file.dump());
  const ProgramResult result = run_program(campaign_call(out, "40", true));
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("seed 1 had a trace of digest 0123456789abcdef"));
}

TEST(Campaign, AFolderInUseIsRefused) {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  RunningProgram first(campaign_call(out, "100000000", false));
  for (int tries = 0; tries < 3000 && seeds_done(out) == 0; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const ProgramResult second = run_program(campaign_call(out, "5", false));
  EXPECT_EQ(second.code, 2);
  EXPECT_THAT(second.err, HasSubstr("another campaign is writing into " + out));
}

TEST(Campaign, AnUnfinishedOneIsKeptWhenANewOneBegins) {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  RunningProgram first(campaign_call(out, "100000000", false));
  for (int tries = 0; tries < 3000 && seeds_done(out) == 0; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  first.send(SIGKILL);
  first.wait();
  const ProgramResult second = run_program(campaign_call(out, "5", false));
  EXPECT_EQ(parse_json(second.out)["seeds"], 5);
  EXPECT_THAT(second.err, HasSubstr("--resume would have gone on with it"));
  EXPECT_TRUE(fs::exists(out + "/campaign.earlier.json"));
  EXPECT_EQ(run_program(campaign_call(out, "6", false)).err.find("earlier"), std::string::npos);
}

TEST(Campaign, AForeignFileIsKept) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "out");
  folder.write("out/campaign.json", "{\"mine\": 1}");
  const ProgramResult result = run_program(campaign_call(folder / "out", "5", false));
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("found something else"));
  EXPECT_EQ(read_file(folder / "out/campaign.json"), "{\"mine\": 1}");
}

}  // namespace
}  // namespace mirrorproof::cli_tests
