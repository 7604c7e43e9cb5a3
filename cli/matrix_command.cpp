// mirrorproof matrix

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <thread>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/matrix_keeper.h"
#include "cli/report_files.h"
#include "model/protocol_presets.h"
#include "reports/atomic_file.h"
#include "reports/campaign.h"
#include "reports/matrix.h"
#include "reports/matrix_demands.h"
#include "reports/matrix_evidence.h"
#include "reports/matrix_file.h"
#include "reports/matrix_publish.h"
#include "reports/matrix_report.h"
#include "reports/matrix_search.h"

namespace mirrorproof::cli {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kDefaultSeeds = 100;

struct MatrixOptions {
  std::optional<std::uint64_t> seeds;
  std::optional<milliseconds> time;
  std::optional<std::uint64_t> jobs;
  std::vector<std::string> rows;
  std::vector<std::string> worlds;
  bool no_shrink = false;
  std::string publish;
  std::string out = "mirrorproof-out/matrix";
  bool resume = false;
  std::vector<std::string> must_hold{"hardened"};
  ReportFileOptions files;
  OutputOptions output;
};

/// What was typed, for whoever wants to make the matrix again.
std::string command_text(const MatrixOptions& options) {
  std::string text = "mirrorproof matrix";
  if (options.seeds) {
    text += fmt::format(" --seeds {}", *options.seeds);
  }
  if (options.time) {
    const auto time = options.time->count();
    text += time % 1000 == 0 ? fmt::format(" --time {}s", time / 1000) : fmt::format(" --time {}ms", time);
  }
  for (const std::string& row : options.rows) {
    text += " --row " + reports::shell_word(row);
  }
  for (const std::string& world : options.worlds) {
    text += " --world " + reports::shell_word(world);
  }
  if (options.must_hold != MatrixOptions{}.must_hold) {
    for (const std::string& row : options.must_hold) {
      text += " --must-hold " + reports::shell_word(row);
    }
  }
  text += options.no_shrink ? " --no-shrink" : "";
  return text;
}

/// Keeps the rows that were asked for. Empty, or a complaint.
std::string select_rows(const std::vector<std::string>& wanted, reports::Matrix& matrix) {
  if (wanted.empty()) {
    return {};
  }
  std::vector<reports::MatrixRow> kept;
  for (const reports::MatrixRow& row : matrix.rows) {
    // The presets stay: the others are compared with them.
    const bool named = std::any_of(wanted.begin(), wanted.end(), [&](const std::string& text) {
      return row.name.find(text) != std::string::npos;
    });
    if (named || parse_enum<Preset>(row.name)) {
      kept.push_back(row);
    }
  }
  for (const std::string& text : wanted) {
    if (std::none_of(matrix.rows.begin(), matrix.rows.end(), [&](const reports::MatrixRow& row) {
          return row.name.find(text) != std::string::npos;
        })) {
      return fmt::format(
          "--row: found \"{}\", expected a part of a row's name, such as \"alignment\", \"source 2.4\" or "
          "\"hardened\"",
          text);
    }
  }
  matrix.rows = std::move(kept);
  matrix.cells.assign(matrix.rows.size() * matrix.columns.size(), {});
  return {};
}

/// The rows that must hold, by name; "none" is no row. Empty, or a complaint.
std::string select_demands(const std::vector<std::string>& wanted, const reports::Matrix& matrix,
                           reports::MatrixDemands& demands) {
  std::set<std::size_t> rows;
  for (const std::string& name : wanted) {
    const auto found = std::find_if(matrix.rows.begin(), matrix.rows.end(),
                                    [&](const reports::MatrixRow& row) { return row.name == name; });
    if (found != matrix.rows.end()) {
      rows.insert(static_cast<std::size_t>(found - matrix.rows.begin()));
    } else if (name != "none") {
      return fmt::format(
          "--must-hold: found \"{}\", expected the whole name of a row that is run, such as \"hardened\", or "
          "\"none\"",
          name);
    }
  }
  demands.assign(rows.begin(), rows.end());
  return {};
}

/// The worlds whose names contain one of the texts; "none" is no world. Empty, or a complaint.
std::string select_worlds(const std::vector<std::string>& wanted, std::vector<reports::MatrixWorld>& worlds) {
  if (wanted.empty()) {
    return {};
  }
  std::vector<reports::MatrixWorld> kept;
  for (const std::string& text : wanted) {
    bool found = text == "none";
    for (const reports::MatrixWorld& world : reports::matrix_worlds()) {
      if (world.name.find(text) != std::string::npos) {
        kept.push_back(world);
        found = true;
      }
    }
    if (!found) {
      return fmt::format(
          "--world: found \"{}\", expected a part of a world's name, such as \"unclean-election\", or "
          "\"none\"",
          text);
    }
  }
  worlds = std::move(kept);
  return {};
}

/// Tells the phases of the work when their time is over, and the user how far it is.
class Clockwork {
 public:
  Clockwork(const Terminal& terminal, std::optional<milliseconds> time, bool shrinks,
            std::uint64_t runs_before)
      : terminal_(terminal),
        time_(time),
        // What was found needs its share too.
        filling_(time && shrinks ? std::optional(*time * 3 / 4) : time),
        runs(runs_before),
        thread_([this] { watch(); }) {}
  ~Clockwork() {
    over_.store(true);
    thread_.join();
  }
  Clockwork(const Clockwork&) = delete;

  std::atomic<bool> stop_filling{false};
  std::atomic<bool> stop{false};

 private:
  void watch() {
    auto next = begin_ + std::chrono::seconds(5);
    while (!over_.load()) {
      std::this_thread::sleep_for(milliseconds(20));
      const auto now = Clock::now();
      const auto passed = [&](const std::optional<milliseconds>& limit) {
        return interrupted() || (limit && now - begin_ >= *limit);
      };
      if (passed(filling_)) {
        stop_filling.store(true);
      }
      if (passed(time_)) {
        stop.store(true);
      }
      if (now >= next) {
        terminal_.complain(
            fmt::format("{} runs, {} searches, {} files in {} s", runs.load(), searches.load(), files.load(),
                        std::chrono::duration_cast<std::chrono::seconds>(now - begin_).count()));
        next = now + std::chrono::seconds(5);
      }
    }
  }

  const Terminal& terminal_;
  std::optional<milliseconds> time_;
  std::optional<milliseconds> filling_;
  Clock::time_point begin_ = Clock::now();
  std::atomic<bool> over_{false};

 public:
  std::atomic<std::uint64_t> runs;
  std::atomic<std::uint64_t> searches{0};
  std::atomic<std::uint64_t> files{0};

 private:
  std::thread thread_;
};

/// A round of seeds, the searches, then all the seeds; and what shows the violations. What could not be
/// written.
std::vector<std::string> work_on(reports::Matrix& matrix, const MatrixOptions& options,
                                 const std::vector<reports::MatrixWorld>& worlds, MatrixKeeper& keeper,
                                 const Terminal& terminal) {
  const std::uint64_t seeds = options.seeds.value_or(options.time ? 0 : kDefaultSeeds);
  const int jobs = static_cast<int>(options.jobs.value_or(std::max(1U, std::thread::hardware_concurrency())));
  catch_interrupts();
  Clockwork clock(terminal, options.time, !options.no_shrink, matrix.seeds());
  const auto fill = [&](std::uint64_t until) {
    reports::fill_matrix(matrix, until, jobs, clock.stop_filling, [&] {
      clock.runs.store(matrix.seeds());
      keeper.save_sometimes(matrix);
    });
  };
  const std::uint64_t round = reports::kMatrixSeedsPerRound;
  fill(seeds == 0 ? round : std::min(seeds, round));
  std::vector<std::string> problems = reports::search_matrix(
      matrix, {.worlds = worlds, .folder = options.out, .jobs = jobs}, clock.stop_filling, [&] {
        clock.searches += 1;
        keeper.save_sometimes(matrix);
      });
  fill(seeds);
  const std::vector<std::string> more = reports::save_matrix_evidence(
      matrix, {.folder = options.out, .jobs = jobs, .shrink = !options.no_shrink}, clock.stop, [&] {
        clock.files += 1;
        keeper.save_sometimes(matrix);
      });
  problems.insert(problems.end(), more.begin(), more.end());
  return problems;
}

int make_matrix(const MatrixOptions& options) {
  const Terminal terminal(options.output);
  reports::Matrix matrix = reports::full_matrix();
  std::vector<reports::MatrixWorld> worlds = reports::matrix_worlds();
  reports::MatrixDemands demands;
  for (const std::string& problem : {select_rows(options.rows, matrix), select_worlds(options.worlds, worlds),
                                     select_demands(options.must_hold, matrix, demands)}) {
    if (!problem.empty()) {
      return refuse(terminal, {problem});
    }
  }
  if (!options.publish.empty()) {
    if (const std::string problem = reports::publish_problem(options.out, options.publish);
        !problem.empty()) {
      return refuse(terminal, {"--publish: " + problem});
    }
  }
  ReportFiles files(options.files);
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  const std::string command = command_text(options);
  MatrixKeeper keeper(options.out, command);
  if (!keeper.open(matrix, options.resume)) {
    return refuse(terminal, keeper.problems());
  }
  if (!keeper.note().empty()) {
    terminal.complain(keeper.note());
  }
  std::vector<std::string> problems = work_on(matrix, options, worlds, keeper, terminal);
  if (std::string problem = keeper.save(matrix); !problem.empty()) {
    problems.push_back(std::move(problem));
  }

  const auto at = [&](const char* name) { return (std::filesystem::path(options.out) / name).string(); };
  const auto write = [&](const std::string& path, const std::string& text) {
    if (std::string problem = reports::write_file(path, text); !problem.empty()) {
      problems.push_back(std::move(problem));
    }
  };
  write(at("matrix.md"), reports::matrix_markdown(matrix, command));
  write(at("matrix.html"), reports::matrix_html(matrix, command, options.out));
  if (!options.publish.empty()) {
    const auto more = reports::publish_matrix(matrix, command, options.out, options.publish);
    problems.insert(problems.end(), more.begin(), more.end());
  }
  files.write_junit([&] { return reports::matrix_junit(matrix, demands, options.out); });
  problems.insert(problems.end(), files.problems().begin(), files.problems().end());
  for (const std::string& problem : problems) {
    terminal.complain("mirrorproof: " + problem);
  }
  if (terminal.json()) {
    terminal.print_json(reports::matrix_json(matrix, command));
  } else {
    terminal.print(reports::matrix_text(matrix, options.out, terminal.out_style()));
    terminal.print(reports::matrix_demands_text(matrix, demands, terminal.out_style()));
    terminal.print(fmt::format("Written: {}, {}, {}; certificates, scenarios and pages beside them.\n",
                               at("matrix.md"), at("matrix.html"), keeper.path()));
    if (interrupted() || matrix.least_seeds() == 0) {
      terminal.print(fmt::format("Not finished; go on with: {} --resume --out {}\n", command,
                                 reports::shell_word(options.out)));
    }
  }
  if (!problems.empty()) {
    return kBadInput;
  }
  const scenarios::Verdict verdict = reports::demands_verdict(matrix, demands);
  if (verdict == scenarios::Verdict::violated) {
    return kViolated;
  }
  return verdict == scenarios::Verdict::inconclusive || matrix.least_seeds() == 0 ? kInconclusive
                                                                                  : kAsExpected;
}

}  // namespace

Command add_matrix(CLI::App& app) {
  const auto options = std::make_shared<MatrixOptions>();
  CLI::App* command = app.add_subcommand(
      "matrix", "The design matrix: protocol variants against fault classes, and what each breaks");
  add_number(*command, "--seeds", options->seeds, 1, 1'000'000, "Seeds of every cell (default 100)");
  add_duration(*command, "--time", options->time,
               "Stop after this time; every cell gets its share round by round");
  add_number(*command, "--jobs", options->jobs, 1, 1024, "Threads (default: all cores)");
  command
      ->add_option("--row", options->rows,
                   "Only rows whose name contains this, and the presets; may be repeated")
      ->type_name("TEXT")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option(
          "--world", options->worlds,
          "Search only the small worlds whose name contains this, or none; may be repeated (default: "
          "all)")
      ->type_name("TEXT")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--no-shrink", options->no_shrink,
                    "Save failing seeds as they are: no small scenarios, no pages of them");
  command
      ->add_option("--publish", options->publish,
                   "Write the Markdown here too, and what it links to into a folder beside it")
      ->type_name("FILE.md");
  command->add_option("--out", options->out, "Folder for the results (default mirrorproof-out/matrix)")
      ->type_name("DIR");
  command->add_flag("--resume", options->resume,
                    "Go on with the matrix in that folder, where it was stopped or killed");
  command
      ->add_option("--must-hold", options->must_hold,
                   "A row that must hold in every cell, by its whole name, or none; may be repeated "
                   "(default: hardened)")
      ->type_name("ROW")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--junit", options->files.junit,
                   "Write JUnit XML, each cell of the rows that must hold a test case")
      ->type_name("FILE");
  command->add_flag("--force", options->files.force, "Replace report files that exist");
  add_output_options(*command, options->output);
  command->footer(
      "Examples:\n"
      "  mirrorproof matrix --time 60s\n"
      "  mirrorproof matrix --row source --seeds 500\n"
      "  mirrorproof matrix --row alignment --row hardened --json\n"
      "  mirrorproof matrix --resume --seeds 1000\n"
      "  mirrorproof matrix --row hardened --time 10m --junit hardened.xml\n"
      "Ctrl-C ends it and keeps what was found; --resume goes on after a kill too.\n"
      "Exit codes: 0 every cell was run, and what must hold holds; 1 it does not; 2 bad input; 3 some cell "
      "was not run.");
  return {command, [options] { return make_matrix(*options); }};
}

}  // namespace mirrorproof::cli
