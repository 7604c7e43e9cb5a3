#pragma once
// --bounds FILE and its kin: what the seeds of a campaign without a scenario may draw.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/terminal.h"
#include "sim/swarm.h"

namespace mirrorproof::cli {

struct SwarmBoundsOptions {
  std::string file;
  std::optional<std::uint64_t> max_clusters;
  std::optional<std::uint64_t> max_brokers;
  std::optional<std::uint64_t> max_partitions;
  std::string versions;
  std::string faults;

  bool any() const {
    return !file.empty() || max_clusters || max_brokers || max_partitions || !versions.empty() ||
           !faults.empty();
  }
};

void add_swarm_bounds_options(CLI::App& app, SwarmBoundsOptions& options);

/// The file first, then the options, which win. False after complaining.
bool read_swarm_bounds(const SwarmBoundsOptions& options, std::optional<int> max_actions,
                       sim::SwarmOptions& swarm, const Terminal& terminal);

}  // namespace mirrorproof::cli
