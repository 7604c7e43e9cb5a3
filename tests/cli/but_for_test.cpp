// explain --but-for: a cause is what the effect is gone without.

#include "reports/but_for.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"
#include "tests/cli/worlds.h"

namespace mirrorproof::cli_tests {
namespace {

using reports::ButForReplay;
using reports::ButForReport;
using reports::ButForTruncation;
using reports::ButForVerdict;
using testing::HasSubstr;

scenarios::Scenario scenario_of(std::string_view name) {
  scenarios::LoadResult loaded = scenarios::load_scenario_file(scenario_path(name));
  EXPECT_TRUE(loaded.scenario) << name;
  return std::move(*loaded.scenario);
}

std::vector<ButForVerdict> verdicts_of(const ButForReplay& replay) {
  std::vector<ButForVerdict> verdicts;
  for (const ButForTruncation& truncation : replay.truncations) {
    verdicts.push_back(truncation.verdict);
  }
  return verdicts;
}

TEST(ButFor, WithoutItsElectionTheTruncationIsGone) {
  const ProgramResult result =
      run_program({"explain", scenario_path("ule-truncate-on-fetch.json"), "--json", "--but-for"});
  EXPECT_EQ(result.code, 0) << result.err;
  const nlohmann::json document = parse_json(result.out);
  const nlohmann::json& but_for = document["but_for"];
  EXPECT_EQ(but_for["holds"], true);
  ASSERT_EQ(but_for["replays"].size(), 1U);
  const nlohmann::json& replay = but_for["replays"][0];
  EXPECT_EQ(replay["without"][0]["event"],
            document["mirror_truncations"][0]["unclean_elections"][0]["event"]);
  EXPECT_GT(replay["carried_over"], 50);
  EXPECT_GT(replay["skipped"], 0);
  EXPECT_EQ(replay["rested"], true);
  const nlohmann::json& truncation = replay["truncations"][0];
  EXPECT_EQ(truncation["event"], document["mirror_truncations"][0]["event"]);
  EXPECT_EQ(truncation["verdict"], "confirmed");
  EXPECT_EQ(truncation["records"], 2);
  EXPECT_EQ(truncation["still_removed"], 0);
  EXPECT_EQ(truncation["held_at_end"], 2);
}

TEST(ButFor, EachOfSeveralElectionsIsTakenOutAlone) {
  const scenarios::Scenario scenario = scenario_of("downgrade-upgrade-with-ules.json");
  const reports::RunKey key;
  const reports::Evaluation run = reports::evaluate(scenario, key);
  const ButForReport report = reports::but_for(scenario, key, run.judgement);
  EXPECT_TRUE(report.holds());
  // Three elections, three truncations, and all of them together.
  ASSERT_EQ(report.replays.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(report.replays[i].truncations[i].verdict, ButForVerdict::confirmed) << i;
    EXPECT_EQ(report.replays[i].without, run.judgement.mirror_truncations[i].unclean_elections);
  }
  // What comes before the election that is taken out happens as it did.
  EXPECT_EQ(report.replays[2].truncations[0].verdict, ButForVerdict::no_cause);
  EXPECT_EQ(report.replays[2].truncations[1].verdict, ButForVerdict::no_cause);
  EXPECT_THAT(verdicts_of(report.replays[3]), testing::Each(ButForVerdict::confirmed));
}

/// The judge's verdict, with another election in the place of the right one.
checker::Judgement blame(checker::Judgement judgement, std::size_t truncation, EventId election) {
  checker::MirrorTruncation& blamed = judgement.mirror_truncations[truncation];
  blamed.unclean_elections = {election};
  for (checker::RemovedRecords& removed : blamed.removed) {
    removed.killer = election;
  }
  return judgement;
}

TEST(ButFor, AWrongNameIsShownToBeWrong) {
  const scenarios::Scenario scenario = scenario_of("downgrade-upgrade-with-ules.json");
  const reports::RunKey key;
  const reports::Evaluation run = reports::evaluate(scenario, key);
  const std::vector<EventId> elections = reports::unclean_elections_of(scenario, key);
  ASSERT_EQ(elections.size(), 3U);
  // The third election is blamed for what the first one did. Without it the first one is still there.
  const ButForReport report =
      reports::but_for(scenario, key, blame(run.judgement, 0, elections[2]), elections[2]);
  ASSERT_EQ(report.replays.size(), 1U);
  EXPECT_EQ(report.replays[0].truncations[0].verdict, ButForVerdict::other_cause);
  EXPECT_EQ(report.replays[0].truncations[0].other_elections, std::vector<EventId>{elections[0]});
  EXPECT_EQ(report.replays[0].truncations[0].still_removed, 1);
}

TEST(ButFor, ATruncationWithoutACauseStaysWhateverIsBlamed) {
  // The first design of failback: A's record goes although no election killed it. Then the source has an
  // unclean election that has nothing to do with it, and that is blamed.
  nlohmann::json text = parse_json(read_file(scenario_path("reverse-mirroring-epoch-only.json")));
  text.erase("expect");
  for (const char* step :
       {R"({"do": "hold", "cluster": "B", "broker": 1, "what": "fetch"})",
        R"({"do": "produce", "cluster": "B"})", R"({"do": "isr_shrink", "cluster": "B", "follower": 1})",
        R"({"do": "settle"})", R"({"do": "crash", "cluster": "B", "broker": 0})",
        R"({"do": "release", "cluster": "B", "broker": 1, "what": "fetch"})", R"({"do": "settle"})",
        R"({"do": "unclean_election", "cluster": "B", "broker": 1})", R"({"do": "settle"})"}) {
    text["steps"].push_back(nlohmann::json::parse(step));
  }
  const scenarios::LoadResult loaded = scenarios::load_scenario(text.dump(), "");
  ASSERT_TRUE(loaded.scenario);
  const reports::RunKey key;
  const reports::Evaluation run = reports::evaluate(*loaded.scenario, key);
  ASSERT_EQ(run.problem, "");
  const std::vector<EventId> elections = reports::unclean_elections_of(*loaded.scenario, key);
  ASSERT_EQ(elections.size(), 1U);
  ASSERT_FALSE(run.judgement.mirror_truncations.empty());
  EXPECT_FALSE(run.judgement.mirror_truncations[0].justified);

  const auto verdict_on = [&](const checker::Judgement& judgement) {
    return reports::but_for(*loaded.scenario, key, judgement, elections[0]).replays[0].truncations[0].verdict;
  };
  EXPECT_EQ(verdict_on(run.judgement), ButForVerdict::no_cause);
  EXPECT_EQ(verdict_on(blame(run.judgement, 0, elections[0])), ButForVerdict::named_wrongly);
  EXPECT_FALSE(
      reports::but_for(*loaded.scenario, key, blame(run.judgement, 0, elections[0]), elections[0]).holds());
}

// Causes that the judge names in random runs stand up.
TEST(ButFor, CausesOfRandomRunsStandUp) {
  std::size_t confirmed = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    scenarios::Scenario scenario;
    scenario.setup = stormy_world(seed);
    const reports::RunKey key{seed, std::nullopt};
    const reports::Evaluation run = reports::evaluate(scenario, key);
    if (run.judgement.mirror_truncations.empty()) {
      continue;
    }
    const ButForReport report = reports::but_for(scenario, key, run.judgement);
    EXPECT_TRUE(report.holds()) << "seed " << seed;
    for (const ButForReplay& replay : report.replays) {
      for (const ButForTruncation& truncation : replay.truncations) {
        confirmed += truncation.verdict == ButForVerdict::confirmed ? 1 : 0;
        // In such weather another election is soon held, and does the same.
        if (truncation.verdict == ButForVerdict::other_cause) {
          EXPECT_GT(truncation.still_removed, 0) << "seed " << seed;
        }
      }
    }
  }
  EXPECT_GT(confirmed, 15U);
}

TEST(ButFor, AnEventThatIsNoUncleanElectionIsRefused) {
  const std::string scenario = scenario_path("ule-truncate-on-fetch.json");
  const ProgramResult wrong = run_program({"explain", scenario, "--but-for", "3"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--but-for: found 3, expected the event of an unclean leader election"));
  EXPECT_EQ(run_program({"explain", scenario, "--but-for", "x"}).code, 2);
  EXPECT_EQ(run_program({"explain", scenario, "--but-for", "0"}).code, 2);
  const ProgramResult none =
      run_program({"explain", scenario_path("clean-elections-slow-follower.json"), "--but-for"});
  EXPECT_EQ(none.code, 0);
  EXPECT_THAT(none.out, HasSubstr("No unclean leader election is named as a cause"));
  const ProgramResult nothing =
      run_program({"explain", scenario_path("clean-elections-slow-follower.json"), "--but-for", "9"});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("no unclean leader election"));
}

TEST(ButFor, OneElectionCanBeAskedFor) {
  const std::string scenario = scenario_path("downgrade-upgrade-with-ules.json");
  const nlohmann::json document = parse_json(run_program({"explain", scenario, "--json"}).out);
  const auto second = document["mirror_truncations"][1]["unclean_elections"][0]["event"].get<EventId>();
  const ProgramResult result = run_program({"explain", scenario, "--but-for", std::to_string(second)});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("without #" + std::to_string(second)));
  EXPECT_THAT(result.out, HasSubstr("confirmed: the 1 record blamed on it stay"));
  EXPECT_THAT(result.out, HasSubstr("not blamed on it, and 1 of 1 records go without it as well"));
}

}  // namespace
}  // namespace mirrorproof::cli_tests
