// --junit: what CI reads. And check's word on what it could not judge.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "checker/checker.h"
#include "tests/cli/program.h"
#include "tests/cli/worlds.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Number of elements with this name. The files hold no comments and no other quotes.
std::size_t elements(const std::string& xml, const std::string& name) {
  const std::regex begin("<" + name + "[ />]");
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(xml.begin(), xml.end(), begin), std::sregex_iterator()));
}

/// Each element that is opened is closed, in order, and every "<" begins one.
void expect_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-z-]+)((?: [a-z]+=\"[^\"<]*\")*)(/?)>");
  const std::string body = xml.substr(xml.find("?>") + 2);
  std::size_t tags = 0;
  for (std::sregex_iterator it(body.begin(), body.end(), tag), end; it != end; ++it, ++tags) {
    if ((*it)[1] == "/") {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), (*it)[2]);
      open.pop_back();
    } else if ((*it)[4] != "/") {
      open.push_back((*it)[2]);
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(tags, static_cast<std::size_t>(std::count(body.begin(), body.end(), '<')));
}

std::string junit_of(const std::vector<std::string>& command, int code) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments = command;
  arguments.insert(arguments.end(), {"--junit", folder / "junit.xml"});
  const ProgramResult result = run_program(arguments);
  EXPECT_EQ(result.code, code) << result.err;
  std::string xml = read_file(folder / "junit.xml");
  EXPECT_THAT(xml, StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "));
  expect_well_formed(xml);
  return xml;
}

TEST(Junit, HasACaseForEachInvariantAndOneForTheExpectation) {
  const std::string xml = junit_of({"run", scenario_path("ule-truncate-on-fetch.json")}, 0);
  EXPECT_EQ(elements(xml, "testcase"), EnumNames<checker::Invariant>::entries.size() + 1);
  EXPECT_EQ(elements(xml, "failure"), 0U);
  EXPECT_THAT(xml, HasSubstr("name=\"truncation-provenance\""));
  EXPECT_THAT(xml, HasSubstr("name=\"ends as the scenario expects\""));
}

TEST(Junit, LetsAnExpectedViolationPassAndTellsIt) {
  const std::string xml = junit_of({"run", scenario_path("reverse-mirroring-epoch-only.json")}, 0);
  EXPECT_EQ(elements(xml, "failure"), 0U);
  EXPECT_THAT(xml, HasSubstr("<system-out>broken, as the scenario expects:"));
}

TEST(Junit, FailsWithTheReplayCommandAndThePage) {
  const TemporaryFolder folder;
  const std::string xml = junit_of({"run", scenario_path("reverse-mirroring-epoch-and-offset.json"),
                                    "--protocol", "alignment=epoch_only", "--html", folder / "page.html"},
                                   1);
  EXPECT_GE(elements(xml, "failure"), 2U);
  EXPECT_THAT(xml, HasSubstr("Replay: mirrorproof replay "));
  EXPECT_THAT(xml, HasSubstr("--protocol alignment=epoch_only"));
  EXPECT_THAT(xml, HasSubstr("Report: " + folder / "page.html"));
}

TEST(Junit, OfAnInconclusiveRunIsAnError) {
  const TemporaryFolder folder;
  const std::string xml = junit_of({"run", folder.write("x.json", impossible_world(""))}, 3);
  EXPECT_EQ(elements(xml, "error"), 1U);
  EXPECT_EQ(elements(xml, "failure"), 0U);
}

TEST(Junit, EscapesWhatScenariosSay) {
  const TemporaryFolder folder;
  const std::string scenario = folder.write("x.json", R"({"name": "a<b>&\"c", "description": "",
    "clusters": [{"name": "A", "brokers": 1}, {"name": "B", "brokers": 1}],
    "topics": [{"name": "t"}], "mirrors": [{"source": "A", "destination": "B"}]})");
  const std::string xml = junit_of({"run", scenario}, 0);
  EXPECT_THAT(xml, HasSubstr("name=\"a&lt;b&gt;&amp;&quot;c\""));
}

TEST(Junit, OfACampaignNamesTheSavedFailures) {
  const TemporaryFolder folder;
  const std::string xml =
      junit_of({"fuzz", "--seeds", "60", "--protocol", "alignment=epoch_only", "--out", folder / "fuzz"}, 1);
  EXPECT_GT(elements(xml, "failure"), 0U);
  EXPECT_THAT(xml, HasSubstr("Replay: mirrorproof replay " + folder / "fuzz/"));
  const std::string known = junit_of({"fuzz", "--seeds", "60", "--out", folder / "none"}, 0);
  EXPECT_EQ(elements(known, "failure"), 0U);
  EXPECT_THAT(known, HasSubstr("known finding "));
}

class SilentTrace : public testing::Test {
 protected:
  /// The trace of a run without the events of these types; ids and causes go on without them.
  std::string trace_without(const std::set<std::string>& types) {
    const std::string path = folder_ / "whole.jsonl";
    run_program({"run", scenario_path("clean-elections-slow-follower.json"), "--trace", path});
    std::istringstream lines(read_file(path));
    std::string out;
    std::set<std::uint64_t> gone;
    for (std::string line; std::getline(lines, line);) {
      nlohmann::json event = parse_json(line);
      if (event.contains("type") && types.contains(event["type"].get<std::string>())) {
        gone.insert(event["id"].get<std::uint64_t>());
        continue;
      }
      if (event.contains("causes")) {
        nlohmann::json causes = nlohmann::json::array();
        for (const nlohmann::json& cause : event["causes"]) {
          if (!gone.contains(cause.get<std::uint64_t>())) {
            causes.push_back(cause);
          }
        }
        event["causes"] = causes;
        line = event.dump();
      }
      out += line + "\n";
    }
    return folder_.write("part.jsonl", out);
  }

  TemporaryFolder folder_;
};

TEST_F(SilentTrace, WeakensNothingWhenItIsWhole) {
  const ProgramResult result = run_program({"check", trace_without({})});
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_THAT(result.out, StartsWith("HOLDS: every invariant holds.\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("Not judged")));
}

TEST_F(SilentTrace, IsJudgedAsFarAsItGoes) {
  const std::string trace =
      trace_without({"high_watermark_moved", "epoch_cache_changed", "broker_started", "produce_acked"});
  const ProgramResult text = run_program({"check", trace});
  EXPECT_EQ(text.code, 0) << text.out;
  EXPECT_THAT(text.out, StartsWith("HOLDS: every invariant holds, as far as the trace lets it be judged.\n"));
  EXPECT_THAT(text.out,
              HasSubstr("committed-stability was not judged: the trace has no high_watermark_moved events"));
  EXPECT_THAT(text.out, HasSubstr("epoch-order was judged but for the epoch caches: "));
  const nlohmann::json document = parse_json(run_program({"check", trace, "--json"}).out);
  ASSERT_EQ(document["not_judged"].size(), 3U);
  EXPECT_EQ(document["not_judged"][0]["invariant"], "committed-stability");
  EXPECT_EQ(document["not_judged"][0]["part"], nullptr);
  EXPECT_EQ(document["not_judged"][0]["missing"], "high_watermark_moved");
  EXPECT_EQ(document["not_judged"][1]["part"], "the epoch caches");
  const std::string xml = junit_of({"check", trace}, 0);
  EXPECT_EQ(elements(xml, "skipped"), 2U);
}

TEST(ReplayOnly, ShowsTheActionsThatMatter) {
  const std::string scenario = scenario_path("ule-truncate-on-fetch.json");
  const nlohmann::json steps =
      parse_json(run_program({"replay", scenario, "--json", "--only", "truncations"}).out)["steps"];
  ASSERT_EQ(steps.size(), 3U);  // of the mirror, of its follower, and of the old leader
  for (const nlohmann::json& step : steps) {
    EXPECT_THAT(step["events"].dump(), HasSubstr("truncated"));
  }
  const ProgramResult wrong = run_program({"replay", scenario, "--only", "nothing"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--only"));
}

}  // namespace
}  // namespace mirrorproof::cli_tests
