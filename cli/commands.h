#pragma once
// The commands, one file each. Every add_* declares one and returns what runs it; the code it returns is the
// program's.

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>

#include "cli/terminal.h"
#include "reports/failure_file.h"
#include "reports/protocol_override.h"

namespace mirrorproof::cli {

struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;
};

Command add_run(CLI::App& app);
Command add_fuzz(CLI::App& app);
Command add_replay(CLI::App& app);
Command add_explain(CLI::App& app);
Command add_validate(CLI::App& app);
Command add_check(CLI::App& app);
Command add_shrink(CLI::App& app);
Command add_report(CLI::App& app);
Command add_import(CLI::App& app);
Command add_matrix(CLI::App& app);
Command add_explore(CLI::App& app);
Command add_merge(CLI::App& app);
Command add_man(CLI::App& app);

/// Loads a scenario or a failure file and changes its protocol as ordered. Nothing after complaining on
/// stderr (and, with --json, on stdout).
std::optional<reports::RunInput> load_input(const std::string& path,
                                            const reports::ProtocolOverride& override,
                                            const Terminal& terminal);

/// Bad input in words: each line to stderr, and with --json a document to stdout. Returns the exit code.
int refuse(const Terminal& terminal, const std::vector<std::string>& lines);
int refuse(const Terminal& terminal, const std::vector<scenarios::Problem>& problems);

/// Which run of the input is meant: the recorded one, the seed asked for, or, without either, all seeds.
struct Selection {
  reports::SeedsEvaluation all;
  reports::RunKey key;  ///< of the run that is shown
};
/// Nothing after complaining about --seed with a failure file.
std::optional<Selection> select_and_evaluate(const reports::RunInput& input,
                                             std::optional<std::uint64_t> seed, const Terminal& terminal);

}  // namespace mirrorproof::cli
