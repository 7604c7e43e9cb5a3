// mirrorproof explain

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/judged_run.h"
#include "reports/but_for_report.h"
#include "reports/certificate.h"
#include "reports/explain_report.h"

namespace mirrorproof::cli {
namespace {

struct ExplainOptions : RunArguments {
  bool but_for = false;
  std::optional<std::uint64_t> but_for_event;
};

/// Why the event cannot be taken out of the run; empty if it can.
std::string not_an_unclean_election(const scenarios::Scenario& scenario, const reports::RunKey& key,
                                    EventId event) {
  constexpr std::size_t kMostNamed = 10;
  std::vector<EventId> elections = reports::unclean_elections_of(scenario, key);
  if (std::binary_search(elections.begin(), elections.end(), event)) {
    return "";
  }
  if (elections.empty()) {
    return fmt::format("--but-for: found {}, and this run has no unclean leader election", event);
  }
  const bool more = elections.size() > kMostNamed;
  elections.resize(std::min(elections.size(), kMostNamed));
  return fmt::format(
      "--but-for: found {}, expected the event of an unclean leader election of this run: {}{}", event,
      fmt::join(elections, ", "), more ? ", ..." : "");
}

int explain_run(const ExplainOptions& options) {
  JudgedRun judged(options, "--certificate");
  if (!judged.ok()) {
    return kBadInput;
  }
  const Terminal& terminal = judged.terminal();
  const scenarios::Scenario& scenario = judged.scenario();
  const reports::Evaluation& run = judged.shown();
  std::optional<reports::ButForReport> but_for;
  if (options.but_for) {
    if (options.but_for_event) {
      const std::string problem = not_an_unclean_election(scenario, judged.key(), *options.but_for_event);
      if (!problem.empty()) {
        return refuse(terminal, {problem});
      }
    }
    but_for = reports::but_for(scenario, judged.key(), run.judgement, options.but_for_event);
  }
  const bool written = judged.write_product([&](std::ostream& out) {
    const TraceHeader header = sim::make_trace_header(scenario.setup, judged.key().seed);
    out << reports::certificate_json(header, reports::source_of(scenario, judged.key()), run.judgement)
               .dump(2)
        << '\n';
  });
  if (!written || !judged.write_reports()) {
    return kBadInput;
  }
  if (terminal.json()) {
    reports::Json document = reports::explain_json(scenario, judged.key(), run);
    if (but_for) {
      document["but_for"] = reports::but_for_json(scenario, judged.key(), run.judgement, *but_for);
    }
    terminal.print_json(document);
  } else {
    std::string text = reports::explain_text(scenario, judged.key(), run, terminal.out_style());
    if (but_for) {
      text += "\n" + reports::but_for_text(scenario, judged.key(), run.judgement, *but_for,
                                           options.but_for_event.has_value(), terminal.out_style());
    }
    terminal.print(text);
  }
  if (but_for && !but_for->holds()) {
    return kViolated;
  }
  return judged.exit_code();
}

}  // namespace

Command add_explain(CLI::App& app) {
  const auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand(
      "explain", "The causal path of each mirror truncation, from the unclean election on");
  command->add_option("FILE", options->file, "A scenario, or a failure file written by fuzz")->required();
  add_number(*command, "--seed", options->seed, 0, UINT64_MAX,
             "Seed of a scenario (default: the one run shows)");
  const auto read_but_for = [options](const std::vector<std::string>& words) {
    options->but_for = true;
    // Without an event the library hands over an empty word.
    if (words.empty() || words.front().empty()) {
      return true;
    }
    options->but_for_event = parse_number(words.front(), 1, UINT64_MAX);
    if (!options->but_for_event) {
      throw CLI::ValidationError(
          "--but-for", fmt::format("found {}, expected the number of an event, or nothing", words.front()));
    }
    return true;
  };
  command
      ->add_option("--but-for", read_but_for,
                   "Replay the run without this unclean leader election, or, without a number, without each "
                   "that is named as a cause: are the truncations gone?")
      ->expected(0, 1)
      ->type_name("[EVENT]");
  command
      ->add_option("--certificate", options->product,
                   "Write what the causes rest on, for check --certificate to verify against the trace")
      ->type_name("FILE");
  add_report_options(*command, options->files);
  add_protocol_options(*command, options->protocol);
  add_output_options(*command, options->output);
  command->footer(
      "Examples:\n"
      "  mirrorproof explain scenarios/ule-truncate-on-fetch.json\n"
      "  mirrorproof explain mirrorproof-out/fuzz/truncation-provenance--not-killed/seed-42.json\n"
      "  mirrorproof explain my.json --seed 7 --html report.html\n"
      "  mirrorproof explain scenarios/downgrade-upgrade-with-ules.json --but-for\n"
      "  mirrorproof explain my.json --certificate causes.json\n"
      "Where no unclean election explains a truncation, what is known of each removed record is listed.\n"
      "Exit codes are those of run; 1 also if --but-for shows that a cause was named wrongly.");
  return {command, [options] { return explain_run(*options); }};
}

}  // namespace mirrorproof::cli
