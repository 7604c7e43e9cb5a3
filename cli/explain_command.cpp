// mirrorproof explain

#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/report_files.h"
#include "reports/explain_report.h"

namespace mirrorproof::cli {
namespace {

struct ExplainOptions {
  std::string file;
  std::optional<std::uint64_t> seed;
  ReportFileOptions files;
  reports::ProtocolOverride protocol;
  OutputOptions output;
};

int explain_run(const ExplainOptions& options) {
  const Terminal terminal(options.output);
  const auto input = load_input(options.file, options.protocol, terminal);
  if (!input) {
    return kBadInput;
  }
  ReportFiles files(options.files);
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  const auto selection = select_and_evaluate(*input, options.seed, terminal);
  if (!selection) {
    return kBadInput;
  }
  files.write_html([&] {
    return reports::run_page(*input->scenario, selection->key, selection->all,
                             commands_again(options.file, *input, selection->key, options.protocol));
  });
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  const reports::Evaluation& run = selection->all.shown;
  if (terminal.json()) {
    terminal.print_json(reports::explain_json(*input->scenario, selection->key, run));
  } else {
    terminal.print(reports::explain_text(*input->scenario, selection->key, run, terminal.out_style()));
  }
  return reports::exit_code_of(selection->all.verdict, selection->all.as_expected);
}

}  // namespace

Command add_explain(CLI::App& app) {
  const auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand(
      "explain", "The causal path of each mirror truncation, from the unclean election on");
  command->add_option("FILE", options->file, "A scenario, or a failure file written by fuzz")->required();
  add_number(*command, "--seed", options->seed, 0, UINT64_MAX,
             "Seed of a scenario (default: the one run shows)");
  add_html_options(*command, options->files);
  add_protocol_options(*command, options->protocol);
  add_output_options(*command, options->output);
  command->footer(
      "Examples:\n"
      "  mirrorproof explain scenarios/ule-truncate-on-fetch.json\n"
      "  mirrorproof explain mirrorproof-out/fuzz/truncation-provenance--not-killed/seed-42.json\n"
      "  mirrorproof explain my.json --seed 7 --html report.html\n"
      "Where no unclean election explains a truncation, what is known of each removed record is listed.\n"
      "Exit codes are those of run.");
  return {command, [options] { return explain_run(*options); }};
}

}  // namespace mirrorproof::cli
