// What the commands that run one scenario have in common.

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "reports/problem_report.h"

namespace mirrorproof::cli {

int refuse(const Terminal& terminal, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    terminal.complain("mirrorproof: " + line);
  }
  if (terminal.json()) {
    terminal.print_json(reports::bad_input_json("bad usage", reports::Json(lines)));
  }
  return kBadInput;
}

int refuse(const Terminal& terminal, const std::vector<scenarios::Problem>& problems) {
  reports::Json list = reports::Json::array();
  for (const scenarios::Problem& problem : problems) {
    terminal.complain(scenarios::format_problem(problem));
    list.push_back(reports::problem_json(problem));
  }
  if (terminal.json()) {
    terminal.print_json(reports::bad_input_json("bad input", std::move(list)));
  }
  return kBadInput;
}

std::optional<reports::RunInput> load_input(const std::string& path,
                                            const reports::ProtocolOverride& override,
                                            const Terminal& terminal) {
  reports::RunInput input = reports::load_run_input(path);
  if (!input.ok()) {
    std::error_code error;
    if (path.find('=') != std::string::npos && !std::filesystem::exists(path, error)) {
      // What follows "--protocol A=B" without an option of its own is the next argument.
      for (scenarios::Problem& problem : input.problems) {
        problem.expected += ", or --protocol before every NAME=VALUE";
      }
    }
    refuse(terminal, input.problems);
    return std::nullopt;
  }
  const std::vector<std::string> problems = reports::apply(override, input.scenario->setup.protocol);
  if (!problems.empty()) {
    refuse(terminal, problems);
    return std::nullopt;
  }
  return input;
}

std::optional<Selection> select_and_evaluate(const reports::RunInput& input,
                                             std::optional<std::uint64_t> seed, const Terminal& terminal) {
  const scenarios::Scenario& scenario = *input.scenario;
  Selection selection;
  if (input.failure) {
    if (seed) {
      refuse(terminal, {"--seed: a failure file holds the choices of one run; leave the option out"});
      return std::nullopt;
    }
    selection.key = input.failure->key;
    selection.all = reports::evaluate_single(scenario, selection.key);
    return selection;
  }
  const sim::RunSetup& run = scenario.setup.run;
  const bool one = seed || run.seeds == 1;
  selection.all =
      one ? reports::evaluate_single(scenario, {seed.value_or(run.first_seed), std::nullopt})
          : reports::evaluate_seeds(scenario, run.first_seed, static_cast<std::uint64_t>(run.seeds));
  selection.key.seed = selection.all.shown.seed;
  return selection;
}

}  // namespace mirrorproof::cli
