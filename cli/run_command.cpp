// mirrorproof run

#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/judged_run.h"
#include "reports/run_report.h"

namespace mirrorproof::cli {
namespace {

int run_scenario(const RunArguments& options) {
  JudgedRun run(options, "--trace");
  if (!run.ok() || !run.write_trace() || !run.write_reports()) {
    return kBadInput;
  }
  if (run.terminal().json()) {
    run.terminal().print_json(reports::run_json(run.scenario(), run.key(), run.all()));
  } else {
    run.terminal().print(reports::run_text(run.scenario(), run.key(), run.all(), run.terminal().out_style()));
  }
  return run.exit_code();
}

}  // namespace

Command add_run(CLI::App& app) {
  const auto options = std::make_shared<RunArguments>();
  CLI::App* command =
      app.add_subcommand("run", "Run a scenario: the verdict, and each truncation with its cause");
  command->add_option("FILE", options->file, "A scenario, or a failure file written by fuzz")->required();
  add_number(*command, "--seed", options->seed, 0, UINT64_MAX,
             "Only this seed (default: all the scenario has)");
  command->add_option("--trace", options->product, "Write the trace of the run that is shown, as JSON Lines")
      ->type_name("FILE");
  add_report_options(*command, options->files);
  add_protocol_options(*command, options->protocol);
  add_output_options(*command, options->output);
  command->footer(
      "Examples:\n"
      "  mirrorproof run scenarios/ule-truncate-on-fetch.json\n"
      "  mirrorproof run my.json --seed 7 --trace trace.jsonl\n"
      "  mirrorproof run my.json --protocol alignment=epoch_only --html report.html\n"
      "Exit codes: 0 as expected, 1 not as expected, 2 bad input, 3 inconclusive.");
  return {command, [options] { return run_scenario(*options); }};
}

}  // namespace mirrorproof::cli
