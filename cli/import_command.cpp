// mirrorproof import

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "model/api_versions.h"
#include "reports/atomic_file.h"
#include "scenarios/import.h"

namespace mirrorproof::cli {
namespace {

struct ImportOptions {
  scenarios::ImportRequest request;
  std::optional<std::uint64_t> from;
  std::string out;
  bool force = false;
  OutputOptions output;
};

int import_files(ImportOptions& options) {
  const Terminal terminal(options.output);
  if (!options.out.empty() && !options.force && std::filesystem::exists(options.out)) {
    return refuse(terminal, {fmt::format("--out: {} exists and is kept; --force replaces it", options.out)});
  }
  if (const std::string& version = options.request.source_version;
      !version.empty() && !parse_kafka_version(version)) {
    return refuse(terminal, {fmt::format("--source-version: found \"{}\", expected one of {}",
                                         reports::safe_text(version), known_kafka_versions())});
  }
  options.request.from = static_cast<Offset>(options.from.value_or(0));
  const scenarios::ImportResult result = scenarios::import_replicas(options.request);
  for (const std::string& warning : result.warnings) {
    terminal.complain("note: " + reports::safe_text(warning));
  }
  if (!result.scenario) {
    return refuse(terminal, result.problems);
  }
  const std::string text = scenarios::to_json(*result.scenario);
  if (options.out.empty()) {
    terminal.print(text);
    return kAsExpected;
  }
  const std::string problem = reports::write_file(options.out, text);
  if (!problem.empty()) {
    return refuse(terminal, {"--out: " + problem});
  }
  if (terminal.json()) {
    terminal.print_json({{"scenario", options.out}, {"notes", result.warnings}});
  } else {
    terminal.print(fmt::format("The scenario: {}\n", reports::safe_text(options.out)));
  }
  return kAsExpected;
}

}  // namespace

Command add_import(CLI::App& app) {
  const auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app.add_subcommand("import", "Make a scenario of the logs of real replicas");
  command
      ->add_option("--source", options->request.source,
                   "A folder with a folder for each replica of the source")
      ->type_name("DIR")
      ->required();
  command->add_option("--destination", options->request.destination, "The same for the destination")
      ->type_name("DIR")
      ->required();
  command->add_option("--source-version", options->request.source_version,
                      "Kafka version of the source's brokers (default: the newest)");
  command->add_option("--name", options->request.name, "Name of the scenario (default imported)");
  command->add_option("--topic", options->request.topic, "Name of the topic (default orders)");
  add_number(*command, "--from-offset", options->from, 0, std::uint64_t{1} << 62,
             "Leave out the records below this offset");
  command->add_option("--out", options->out, "Write the scenario to a file instead of stdout")
      ->type_name("FILE");
  command->add_flag("--force", options->force, "Replace the file if it exists");
  add_output_options(*command, options->output);
  command->footer(
      "A replica's folder holds what kafka-dump-log.sh --files SEGMENT.log prints for each of its segments, "
      "as *.txt\n"
      "in the order of their names, and the broker's leader-epoch-checkpoint (docs/import.md).\n"
      "Examples:\n"
      "  mirrorproof import --source a/ --destination b/ --out my.json\n"
      "  mirrorproof import --source a/ --destination b/ --source-version 2.8 --from-offset 120000 > "
      "my.json\n"
      "Exit codes: 0 the scenario is written, 2 bad input.");
  return {command, [options] { return import_files(*options); }};
}

}  // namespace mirrorproof::cli
