#include "cli/swarm_bounds_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "scenarios/swarm_bounds.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::cli {
namespace {

void lower_to(std::optional<std::uint64_t> most, sim::SwarmRange& range) {
  if (most) {
    range.max = static_cast<int>(*most);
    range.min = std::min(range.min, range.max);
  }
}

}  // namespace

void add_swarm_bounds_options(CLI::App& app, SwarmBoundsOptions& options) {
  app.add_option("--bounds", options.file,
                 "What each seed may draw: clusters, brokers, versions, faults (docs/fuzz.md)")
      ->type_name("FILE");
  add_number(app, "--max-clusters", options.max_clusters, 1, kMaxClusters, "Clusters of a seed, at most");
  add_number(app, "--max-brokers", options.max_brokers, 1, kMaxBrokers, "Brokers of a cluster, at most");
  add_number(app, "--max-partitions", options.max_partitions, 1, kMaxBrokers,
             "Partitions of a seed, at most");
  app.add_option("--versions", options.versions,
                 "Kafka releases of clusters that nothing is mirrored into, such as 2.1..3.9")
      ->type_name("FROM..TO");
  app.add_option(
         "--faults", options.faults,
         "Only faults of one class, such as unclean-elections or none (default: what each seed draws)")
      ->type_name("CLASS");
}

bool read_swarm_bounds(const SwarmBoundsOptions& options, std::optional<int> max_actions,
                       sim::SwarmOptions& swarm, const Terminal& terminal) {
  if (!options.file.empty()) {
    const auto problems = scenarios::read_swarm_bounds_file(options.file, swarm);
    if (!problems.empty()) {
      refuse(terminal, problems);
      return false;
    }
  }
  lower_to(options.max_clusters, swarm.clusters);
  lower_to(options.max_brokers, swarm.brokers);
  if (swarm.destination_brokers) {
    lower_to(options.max_brokers, *swarm.destination_brokers);
  }
  lower_to(options.max_partitions, swarm.partitions);
  if (max_actions) {
    // A run takes between a quarter and all of them.
    swarm.actions = {std::max(1, *max_actions / 4), *max_actions};
  }
  std::vector<std::string> problems;
  if (!options.versions.empty() && !scenarios::parse_version_range(options.versions, swarm)) {
    problems.push_back(
        fmt::format("--versions: found {}, expected two releases, the older one first, such as 2.1..3.9; "
                    "known are {}",
                    scenarios::in_quotes(options.versions), known_kafka_versions()));
  }
  if (const auto faults = parse_enum<sim::FaultClass>(options.faults)) {
    swarm.faults = *faults;
  } else if (!options.faults.empty()) {
    std::vector<std::string_view> names;
    for (const auto& [value, name] : EnumNames<sim::FaultClass>::entries) {
      names.push_back(name);
    }
    problems.push_back(fmt::format("--faults: found {}, expected {}", scenarios::in_quotes(options.faults),
                                   scenarios::one_of(names, options.faults)));
  }
  if (problems.empty() && sim::possible_subjects(swarm).none()) {
    problems.emplace_back(
        "--max-clusters, --versions: found bounds under which no seed has anything to draw, expected bounds "
        "that fit the subjects of --bounds");
  }
  if (!problems.empty()) {
    refuse(terminal, problems);
  }
  return problems.empty();
}

}  // namespace mirrorproof::cli
