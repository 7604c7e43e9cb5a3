// mirrorproof: arguments in, exit code out.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::cli {
namespace {

int run_program(int argc, char** argv) {
  CLI::App app(
      "Simulates Kafka cluster mirroring (KIP-1279) and judges it: once a mirror is aligned, is every "
      "truncation of it caused by an unclean leader election on the source?",
      "mirrorproof");
  app.require_subcommand(1);
  app.set_version_flag("--version", MIRRORPROOF_VERSION);
  app.footer(
      "Examples:\n"
      "  mirrorproof run scenarios/ule-truncate-on-fetch.json\n"
      "  mirrorproof fuzz --time 60s\n"
      "  mirrorproof replay mirrorproof-out/fuzz/log-matching--copy-differs/seed-42.json\n"
      "  mirrorproof COMMAND --help\n"
      "Exit codes: 0 holds or as expected, 1 violated or not as expected, 2 bad usage or bad input,\n"
      "3 inconclusive, 70 internal error.");
  const std::vector<Command> commands{add_run(app),      add_fuzz(app),   add_replay(app),  add_explain(app),
                                      add_validate(app), add_check(app),  add_shrink(app),  add_report(app),
                                      add_import(app),   add_matrix(app), add_explore(app), add_merge(app),
                                      add_man(app)};
  // The library would say no more than that a command is missing.
  const std::string_view first = argc > 1 ? argv[1] : "";
  const auto is_first = [first](const CLI::App* command) { return command->get_name() == first; };
  const std::vector<CLI::App*> known = app.get_subcommands([](const CLI::App*) { return true; });
  if (!first.empty() && first.front() != '-' && std::none_of(known.begin(), known.end(), is_first)) {
    std::vector<std::string_view> names;
    for (const CLI::App* command : known) {
      names.push_back(command->get_name());
    }
    std::fprintf(stderr, "mirrorproof: found %s, expected %s\nRun with --help for more information.\n",
                 scenarios::in_quotes(first).c_str(), scenarios::one_of(names, first).c_str());
    return kBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // The library has exit codes of its own for every way to go wrong; here all of them are bad usage.
    return app.exit(error) == 0 ? kAsExpected : kBadInput;
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) {
      return command.run();
    }
  }
  return kBadInput;
}

/// Whatever goes wrong ends in an exit code.
int guarded_main(int argc, char** argv) {
  explain_aborts();
  try {
    const int code = run_program(argc, argv);
    if (!Terminal::flush()) {
      std::fputs("mirrorproof: the output could not be written\n", stderr);
      return kInternalError;
    }
    return code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mirrorproof: internal error: %s\n", error.what());
  } catch (...) {
    std::fputs("mirrorproof: internal error\n", stderr);
  }
  return kInternalError;
}

}  // namespace
}  // namespace mirrorproof::cli

int main(int argc, char** argv) {
  return mirrorproof::cli::guarded_main(argc, argv);
}
