// mirrorproof matrix: what it fills, keeps and says.

#include "reports/matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>

#include "reports/matrix_file.h"
#include "reports/matrix_report.h"
#include "reports/matrix_search.h"
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
  std::vector<std::string> arguments{"matrix", "--row",      "version_detection", "--row", "source 2.4",
                                     "--out",  out,          "--seeds",           "25",    "--world",
                                     "none",   "--no-shrink"};
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
        const ProgramResult again = run_program({"run", out + "/" + broken["file"].get<std::string>()});
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
  // More seeds than a round has, so that two rounds are worked on.
  const auto make = [&](const std::string& name, const std::string& jobs, const std::string& seeds,
                        bool resume = false) {
    std::vector<std::string> call{
        "matrix",  "--row", "source 2.4 fetch_only", "--out",  folder / name, "--seeds", seeds,
        "--world", "none",  "--no-shrink",           "--jobs", jobs};
    if (resume) {
      call.emplace_back("--resume");
    }
    EXPECT_EQ(run_program(call).code, 0);
    return nlohmann::json::parse(text_of(folder / (name + "/matrix.json")));
  };
  const auto one = make("one", "1", "25");
  EXPECT_EQ(make("two", "3", "25"), one);
  EXPECT_EQ(make("one", "2", "40", true), make("three", "2", "40"));
}

/// The cell of a row and a class of faults.
nlohmann::json cell_of(const nlohmann::json& matrix, const std::string& row, const std::string& faults) {
  for (const auto& each : matrix["rows"]) {
    for (std::size_t i = 0; each["name"] == row && i < matrix["faults"].size(); ++i) {
      if (matrix["faults"][i] == faults) {
        return each["cells"][i];
      }
    }
  }
  ADD_FAILURE() << "no cell " << row << ", " << faults;
  return {};
}

TEST(Matrix, SearchesSmallWorldsAndShowsWhatItFinds) {
  const TemporaryFolder folder;
  const std::string out = folder / "m";
  const std::vector<std::string> arguments{"matrix",
                                           "--row",
                                           "alignment=epoch_only",
                                           "--world",
                                           "failover",
                                           "--world",
                                           "link",
                                           "--seeds",
                                           "1",
                                           "--out",
                                           out,
                                           "--publish",
                                           folder / "pages/table.md"};
  std::filesystem::create_directory(folder / "pages");
  ASSERT_EQ(run_program(arguments).code, 0);
  const auto document = nlohmann::json::parse(text_of(out + "/matrix.json"));

  // No seed of so few comes to what the search finds by the shortest way.
  const nlohmann::json broken = cell_of(document, "alignment=epoch_only", "operations")["search"];
  EXPECT_EQ(broken["verdict"], "violated");
  EXPECT_EQ(broken["invariant"], "alignment-exactness");
  EXPECT_EQ(broken["depth"], 6);
  const std::string scenario = broken["file"].get<std::string>();
  const ProgramResult shown = run_program({"run", out + "/" + scenario});
  EXPECT_EQ(shown.code, 0) << shown.out;
  EXPECT_THAT(shown.out, HasSubstr("VIOLATED, as expected: alignment-exactness is broken"));
  EXPECT_THAT(text_of(out + "/" + broken["report"].get<std::string>()), HasSubstr("</html>"));

  const nlohmann::json whole = cell_of(document, "as_proposed", "operations")["search"];
  EXPECT_EQ(whole["verdict"], "holds");
  EXPECT_EQ(whole["states"], 313);
  const std::string certificate = whole["file"].get<std::string>();
  const ProgramResult verified = run_program({"explore", "--verify", out + "/" + certificate});
  EXPECT_EQ(verified.code, 0) << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("The certificate is confirmed."));

  EXPECT_TRUE(cell_of(document, "as_proposed", "crashes")["search"].is_null());
  EXPECT_THAT(text_of(out + "/matrix.md"),
              AllOf(HasSubstr("[AE](" + scenario + " \"by the search after 6 moves"),
                    HasSubstr("[313](" + certificate + " \"certificate\")")));
  EXPECT_THAT(text_of(out + "/matrix.html"), HasSubstr("<a href=\"" + certificate + "\">313 states</a>"));

  // Every link of the published page leads somewhere.
  const std::string page = text_of(folder / "pages/table.md");
  std::size_t links = 0;
  for (std::size_t at = page.find("]("); at != std::string::npos; at = page.find("](", at + 1)) {
    const std::string target = page.substr(at + 2, page.find(' ', at) - at - 2);
    EXPECT_TRUE(std::filesystem::is_regular_file(folder / ("pages/" + target))) << target;
    links += 1;
  }
  EXPECT_GE(links, 7U);
}

TEST(Matrix, PublishingReplacesItsOwnFilesAndNoOthers) {
  const TemporaryFolder folder;
  const auto publish = [&](const std::string& row, const std::string& page) {
    return run_program({"matrix", "--row", row, "--world", "failover", "--seeds", "1", "--out", folder / "m",
                        "--publish", page});
  };
  const auto put = [](const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
  };
  const auto files = [&] {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "table")) {
      if (entry.is_regular_file()) {
        names.insert(entry.path().filename().string());
      }
    }
    return names;
  };
  const std::string page = folder / "table.md";
  ASSERT_EQ(publish("alignment=epoch_only", page).code, 0);
  const std::set<std::string> first = files();
  const std::string first_page = text_of(page);
  ASSERT_EQ(publish("epoch_bump=none", page).code, 0);
  EXPECT_NE(files(), first);
  ASSERT_EQ(publish("alignment=epoch_only", page).code, 0);
  EXPECT_EQ(files(), first);
  EXPECT_EQ(text_of(page), first_page);

  // A file of somebody else among them: nothing is touched, and nothing run.
  put(folder / "table/scenarios/mine.json", "{}");
  const ProgramResult refused = publish("epoch_bump=none", page);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("--publish: "), HasSubstr("mine.json: found a file that no earlier")));
  EXPECT_EQ(text_of(folder / "table/scenarios/mine.json"), "{}");
  EXPECT_EQ(text_of(page), first_page);

  // Somebody else's page, somebody else's folder.
  put(folder / "letter.md", "Dear reviewers,\n");
  EXPECT_EQ(publish("epoch_bump=none", folder / "letter.md").code, 2);
  EXPECT_EQ(text_of(folder / "letter.md"), "Dear reviewers,\n");
  put(folder / "notes/scenarios/mine.json", "{}");
  EXPECT_EQ(publish("epoch_bump=none", folder / "notes.md").code, 2);
  EXPECT_EQ(text_of(folder / "notes/scenarios/mine.json"), "{}");
  EXPECT_FALSE(std::filesystem::exists(folder / "notes.md"));

  // The folder of the results themselves, under two names.
  for (const std::string& own : {folder / "m.md", folder / "./table/../m.md"}) {
    const ProgramResult onto_itself = publish("epoch_bump=none", own);
    EXPECT_EQ(onto_itself.code, 2) << own;
    EXPECT_THAT(onto_itself.err, HasSubstr("is the one of --out")) << own;
  }
  EXPECT_EQ(publish("epoch_bump=none", folder / "no-extension").code, 2);
}

// The smallest world of each class in which that happens which the class is about.
TEST(Matrix, EachWorldHoldsMoreThanTheQuieterOnes) {
  reports::Matrix matrix = reports::full_matrix();
  matrix.rows.resize(1);
  matrix.cells.resize(matrix.columns.size());
  const TemporaryFolder folder;
  const std::atomic<bool> stop{false};
  EXPECT_EQ(reports::search_matrix(matrix, {.folder = folder / "m", .jobs = 2}, stop),
            std::vector<std::string>{});
  const auto states = [&](sim::FaultClass faults) {
    const auto column = std::find(matrix.columns.begin(), matrix.columns.end(), faults);
    const auto& search = matrix.cells[static_cast<std::size_t>(column - matrix.columns.begin())].search;
    return search ? search->states : 0;
  };
  using F = sim::FaultClass;
  EXPECT_GT(states(F::none), 900U);
  EXPECT_GT(states(F::crashes), states(F::none));
  EXPECT_GT(states(F::unclean_elections), states(F::crashes));
  for (const reports::MatrixWorld& world : reports::matrix_worlds()) {
    EXPECT_GT(states(world.faults), 100U) << world.name;
    EXPECT_EQ(reports::world_of(world.faults), &world);
  }
  EXPECT_EQ(reports::world_of(F::all), nullptr);
}

TEST(Matrix, SearchesAreTakenUpAgainWhenTheirFilesAreThere) {
  const TemporaryFolder folder;
  const auto make = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"matrix",  "--row", "epoch_bump=none", "--world",   "link",
                                       "--seeds", "1",     "--out",           folder / "m"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  };
  ASSERT_EQ(make({}).code, 0);
  const std::string before = text_of(folder / "m/matrix.json");
  const std::string file = cell_of(nlohmann::json::parse(before), "as_proposed", "network")["search"]["file"];
  std::filesystem::remove(folder / ("m/" + file));
  ASSERT_EQ(make({"--resume"}).code, 0);
  EXPECT_TRUE(std::filesystem::is_regular_file(folder / ("m/" + file)));
  EXPECT_EQ(text_of(folder / "m/matrix.json"), before);

  auto changed = nlohmann::json::parse(before);
  for (const char* bad :
       {"../outside.json", "certificates/../../x.json", "/etc/passwd", "elsewhere/x.json"}) {
    for (auto& cell : changed["rows"][0]["cells"]) {
      if (!cell["search"].is_null()) {
        cell["search"]["file"] = bad;
      }
    }
    std::ofstream(folder / "m/matrix.json", std::ios::binary) << changed.dump();
    const ProgramResult result = make({"--resume"});
    EXPECT_EQ(result.code, 2) << bad;
    EXPECT_THAT(result.err, HasSubstr("/search/file: found")) << bad;
  }
}

TEST(Matrix, SmallScenariosShowWhatIsNew) {
  const TemporaryFolder folder;
  const std::string out = folder / "m";
  const auto make = [&](const std::string& where, const std::string& jobs) {
    return run_program({"matrix", "--row", "stale_response_guard", "--world", "none", "--seeds", "1", "--out",
                        where, "--jobs", jobs});
  };
  ASSERT_EQ(make(out, "2").code, 0);
  const auto document = nlohmann::json::parse(text_of(out + "/matrix.json"));
  std::size_t shown = 0;
  for (const auto& row : document["rows"]) {
    for (const auto& cell : row["cells"]) {
      for (const auto& broken : cell["broken"]) {
        if (broken["scenario"] == "") {
          continue;
        }
        const ProgramResult run = run_program({"run", out + "/" + broken["scenario"].get<std::string>()});
        EXPECT_EQ(run.code, 0) << broken << run.out;
        EXPECT_THAT(run.out, AllOf(HasSubstr("VIOLATED, as expected: "),
                                   HasSubstr(broken["invariant"].get<std::string>())));
        EXPECT_TRUE(std::filesystem::is_regular_file(out + "/" + broken["report"].get<std::string>()));
        shown += 1;
      }
    }
  }
  EXPECT_GE(shown, 2U);
  ASSERT_EQ(make(folder / "again", "1").code, 0);
  EXPECT_EQ(text_of(folder / "again/matrix.json"), text_of(out + "/matrix.json"));
}

TEST(Matrix, TellsWhichWaysThroughTheFetcherOnlyOneOfTwoTakes) {
  const TemporaryFolder folder;
  ASSERT_EQ(small_matrix(folder / "m").code, 0);
  const auto document = nlohmann::json::parse(text_of(folder / "m/matrix.json"));
  const auto ways = [&](const std::string& row) {
    std::set<std::string> all;
    for (const auto& faults : document["faults"]) {
      const nlohmann::json cell = cell_of(document, row, faults);
      for (const auto& branch : cell["cost"]["branches"]) {
        all.insert(branch);
      }
    }
    return all;
  };
  const auto fallback = ways("source 2.4 fetch_then_ofle");
  const auto fetch_only = ways("source 2.4 fetch_only");
  EXPECT_TRUE(fallback.contains("fell_back") && fallback.contains("epoch_question"));
  EXPECT_FALSE(fetch_only.contains("fell_back") || fetch_only.contains("epoch_question"));
  EXPECT_TRUE(fetch_only.contains("request_refused"));
  EXPECT_THAT(text_of(folder / "m/matrix.md"), HasSubstr("only fetch_only: request_refused"));
}

TEST(Matrix, BadInputIsRefused) {
  const TemporaryFolder folder;
  const ProgramResult row = run_program({"matrix", "--row", "no such row", "--out", folder / "m"});
  EXPECT_EQ(row.code, 2);
  EXPECT_THAT(row.err, HasSubstr("no such row"));
  const ProgramResult world = run_program({"matrix", "--world", "no such world", "--out", folder / "m"});
  EXPECT_EQ(world.code, 2);
  EXPECT_THAT(world.err, HasSubstr("no such world"));
  const ProgramResult demand = run_program({"matrix", "--must-hold", "harden", "--out", folder / "m"});
  EXPECT_EQ(demand.code, 2);
  EXPECT_THAT(demand.err, HasSubstr("--must-hold: found \"harden\""));

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
  reports::MatrixBreak& broken = cell.broken[checker::Invariant::log_matching];
  broken.seeds = 1;
  broken.first_seed = 2;
  broken.kind = "copy-diverged";
  broken.message = "<img onerror=alert(1)>";
  EXPECT_THAT(reports::matrix_html(matrix, "mirrorproof matrix", "out"),
              AllOf(HasSubstr("&lt;img onerror"), Not(HasSubstr("<img"))));
  reports::Matrix read = matrix;
  read.cells.assign(read.cells.size(), {});
  ASSERT_EQ(reports::load_matrix(reports::matrix_json(matrix, "x").dump(), read), "");
  EXPECT_EQ(reports::matrix_json(read, "x"), reports::matrix_json(matrix, "x"));
  EXPECT_THAT(reports::matrix_text(matrix, "out", reports::Style(false)),
              HasSubstr("7 records,        6 fetched again"));
  EXPECT_THAT(reports::matrix_markdown(matrix, "x"), HasSubstr("| 7 | 6 |"));
}

TEST(Matrix, WhatOnlyTheSearchOfARowBreaksIsNewInIt) {
  reports::Matrix matrix = reports::full_matrix();
  const auto row_of = [&](const std::string& name) {
    const auto found = std::find_if(matrix.rows.begin(), matrix.rows.end(),
                                    [&](const reports::MatrixRow& row) { return row.name == name; });
    return static_cast<std::size_t>(found - matrix.rows.begin());
  };
  const std::size_t base = row_of("as_proposed");
  const std::size_t changed = row_of("alignment=epoch_only");
  const auto cell = [&](std::size_t row) -> reports::MatrixCell& {
    return matrix.cells[row * matrix.columns.size()];
  };
  for (const std::size_t row : {base, changed}) {
    cell(row).seeds = 10;
    cell(row).broken[checker::Invariant::alignment_exactness].seeds = 1;
    cell(row).search.emplace();
  }
  cell(base).search->verdict = scenarios::Verdict::holds;
  cell(changed).search->verdict = scenarios::Verdict::violated;
  cell(changed).search->invariant = checker::Invariant::alignment_exactness;
  cell(changed).search->file = "scenarios/short.json";
  const auto marks = reports::matrix_marks(matrix, changed, 0);
  ASSERT_EQ(marks.size(), 1U);
  EXPECT_TRUE(marks[0].news);
  EXPECT_EQ(marks[0].file(), "scenarios/short.json");
  // Where the search of the preset breaks it too, or only seeds do, it is no news.
  cell(base).search = cell(changed).search;
  EXPECT_FALSE(reports::matrix_marks(matrix, changed, 0)[0].news);
  cell(base).search.reset();
  cell(changed).search.reset();
  EXPECT_FALSE(reports::matrix_marks(matrix, changed, 0)[0].news);
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
