// mirrorproof matrix: what it fills, keeps and says.

#include "reports/matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "reports/matrix_file.h"
#include "reports/matrix_report.h"
#include "tests/cli/program.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

ProgramResult small_matrix(const std::string& out, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"matrix", "--row", "version_detection", "--row", "source 2.4",
                                     "--out",  out,     "--seeds",           "25"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

TEST(Matrix, SaysWhatEachVariantBreaksAndHowToSeeIt) {
  const TemporaryFolder folder;
  const std::string out = folder / "m";
  const ProgramResult result = small_matrix(out);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("version_detection=drop_field"), HasSubstr("VS version-safety"),
                                HasSubstr("source 2.4 fetch_only"), HasSubstr("at least 25 in each")));
  const auto document = nlohmann::json::parse(text_of(out + "/matrix.json"));
  bool seen = false;
  for (const auto& row : document["rows"]) {
    for (const auto& cell : row["cells"]) {
      EXPECT_EQ(cell["seeds"], 25);
      for (const auto& broken : cell["broken"]) {
        const ProgramResult again = run_program({"run", broken["file"].get<std::string>()});
        EXPECT_EQ(again.code, 1) << broken["file"];
        EXPECT_THAT(again.out, HasSubstr(broken["invariant"].get<std::string>()));
        seen = seen ||
               (row["name"] == "version_detection=drop_field" && broken["invariant"] == "version-safety");
      }
    }
  }
  EXPECT_TRUE(seen);
  EXPECT_THAT(text_of(out + "/matrix.md"), HasSubstr("| `version_detection=drop_field` |"));
  EXPECT_THAT(text_of(out + "/matrix.html"), HasSubstr("version_detection=drop_field"));
}

TEST(Matrix, DoesNotDependOnThreadsAndGoesOnWhereItWasStopped) {
  const TemporaryFolder folder;
  ASSERT_EQ(small_matrix(folder / "one", {"--jobs", "1"}).code, 0);
  ASSERT_EQ(small_matrix(folder / "two", {"--jobs", "3"}).code, 0);
  auto one = nlohmann::json::parse(text_of(folder / "one/matrix.json"));
  auto two = nlohmann::json::parse(text_of(folder / "two/matrix.json"));
  const auto without_folders = [](nlohmann::json& matrix) {
    for (auto& row : matrix["rows"]) {
      for (auto& cell : row["cells"]) {
        for (auto& broken : cell["broken"]) {
          broken.erase("file");
        }
      }
    }
    matrix.erase("command");
  };
  without_folders(one);
  without_folders(two);
  EXPECT_EQ(one, two);

  const auto more = [&](const char* name) {
    return run_program({"matrix", "--row", "version_detection", "--row", "source 2.4", "--out", folder / name,
                        "--seeds", "40", "--resume"});
  };
  ASSERT_EQ(more("one").code, 0);
  ASSERT_EQ(run_program({"matrix", "--row", "version_detection", "--row", "source 2.4", "--out",
                         folder / "three", "--seeds", "40"})
                .code,
            0);
  auto resumed = nlohmann::json::parse(text_of(folder / "one/matrix.json"));
  auto whole = nlohmann::json::parse(text_of(folder / "three/matrix.json"));
  without_folders(resumed);
  without_folders(whole);
  EXPECT_EQ(resumed, whole);
}

TEST(Matrix, BadInputIsRefused) {
  const TemporaryFolder folder;
  const ProgramResult row = run_program({"matrix", "--row", "no such row", "--out", folder / "m"});
  EXPECT_EQ(row.code, 2);
  EXPECT_THAT(row.err, HasSubstr("no such row"));
  const ProgramResult nothing = run_program({"matrix", "--resume", "--out", folder / "m"});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("matrix.json"));

  ASSERT_EQ(small_matrix(folder / "m").code, 0);
  const std::string good = text_of(folder / "m/matrix.json");
  const auto refused = [&](const std::string& text) {
    std::ofstream(folder / "m/matrix.json", std::ios::binary) << text;
    const ProgramResult result = small_matrix(folder / "m", {"--resume"});
    EXPECT_EQ(result.code, 2) << text.substr(0, 200);
    EXPECT_EQ(result.signal, 0);
    return result.err;
  };
  EXPECT_THAT(refused(good.substr(0, good.size() / 2)), HasSubstr("expected"));
  EXPECT_THAT(refused("{}"), HasSubstr("/mirrorproof_matrix"));
  auto changed = nlohmann::json::parse(good);
  changed["rows"][1]["name"] = "another";
  EXPECT_THAT(refused(changed.dump()), HasSubstr("/rows/1/name"));
  changed = nlohmann::json::parse(good);
  changed["rows"][0]["cells"][0]["seeds"] = -1;
  EXPECT_THAT(refused(changed.dump()), HasSubstr("/rows/0/cells/0/seeds"));
  changed = nlohmann::json::parse(good);
  changed["rows"][0]["cells"].erase(0);
  EXPECT_THAT(refused(changed.dump()), HasSubstr("/rows/0/cells"));
}

TEST(Matrix, TextOfRunsStaysText) {
  reports::Matrix matrix = reports::full_matrix();
  matrix.rows.resize(1);
  matrix.cells.resize(matrix.columns.size());
  reports::MatrixCell& cell = matrix.cells.front();
  cell.seeds = 3;
  cell.over_truncated = 7;
  cell.fetched_again = 6;
  cell.broken[checker::Invariant::log_matching] = {1, 2, "copy-diverged", "<img onerror=alert(1)>", "", ""};
  EXPECT_THAT(reports::matrix_html(matrix, "mirrorproof matrix"),
              AllOf(HasSubstr("&lt;img onerror"), Not(HasSubstr("<img"))));
  reports::Matrix read = matrix;
  read.cells.assign(read.cells.size(), {});
  ASSERT_EQ(reports::load_matrix(reports::matrix_json(matrix, "x").dump(), read), "");
  EXPECT_EQ(reports::matrix_json(read, "x"), reports::matrix_json(matrix, "x"));
  EXPECT_THAT(reports::matrix_text(matrix, reports::Style(false)),
              HasSubstr("7 records,        6 fetched again"));
  EXPECT_THAT(reports::matrix_markdown(matrix, "x"), HasSubstr("| 7 | 6 |"));
}

TEST(Matrix, EveryRowIsAProtocolOfItsOwn) {
  const reports::Matrix matrix = reports::full_matrix();
  for (std::size_t a = 0; a < matrix.rows.size(); ++a) {
    for (std::size_t b = a + 1; b < matrix.rows.size(); ++b) {
      EXPECT_NE(matrix.rows[a].name, matrix.rows[b].name);
      const bool same = matrix.rows[a].protocol == matrix.rows[b].protocol;
      EXPECT_FALSE(same && matrix.rows[a].source == matrix.rows[b].source &&
                   matrix.rows[a].block == matrix.rows[b].block)
          << matrix.rows[a].name << " and " << matrix.rows[b].name;
    }
  }
}

}  // namespace
}  // namespace mirrorproof::cli_tests
