// mirrorproof matrix

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/report_files.h"
#include "reports/atomic_file.h"
#include "reports/campaign.h"
#include "reports/limited_json.h"
#include "reports/matrix.h"
#include "reports/matrix_file.h"
#include "reports/matrix_report.h"

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
  std::string out = "mirrorproof-out/matrix";
  bool resume = false;
  OutputOptions output;
};

/// What was typed, for whoever wants to make the matrix again.
std::string command_text(const MatrixOptions& options) {
  std::string text = "mirrorproof matrix";
  if (options.seeds) {
    text += fmt::format(" --seeds {}", *options.seeds);
  }
  if (options.time) {
    text += fmt::format(" --time {}ms", options.time->count());
  }
  for (const std::string& row : options.rows) {
    text += " --row " + reports::shell_word(row);
  }
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

std::string read_earlier(const std::string& path, reports::Matrix& matrix) {
  if (!std::filesystem::exists(path)) {
    return fmt::format("--resume: found no file {}, expected the matrix.json of an earlier call", path);
  }
  const auto text = reports::read_beginning(path, reports::kMaxMatrixFileBytes + 1);
  if (!text) {
    return path + ": cannot be read";
  }
  if (text->size() > reports::kMaxMatrixFileBytes) {
    return fmt::format("{}: found more than {} bytes, expected a matrix", path, reports::kMaxMatrixFileBytes);
  }
  const std::string problem = reports::load_matrix(*text, matrix);
  return problem.empty() ? problem : path + ": " + problem;
}

int make_matrix(const MatrixOptions& options) {
  const Terminal terminal(options.output);
  reports::Matrix matrix = reports::full_matrix();
  if (const std::string problem = select_rows(options.rows, matrix); !problem.empty()) {
    return refuse(terminal, {problem});
  }
  const auto at = [&](const char* name) { return (std::filesystem::path(options.out) / name).string(); };
  const std::string json_path = at("matrix.json");
  if (options.resume) {
    if (const std::string problem = read_earlier(json_path, matrix); !problem.empty()) {
      return refuse(terminal, {problem});
    }
  }
  if (const std::string problem = make_out_folder(options.out); !problem.empty()) {
    return refuse(terminal, {problem});
  }
  const std::uint64_t seeds = options.seeds.value_or(options.time ? 0 : kDefaultSeeds);
  const int jobs = static_cast<int>(options.jobs.value_or(std::max(1U, std::thread::hardware_concurrency())));

  catch_interrupts();
  std::atomic<bool> stop{false};
  std::atomic<bool> over{false};
  std::atomic<std::uint64_t> done{matrix.seeds()};
  const auto begin = Clock::now();
  std::thread watch([&] {
    auto next = begin + std::chrono::seconds(5);
    while (!over.load()) {
      std::this_thread::sleep_for(milliseconds(20));
      const auto now = Clock::now();
      if ((options.time && now - begin >= *options.time) || interrupted()) {
        stop.store(true);
      }
      if (now >= next) {
        terminal.complain(fmt::format("{} runs in {} s", done.load(),
                                      std::chrono::duration_cast<std::chrono::seconds>(now - begin).count()));
        next = now + std::chrono::seconds(5);
      }
    }
  });
  reports::fill_matrix(matrix, seeds, jobs, stop, [&](std::uint64_t runs) { done.store(runs); });
  over.store(true);
  watch.join();

  const std::string command = command_text(options);
  std::vector<std::string> problems;
  const auto keep = [&](std::string problem) {
    if (!problem.empty()) {
      problems.push_back(std::move(problem));
    }
  };
  keep(reports::save_matrix_failures(matrix, at("failures")));
  const reports::Json document = reports::matrix_json(matrix, command);
  keep(reports::write_file(json_path, document.dump(1) + "\n"));
  keep(reports::write_file(at("matrix.md"), reports::matrix_markdown(matrix, command)));
  keep(reports::write_file(at("matrix.html"), reports::matrix_html(matrix, command)));
  for (const std::string& problem : problems) {
    terminal.complain("mirrorproof: " + problem);
  }
  if (terminal.json()) {
    terminal.print_json(document);
  } else {
    terminal.print(reports::matrix_text(matrix, terminal.out_style()));
    terminal.print(fmt::format("Written: {}, {}, {}; failures to replay below {}.\n", at("matrix.md"),
                               at("matrix.html"), json_path, at("failures")));
    if (interrupted() || matrix.least_seeds() == 0) {
      terminal.print(fmt::format("Not finished; go on with: {} --resume --out {}\n", command,
                                 reports::shell_word(options.out)));
    }
  }
  if (!problems.empty()) {
    return kBadInput;
  }
  return matrix.least_seeds() == 0 ? kInconclusive : kAsExpected;
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
  command->add_option("--out", options->out, "Folder for the results (default mirrorproof-out/matrix)")
      ->type_name("DIR");
  command->add_flag("--resume", options->resume, "Go on with the matrix.json in that folder");
  add_output_options(*command, options->output);
  command->footer(
      "Examples:\n"
      "  mirrorproof matrix --time 60s\n"
      "  mirrorproof matrix --row source --seeds 500\n"
      "  mirrorproof matrix --row alignment --row hardened --json\n"
      "  mirrorproof matrix --resume --seeds 1000\n"
      "Ctrl-C ends it and keeps what was found.\n"
      "Exit codes: 0 every cell was run, 2 bad input, 3 some cell was not.");
  return {command, [options] { return make_matrix(*options); }};
}

}  // namespace mirrorproof::cli
