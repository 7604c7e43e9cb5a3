// mirrorproof report

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/merged_page.h"
#include "cli/report_files.h"
#include "reports/campaign_merge.h"
#include "reports/limited_json.h"
#include "reports/matrix_evidence.h"
#include "reports/matrix_file.h"
#include "reports/matrix_report.h"
#include "reports/result_file.h"
#include "reports/run_report.h"

namespace mirrorproof::cli {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::string file;
  ReportFileOptions files;
  OutputOptions output;
};

/// What a file that a report can be made of is.
enum class ReportSource : std::uint8_t {
  run_result,
  campaign,
  matrix,
  search,
  campaign_numbers,
  trace,
  run_input
};

ReportSource source_kind(const std::string& path) {
  constexpr std::size_t kEnoughToTell = 65'536;
  const std::string beginning = reports::read_beginning(path, kEnoughToTell).value_or("");
  if (reports::starts_with_field(beginning, reports::kResultMagic)) {
    return ReportSource::run_result;
  }
  if (reports::starts_with_field(beginning, "mirrorproof_campaign")) {
    return ReportSource::campaign;
  }
  if (reports::starts_with_field(beginning, "mirrorproof_matrix")) {
    return ReportSource::matrix;
  }
  if (reports::starts_with_field(beginning, "mirrorproof_certificate") ||
      reports::starts_with_field(beginning, "scenario")) {
    return ReportSource::search;
  }
  if (reports::starts_with_field(beginning, "campaign")) {
    return ReportSource::campaign_numbers;
  }
  const reports::LimitedJson first_line =
      reports::parse_limited_json(std::string_view(beginning).substr(0, beginning.find('\n')));
  const bool trace =
      first_line.ok() && first_line.document.is_object() && first_line.document.contains("trace");
  return trace || path.ends_with(".jsonl") ? ReportSource::trace : ReportSource::run_input;
}

int write_page(const ReportOptions& options, ReportFiles& files, const Terminal& terminal,
               const std::string& verdict, const std::function<std::string()>& make) {
  if (!files.write_html(make)) {
    return refuse(terminal, files.problems());
  }
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
  return write_page(
      options, files, terminal, reports::verdict_sentence(result.all, reports::Style(false)), [&] {
        return reports::run_page(result.scenario, result.key, result.all,
                                 {{"This page", "mirrorproof report " + reports::shell_word(options.file) +
                                                    " --html report.html"}});
      });
}

int report_campaign(const ReportOptions& options, ReportFiles& files, const Terminal& terminal) {
  const fs::path path(options.file);
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  if (fs::path(reports::campaign_path(folder)).filename() != path.filename()) {
    return refuse(terminal, {options.file + ": found what a campaign left, under another name; expected "
                                            "campaign.json in its folder, beside its failures"});
  }
  reports::LoadCampaignResult loaded = reports::load_campaign_folder(folder);
  if (!loaded.campaign) {
    return refuse(terminal, loaded.problems);
  }
  std::vector<reports::CampaignPart> parts;
  parts.push_back({folder, std::move(*loaded.campaign)});
  const reports::MergedCampaigns campaign = reports::merge_campaigns(std::move(parts));
  return write_page(options, files, terminal,
                    reports::campaign_sentence(campaign.result, reports::Style(false)),
                    [&] { return merged_page(campaign); });
}

int report_matrix(const ReportOptions& options, ReportFiles& files, const Terminal& terminal) {
  const auto text = reports::read_beginning(options.file, reports::kMaxMatrixFileBytes);
  reports::LoadedMatrix loaded = reports::load_matrix(text.value_or(""));
  if (!loaded.problem.empty()) {
    return refuse(terminal, {options.file + ": " + loaded.problem});
  }
  const fs::path folder = fs::path(options.file).parent_path();
  reports::forget_missing_evidence(loaded.matrix, folder.string());
  std::error_code error;
  const fs::path page = fs::absolute(options.files.html, error).parent_path();
  const std::string links = fs::relative(fs::absolute(folder, error), page, error).generic_string();
  return write_page(options, files, terminal, fmt::format("{} rows", loaded.matrix.rows.size()), [&] {
    return reports::matrix_html(loaded.matrix, loaded.command, folder.string(),
                                links.empty() || links == "." ? "" : links + "/");
  });
}

int report_trace(const ReportOptions& options, ReportFiles& files, const Terminal& terminal) {
  const reports::TraceCheck check = reports::check_trace_file(options.file);
  if (!check.ok()) {
    return refuse_trace(check, options.file, terminal);
  }
  return write_page(options, files, terminal, check.judgement.holds() ? "HOLDS" : "VIOLATED", [&] {
    return reports::trace_page(check, options.file, trace_commands_again(options.file));
  });
}

int report_input(const ReportOptions& options, ReportFiles& files, const Terminal& terminal) {
  const auto input = load_input(options.file, {}, terminal);
  const auto selection = input ? select_and_evaluate(*input, std::nullopt, terminal) : std::nullopt;
  if (!selection) {
    return kBadInput;
  }
  return write_page(options, files, terminal,
                    reports::verdict_sentence(selection->all, reports::Style(false)), [&] {
                      return reports::run_page(*input->scenario, selection->key, selection->all,
                                               commands_again(options.file, *input, selection->key, {}));
                    });
}

/// The file that a folder of results is about; other paths as they are.
std::string result_in(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return path;
  }
  for (const std::string& file : {reports::campaign_path(path), (fs::path(path) / "matrix.json").string()}) {
    if (fs::is_regular_file(file, error)) {
      return file;
    }
  }
  return path;
}

int make_report(const ReportOptions& given) {
  ReportOptions options = given;
  options.file = result_in(given.file);
  const Terminal terminal(options.output);
  ReportFiles files(options.files);
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  switch (source_kind(options.file)) {
    case ReportSource::run_result:
      return report_result(options, files, terminal);
    case ReportSource::campaign:
      return report_campaign(options, files, terminal);
    case ReportSource::matrix:
      return report_matrix(options, files, terminal);
    case ReportSource::search:
      return refuse(
          terminal,
          {options.file + ": found what a search came to, expected a run, a campaign, a matrix or a trace; "
                          "mirrorproof explore --verify CERTIFICATE --html FILE searches again and "
                          "shows it, and a counterexample is a scenario like any other"});
    case ReportSource::campaign_numbers:
      return refuse(terminal, {options.file + ": found what fuzz or merge printed with --json, expected the "
                                              "folder of the campaign, which has its failures too"});
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
      ->add_option("RESULT", options->file,
                   "What run --json printed, a failure file, a trace or a scenario; the folder of a campaign "
                   "or a matrix")
      ->required();
  add_html_options(*command, options->files);
  command->get_option("--html")->required();
  add_output_options(*command, options->output);
  command->footer(
      "Examples:\n"
      "  mirrorproof run my.json --json > result.json\n"
      "  mirrorproof report result.json --html report.html\n"
      "  mirrorproof report mirrorproof-out/fuzz/log-matching--copy-differs/seed-42.json --html report.html\n"
      "  mirrorproof report mirrorproof-out/fuzz --html campaign.html\n"
      "  mirrorproof report trace.jsonl --html report.html --force\n"
      "A result is shown only by the version of the program that made it, and only if its run can be "
      "repeated.\n"
      "Exit codes: 0 the page is written, 2 bad input or a path that cannot be written.");
  return {command, [options] { return make_report(*options); }};
}

}  // namespace mirrorproof::cli
