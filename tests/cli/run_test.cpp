// mirrorproof run, and what holds for every command.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "tests/cli/program.h"
#include "tests/cli/worlds.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::vector<std::string> kCommands{"run",   "fuzz",   "replay", "explain", "validate",
                                         "check", "shrink", "report", "matrix"};

TEST(Usage, HelpOfEveryCommandShowsExamples) {
  const ProgramResult all = run_program({"--help"});
  EXPECT_EQ(all.code, 0);
  for (const std::string& command : kCommands) {
    EXPECT_THAT(all.out, HasSubstr(command));
    const ProgramResult one = run_program({command, "--help"});
    EXPECT_EQ(one.code, 0) << command;
    EXPECT_THAT(one.out, HasSubstr("Examples:\n  mirrorproof ")) << command;
    EXPECT_THAT(one.out, HasSubstr("Exit codes")) << command;
    EXPECT_EQ(one.err, "") << command;
  }
}

TEST(Usage, EveryWrongCallHasCode2AndSaysSoOnStderr) {
  const std::string file = scenario_path("ule-truncate-on-fetch.json");
  const std::vector<std::vector<std::string>> calls{
      {},
      {"walk"},
      {"run"},
      {"run", file, "--sed", "1"},
      {"run", file, "--seed", "-1"},
      {"run", file, "--seed", "1e3"},
      {"run", file, "--seed", "0x10"},
      {"run", file, "--seed", " 1"},
      {"run", file, "--seed", "18446744073709551616"},
      {"run", file, "--protocol", "alignment"},
      {"run", file, "--protocol", "alignmnt=none"},
      {"run", file, "--protocol", "alignment=non"},
      {"run", file, "--protocol", "ule_support=maybe"},
      {"run", file, "--preset", "as_propsed"},
      {"fuzz", "--time", "soon"},
      {"fuzz", "--time", "0s"},
      {"fuzz", "--time", "99999999999999999999h"},
      {"fuzz", "--jobs", "0"},
      {"fuzz", "--seeds", "0"},
      {"fuzz", "--shard", "5/4"},
      {"fuzz", "--max-actions", "ten"},
      {"validate"},
      {"check"},
      {"report"},
      {"report", file},
  };
  for (const std::vector<std::string>& call : calls) {
    const ProgramResult result = run_program(call);
    EXPECT_EQ(result.code, 2) << testing::PrintToString(call) << result.err;
    EXPECT_NE(result.err, "") << testing::PrintToString(call);
    EXPECT_EQ(result.out, "") << testing::PrintToString(call);
  }
}

TEST(Usage, AWrongProtocolOptionIsNamedWithWhatIsMeant) {
  const ProgramResult result = run_program({"run", scenario_path("ule-truncate-on-fetch.json"), "--protocol",
                                            "alignmnt=none", "--protocol", "replication=kip32"});
  EXPECT_THAT(result.err, HasSubstr("did you mean \"alignment\"?"));
  EXPECT_THAT(result.err, HasSubstr("did you mean \"kip320\"?"));
}

TEST(Usage, AProtocolOptionWithoutItsOwnFlagIsToldAbout) {
  const ProgramResult result =
      run_program({"fuzz", "--seeds", "1", "--protocol", "ule_support=false", "pid_reset=false"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("or --protocol before every NAME=VALUE"));
}

TEST(Run, SaysTheVerdictFirstAndThePathFromTheUncleanElection) {
  const ProgramResult result = run_program({"run", scenario_path("ule-truncate-on-fetch.json")});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, StartsWith("HOLDS, as expected: every invariant holds.\n"));
  EXPECT_THAT(result.out, HasSubstr("B/0 removed 2 records from offset 1 on (orders-0, mirror of A)"));
  EXPECT_THAT(result.out, HasSubstr("justified by 1 unclean leader election\n"));
  EXPECT_THAT(result.out, HasSubstr("A/1 was elected uncleanly in epoch "));
  EXPECT_THAT(result.out, HasSubstr("A/1 took over in epoch 2 with log end 1\n"));
  EXPECT_THAT(result.out, HasSubstr("A/1 answered B/0's fetch: epoch 0 ends at 1\n"));
  EXPECT_THAT(result.out, HasSubstr("B/0 truncated the mirror to 1: 2 records removed (diverging epoch)"));
  EXPECT_EQ(result.err, "");
}

TEST(Run, JsonIsOneDocumentWithTheWholePath) {
  const ProgramResult result = run_program({"run", scenario_path("ule-truncate-on-fetch.json"), "--json"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  const nlohmann::json document = parse_json(result.out);
  ASSERT_TRUE(document.is_object()) << result.out;
  EXPECT_EQ(document["scenario"], "ule-truncate-on-fetch");
  EXPECT_EQ(document["verdict"], "holds");
  EXPECT_EQ(document["as_expected"], true);
  EXPECT_EQ(document["not_met"], nlohmann::json::array());
  EXPECT_EQ(document["violations"], nlohmann::json::array());
  EXPECT_EQ(document["digest"].get<std::string>().size(), 16U);
  EXPECT_GT(document["actions"], 0);
  EXPECT_EQ(document["events"], document["statistics"]["events"]);
  EXPECT_EQ(document["statistics"]["unclean_elections"], 1);
  EXPECT_EQ(document["statistics"]["over_truncation"]["records"], 0);
  ASSERT_EQ(document["mirror_truncations"].size(), 1U);
  const nlohmann::json& truncation = document["mirror_truncations"][0];
  EXPECT_EQ(truncation["offset"], 1);
  EXPECT_EQ(truncation["records"], 2);
  EXPECT_EQ(truncation["cluster"], "B");
  EXPECT_EQ(truncation["broker"], 0);
  EXPECT_EQ(truncation["partition"], "orders-0");
  EXPECT_EQ(truncation["justified"], true);
  ASSERT_EQ(truncation["unclean_elections"].size(), 1U);
  EXPECT_EQ(truncation["unclean_elections"][0]["cluster"], "A");
  EXPECT_EQ(truncation["unclean_elections"][0]["leader"], 1);
  EXPECT_EQ(truncation["unclean_elections"][0]["epoch"], 2);
  const nlohmann::json& path = truncation["path"];
  ASSERT_GE(path.size(), 2U);
  EXPECT_EQ(path.front()["event"], truncation["unclean_elections"][0]["event"]);
  EXPECT_EQ(path.back()["event"], truncation["event"]);
  for (const nlohmann::json& step : path) {
    EXPECT_THAT(step["text"].get<std::string>(), Not(HasSubstr("not in the trace")));
  }
}

TEST(Run, SaysWhatWasCutAlthoughBothSidesAgreed) {
  const std::string scenario = scenario_path("findings/restart-aligns-from-scratch.json");
  const nlohmann::json over =
      parse_json(run_program({"run", scenario, "--json"}).out)["statistics"]["over_truncation"];
  EXPECT_EQ(over["cuts"], 1);
  EXPECT_EQ(over["records"], 3);
  EXPECT_EQ(over["records_fetched_again"], 3);
  EXPECT_EQ(parse_json(run_program({"explain", scenario, "--json"}).out)["over_truncation"], over);
  EXPECT_THAT(run_program({"run", scenario}).out, testing::HasSubstr("agreed on them: 3 records"));
}

TEST(Run, AViolationThatIsExpectedHasCode0AndNamesTheInvariant) {
  const ProgramResult text = run_program({"run", scenario_path("reverse-mirroring-epoch-only.json")});
  EXPECT_EQ(text.code, 0) << text.out;
  EXPECT_THAT(
      text.out,
      StartsWith("VIOLATED, as expected: alignment-exactness, truncation-provenance, follower-truncation are "
                 "broken.\n"));
  EXPECT_THAT(text.out, HasSubstr("NOT justified"));

  const nlohmann::json document =
      parse_json(run_program({"run", scenario_path("reverse-mirroring-epoch-only.json"), "--json"}).out);
  EXPECT_EQ(document["verdict"], "violated");
  EXPECT_EQ(document["as_expected"], true);
  ASSERT_EQ(document["violations"].size(), 3U);
  EXPECT_EQ(document["violations"][0]["invariant"], "alignment-exactness");
  EXPECT_EQ(document["violations"][1]["invariant"], "truncation-provenance");
  EXPECT_EQ(document["violations"][1]["kind"], "never-in-source-lineage");
  EXPECT_EQ(document["violations"][1]["cluster"], "A");
  EXPECT_EQ(document["violations"][1]["partition"], "orders-0");
  EXPECT_EQ(document["mirror_truncations"][0]["justified"], false);
}

TEST(Run, AnotherProtocolCanBeTriedOnAScenario) {
  const ProgramResult result = run_program({"run", scenario_path("reverse-mirroring-epoch-only.json"),
                                            "--protocol", "alignment=epoch_and_offset", "--json"});
  EXPECT_EQ(result.code, 1) << "the scenario expects a violation that the better protocol does not show";
  const nlohmann::json document = parse_json(result.out);
  EXPECT_EQ(document["verdict"], "holds");
  EXPECT_EQ(document["as_expected"], false);
}

TEST(Run, EveryExpectationThatIsNotMetIsListed) {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "world.json",
      small_world(R"(, "steps": [{"do": "produce", "cluster": "A", "records": 2}, {"do": "settle"}],
    "expect": {"verdict": "violated", "invariant": "log-matching",
      "logs": [{"cluster": "A", "log": "0:0"}, {"cluster": "B", "broker": 1, "log": "0:0 1:0"}],
      "states": [{"cluster": "B", "state": "FAILED"}],
      "truncations": [{"cluster": "B", "offset": 1, "records": 1, "unclean_elections": 1}]})"));
  const ProgramResult result = run_program({"run", file, "--json"});
  EXPECT_EQ(result.code, 1);
  const nlohmann::json document = parse_json(result.out);
  EXPECT_THAT(
      document["not_met"].get<std::vector<std::string>>(),
      ElementsAre(
          "expected a broken invariant, but every invariant holds",
          "expected A/0's log of orders-0 to be 0:0, found 0..1:0",
          "expected A/1's log of orders-0 to be 0:0, found 0..1:0",
          "expected the mirror of orders-0 in B to be FAILED, found MIRRORING",
          "expected 1 mirror truncations, found 0",
          "expected 1 records from offset 1 of orders-0 in B with 1 unclean elections behind it as mirror "
          "truncation 1, found none"));
  const ProgramResult text = run_program({"run", file});
  EXPECT_THAT(text.out, StartsWith("HOLDS, NOT as expected: every invariant holds.\n"));
  EXPECT_THAT(text.out, HasSubstr("found MIRRORING"));
}

TEST(Run, AScriptThatCannotBeCarriedOutIsInconclusive) {
  const TemporaryFolder folder;
  const std::string file = folder.write("world.json", impossible_world(""));
  const ProgramResult text = run_program({"run", file});
  EXPECT_EQ(text.code, 3) << text.out;
  EXPECT_THAT(text.out, StartsWith("INCONCLUSIVE, NOT as expected: /steps/2"));
  const nlohmann::json document = parse_json(run_program({"run", file, "--json"}).out);
  EXPECT_EQ(document["verdict"], "inconclusive");
  EXPECT_THAT(document["problem"].get<std::string>(), StartsWith("/steps/2"));

  const std::string expected =
      folder.write("expected.json", impossible_world(R"(, "expect": {"verdict": "inconclusive"})"));
  EXPECT_EQ(run_program({"run", expected}).code, 0);
}

TEST(Run, AStepForALeaderThatHasNotHeardOfItsElectionIsToldWhatToDo) {
  const TemporaryFolder folder;
  const std::string file = folder.write("early.json", R"({
    "name": "early", "clusters": [{"name": "A", "brokers": 2}], "topics": [{"name": "t"}],
    "steps": [{"do": "settle"}, {"do": "clean_election", "cluster": "A", "broker": 1},
              {"do": "produce", "cluster": "A", "broker": 1}]})");
  const ProgramResult result = run_program({"run", file});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.out, HasSubstr("A/1 has not heard yet that it leads the partition (metadata_apply, or "
                                    "settle)"));
}

TEST(Run, WhatABrokerLearnsOfItsSourceCanBeHeldBack) {
  const TemporaryFolder folder;
  const std::string file = folder.write("held.json", R"({
    "name": "held", "clusters": [{"name": "A", "brokers": 2}, {"name": "B", "brokers": 1}],
    "topics": [{"name": "t"}], "mirrors": [{"source": "A", "destination": "B"}],
    "steps": [{"do": "settle"}, {"do": "hold", "cluster": "B", "broker": 0, "what": "source_metadata"},
              {"do": "clean_election", "cluster": "A", "broker": 1}, {"do": "settle"},
              {"do": "source_refresh", "client": "B/0", "server": "A/1"}]})");
  EXPECT_THAT(run_program({"run", file}).out, HasSubstr("the source metadata of B/0 is held"));
}

TEST(Run, AllSeedsAreRunUnlessOneIsAskedFor) {
  const TemporaryFolder folder;
  const std::string file = folder.write("world.json", random_world(60, 7));
  const nlohmann::json all = parse_json(run_program({"run", file, "--json"}).out);
  EXPECT_EQ(all["seeds"]["count"], 7);
  EXPECT_EQ(all["seeds"]["first"], 1);
  EXPECT_EQ(all["seeds"]["holds"].get<int>() + all["seeds"]["violated"].get<int>() +
                all["seeds"]["inconclusive"].get<int>(),
            7);
  const nlohmann::json one = parse_json(run_program({"run", file, "--seed", "4", "--json"}).out);
  EXPECT_EQ(one["seeds"]["count"], 1);
  EXPECT_EQ(one["seed"], 4);
  const nlohmann::json largest =
      parse_json(run_program({"run", file, "--seed", "18446744073709551615", "--json"}).out);
  EXPECT_EQ(largest["seed"], 18446744073709551615ULL);
}

TEST(Run, TheSameSeedGivesTheSameTraceAndAnotherSeedAnother) {
  const TemporaryFolder folder;
  const std::string file = folder.write("world.json", random_world(200, 1));
  const auto digest = [&](const std::string& seed) {
    return parse_json(run_program({"run", file, "--seed", seed, "--json"}).out)["digest"].get<std::string>();
  };
  const std::string first = digest("5");
  EXPECT_EQ(first, digest("5"));
  EXPECT_NE(first, digest("6"));
}

TEST(Run, WritesTheTraceThatCheckJudgesTheSameWay) {
  const TemporaryFolder folder;
  const std::string trace = folder / "trace.jsonl";
  for (const char* name : {"reverse-mirroring-epoch-only.json", "ule-truncate-on-fetch.json"}) {
    const nlohmann::json run =
        parse_json(run_program({"run", scenario_path(name), "--trace", trace, "--json"}).out);
    const ProgramResult checked = run_program({"check", trace, "--json"});
    const nlohmann::json check = parse_json(checked.out);
    EXPECT_EQ(checked.code, run["verdict"] == "holds" ? 0 : 1) << checked.err;
    for (const char* field : {"verdict", "digest", "violations", "mirror_truncations", "statistics"}) {
      EXPECT_EQ(check[field], run[field]) << name << ": " << field;
    }
  }
  EXPECT_THAT(run_program({"check", trace}).out, StartsWith("HOLDS: every invariant holds.\n"));
}

TEST(Run, ATraceThatCannotBeWrittenIsBadInputAndLeavesNothingBehind) {
  const TemporaryFolder folder;
  const std::string scenario = scenario_path("ule-truncate-on-fetch.json");
  for (const char* command : {"run", "replay"}) {
    const ProgramResult nowhere = run_program({command, scenario, "--trace", folder / "no/such/trace"});
    EXPECT_EQ(nowhere.code, 2);
    EXPECT_THAT(nowhere.err, HasSubstr("no/such/trace"));
    EXPECT_THAT(nowhere.err, HasSubstr("No such file or directory"));
    const ProgramResult onto_folder = run_program({command, scenario, "--trace", folder.path()});
    EXPECT_EQ(onto_folder.code, 2);
    EXPECT_THAT(onto_folder.err, HasSubstr("it is a directory"));
    const ProgramResult device = run_program({command, scenario, "--trace", "/dev/null"});
    EXPECT_EQ(device.code, 2);
    EXPECT_THAT(device.err, HasSubstr("it is no regular file"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Run, OutputThatCannotBeWrittenIsNoSuccess) {
  const ProgramResult result = run_program({"run", scenario_path("ule-truncate-on-fetch.json"), "--json"},
                                           {.out_path = "/dev/full", .terminal = false, .environment = {}});
  EXPECT_EQ(result.code, 70);
  EXPECT_THAT(result.err, HasSubstr("could not be written"));
}

TEST(Run, ColourOnlyOnATerminalAndOnlyIfWanted) {
  const std::vector<std::string> run{"run", scenario_path("ule-truncate-on-fetch.json")};
  EXPECT_THAT(run_program(run).out, Not(HasSubstr("\x1b[")));
  const ProgramOptions terminal{.out_path = "", .terminal = true, .environment = {{"TERM", "xterm"}}};
  EXPECT_THAT(run_program(run, terminal).out, HasSubstr("\x1b["));
  ProgramOptions no_color = terminal;
  no_color.environment.emplace_back("NO_COLOR", "1");
  EXPECT_THAT(run_program(run, no_color).out, Not(HasSubstr("\x1b[")));
  std::vector<std::string> flag = run;
  flag.emplace_back("--no-color");
  EXPECT_THAT(run_program(flag, terminal).out, Not(HasSubstr("\x1b[")));
}

TEST(Run, NamesFromTheFileDoNotReachTheTerminalRaw) {
  const TemporaryFolder folder;
  std::string text = small_world(R"(, "steps": [{"do": "settle", "note": "\u001b[31mred\u0007"}])");
  text.replace(text.find("small-world"), 11, "\\u001b[2Jgone");
  const std::string file = folder.write("world.json", text);
  for (const char* command : {"run", "replay", "explain"}) {
    const ProgramResult result = run_program({command, file});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
    EXPECT_THAT(result.out, Not(HasSubstr("\x07")));
    EXPECT_THAT(result.out, HasSubstr("\\x1b[2Jgone"));
  }
}

TEST(Run, EveryScenarioOfTheProjectEndsAsItSays) {
  int seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scenario_path(""))) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".json" || path.find("schema") != std::string::npos) {
      continue;
    }
    ++seen;
    const ProgramResult result = run_program({"run", path});
    EXPECT_EQ(result.code, 0) << path << "\n" << result.out << result.err;
  }
  EXPECT_GT(seen, 3);
}

}  // namespace
}  // namespace mirrorproof::cli_tests
