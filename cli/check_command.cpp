// mirrorproof check

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/report_files.h"
#include "provenance/verifier.h"
#include "reports/problem_report.h"
#include "reports/trace_check.h"

namespace mirrorproof::cli {
namespace {

struct CheckOptions {
  std::string file;
  std::string certificate;
  ReportFileOptions files;
  OutputOptions output;
};

std::string verification_text(const provenance::Verification& verification, const std::string& file,
                              const reports::Style& style) {
  std::string out = style.bold("Certificate") + "\n";
  if (verification.holds()) {
    return out + fmt::format("  {}: {} of {}; {} without a claim\n", style.good("every claim is true"),
                             reports::counted(verification.truncations, "mirror truncation"),
                             reports::counted(verification.records, "batch"), verification.uncertified);
  }
  for (const std::string& refusal : verification.refusals) {
    out += fmt::format("  {} {}: {}\n", style.bad("refused:"), reports::safe_text(file),
                       reports::safe_text(refusal));
  }
  return out;
}

reports::Json verification_json(const provenance::Verification& verification) {
  reports::Json out;
  out["verified"] = verification.holds();
  out["truncations"] = verification.truncations;
  out["batches"] = verification.records;
  out["uncertified"] = verification.uncertified;
  out["refusals"] = verification.refusals;
  return out;
}

/// The certificate's claims against the trace; its own problems are complained about.
std::optional<provenance::Verification> verify_certificate(const CheckOptions& options,
                                                           const Terminal& terminal) {
  const provenance::ReadCertificateResult read = provenance::read_certificate_file(options.certificate);
  if (!read.ok()) {
    refuse(terminal, {fmt::format("{}: {}", options.certificate, read.problem)});
    return std::nullopt;
  }
  return provenance::verify(read.certificate, checker::read_trace_file(options.file).trace);
}

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
  std::optional<provenance::Verification> verification;
  if (!options.certificate.empty()) {
    verification = verify_certificate(options, terminal);
    if (!verification) {
      return kBadInput;
    }
  }
  files.write_html(
      [&] { return reports::trace_page(check, options.file, trace_commands_again(options.file)); });
  files.write_junit([&] { return reports::trace_junit(check, options.file, files.hints("")); });
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  if (terminal.json()) {
    reports::Json document = reports::trace_check_json(check, options.file);
    if (verification) {
      document["certificate"] = verification_json(*verification);
    }
    terminal.print_json(document);
  } else {
    std::string text = reports::trace_check_text(check, options.file, terminal.out_style());
    if (verification) {
      text += "\n" + verification_text(*verification, options.certificate, terminal.out_style());
    }
    terminal.print(text);
  }
  return check.judgement.holds() && (!verification || verification->holds()) ? kAsExpected : kViolated;
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
  command
      ->add_option("--certificate", options->certificate,
                   "Verify what explain --certificate claims of the causes, by other means than the judge's")
      ->type_name("FILE");
  add_report_options(*command, options->files);
  add_output_options(*command, options->output);
  command->footer(
      "Examples:\n"
      "  mirrorproof run my.json --trace trace.jsonl\n"
      "  mirrorproof check trace.jsonl\n"
      "  mirrorproof check trace.jsonl --html report.html\n"
      "  mirrorproof check trace.jsonl --certificate causes.json\n"
      "Exit codes: 0 every invariant holds, 1 one is broken or the certificate is refused, 2 the file is no "
      "sound trace.");
  return {command, [options] { return check_trace(*options); }};
}

}  // namespace mirrorproof::cli
