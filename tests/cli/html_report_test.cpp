// --html and mirrorproof report: where the page goes, what is in it, what is refused. What a browser makes of
// it is tested in tests/web/.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "tests/cli/program.h"
#include "tests/cli/worlds.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// The data that a page carries.
nlohmann::json data_of(const std::string& page) {
  const std::string begin = R"(<script id="report-data" type="application/json">)";
  const std::size_t from = page.find(begin);
  if (from == std::string::npos) {
    return nullptr;
  }
  const std::string_view text = std::string_view(page).substr(from + begin.size());
  return parse_json(text.substr(0, text.find("</script>")));
}

nlohmann::json page_of(const std::vector<std::string>& command) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments = command;
  arguments.insert(arguments.end(), {"--html", folder / "page.html"});
  const ProgramResult result = run_program(arguments);
  EXPECT_THAT(result.code, testing::AnyOf(0, 1)) << result.err;
  return data_of(read_file(folder / "page.html"));
}

TEST(HtmlReport, IsOneFileThatNamesNothingOutside) {
  const TemporaryFolder folder;
  const std::string path = folder / "page.html";
  const ProgramResult result =
      run_program({"run", scenario_path("ule-truncate-on-fetch.json"), "--html", path});
  EXPECT_EQ(result.code, 0) << result.err;
  const std::string page = read_file(path);
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>\n"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
  EXPECT_THAT(page, Not(HasSubstr(" src=")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  // Addresses are names of vocabularies, never something to fetch.
  EXPECT_FALSE(std::regex_search(page, std::regex(R"(https?://(?!www\.w3\.org/2000/svg))")));
  EXPECT_FALSE(std::regex_search(page, std::regex(R"re((href|url)=?\(?"(?!#|data:))re")));
}

TEST(HtmlReport, HoldsVerdictEventsCasesProtocolCommandsAndScenario) {
  const nlohmann::json page = page_of({"run", scenario_path("ule-truncate-on-fetch.json")});
  const nlohmann::json run =
      parse_json(run_program({"run", scenario_path("ule-truncate-on-fetch.json"), "--json"}).out);
  ASSERT_TRUE(page.is_object());
  EXPECT_EQ(page["format"], 1);
  EXPECT_EQ(page["verdict"]["word"], "holds");
  EXPECT_EQ(page["verdict"]["expectation"], "as expected");
  EXPECT_EQ(page["events"].size(), run["events"]);
  EXPECT_EQ(page["events_total"], run["events"]);
  ASSERT_EQ(page["cases"].size(), 1U);
  const nlohmann::json& truncation = page["cases"][0];
  EXPECT_EQ(truncation["type"], "truncation");
  EXPECT_EQ(truncation["good"], true);
  ASSERT_EQ(truncation["path"].size(), run["mirror_truncations"][0]["path"].size());
  for (std::size_t i = 0; i < truncation["path"].size(); ++i) {
    const nlohmann::json& step = truncation["path"][i];
    EXPECT_EQ(step["id"], run["mirror_truncations"][0]["path"][i]["event"]);
    EXPECT_EQ(page["events"][step["event"].get<std::size_t>()][0], step["id"]);
  }
  EXPECT_EQ(page["protocol"]["preset"], "as_proposed");
  EXPECT_EQ(page["protocol"]["options"][0]["name"], "alignment");
  EXPECT_THAT(page["commands"][0]["line"].get<std::string>(), StartsWith("mirrorproof run "));
  EXPECT_EQ(parse_json(page["scenario"]["text"].get<std::string>())["name"], "ule-truncate-on-fetch");
}

TEST(HtmlReport, ShowsWhichOptionsDifferFromTheProposal) {
  const nlohmann::json page = page_of({"replay", scenario_path("reverse-mirroring-epoch-only.json")});
  EXPECT_EQ(page["protocol"]["preset"], nullptr);
  EXPECT_EQ(page["protocol"]["options"][0]["value"], "epoch_only");
  EXPECT_EQ(page["protocol"]["options"][0]["proposed"], "epoch_and_offset");
  EXPECT_EQ(page["cases"][0]["good"], false);
  EXPECT_EQ(page["cases"][0]["path"].size(), 0U);
}

TEST(HtmlReport, KeepsHostileTextOutOfTheMarkup) {
  const TemporaryFolder folder;
  const std::string scenario = folder.write("hostile.json", R"({
    "name": "</script><img src=x onerror=alert(1)>",
    "description": "<!-- {{script}} -->",
    "clusters": [{"name": "A", "brokers": 1}, {"name": "B", "brokers": 1}],
    "topics": [{"name": "orders"}],
    "mirrors": [{"source": "A", "destination": "B"}],
    "steps": [{"do": "settle", "note": "<script>alert(2)</script>"}]
  })");
  const ProgramResult result = run_program({"run", scenario, "--html", folder / "page.html"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string page = read_file(folder / "page.html");
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page,
              HasSubstr("<title>&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt; - Mirrorproof</title>"));
  const nlohmann::json data = data_of(page);
  EXPECT_EQ(data["name"], "</script><img src=x onerror=alert(1)>");
  EXPECT_EQ(data["description"], "<!-- {{script}} -->");
}

TEST(HtmlReport, OfAThousandEventsStaysUnderTwoMegabytes) {
  const TemporaryFolder folder;
  const std::string scenario = folder.write("long.json", random_world(1200, 1));
  const ProgramResult result = run_program({"run", scenario, "--json", "--html", folder / "page.html"});
  const nlohmann::json run = parse_json(result.out);
  ASSERT_GE(run["events"], 1000) << result.err;
  EXPECT_LT(read_file(folder / "page.html").size(), std::size_t{2} << 20);
}

TEST(HtmlReport, KeepsAFileThatExistsUnlessForced) {
  const TemporaryFolder folder;
  const std::string path = folder.write("page.html", "mine");
  const std::string scenario = scenario_path("ule-truncate-on-fetch.json");
  for (const std::vector<std::string>& command : {std::vector<std::string>{"run", scenario},
                                                  {"replay", scenario},
                                                  {"explain", scenario},
                                                  {"report", scenario}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--html", path});
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.code, 2) << command[0];
    EXPECT_EQ(result.out, "") << command[0];
    EXPECT_THAT(result.err, HasSubstr("page.html exists and is kept; --force replaces it")) << command[0];
    EXPECT_EQ(read_file(path), "mine") << command[0];
  }
  EXPECT_EQ(run_program({"run", scenario, "--html", path, "--force"}).code, 0);
  EXPECT_THAT(read_file(path), StartsWith("<!DOCTYPE html>"));
}

TEST(HtmlReport, RefusesPlacesThatCannotBeWritten) {
  const TemporaryFolder folder;
  const std::string scenario = scenario_path("ule-truncate-on-fetch.json");
  const ProgramResult directory = run_program({"run", scenario, "--html", folder.path()});
  EXPECT_EQ(directory.code, 2);
  EXPECT_THAT(directory.err, HasSubstr("it is a directory"));
  const ProgramResult missing =
      run_program({"run", scenario, "--html", folder / "no/such/page.html", "--json"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("No such file or directory"));
  EXPECT_EQ(parse_json(missing.out)["error"], "bad usage");
  const ProgramResult device = run_program({"run", scenario, "--html", "/dev/full", "--force"});
  EXPECT_EQ(device.code, 2);
  EXPECT_THAT(device.err, HasSubstr("it is no regular file"));
}

TEST(HtmlReport, LeavesNothingBehindWhenTheInputIsBad) {
  const TemporaryFolder folder;
  const std::string scenario = folder.write("bad.json", "{");
  EXPECT_EQ(run_program({"report", scenario, "--html", folder / "page.html"}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "page.html"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

class ReportOfAResult : public testing::Test {
 protected:
  ReportOfAResult() {
    result_ = run_program({"run", scenario_path("reverse-mirroring-epoch-only.json"), "--json"}).out;
  }
  ProgramResult report(const std::string& text, const std::string& name = "result.json") {
    return run_program({"report", folder_.write(name, text), "--html", folder_ / "page.html", "--force"});
  }
  /// The result with one field changed.
  std::string with(const std::string& field, const nlohmann::json& value) const {
    nlohmann::json document = parse_json(result_);
    document[field] = value;
    // The magic field must come first: the text is put together by hand.
    document.erase("mirrorproof_result");
    const std::string magic = field == "mirrorproof_result" ? value.dump() : "1";
    return "{\"mirrorproof_result\": " + magic + "," + document.dump().substr(1);
  }

  TemporaryFolder folder_;
  std::string result_;
};

TEST_F(ReportOfAResult, IsThePageThatTheRunWouldHaveMade) {
  const ProgramResult result = report(result_);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("VIOLATED, as expected: "));
  nlohmann::json page = data_of(read_file(folder_ / "page.html"));
  nlohmann::json direct = page_of({"run", scenario_path("reverse-mirroring-epoch-only.json")});
  page.erase("commands");
  direct.erase("commands");
  EXPECT_EQ(page, direct);
}

TEST_F(ReportOfAResult, IsMadeOfFailuresTracesAndScenariosToo) {
  const std::string trace = folder_ / "trace.jsonl";
  run_program({"run", scenario_path("ule-truncate-on-fetch.json"), "--trace", trace});
  const ProgramResult of_trace = run_program({"report", trace, "--html", folder_ / "trace.html", "--json"});
  EXPECT_EQ(of_trace.code, 0) << of_trace.err;
  EXPECT_EQ(parse_json(of_trace.out)["html"], folder_ / "trace.html");
  EXPECT_EQ(data_of(read_file(folder_ / "trace.html"))["cases"].size(), 1U);

  run_program({"fuzz", "--seeds", "40", "--protocol", "alignment=epoch_only", "--out", folder_ / "fuzz"});
  std::string failure;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "fuzz")) {
    failure = entry.is_regular_file() ? entry.path().string() : failure;
  }
  ASSERT_NE(failure, "");
  const ProgramResult of_failure = run_program({"report", failure, "--html", folder_ / "failure.html"});
  EXPECT_EQ(of_failure.code, 0) << of_failure.err;
  EXPECT_EQ(data_of(read_file(folder_ / "failure.html"))["verdict"]["word"], "violated");
}

TEST_F(ReportOfAResult, IsMadeOfTheFolderOfACampaign) {
  run_program({"fuzz", "--seeds", "20", "--protocol", "alignment=epoch_only", "--no-known", "--out",
               folder_ / "fuzz", "--html", folder_ / "direct.html"});
  for (const std::string& path : {folder_ / "fuzz", folder_ / "fuzz/campaign.json"}) {
    const ProgramResult result = run_program({"report", path, "--html", folder_ / "page.html", "--force"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, StartsWith("VIOLATED: "));
    const nlohmann::json page = data_of(read_file(folder_ / "page.html"));
    const nlohmann::json direct = data_of(read_file(folder_ / "direct.html"));
    EXPECT_EQ(page.at("cases"), direct.at("cases"));
    EXPECT_EQ(page.at("events"), direct.at("events"));
  }
  const std::string campaign = read_file(folder_ / "fuzz/campaign.json");
  const ProgramResult renamed = report(campaign, "night.json");
  EXPECT_EQ(renamed.code, 2);
  EXPECT_THAT(renamed.err, HasSubstr("expected campaign.json in its folder"));
  std::filesystem::create_directory(folder_ / "cut");
  const ProgramResult cut = report(campaign.substr(0, campaign.size() / 2), "cut/campaign.json");
  EXPECT_EQ(cut.code, 2);
  EXPECT_THAT(cut.err, HasSubstr("cut/campaign.json: "));
}

TEST_F(ReportOfAResult, IsMadeOfAMatrixWhereverThePageIs) {
  run_program({"matrix", "--row", "alignment=epoch_only", "--world", "failover", "--seeds", "1", "--out",
               folder_ / "a matrix: #1"});
  const std::string direct = read_file(folder_ / "a matrix: #1/matrix.html");
  const ProgramResult beside =
      run_program({"report", folder_ / "a matrix: #1", "--html", folder_ / "a matrix: #1/again.html"});
  ASSERT_EQ(beside.code, 0) << beside.err;
  EXPECT_EQ(read_file(folder_ / "a matrix: #1/again.html"), direct);

  ASSERT_EQ(run_program({"report", folder_ / "a matrix: #1/matrix.json", "--html", folder_ / "m.html"}).code,
            0);
  EXPECT_THAT(direct, HasSubstr("<a href=\"certificates/as_proposed--operations.json\">"));
  EXPECT_THAT(read_file(folder_ / "m.html"),
              HasSubstr("<a href=\"a%20matrix%3A%20%231/certificates/as_proposed--operations.json\">"));

  // Files that are gone are not linked to; a certificate by itself is shown by a search.
  std::filesystem::copy_file(folder_ / "a matrix: #1/matrix.json", folder_ / "matrix.json");
  ASSERT_EQ(run_program({"report", folder_ / "matrix.json", "--html", folder_ / "bare.html"}).code, 0);
  EXPECT_THAT(read_file(folder_ / "bare.html"), testing::Not(HasSubstr("certificates/")));
  const ProgramResult certificate =
      run_program({"report", folder_ / "a matrix: #1/certificates/as_proposed--operations.json", "--html",
                   folder_ / "c.html"});
  EXPECT_EQ(certificate.code, 2);
  EXPECT_THAT(certificate.err, HasSubstr("mirrorproof explore --verify"));
  EXPECT_EQ(report("{\"mirrorproof_matrix\": 1}", "old.json").code, 2);
  EXPECT_THAT(report("{\"campaign\": \"swarm\"}").err, HasSubstr("expected the folder of the campaign"));
  EXPECT_THAT(report("{\"scenario\": \"a\"}").err, HasSubstr("found what a search came to"));
}

TEST_F(ReportOfAResult, RefusesResultsOfOtherVersions) {
  const ProgramResult format = report(with("mirrorproof_result", 2));
  EXPECT_EQ(format.code, 2);
  EXPECT_THAT(format.err,
              HasSubstr("/mirrorproof_result: found 2, expected 1: the result is from another version"));
  const ProgramResult program = report(with("program", "mirrorproof 99.1"));
  EXPECT_EQ(program.code, 2);
  EXPECT_THAT(program.err, HasSubstr("/program: found \"mirrorproof 99.1\", expected \"mirrorproof "));
}

TEST_F(ReportOfAResult, RefusesTruncatedResults) {
  for (const double share : {0.1, 0.5, 0.99}) {
    const auto length = static_cast<std::size_t>(static_cast<double>(result_.size()) * share);
    const ProgramResult result = report(result_.substr(0, length));
    EXPECT_EQ(result.code, 2) << share;
    EXPECT_THAT(result.err, HasSubstr("found a text that ends half-way")) << share;
  }
}

TEST_F(ReportOfAResult, RefusesResultsWhoseRunIsAnother) {
  const ProgramResult digest = report(with("digest", "0123456789abcdef"));
  EXPECT_EQ(digest.code, 2);
  EXPECT_THAT(digest.err, HasSubstr("the result says 0123456789abcdef"));
  for (const std::string field : {"input", "choices", "seed", "seeds", "verdict", "as_expected", "digest"}) {
    const ProgramResult result = report(with(field, "nonsense"));
    EXPECT_EQ(result.code, 2) << field;
    EXPECT_THAT(result.err, HasSubstr("/" + field)) << field;
  }
}

}  // namespace
}  // namespace mirrorproof::cli_tests
