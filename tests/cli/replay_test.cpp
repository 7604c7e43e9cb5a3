// mirrorproof replay and mirrorproof explain.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/cli/program.h"
#include "tests/cli/worlds.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Failures of a swarm with a protocol that is wrong, one path for each seed and shape.
std::vector<std::string> swarm_failures(const TemporaryFolder& folder, const std::string& protocol) {
  run_program(
      {"fuzz", "--protocol", protocol, "--seeds", "60", "--max-actions", "400", "--out", folder / "out"});
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "out")) {
    if (entry.is_regular_file() && entry.path().filename().string().starts_with("seed-")) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Replay, AFailureOfASwarmIsReproducedFromItsFileAlone) {
  const TemporaryFolder folder;
  const std::vector<std::string> files = swarm_failures(folder, "alignment=none");
  ASSERT_FALSE(files.empty());
  for (std::size_t i = 0; i < files.size() && i < 12; ++i) {
    const ProgramResult result = run_program({"replay", files[i], "--json"});
    EXPECT_EQ(result.code, 1) << files[i] << result.err;
    const nlohmann::json replayed = parse_json(result.out);
    ASSERT_TRUE(replayed.is_object()) << files[i];
    EXPECT_EQ(replayed["reproduced"], true) << files[i];
    EXPECT_EQ(replayed["digest"], parse_json(read_file(files[i]))["digest"]) << files[i];
    // The start and each action, and the verdict on the rest if the run converges.
    const bool converges =
        parse_json(read_file(files[i])).dump().find("\"converge\":true") != std::string::npos;
    EXPECT_EQ(replayed["steps"].size(), replayed["actions"].get<std::size_t>() + (converges ? 2 : 1));
  }
}

TEST(Replay, SaysWhetherTheTraceIsTheRecordedOne) {
  const TemporaryFolder folder;
  run_program({"fuzz", scenario_path("reverse-mirroring-epoch-only.json"), "--seeds", "1", "--max-actions",
               "30", "--out", folder / "out"});
  const std::string file = folder / "out/truncation-provenance--never-in-source-lineage/seed-1.json";
  const ProgramResult same = run_program({"replay", file});
  EXPECT_EQ(same.code, 1);
  EXPECT_THAT(same.out, HasSubstr("\nREPRODUCED: the trace is the recorded one (digest "));

  std::string text = read_file(file);
  const std::string digest = parse_json(text)["digest"];
  text.replace(text.find(digest), digest.size(), "0000000000000000");
  const ProgramResult other = run_program({"replay", folder.write("other.json", text)});
  EXPECT_THAT(other.out, HasSubstr("\nNOT reproduced: the trace has digest " + digest));

  const ProgramResult seed = run_program({"replay", file, "--seed", "2"});
  EXPECT_EQ(seed.code, 2);
  EXPECT_THAT(seed.err, HasSubstr("--seed"));

  // With the mended protocol the same choices are another run: nothing to compare, and the failure is gone.
  const ProgramResult mended = run_program({"replay", file, "--protocol", "alignment=epoch_and_offset"});
  EXPECT_THAT(mended.out, Not(HasSubstr("eproduced")));
}

TEST(Replay, ShowsActionsEventsAndTheLogsThatChanged) {
  const ProgramResult result = run_program({"replay", scenario_path("ule-truncate-on-fetch.json")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(
      result.out,
      AllOf(StartsWith("start\n    #1 A/0 was elected in epoch 0 (ISR 0,1)\n"),
            HasSubstr(
                "\n== /steps/0 produce: a client writes 1 record to A's leader (offset 0, everywhere)\n")))
      << result.out.substr(0, 300);
  EXPECT_THAT(result.out, HasSubstr("0 produce: a client writes 1 record to A/0\n"));
  EXPECT_THAT(result.out, HasSubstr("A/0 wrote 0:0\n"));
  EXPECT_THAT(result.out, HasSubstr("== /steps/2 hold: A/1's fetch (the follower falls behind)\n"));
  EXPECT_THAT(result.out, HasSubstr("    A/0  0..2:0  (high watermark 3, log end 3)\n"));
  EXPECT_THAT(result.out, HasSubstr("    B/0  0:0  (high watermark 1, log end 1)\n"));
  EXPECT_THAT(result.out, HasSubstr("\nHOLDS, as expected"));
}

TEST(Replay, AWindowShowsThoseActionsAndTheWholeVerdict) {
  const std::string file = scenario_path("ule-truncate-on-fetch.json");
  const nlohmann::json whole = parse_json(run_program({"replay", file, "--json"}).out);
  const nlohmann::json window =
      parse_json(run_program({"replay", file, "--from", "3", "--until", "5", "--json"}).out);
  ASSERT_EQ(window["steps"].size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(window["steps"][i]["step"], i + 3);
    EXPECT_EQ(window["steps"][i], whole["steps"][i + 4]) << "the start comes before action 0";
  }
  EXPECT_EQ(window["verdict"], "holds");
  EXPECT_EQ(window["digest"], whole["digest"]);
  const nlohmann::json none = parse_json(run_program({"replay", file, "--from", "100000", "--json"}).out);
  EXPECT_EQ(none["steps"], nlohmann::json::array());
  EXPECT_THAT(run_program({"replay", file, "--until", "2"}).out, Not(HasSubstr("\n3 ")));
}

TEST(Replay, ItsTraceIsTheOneThatRunWrites) {
  const TemporaryFolder folder;
  const std::string file = scenario_path("ule-truncate-on-fetch.json");
  EXPECT_EQ(run_program({"replay", file, "--trace", folder / "replay.jsonl"}).code, 0);
  EXPECT_EQ(run_program({"run", file, "--trace", folder / "run.jsonl"}).code, 0);
  const std::string trace = read_file(folder / "replay.jsonl");
  EXPECT_EQ(trace, read_file(folder / "run.jsonl"));
  EXPECT_THAT(trace, StartsWith("{\"trace\":\"mirrorproof\""));
}

TEST(Explain, TellsThePathAndTheStoryOfEachRemovedRecord) {
  const ProgramResult result = run_program({"explain", scenario_path("ule-truncate-on-fetch.json")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("1 mirror truncation in ule-truncate-on-fetch, seed 1.\n"));
  EXPECT_THAT(result.out, HasSubstr("how it led there:"));
  EXPECT_THAT(result.out, HasSubstr("removed offsets 1 to 2 of epoch 0, first written in A\n"));
  EXPECT_THAT(result.out, HasSubstr("A/0 wrote 1..2:0\n"));
  EXPECT_THAT(result.out, HasSubstr("B/0 mirrored 1..2:0 from A/0\n"));

  const nlohmann::json document =
      parse_json(run_program({"explain", scenario_path("ule-truncate-on-fetch.json"), "--json"}).out);
  ASSERT_EQ(document["mirror_truncations"].size(), 1U);
  const nlohmann::json& truncation = document["mirror_truncations"][0];
  ASSERT_EQ(truncation["removed"].size(), 1U);
  EXPECT_EQ(truncation["removed"][0]["killer"]["event"], truncation["unclean_elections"][0]["event"]);
  EXPECT_GE(truncation["removed"][0]["story"].size(), 2U);
  EXPECT_EQ(truncation["charges"], nlohmann::json::array());
}

TEST(Explain, WhereNoElectionExplainsATruncationItSaysWhatIsKnown) {
  const ProgramResult result = run_program({"explain", scenario_path("reverse-mirroring-epoch-only.json")});
  EXPECT_EQ(result.code, 0) << "as expected";
  EXPECT_THAT(result.out, HasSubstr("NOT justified"));
  EXPECT_THAT(result.out, HasSubstr("never-in-source-lineage"));
  EXPECT_THAT(result.out, HasSubstr("removed offset 2 of epoch 0, first written in A\n"));
  EXPECT_THAT(result.out, HasSubstr("killed by nothing that could have led here\n"));
  EXPECT_THAT(result.out, HasSubstr("A/0 wrote 2:0\n"));
  EXPECT_THAT(result.out, HasSubstr("elections of B before:\n"));
  const nlohmann::json document =
      parse_json(run_program({"explain", scenario_path("reverse-mirroring-epoch-only.json"), "--json"}).out);
  const nlohmann::json& truncation = document["mirror_truncations"][0];
  EXPECT_EQ(truncation["removed"][0]["killer"], nullptr);
  EXPECT_EQ(truncation["charges"][0]["kind"], "never-in-source-lineage");
  EXPECT_GE(truncation["source_elections"].size(), 1U);
}

TEST(Explain, ARunWithoutTruncationsHasNothingToExplain) {
  const TemporaryFolder folder;
  const std::string file = folder.write("world.json", small_world(R"(, "steps": [{"do": "settle"}])"));
  const ProgramResult result = run_program({"explain", file});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "0 mirror truncations in small-world, seed 1.\n");
}

}  // namespace
}  // namespace mirrorproof::cli_tests
