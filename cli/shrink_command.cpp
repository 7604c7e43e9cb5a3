// mirrorproof shrink

#include <fmt/format.h>

#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/report_files.h"
#include "reports/atomic_file.h"
#include "reports/shrink.h"

namespace mirrorproof::cli {
namespace {

struct ShrinkOptions {
  std::string file;
  std::optional<std::uint64_t> seed;
  std::string invariant;
  std::string kind;
  std::optional<std::uint64_t> max_runs;
  bool keep_protocol = false;
  std::string out;
  ReportFileOptions files;
  reports::ProtocolOverride protocol;
  OutputOptions output;
};

reports::Json shrunk_json(const reports::ShrinkResult& shrunk, const std::string& out) {
  reports::Json document;
  document["invariant"] = to_string(shrunk.target.invariant);
  document["kind"] = shrunk.target.kind;
  document["actions_before"] = shrunk.actions_before;
  document["steps"] = shrunk.steps;
  document["runs"] = shrunk.runs;
  document["finished"] = shrunk.finished;
  document["out"] = out.empty() ? reports::Json(nullptr) : reports::Json(out);
  document["scenario"] = reports::Json::parse(shrunk.json);
  return document;
}

/// Of the small scenario. Without --out it is in no file: the page brings it along.
bool write_small_reports(ReportFiles& files, const reports::ShrinkResult& shrunk, const std::string& out) {
  reports::RunInput input;
  input.scenario = shrunk.scenario;
  const reports::RunKey key{shrunk.scenario.setup.run.first_seed, std::nullopt};
  std::optional<reports::SeedsEvaluation> all;
  return write_run_reports(files, out.empty() ? "shrunk.json" : out, input, key, {},
                           [&]() -> const reports::SeedsEvaluation& {
                             if (!all) {
                               all = reports::evaluate_single(shrunk.scenario, key);
                             }
                             return *all;
                           });
}

int shrink_run(const ShrinkOptions& options) {
  const Terminal terminal(options.output);
  ReportFiles files(options.files);
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  const auto input = load_input(options.file, options.protocol, terminal);
  if (!input) {
    return kBadInput;
  }
  std::optional<checker::Invariant> invariant;
  if (!options.invariant.empty()) {
    invariant = parse_enum<checker::Invariant>(options.invariant);
    if (!invariant) {
      std::vector<std::string_view> names;
      for (const auto& [known, name] : EnumNames<checker::Invariant>::entries) {
        names.push_back(name);
      }
      return refuse(terminal, {fmt::format("--invariant: found \"{}\", expected one of {}", options.invariant,
                                           fmt::join(names, ", "))});
    }
  }
  const auto selection = select_and_evaluate(*input, options.seed, terminal);
  if (!selection) {
    return kBadInput;
  }
  const auto target =
      reports::target_of(selection->all.shown, input->scenario->setup.protocol, invariant, options.kind);
  if (!target) {
    return refuse(terminal, {fmt::format("{}: seed {} breaks no invariant{}; there is nothing to shrink",
                                         options.file, selection->all.shown.seed,
                                         invariant || !options.kind.empty() ? " that was asked for" : "")});
  }
  reports::ShrinkLimits limits;
  limits.max_runs = options.max_runs.value_or(limits.max_runs);
  limits.keep_protocol = options.keep_protocol;
  bool line_shown = false;
  const reports::ShrinkResult shrunk = reports::shrink(
      *input->scenario, selection->key, *target, limits, [&](const reports::ShrinkProgress& progress) {
        if (Terminal::error_is_terminal()) {
          line_shown = true;
          std::fputs(fmt::format("\r{} steps after {} runs \x1b[K", progress.steps, progress.runs).c_str(),
                     stderr);
        }
      });
  if (line_shown) {
    std::fputs("\r\x1b[K", stderr);
  }
  if (!options.out.empty()) {
    if (const std::string problem = reports::write_file(options.out, shrunk.json); !problem.empty()) {
      return refuse(terminal, {"--out: " + problem});
    }
  }
  if (!write_small_reports(files, shrunk, options.out)) {
    return refuse(terminal, files.problems());
  }
  if (terminal.json()) {
    terminal.print_json(shrunk_json(shrunk, options.out));
  } else if (options.out.empty()) {
    terminal.print(shrunk.json);
  } else {
    terminal.print(fmt::format("{} ({}): {} steps instead of {} actions, after {} runs.\n{}\n",
                               to_string(shrunk.target.invariant), shrunk.target.kind, shrunk.steps,
                               shrunk.actions_before, shrunk.runs, options.out));
  }
  return kAsExpected;
}

}  // namespace

Command add_shrink(CLI::App& app) {
  const auto options = std::make_shared<ShrinkOptions>();
  CLI::App* command = app.add_subcommand(
      "shrink", "From a failing run to the smallest scripted scenario found that fails in the same way");
  command->add_option("FILE", options->file, "A failure file written by fuzz, or a scenario")->required();
  add_number(*command, "--seed", options->seed, 0, UINT64_MAX,
             "Seed of a scenario (default: the one run shows)");
  command
      ->add_option("--invariant", options->invariant,
                   "Keep this invariant broken (default: the first broken by what is no known finding)")
      ->type_name("NAME");
  command->add_option("--kind", options->kind, "Keep this kind of violation (default: the one met first)")
      ->type_name("NAME");
  add_number(*command, "--max-runs", options->max_runs, 1, UINT64_MAX,
             "Candidates to run at most (default 200000)");
  command->add_flag(
      "--keep-protocol", options->keep_protocol,
      "Leave the protocol as it is (default: options that do not matter go back to the proposal's)");
  command->add_option("--out", options->out, "Write the scenario to this file (default: to stdout)")
      ->type_name("FILE");
  add_report_options(*command, options->files);
  add_protocol_options(*command, options->protocol);
  add_output_options(*command, options->output);
  command->footer(
      "Examples:\n"
      "  mirrorproof shrink mirrorproof-out/fuzz/log-matching--copy-diverged/seed-42.json --out small.json\n"
      "  mirrorproof shrink my.json --seed 7 --invariant epoch-identity\n"
      "  mirrorproof shrink my.json --out small.json --html small.html\n"
      "The result runs as any scenario: mirrorproof run small.json ends as expected while the violation is "
      "there.\n"
      "Exit codes: 0 shrunk, 2 bad input, or a run that breaks nothing.");
  return {command, [options] { return shrink_run(*options); }};
}

}  // namespace mirrorproof::cli
