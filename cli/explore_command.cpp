// mirrorproof explore

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/live_line.h"
#include "cli/report_files.h"
#include "explore/explore.h"
#include "reports/atomic_file.h"
#include "reports/explore_report.h"
#include "reports/progress_text.h"
#include "reports/search_certificate.h"

namespace mirrorproof::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSmallestMemory = std::uint64_t{32} << 20;

struct ExploreOptions {
  std::string file;
  std::string verify;
  std::string out = "mirrorproof-out/explore";
  std::string certificate;
  std::string memory = "2G";
  std::string symmetry;
  std::string reduction;
  std::optional<std::uint64_t> jobs;
  ReportFileOptions files;
  reports::ProtocolOverride protocol;
  OutputOptions output;
};

/// "512M", "2G", "2GB", "2GiB": bytes, with units that are binary however they are written.
std::optional<std::uint64_t> parse_memory(std::string_view text) {
  bool needs_unit = false;
  if (text.ends_with('B')) {
    text.remove_suffix(1);
    needs_unit = text.ends_with('i');
    text.remove_suffix(needs_unit ? 1 : 0);
  }
  int shift = 0;
  if (!text.empty()) {
    const char unit = text.back();
    shift = unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : unit == 'T' ? 40 : 0;
  }
  if (shift > 0) {
    text.remove_suffix(1);
  } else if (needs_unit) {
    return std::nullopt;
  }
  const auto count = parse_number(text, 1, UINT64_MAX >> shift);
  const auto bytes = count ? std::optional(*count << shift) : std::nullopt;
  return bytes && *bytes >= kSmallestMemory ? bytes : std::nullopt;
}

/// What the options say, and else `otherwise`.
explore::ExploreReductions reductions_of(const ExploreOptions& options,
                                         explore::ExploreReductions otherwise) {
  if (!options.symmetry.empty()) {
    otherwise.symmetry = options.symmetry == "on";
  }
  if (!options.reduction.empty()) {
    otherwise.partial_order = options.reduction == "on";
  }
  return otherwise;
}

explore::ExploreResult search(const scenarios::Scenario& scenario, const ExploreOptions& options,
                              const explore::ExploreReductions& reductions,
                              std::optional<std::uint64_t> states_in_all, const Terminal& terminal) {
  explore::ExploreOptions limits;
  limits.reductions = reductions;
  limits.jobs = static_cast<int>(options.jobs.value_or(std::max(1U, std::thread::hardware_concurrency())));
  limits.memory = *parse_memory(options.memory);
  catch_interrupts();
  std::atomic<bool> stop{false};
  LiveLine line(terminal);
  const auto begin = Clock::now();
  explore::ExploreResult result = explore::explore(
      scenario, limits,
      [&](const explore::ExploreProgress& now) {
        const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
        line.show(elapsed, [&] { return reports::search_progress_text(elapsed, now, states_in_all); });
        stop.store(interrupted());
      },
      stop);
  line.clear();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  terminal.complain(fmt::format("{} states in {:.1f} s, {:.0f} states/s, at most {} MiB", result.states,
                                seconds, static_cast<double>(result.states) / std::max(seconds, 1e-3),
                                result.peak_memory >> 20));
  return result;
}

int exit_code_of(const reports::ExploreReport& report) {
  if (reports::verdict_of(*report.result) == scenarios::Verdict::inconclusive) {
    return kInconclusive;
  }
  return report.as_expected ? kAsExpected : kViolated;
}

/// The page and the JUnit file that were asked for. `path` is the scenario they show.
bool write_search_reports(ReportFiles& files, const scenarios::Scenario& shown, const std::string& path,
                          const reports::ExploreReport& report) {
  reports::RunInput again;
  again.scenario = shown;
  return write_run_reports(files, path, again, reports::RunKey{}, {},
                           [&]() -> const reports::SeedsEvaluation& { return report.run; },
                           {{"states searched", std::to_string(report.result->states)},
                            {"moves tried", std::to_string(report.result->transitions)},
                            {"depth", std::to_string(report.result->depth)},
                            {"bounds", reports::bounds_text(report.scenario->bounds)},
                            {"reductions", reports::reductions_text(report.result->reductions)}});
}

int verify(const ExploreOptions& options, const Terminal& terminal) {
  const reports::LoadedSearchCertificate loaded = reports::load_search_certificate(options.verify);
  if (!loaded.problems.empty()) {
    return refuse(terminal, loaded.problems);
  }
  const scenarios::Scenario& scenario = *loaded.scenario;
  if (!options.file.empty()) {
    const auto input = load_input(options.file, options.protocol, terminal);
    if (!input) {
      return kBadInput;
    }
    if (reports::scenario_digest(*input->scenario) != reports::scenario_digest(scenario)) {
      return refuse(terminal, {fmt::format("{}: found another scenario than that of the certificate {}",
                                           options.file, options.verify)});
    }
  }
  if (const auto refused = explore::refusals(scenario); !refused.empty()) {
    return refuse(terminal, refused);
  }
  if (reductions_of(options, loaded.reductions) != loaded.reductions) {
    return refuse(terminal, {"--symmetry, --reduction: found another value than the certificate's, expected "
                             "none: a search is compared with one like it"});
  }
  ReportFiles files(options.files);
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  const auto states = loaded.document["states"].get<std::uint64_t>();
  const explore::ExploreResult result = search(scenario, options, loaded.reductions, states, terminal);
  reports::ExploreReport report = reports::make_explore_report(scenario, result);
  std::vector<std::string> differences;
  const bool complete = result.end == explore::ExploreEnd::complete;
  if (complete) {
    differences = reports::search_certificate_differences(loaded.document,
                                                          reports::search_certificate_json(scenario, result));
  }
  const bool inconclusive = reports::verdict_of(result) == scenarios::Verdict::inconclusive;
  const bool confirmed = complete && differences.empty();
  if (!confirmed) {
    report.run.as_expected = false;
    report.run.shown.not_met.insert(report.run.shown.not_met.end(), differences.begin(), differences.end());
  }
  // A counterexample is in no file here; the page brings it along.
  if (!write_search_reports(files, report.counterexample ? *report.counterexample : scenario,
                            report.counterexample ? "counterexample.json" : "scenario.json", report)) {
    return refuse(terminal, files.problems());
  }
  if (terminal.json()) {
    reports::Json document = reports::explore_json(report);
    document["verified"] = confirmed;
    document["differences"] = differences;
    terminal.print_json(document);
  } else {
    terminal.print(reports::explore_text(report, terminal.out_style()));
    for (const std::string& line : differences) {
      terminal.print(reports::safe_text(line) + "\n");
    }
    terminal.print(confirmed      ? "The certificate is confirmed.\n"
                   : inconclusive ? "The certificate is neither confirmed nor refuted.\n"
                                  : "The certificate is NOT confirmed.\n");
  }
  return inconclusive ? kInconclusive : confirmed ? kAsExpected : kViolated;
}

int explore_scenario(const ExploreOptions& options) {
  const Terminal terminal(options.output);
  if (!parse_memory(options.memory)) {
    return refuse(
        terminal,
        {fmt::format("--memory: found \"{}\", expected a size of at least 32M, such as 512M or 2GiB",
                     options.memory)});
  }
  if (!options.verify.empty()) {
    return verify(options, terminal);
  }
  if (options.file.empty()) {
    return refuse(terminal, {"FILE: found nothing, expected a scenario, or --verify with a certificate"});
  }
  const auto input = load_input(options.file, options.protocol, terminal);
  if (!input) {
    return kBadInput;
  }
  const scenarios::Scenario& scenario = *input->scenario;
  if (const auto refused = explore::refusals(scenario); !refused.empty()) {
    return refuse(terminal, refused);
  }
  if (const std::string problem = make_out_folder(options.out); !problem.empty()) {
    return refuse(terminal, {problem});
  }
  ReportFiles files(options.files);
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  const explore::ExploreResult result =
      search(scenario, options, reductions_of(options, {}), std::nullopt, terminal);
  reports::ExploreReport report = reports::make_explore_report(scenario, result);
  std::vector<std::string> problems;
  const auto write = [&](const std::string& path, const std::string& text, std::string& written) {
    if (const std::string problem = reports::write_file(path, text); !problem.empty()) {
      problems.push_back(problem);
    } else {
      written = path;
    }
  };
  const auto at = [&](const char* name) { return (std::filesystem::path(options.out) / name).string(); };
  if (report.counterexample) {
    write(at("counterexample.json"), scenarios::to_json(*report.counterexample), report.counterexample_path);
  } else if (result.end == explore::ExploreEnd::complete) {
    write(options.certificate.empty() ? at("certificate.json") : options.certificate,
          reports::search_certificate_json(scenario, result).dump(1) + "\n", report.certificate_path);
  }
  const scenarios::Scenario& shown = report.counterexample ? *report.counterexample : scenario;
  const std::string shown_path = report.counterexample ? at("counterexample.json") : options.file;
  write_search_reports(files, shown, shown_path, report);
  problems.insert(problems.end(), files.problems().begin(), files.problems().end());
  if (!problems.empty()) {
    return refuse(terminal, problems);
  }
  if (terminal.json()) {
    terminal.print_json(reports::explore_json(report));
  } else {
    terminal.print(reports::explore_text(report, terminal.out_style()));
  }
  return exit_code_of(report);
}

}  // namespace

Command add_explore(CLI::App& app) {
  const auto options = std::make_shared<ExploreOptions>();
  CLI::App* command = app.add_subcommand(
      "explore",
      "Search every run within a scenario's bounds: a certificate, or the shortest counterexample");
  command->add_option("FILE", options->file, "A scenario with bounds (not needed with --verify)");
  command->add_option("--out", options->out, "Folder for the results (default mirrorproof-out/explore)")
      ->type_name("DIR");
  command
      ->add_option("--certificate", options->certificate,
                   "Write the certificate of a complete search here (default: certificate.json in --out)")
      ->type_name("FILE");
  command->add_option("--verify", options->verify, "Search again what this certificate is about, and compare")
      ->type_name("CERT");
  const auto add_switch = [command](const std::string& name, std::string& value, const std::string& what) {
    command->add_option(name, value, what)->check(CLI::IsMember({"on", "off"}))->type_name("on|off");
  };
  add_switch("--symmetry", options->symmetry,
             "Go through one of the states that differ in the names of interchangeable brokers (default on)");
  add_switch(
      "--reduction", options->reduction,
      "Do not try every order of moves that have nothing to do with one another (default on; off within "
      "a depth bound)");
  command
      ->add_option("--memory", options->memory,
                   "Memory that the search may use, such as 512M or 12GiB (default 2G)")
      ->type_name("SIZE");
  add_number(*command, "--jobs", options->jobs, 1, 1024, "Threads (default: all cores)");
  add_report_options(*command, options->files);
  add_protocol_options(*command, options->protocol);
  add_output_options(*command, options->output);
  command->footer(
      "Examples:\n"
      "  mirrorproof explore scenarios/proofs/ule-truncate-on-fetch.json\n"
      "  mirrorproof explore my.json --protocol alignment=epoch_only --out out\n"
      "  mirrorproof explore --verify mirrorproof-out/explore/certificate.json\n"
      "A counterexample is a scenario: mirrorproof run shows it. Ctrl-C ends the search and says what was "
      "covered.\n"
      "Exit codes: 0 holds or as expected, 1 violated or not as expected, 2 bad input, 3 inconclusive "
      "(memory, "
      "Ctrl-C).");
  return {command, [options] { return explore_scenario(*options); }};
}

}  // namespace mirrorproof::cli
