// mirrorproof replay

#include <fmt/format.h>

#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/judged_run.h"
#include "reports/replay_report.h"
#include "reports/run_report.h"

namespace mirrorproof::cli {
namespace {

struct ReplayOptions : RunArguments {
  std::optional<std::uint64_t> from;
  std::optional<std::uint64_t> until;
  std::string only = "everything";
};

/// Is the recorded run to be compared with this one? Not if it was told to differ.
bool compares(const reports::RunInput& input, const ReplayOptions& options) {
  return input.failure.has_value() && options.protocol.empty();
}

std::string digest_sentence(const reports::RunInput& input, const reports::Evaluation& run,
                            const reports::Style& style) {
  if (run.digest == input.failure->digest) {
    return fmt::format("{}: the trace is the recorded one (digest {}).\n", style.good("REPRODUCED"),
                       reports::digest_text(run.digest));
  }
  return fmt::format("{}: the trace has digest {}, the recorded one {}.\n", style.bad("NOT reproduced"),
                     reports::digest_text(run.digest), reports::digest_text(input.failure->digest));
}

void print_replay_json(const ReplayOptions& options, const JudgedRun& judged,
                       const reports::ReplayWindow& window) {
  const reports::RunInput& input = judged.input();
  const reports::Evaluation& run = judged.shown();
  const Terminal& terminal = judged.terminal();
  reports::Json document;
  document["scenario"] = judged.scenario().setup.name;
  document["seed"] = run.seed;
  document["verdict"] = to_string(judged.all().verdict);
  document["as_expected"] = judged.all().as_expected;
  document["digest"] = reports::digest_text(run.digest);
  document["reproduced"] =
      compares(input, options) ? reports::Json(run.digest == input.failure->digest) : reports::Json(nullptr);
  document["actions"] = run.actions;
  // The steps may be many: they are written as they come, as the last field.
  std::string head = document.dump(-1, ' ', false, reports::Json::error_handler_t::replace);
  head.pop_back();
  terminal.print(head + ", \"steps\": ");
  reports::replay_json(judged.scenario(), judged.key(), window,
                       [&](std::string_view text) { terminal.print(text); });
  terminal.print("}\n");
}

int replay_run(const ReplayOptions& options) {
  JudgedRun run(options, "--trace");
  if (!run.ok() || !run.write_trace() || !run.write_reports()) {
    return kBadInput;
  }
  const reports::ReplayWindow window{
      static_cast<std::uint32_t>(options.from.value_or(0)),
      static_cast<std::uint32_t>(options.until.value_or(UINT32_MAX)),
      parse_enum<reports::ReplayFocus>(options.only).value_or(reports::ReplayFocus::everything)};
  if (run.terminal().json()) {
    print_replay_json(options, run, window);
  } else {
    const reports::Style style = run.terminal().out_style();
    reports::replay_text(run.scenario(), run.key(), window, style,
                         [&](std::string_view text) { run.terminal().print(text); });
    run.terminal().print("\n" + reports::run_text(run.scenario(), run.key(), run.all(), style));
    if (compares(run.input(), options)) {
      run.terminal().print(digest_sentence(run.input(), run.shown(), style));
    }
  }
  return run.exit_code();
}

}  // namespace

Command add_replay(CLI::App& app) {
  const auto options = std::make_shared<ReplayOptions>();
  CLI::App* command = app.add_subcommand("replay", "Step through a run: each action, its events, the logs");
  command->add_option("FILE", options->file, "A failure file written by fuzz, or a scenario")->required();
  add_number(*command, "--seed", options->seed, 0, UINT64_MAX,
             "Seed of a scenario (default: the one run shows)");
  add_number(*command, "--from", options->from, 0, UINT32_MAX, "First action to show, counted from 0");
  add_number(*command, "--until", options->until, 0, UINT32_MAX, "Last action to show");
  std::vector<std::string> focuses;
  for (const auto& [focus, name] : EnumNames<reports::ReplayFocus>::entries) {
    focuses.emplace_back(name);
  }
  command
      ->add_option("--only", options->only,
                   "Show only actions with truncations, elections or states of mirrors")
      ->type_name("WHAT")
      ->check(CLI::IsMember(focuses));
  command->add_option("--trace", options->product, "Write the trace of the whole run, as JSON Lines")
      ->type_name("FILE");
  add_report_options(*command, options->files);
  add_protocol_options(*command, options->protocol);
  add_output_options(*command, options->output);
  command->footer(
      "Examples:\n"
      "  mirrorproof replay mirrorproof-out/fuzz/log-matching--copy-differs/seed-42.json\n"
      "  mirrorproof replay scenarios/ule-truncate-on-fetch.json --until 20\n"
      "  mirrorproof replay scenarios/ule-truncate-on-fetch.json --only truncations\n"
      "  mirrorproof replay my.json --seed 7 --trace trace.jsonl --html report.html\n"
      "A failure file is replayed from its recorded choices; the last line says whether the trace is the "
      "same.\n"
      "Exit codes are those of run: 1 while a failure still fails, 0 once it does not.");
  return {command, [options] { return replay_run(*options); }};
}

}  // namespace mirrorproof::cli
