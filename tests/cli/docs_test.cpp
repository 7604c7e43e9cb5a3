// What the documents say is true: their commands run and end as they say, their examples are what the files
// hold.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "model/protocol_presets.h"
#include "reports/finding_mends.h"
#include "reports/known_findings.h"
#include "reports/protocol_override.h"
#include "scenarios/scenario.h"
#include "tests/cli/program.h"

namespace mirrorproof::cli_tests {
namespace {

namespace fs = std::filesystem;

std::string document(const std::string& name) {
  return read_file(std::string(MIRRORPROOF_SOURCE_DIR) + "/" + name);
}

/// The lines of the fenced blocks of one language ("" for blocks without).
std::vector<std::string> block_lines(const std::string& text, const std::string& language) {
  std::vector<std::string> lines;
  bool fenced = false;
  bool wanted = false;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("```")) {
      fenced = !fenced;
      wanted = fenced && line == "```" + language;
    } else if (wanted) {
      lines.push_back(line);
    }
  }
  return lines;
}

/// A folder where the commands of a document find what they name, and leave what they write.
class DocumentFolder {
 public:
  DocumentFolder() {
    for (const char* name : {"scenarios", "tests", "docs"}) {
      fs::create_directory_symlink(fs::path(MIRRORPROOF_SOURCE_DIR) / name, folder_ / name);
    }
    fs::create_symlink(MIRRORPROOF_CLI, folder_ / "mirrorproof");
  }

  /// Exit code of a shell command.
  int run(const std::string& command) const {
    const std::string line =
        "cd '" + folder_.path() + "' && PATH=.:$PATH && { " + command + "\n} > out.txt 2>&1";
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string output() const { return read_file(folder_ / "out.txt"); }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

class Documents : public testing::TestWithParam<std::string> {};

TEST_P(Documents, HaveCommandsThatRunAndEndAsTheySay) {
  const DocumentFolder folder;
  int commands = 0;
  for (const std::string& line : block_lines(document(GetParam()), "")) {
    if (!line.starts_with("mirrorproof ")) {
      continue;
    }
    std::smatch code;
    const bool told = std::regex_search(line, code, std::regex("# exit code ([0-9]+)"));
    EXPECT_EQ(folder.run(line), told ? std::stoi(code[1]) : 0) << line << "\n" << folder.output();
    ++commands;
  }
  EXPECT_GT(commands, 0);
}

std::string name_of_document(const testing::TestParamInfo<std::string>& each) {
  return std::regex_replace(fs::path(each.param).stem().string(), std::regex("-"), "_");
}

INSTANTIATE_TEST_SUITE_P(All, Documents,
                         testing::Values("docs/campaigns.md", "docs/causes.md", "docs/claim.md",
                                         "docs/findings.md", "docs/readings.md", "docs/foreign-traces.md",
                                         "docs/fuzz.md", "docs/import.md", "docs/report.md"),
                         name_of_document);

TEST(Findings, AreAllDescribedWithTheInvariantsTheyBreak) {
  const std::string page = document("docs/findings.md");
  std::set<std::string> files;
  for (const auto& entry :
       fs::directory_iterator(std::string(MIRRORPROOF_SOURCE_DIR) + "/scenarios/findings")) {
    const scenarios::LoadResult loaded = scenarios::load_scenario_file(entry.path().string());
    ASSERT_TRUE(loaded.scenario.has_value()) << entry.path();
    const std::string name = loaded.scenario->setup.name;
    files.insert(name);
    const std::size_t begin = page.find("\n## " + name + "\n\nBreaks: ");
    ASSERT_NE(begin, std::string::npos) << name;
    const std::size_t line = page.find("Breaks: ", begin);
    const std::string breaks = page.substr(line, page.find('\n', line) - line);
    for (const std::string& invariant : loaded.scenario->expect.invariants) {
      EXPECT_THAT(breaks, testing::HasSubstr("`" + invariant + "`")) << name;
    }
  }
  EXPECT_GT(files.size(), 5U);
  for (const reports::KnownFinding& finding : reports::known_findings()) {
    EXPECT_TRUE(files.contains(std::string(finding.name))) << finding.name;
  }
  const std::regex heading("\n## ([^\n]+)");
  for (std::sregex_iterator it(page.begin(), page.end(), heading), end; it != end; ++it) {
    EXPECT_TRUE(files.contains((*it)[1])) << (*it)[1];
  }
}

TEST(Findings, AreMendedByWhatTheTableSays) {
  const std::string page = document("docs/findings.md");
  const std::regex row("\n\\| \\[([a-z0-9-]+)\\]\\([^\n]*\\| ([^|\n]+) \\|(?=\n)");
  const std::regex setting("`([a-z_]+=[a-z_]+)`");
  std::set<std::string_view> mended;
  for (const reports::FindingMend& mend : reports::finding_mends()) {
    mended.insert(mend.finding);
  }
  std::size_t rows = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), row), end; it != end; ++it, ++rows) {
    const std::string name = (*it)[1];
    const std::string mends = (*it)[2];
    reports::ProtocolOverride told;
    for (std::sregex_iterator each(mends.begin(), mends.end(), setting); each != end; ++each) {
      told.settings.push_back((*each)[1]);
    }
    EXPECT_EQ(told.settings.empty(), !mended.contains(name)) << name;
    ProtocolOptions protocol = preset_options(Preset::prototype);
    EXPECT_TRUE(reports::may_come_about(name, protocol)) << name;
    EXPECT_THAT(reports::apply(told, protocol), testing::IsEmpty()) << name;
    EXPECT_EQ(reports::may_come_about(name, protocol), told.settings.empty()) << name;
  }
  EXPECT_GE(rows, mended.size());
}

TEST(Claim, NamesEveryInvariantThatIsJudged) {
  const std::string page = document("docs/claim.md");
  for (const auto& [invariant, name] : EnumNames<checker::Invariant>::entries) {
    EXPECT_THAT(page, testing::HasSubstr("| `" + std::string(name) + "` |"));
  }
}

TEST(ForeignTraces, ShowTheSmallestTraceLineByLine) {
  std::string shown;
  for (const std::string& line : block_lines(document("docs/foreign-traces.md"), "jsonl")) {
    shown += line + "\n";
  }
  EXPECT_EQ(shown, document("tests/data/traces/foreign/smallest.jsonl"));
}

TEST(ManPage, KnowsEveryCommandAndEveryOption) {
  const ProgramResult page = run_program({"man"});
  EXPECT_EQ(page.code, 0);
  EXPECT_THAT(page.out, testing::StartsWith(".TH MIRRORPROOF 1 "));
  const std::string help = run_program({"--help"}).out;
  ASSERT_THAT(help, testing::HasSubstr("Subcommands:"));
  const std::string all =
      help.substr(help.find("Subcommands:"), help.find("\nExamples:") - help.find("Subcommands:"));
  const std::regex command("\n  ([a-z]+) +[A-Z]");
  int commands = 0;
  for (std::sregex_iterator it(all.begin(), all.end(), command), end; it != end; ++it) {
    const std::string name = (*it)[1];
    EXPECT_THAT(page.out, testing::HasSubstr("\n.SS " + name + "\n"));
    const ProgramResult one = run_program({name, "--help"});
    const std::regex option("--[a-z][a-z-]+");
    for (std::sregex_iterator o(one.out.begin(), one.out.end(), option); o != end; ++o) {
      EXPECT_THAT(page.out, testing::HasSubstr(std::regex_replace(o->str(), std::regex("-"), "\\-"))) << name;
    }
    ++commands;
  }
  EXPECT_GE(commands, 9);
  // Nothing that troff would take for a request.
  EXPECT_FALSE(std::regex_search(page.out, std::regex("\n\\.(?!TH|SH|SS|TP|PP|B |I |nf|fi)")));
}

TEST(Completion, OffersCommandsOptionsAndFiles) {
  const DocumentFolder folder;
  const std::string complete =
      "bash -c 'source docs/completion/mirrorproof.bash; COMP_WORDS=(mirrorproof %WORDS%); "
      "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _mirrorproof; printf \"%s\\n\" \"${COMPREPLY[@]}\"'";
  const auto offered = [&](const std::string& words) {
    EXPECT_EQ(folder.run(std::regex_replace(complete, std::regex("%WORDS%"), words)), 0) << folder.output();
    return folder.output();
  };
  EXPECT_EQ(offered("repo"), "report\n");
  EXPECT_THAT(offered("run --ht"), testing::StrEq("--html\n"));
  EXPECT_THAT(offered("run scenarios/ule-trunc"), testing::HasSubstr("scenarios/ule-truncate-on-fetch.json"));
}

TEST(CiScripts, FailWhenAScenarioDoesNotEndAsItExpects) {
  const DocumentFolder folder;
  fs::create_directory(folder.folder() / "mine");
  fs::copy(scenario_path("ule-truncate-on-fetch.json"), folder.folder() / "mine/one.json");
  EXPECT_EQ(folder.run("bash docs/ci/scenarios.sh mirrorproof mine out"), 0) << folder.output();
  EXPECT_TRUE(fs::exists(folder.folder() / "out/one.xml"));
  EXPECT_TRUE(fs::exists(folder.folder() / "out/one.html"));
  folder.folder().write(
      "mine/two.json",
      R"({"name": "two", "clusters": [{"name": "A", "brokers": 1}, {"name": "B", "brokers": 1}],
  "topics": [{"name": "t"}], "mirrors": [{"source": "A", "destination": "B"}], "steps": [{"do": "settle"}],
  "expect": {"verdict": "violated", "invariant": "log-matching"}})");
  EXPECT_EQ(folder.run("GITHUB_ACTIONS=true bash docs/ci/scenarios.sh mirrorproof mine out"), 1);
  EXPECT_THAT(folder.output(), testing::HasSubstr("NOT as expected (exit code 1): mine/two.json"));
  EXPECT_THAT(folder.output(), testing::HasSubstr("replay: mirrorproof replay mine/two.json"));
  EXPECT_THAT(folder.output(), testing::HasSubstr("::error file=mine/two.json::"));
  EXPECT_EQ(folder.run("mkdir empty && bash docs/ci/scenarios.sh mirrorproof empty out"), 1);
}

}  // namespace
}  // namespace mirrorproof::cli_tests
