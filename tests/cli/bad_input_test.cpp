// Hostile input: code 2, every problem with its place, no crash.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/cli/program.h"
#include "tests/cli/worlds.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

struct BadFile {
  std::string name;
  std::string path;
  std::string expected;  ///< part of the complaint
};

std::string sparse_file(const TemporaryFolder& folder, std::string_view name, std::string_view beginning) {
  const std::string path = folder.write(name, beginning);
  std::filesystem::resize_file(path, std::uintmax_t{200} << 20);
  return path;
}

std::vector<BadFile> bad_scenarios(const TemporaryFolder& folder) {
  std::vector<BadFile> files;
  const auto add = [&](const std::string& name, std::string_view text, const std::string& expected) {
    files.push_back({name, folder.write(name + ".json", text), expected});
  };
  add("typo", small_world(R"(, "steeps": [])"), "did you mean \"steps\"?");
  add("wrong-type", small_world(R"(, "run": {"max_actions": "many"})"), "/run/max_actions");
  add("unknown-topic",
      small_world(R"(, "steps": [{"do": "produce", "cluster": "A", "partition": "payments-0"}])"),
      "payments-0");
  add("impossible-version",
      R"({"name": "v", "clusters": [{"name": "A", "brokers": ["2.0"]}], "topics": [{"name": "t"}]})", "2.0");
  add("epochs-backwards", small_world(R"(, "initial_logs": [{"cluster": "A", "log": "0:3 1:2"}])"),
      "/initial_logs/0/log");
  add("empty", "", "found");
  add("blank", " \n", "found");
  add("truncated", small_world("").substr(0, 60), "found");
  add("two-documents", small_world("") + "{}", "found");
  add("not-utf8", "{\"name\": \"\xff\xfe\"}", "UTF-8");
  add("nested", std::string(100'000, '['), "found");
  add(
      "nested-objects",
      [] {
        std::string text;
        for (int i = 0; i < 50'000; ++i) {
          text += "{\"a\":";
        }
        return text;
      }(),
      "found");
  add("number", "1e999", "found");
  add("zeros", std::string(1000, '\0'), "found");
  files.push_back({"sparse", sparse_file(folder, "sparse.json", "{"), "bytes"});
  files.push_back({"directory", folder.path(), "a directory"});
  files.push_back({"missing", folder / "missing.json", "no such file"});
  files.push_back({"device", "/dev/null", "regular file"});
  return files;
}

TEST(BadScenario, EveryCommandRefusesItWithoutACrash) {
  const TemporaryFolder folder;
  for (const BadFile& file : bad_scenarios(folder)) {
    for (const char* command : {"run", "fuzz", "replay", "explain"}) {
      const ProgramResult result = run_program({command, file.path});
      EXPECT_EQ(result.signal, 0) << command << " " << file.name;
      EXPECT_EQ(result.code, 2) << command << " " << file.name;
      EXPECT_THAT(result.err, AllOf(HasSubstr(file.path), HasSubstr(file.expected)))
          << command << " " << file.name;
      EXPECT_EQ(result.out, "") << command << " " << file.name;
    }
    const ProgramResult validated = run_program({"validate", file.path});
    EXPECT_EQ(validated.code, 2) << file.name;
    EXPECT_THAT(validated.out, AllOf(HasSubstr(file.path), HasSubstr(file.expected))) << file.name;
  }
}

TEST(BadScenario, WithJsonTheProblemsAreADocument) {
  const TemporaryFolder folder;
  for (const BadFile& file : bad_scenarios(folder)) {
    for (const char* command : {"run", "fuzz", "replay", "explain", "validate"}) {
      const ProgramResult result = run_program({command, file.path, "--json"});
      EXPECT_EQ(result.code, 2) << command << " " << file.name;
      const nlohmann::json document = parse_json(result.out);
      ASSERT_TRUE(document.is_object()) << command << " " << file.name << result.out;
      const nlohmann::json& problems =
          document.contains("files") ? document["files"][0]["problems"] : document["problems"];
      ASSERT_GE(problems.size(), 1U) << command << " " << file.name;
      EXPECT_EQ(problems[0]["file"], file.path);
      EXPECT_NE(problems[0]["found"], "");
      EXPECT_NE(problems[0]["expected"], "");
    }
  }
}

TEST(BadScenario, EveryProblemIsListedWithItsPlace) {
  const TemporaryFolder folder;
  const std::string file = folder.write("world.json", R"({
  "name": "wrong",
  "clusters": [{"name": "A", "brokers": 0}, {"name": "B", "brokers": ["9.9"]}],
  "topics": [{"name": "orders"}],
  "steps": [{"do": "prodce"}],
  "run": {"seeds": true}
})");
  const ProgramResult result = run_program({"validate", file});
  EXPECT_EQ(result.code, 2);
  for (const char* place :
       {":3:41: /clusters/0/brokers: found 0, expected ", ": /clusters/1/brokers/0: found \"9.9\"",
        ":5:20: /steps/0/do: found \"prodce\"", ": /run/seeds: found true"}) {
    EXPECT_THAT(result.out, HasSubstr(place));
  }
  const nlohmann::json document = parse_json(run_program({"validate", file, "--json"}).out);
  EXPECT_EQ(document["files"][0]["problems"].size(), 4U);
}

TEST(Validate, GoodAndBadFilesTogether) {
  const TemporaryFolder folder;
  const std::string good = folder.write("good.json", small_world(""));
  const std::string bad = folder.write("bad.json", "{}");
  EXPECT_EQ(run_program({"validate", good}).code, 0);
  EXPECT_EQ(run_program({"validate", good}).out, good + ": valid\n");
  const ProgramResult both = run_program({"validate", good, bad, "--json"});
  EXPECT_EQ(both.code, 2);
  const nlohmann::json document = parse_json(both.out);
  EXPECT_EQ(document["valid"], false);
  EXPECT_EQ(document["files"][0]["valid"], true);
  EXPECT_EQ(document["files"][1]["valid"], false);
}

// --- traces ---

const std::string kHeader =
    R"({"trace":"mirrorproof","version":1,"clusters":[{"name":"A","brokers":1}],"partitions":[{"name":"t-0","replicas":{"A":[0]}}]})"
    "\n";

TEST(BadTrace, IsRefusedWithItsPlaceAndWithoutACrash) {
  const TemporaryFolder folder;
  const std::string note = R"({"id":1,"type":"note","at":"A/controller","text":"x"})"
                           "\n";
  const std::vector<BadFile> files{
      {"missing-cause",
       folder.write("1", kHeader + note + R"({"id":9,"type":"note","at":"A/0","text":"y","causes":[5]})"),
       "line 3"},
      {"repeated-id", folder.write("2", kHeader + note + note), "line 3"},
      {"cycle",
       folder.write("3", kHeader + R"({"id":1,"type":"note","at":"A/0","text":"y","causes":[2]})"
                                   "\n"
                                   R"({"id":2,"type":"note","at":"A/0","text":"y","causes":[1]})"),
       "line 2"},
      {"own-cause",
       folder.write("4", kHeader + R"({"id":1,"type":"note","at":"A/0","text":"y","causes":[1]})"), "line 2"},
      {"unknown-event", folder.write("5", kHeader + R"({"id":1,"type":"nots","at":"A/0","text":"y"})"),
       "note"},
      {"unknown-broker", folder.write("6", kHeader + R"({"id":1,"type":"note","at":"A/7","text":"y"})"),
       "A/7"},
      {"empty", folder.write("7", ""), "expected"},
      {"no-header", folder.write("8", note), "line 1"},
      {"scenario", folder.write("13", "{\n  \"name\": \"x\",\n  \"clusters\": []\n}\n"),
       "line 1: found a JSON document over several lines, expected a trace: one JSON object in each line "
       "(mirrorproof run takes scenarios)\n"},
      {"truncated", folder.write("9", kHeader + note.substr(0, 30)), "line 2"},
      {"not-utf8",
       folder.write("10", kHeader + "{\"id\":1,\"type\":\"note\",\"at\":\"A/0\",\"text\":\"\xff\"}"),
       "line 2"},
      {"nested", folder.write("11", kHeader + std::string(100'000, '[')), "line 2"},
      {"sparse", sparse_file(folder, "12", kHeader), "line 2"},
      {"directory", folder.path(), "expected"},
      {"missing", folder / "missing", "expected"},
  };
  for (const BadFile& file : files) {
    const ProgramResult result = run_program({"check", file.path});
    EXPECT_EQ(result.signal, 0) << file.name;
    EXPECT_EQ(result.code, 2) << file.name;
    EXPECT_THAT(result.err, AllOf(HasSubstr(file.path), HasSubstr(file.expected))) << file.name;
    EXPECT_EQ(result.out, "") << file.name;
    const nlohmann::json document = parse_json(run_program({"check", file.path, "--json"}).out);
    ASSERT_TRUE(document.is_object()) << file.name;
    EXPECT_GE(document["problems"].size(), 1U) << file.name;
  }
}

TEST(BadTrace, EveryProblemIsListed) {
  const TemporaryFolder folder;
  const std::string trace =
      folder.write("trace", kHeader + R"({"id":1,"type":"nots","at":"A/0"})"
                                      "\n"
                                      R"({"id":"2","type":"note","at":"A/0","text":"y"})"
                                      "\n"
                                      R"({"id":3,"type":"note","at":"A/9","text":7})");
  const ProgramResult result = run_program({"check", trace});
  EXPECT_EQ(result.code, 2);
  for (const char* line : {"line 2", "line 3", "line 4"}) {
    EXPECT_THAT(result.err, HasSubstr(line));
  }
}

TEST(Check, ASoundTraceThatBreaksAnInvariantHasCode1) {
  const TemporaryFolder folder;
  // Two elections, the second with a smaller epoch.
  const std::string trace = folder.write(
      "trace",
      kHeader +
          R"({"id":1,"type":"election","at":"A/controller","partition":"t-0","kind":"clean","leader":0,"epoch":5,"isr":[0]})"
          "\n"
          R"({"id":2,"type":"election","at":"A/controller","partition":"t-0","kind":"clean","leader":0,"epoch":4,"isr":[0]})"
          "\n");
  const ProgramResult result = run_program({"check", trace});
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_THAT(result.out, StartsWith("VIOLATED: epoch-order is broken.\n"));
  EXPECT_THAT(result.out, HasSubstr("#2 A/0 was elected in epoch 4 (ISR 0)"));
}

// --- failure files ---

TEST(BadFailureFile, IsRefusedWithItsPlaceAndWithoutACrash) {
  const TemporaryFolder folder;
  const std::string good =
      R"({"mirrorproof_failure": 1, "seed": 3, "digest": "0123456789abcdef", "scenario": )" +
      small_world("") + R"(, "choices": [1, 2]})";
  ASSERT_EQ(run_program({"run", folder.write("good.json", good)}).code, 0);
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  const std::vector<BadFile> files{
      {"truncated", folder.write("1", good.substr(0, good.size() / 2)), "a text that ends half-way"},
      {"other-version", folder.write("2", changed("failure\": 1", "failure\": 2")), "/mirrorproof_failure"},
      {"negative-seed", folder.write("3", changed("\"seed\": 3", "\"seed\": -3")), "/seed"},
      {"short-digest", folder.write("4", changed("0123456789abcdef", "0123")), "/digest"},
      {"odd-digest", folder.write("5", changed("0123456789abcdef", "0x23456789abcdef")), "/digest"},
      {"large-choice", folder.write("6", changed("[1, 2]", "[1, 4294967296]")), "/choices/1"},
      {"no-choices", folder.write("7", changed("[1, 2]", "{}")), "/choices"},
      {"unknown-field", folder.write("8", changed("\"seed\": 3", "\"sed\": 4, \"seed\": 3")), "/sed"},
      {"wrong-scenario", folder.write("9", changed("\"topics\"", "\"topic\"")), "/scenario/topic"},
      {"nested", folder.write("10", R"({"mirrorproof_failure": 1, "choices": )" + std::string(100'000, '[')),
       "nesting"},
      {"alone", folder.write("11", R"({"mirrorproof_failure": 1})"), "/scenario"},
      {"not-utf8", folder.write("12", changed("small-world", "\xff")), "JSON"},
      {"sparse", sparse_file(folder, "13", R"({"mirrorproof_failure": 1)"), "bytes"},
  };
  for (const BadFile& file : files) {
    for (const char* command : {"run", "replay", "explain"}) {
      const ProgramResult result = run_program({command, file.path});
      EXPECT_EQ(result.signal, 0) << file.name;
      EXPECT_EQ(result.code, 2) << file.name;
      EXPECT_THAT(result.err, AllOf(HasSubstr(file.path), HasSubstr(file.expected))) << file.name;
    }
  }
}

TEST(BadTrace, IsNoScenario) {
  const TemporaryFolder folder;
  const std::string trace =
      folder.write("trace.jsonl", kHeader + R"({"id":1,"type":"note","at":"A/0","text":"y"})");
  for (const char* command : {"run", "replay", "explain", "shrink", "validate", "explore"}) {
    const ProgramResult result = run_program({command, trace});
    EXPECT_EQ(result.code, 2) << command;
    EXPECT_THAT(result.out + result.err,
                HasSubstr("found a trace, expected a scenario (mirrorproof check judges traces"))
        << command;
  }
}

TEST(BadUsage, AnUnknownCommandIsNamedBesideThoseThereAre) {
  const ProgramResult result = run_program({"replya", "x.json"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("found \"replya\", expected one of \"run\""),
                                HasSubstr("(did you mean \"replay\"?)")));
}

}  // namespace
}  // namespace mirrorproof::cli_tests
