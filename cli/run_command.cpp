// mirrorproof run

#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/report_files.h"
#include "reports/run_report.h"
#include "reports/trace_file.h"

namespace mirrorproof::cli {
namespace {

struct RunOptions {
  std::string file;
  std::optional<std::uint64_t> seed;
  std::string trace;
  ReportFileOptions files;
  reports::ProtocolOverride protocol;
  OutputOptions output;
};

int run_scenario(const RunOptions& options) {
  const Terminal terminal(options.output);
  const auto input = load_input(options.file, options.protocol, terminal);
  if (!input) {
    return kBadInput;
  }
  std::optional<reports::AtomicFile> trace;
  if (!options.trace.empty()) {
    trace.emplace(options.trace);
    if (!trace->ok()) {
      return refuse(terminal, {"--trace: " + trace->error()});
    }
  }
  ReportFiles files(options.files);
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  const auto selection = select_and_evaluate(*input, options.seed, terminal);
  if (!selection) {
    return kBadInput;
  }
  if (trace) {
    const std::string problem = reports::write_run_trace(*input->scenario, selection->key, *trace);
    if (!problem.empty()) {
      return refuse(terminal, {"--trace: " + problem});
    }
  }
  files.write_html([&] {
    return reports::run_page(*input->scenario, selection->key, selection->all,
                             commands_again(options.file, *input, selection->key, options.protocol));
  });
  files.write_junit([&] {
    return reports::run_junit(
        *input->scenario, selection->all,
        files.hints(replay_command(options.file, *input, selection->key, options.protocol)));
  });
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  if (terminal.json()) {
    terminal.print_json(reports::run_json(*input->scenario, selection->key, selection->all));
  } else {
    terminal.print(reports::run_text(*input->scenario, selection->key, selection->all, terminal.out_style()));
  }
  return reports::exit_code_of(selection->all.verdict, selection->all.as_expected);
}

}  // namespace

Command add_run(CLI::App& app) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      app.add_subcommand("run", "Run a scenario: the verdict, and each truncation with its cause");
  command->add_option("FILE", options->file, "A scenario, or a failure file written by fuzz")->required();
  add_number(*command, "--seed", options->seed, 0, UINT64_MAX,
             "Only this seed (default: all the scenario has)");
  command->add_option("--trace", options->trace, "Write the trace of the run that is shown, as JSON Lines")
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
