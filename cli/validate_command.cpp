// mirrorproof validate

#include <fmt/format.h>

#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "reports/problem_report.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::cli {
namespace {

struct ValidateOptions {
  std::vector<std::string> files;
  OutputOptions output;
};

int validate_files(const ValidateOptions& options) {
  constexpr std::size_t kLongestName = 4096;
  const Terminal terminal(options.output);
  bool all_good = true;
  reports::Json files = reports::Json::array();
  for (const std::string& file : options.files) {
    const scenarios::LoadResult loaded = scenarios::load_scenario_file(file);
    all_good = all_good && loaded.problems.empty();
    reports::Json problems = reports::Json::array();
    for (const scenarios::Problem& problem : loaded.problems) {
      problems.push_back(reports::problem_json(problem));
      if (!terminal.json()) {
        terminal.print(scenarios::format_problem(problem) + "\n");
      }
    }
    if (!terminal.json() && loaded.problems.empty()) {
      terminal.print(fmt::format("{}: {}\n", scenarios::printable(file, kLongestName),
                                 terminal.out_style().good("valid")));
    }
    files.push_back({{"file", file}, {"valid", loaded.problems.empty()}, {"problems", std::move(problems)}});
  }
  if (terminal.json()) {
    terminal.print_json(reports::Json{{"valid", all_good}, {"files", std::move(files)}});
  }
  return all_good ? kAsExpected : kBadInput;
}

}  // namespace

Command add_validate(CLI::App& app) {
  const auto options = std::make_shared<ValidateOptions>();
  CLI::App* command =
      app.add_subcommand("validate", "Check scenario files; every problem is listed with its place");
  command->add_option("FILE", options->files, "Scenario files")->required();
  add_output_options(*command, options->output);
  command->footer(
      "Examples:\n"
      "  mirrorproof validate my.json\n"
      "  mirrorproof validate scenarios/*.json --json\n"
      "Exit codes: 0 all valid, 2 a problem was found.");
  return {command, [options] { return validate_files(*options); }};
}

}  // namespace mirrorproof::cli
