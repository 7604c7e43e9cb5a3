// mirrorproof check

#include <fmt/format.h>

#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/report_files.h"
#include "reports/problem_report.h"
#include "reports/trace_check.h"

namespace mirrorproof::cli {
namespace {

struct CheckOptions {
  std::string file;
  ReportFileOptions files;
  OutputOptions output;
};

int check_trace(const CheckOptions& options) {
  const Terminal terminal(options.output);
  ReportFiles files(options.files);
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  const reports::TraceCheck check = reports::check_trace_file(options.file);
  if (!check.ok()) {
    return refuse_trace(check, options.file, terminal);
  }
  files.write_html(
      [&] { return reports::trace_page(check, options.file, trace_commands_again(options.file)); });
  files.write_junit([&] { return reports::trace_junit(check, options.file, files.hints("")); });
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  if (terminal.json()) {
    terminal.print_json(reports::trace_check_json(check, options.file));
  } else {
    terminal.print(reports::trace_check_text(check, options.file, terminal.out_style()));
  }
  return check.judgement.holds() ? kAsExpected : kViolated;
}

}  // namespace

int refuse_trace(const reports::TraceCheck& check, const std::string& file, const Terminal& terminal) {
  std::string text = reports::trace_problems_text(check, file);
  text.pop_back();
  terminal.complain(text);
  if (terminal.json()) {
    reports::Json problems = reports::Json::array();
    for (const checker::TraceProblem& problem : check.reading.problems) {
      problems.push_back(reports::problem_json(problem, file));
    }
    terminal.print_json(reports::bad_input_json("bad input", std::move(problems)));
  }
  return kBadInput;
}

Command add_check(CLI::App& app) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Judge a trace, ours or a real broker's");
  command->add_option("TRACE", options->file, "A trace as JSON Lines (docs/traces.md)")->required();
  add_report_options(*command, options->files);
  add_output_options(*command, options->output);
  command->footer(
      "Examples:\n"
      "  mirrorproof run my.json --trace trace.jsonl\n"
      "  mirrorproof check trace.jsonl\n"
      "  mirrorproof check trace.jsonl --html report.html\n"
      "Exit codes: 0 every invariant holds, 1 one is broken, 2 the file is no sound trace.");
  return {command, [options] { return check_trace(*options); }};
}

}  // namespace mirrorproof::cli
