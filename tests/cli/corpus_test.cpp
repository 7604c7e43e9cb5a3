// The regression corpus: every run in it still ends as recorded; a campaign says so first.

#include "reports/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/campaigns.h"
#include "tests/cli/worlds.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

std::string corpus_folder() {
  return std::string(MIRRORPROOF_SOURCE_DIR) + "/tests/corpus";
}

/// Corpus, findings, and what campaigns once accused the mended protocol of for no reason, or because a mend
/// was not complete.
TEST(Corpus, EveryRunStillEndsAsRecorded) {
  const std::string root = MIRRORPROOF_SOURCE_DIR;
  const reports::Corpus corpus = reports::replay_corpus(
      {corpus_folder(), root + "/scenarios/findings", root + "/tests/data/once-accused"});
  for (const scenarios::Problem& problem : corpus.problems) {
    ADD_FAILURE() << scenarios::format_problem(problem);
  }
  EXPECT_GT(corpus.entries.size(), 40U);
  for (const reports::CorpusEntry& entry : corpus.entries) {
    EXPECT_TRUE(entry.as_recorded) << entry.file << ": " << entry.difference;
  }
}

/// A changed default must not turn a file into one that shows nothing.
TEST(Corpus, EveryFileOfItBreaksAnInvariantByScript) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(corpus_folder())) {
    if (entry.path().extension() != ".json") {
      continue;
    }
    const scenarios::LoadResult loaded = scenarios::load_scenario_file(entry.path().string());
    ASSERT_TRUE(loaded.scenario.has_value()) << entry.path();
    EXPECT_EQ(loaded.scenario->setup.name, entry.path().stem().string());
    EXPECT_EQ(loaded.scenario->expect.verdict, scenarios::Verdict::violated) << entry.path();
    EXPECT_EQ(loaded.scenario->setup.run.max_actions, 0) << entry.path() << " draws";
    EXPECT_LT(fs::file_size(entry.path()), 16'384U) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 20);
}

std::vector<std::string> call_with_corpus(const TemporaryFolder& folder, const std::string& corpus) {
  return {"fuzz",     folder.write("world.json", random_world(10, 1)),
          "--seeds",  "2",
          "--out",    folder / "out",
          "--corpus", corpus};
}

TEST(Corpus, ACampaignReplaysItFirst) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "corpus");
  fs::copy(failing_scenario_path(), folder / "corpus/one.json");
  run_program(
      {"fuzz", failing_scenario_path(), "--seeds", "1", "--max-actions", "4", "--out", folder / "found"});
  fs::copy(folder / "found/truncation-provenance--never-in-source-lineage/seed-1.json",
           folder / "corpus/two.json");
  std::vector<std::string> call = call_with_corpus(folder, folder / "corpus");
  const ProgramResult result = run_program(call);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Corpus: 2 runs, all as recorded.\n"));
  call.emplace_back("--json");
  EXPECT_EQ(parse_json(run_program(call).out)["corpus"],
            nlohmann::json::parse(R"({"runs": 2, "not_as_recorded": []})"));
}

TEST(Corpus, ARunThatEndsOtherwiseFailsTheCampaign) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "corpus");
  nlohmann::json scenario = parse_json(read_file(failing_scenario_path()));
  scenario["protocol"] = "as_proposed";
  folder.write("corpus/mended.json", scenario.dump());
  run_program(
      {"fuzz", failing_scenario_path(), "--seeds", "1", "--max-actions", "4", "--out", folder / "found"});
  nlohmann::json failure =
      parse_json(read_file(folder / "found/truncation-provenance--never-in-source-lineage/seed-1.json"));
  failure["violations"][0]["kind"] = "something-else";
  folder.write("corpus/other.json", R"({"mirrorproof_failure": 1, )" + failure.dump().substr(1));
  std::vector<std::string> call = call_with_corpus(folder, folder / "corpus");
  call.insert(call.end(), {"--junit", folder / "junit.xml", "--html", folder / "page.html"});
  const ProgramResult result = run_program(call);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, HasSubstr("Corpus: 2 of 2 runs not as recorded:\n"));
  EXPECT_THAT(result.out,
              HasSubstr("corpus/other.json: recorded: alignment-exactness (something-else); now it "
                        "breaks alignment-exactness (kept-foreign-record)\n"));
  const std::string junit = read_file(folder / "junit.xml");
  EXPECT_THAT(junit, HasSubstr("tests=\"19\" failures=\"2\""));
  EXPECT_THAT(junit, HasSubstr("name=\"corpus: " + (folder / "corpus/mended.json") + "\">"));
  EXPECT_THAT(junit, HasSubstr("Replay: mirrorproof replay " + (folder / "corpus/other.json")));
  EXPECT_THAT(read_file(folder / "page.html"), HasSubstr(R"("difference":"recorded: alignment-exactness)"));
}

TEST(Corpus, FilesThatCannotBeReadAreRefused) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "corpus");
  folder.write("corpus/bad.json", "{\"name\": 7}");
  const ProgramResult result = run_program(call_with_corpus(folder, folder / "corpus"));
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("bad.json"));
  const ProgramResult nowhere = run_program(call_with_corpus(folder, folder / "nowhere"));
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr(folder / "nowhere"));
}

}  // namespace
}  // namespace mirrorproof::cli_tests
