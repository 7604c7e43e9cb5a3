// mirrorproof report

#include <fmt/format.h>

#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/report_files.h"
#include "reports/limited_json.h"
#include "reports/result_file.h"
#include "reports/run_report.h"

namespace mirrorproof::cli {
namespace {

struct ReportOptions {
  std::string file;
  ReportFileOptions files;
  OutputOptions output;
};

/// What a file that a report can be made of is.
enum class ReportSource : std::uint8_t { run_result, trace, run_input };

ReportSource source_kind(const std::string& path) {
  constexpr std::size_t kEnoughToTell = 65'536;
  const std::string beginning = reports::read_beginning(path, kEnoughToTell).value_or("");
  if (reports::starts_with_field(beginning, reports::kResultMagic)) {
    return ReportSource::run_result;
  }
  const reports::LimitedJson first_line =
      reports::parse_limited_json(std::string_view(beginning).substr(0, beginning.find('\n')));
  const bool trace =
      first_line.ok() && first_line.document.is_object() && first_line.document.contains("trace");
  return trace || path.ends_with(".jsonl") ? ReportSource::trace : ReportSource::run_input;
}

int say_written(const ReportOptions& options, const std::string& verdict, const Terminal& terminal) {
  if (terminal.json()) {
    terminal.print_json({{"html", options.files.html}, {"verdict", verdict}});
  } else {
    terminal.print(fmt::format("{}\nThe report: {}\n", verdict, reports::safe_text(options.files.html)));
  }
  return kAsExpected;
}

int report_result(const ReportOptions& options, ReportFiles& files, const Terminal& terminal) {
  const auto text = reports::read_beginning(options.file, reports::kMaxFailureFileBytes + 1);
  reports::LoadResultFile loaded = reports::load_result(text.value_or(""), options.file);
  if (!loaded.result) {
    return refuse(terminal, loaded.problems);
  }
  reports::ResultFile& result = *loaded.result;
  const std::string problem = reports::run_result_again(result);
  if (!problem.empty()) {
    return refuse(terminal, {options.file + ": " + problem});
  }
  files.write_html([&] {
    return reports::run_page(
        result.scenario, result.key, result.all,
        {{"This page", "mirrorproof report " + reports::shell_word(options.file) + " --html report.html"}});
  });
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  return say_written(options, reports::verdict_sentence(result.all, reports::Style(false)), terminal);
}

int report_trace(const ReportOptions& options, ReportFiles& files, const Terminal& terminal) {
  const reports::TraceCheck check = reports::check_trace_file(options.file);
  if (!check.ok()) {
    return refuse_trace(check, options.file, terminal);
  }
  files.write_html(
      [&] { return reports::trace_page(check, options.file, trace_commands_again(options.file)); });
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  return say_written(options, check.judgement.holds() ? "HOLDS" : "VIOLATED", terminal);
}

int report_input(const ReportOptions& options, ReportFiles& files, const Terminal& terminal) {
  const auto input = load_input(options.file, {}, terminal);
  const auto selection = input ? select_and_evaluate(*input, std::nullopt, terminal) : std::nullopt;
  if (!selection) {
    return kBadInput;
  }
  files.write_html([&] {
    return reports::run_page(*input->scenario, selection->key, selection->all,
                             commands_again(options.file, *input, selection->key, {}));
  });
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  return say_written(options, reports::verdict_sentence(selection->all, reports::Style(false)), terminal);
}

int make_report(const ReportOptions& options) {
  const Terminal terminal(options.output);
  ReportFiles files(options.files);
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  switch (source_kind(options.file)) {
    case ReportSource::run_result:
      return report_result(options, files, terminal);
    case ReportSource::trace:
      return report_trace(options, files, terminal);
    case ReportSource::run_input:
      break;
  }
  return report_input(options, files, terminal);
}

}  // namespace

Command add_report(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Show an earlier result as a page");
  command
      ->add_option("RESULT", options->file, "What run --json printed, a failure file, a trace, or a scenario")
      ->required();
  add_html_options(*command, options->files);
  command->get_option("--html")->required();
  add_output_options(*command, options->output);
  command->footer(
      "Examples:\n"
      "  mirrorproof run my.json --json > result.json\n"
      "  mirrorproof report result.json --html report.html\n"
      "  mirrorproof report mirrorproof-out/fuzz/log-matching--copy-differs/seed-42.json --html report.html\n"
      "  mirrorproof report trace.jsonl --html report.html --force\n"
      "A result is shown only by the version of the program that made it, and only if its run can be "
      "repeated.\n"
      "Exit codes: 0 the page is written, 2 bad input or a path that cannot be written.");
  return {command, [options] { return make_report(*options); }};
}

}  // namespace mirrorproof::cli
