#pragma once
// Bounds of a swarm as a file: what each seed of a campaign without a scenario may draw
// (swarm-bounds.schema.json, docs/fuzz.md).

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.h"
#include "sim/swarm.h"

namespace mirrorproof::scenarios {

/// Narrows `options` to what the text says; what it leaves out stays. Every problem, in the order of the
/// text; with any, `options` means nothing. Never throws, whatever the text.
std::vector<Problem> read_swarm_bounds(std::string_view text, std::string_view file_name,
                                       sim::SwarmOptions& options);
std::vector<Problem> read_swarm_bounds_file(const std::string& path, sim::SwarmOptions& options);

/// "2.1..3.9" or "2.1": the releases from and to; nothing for any other text or if they are the wrong way
/// round.
bool parse_version_range(std::string_view text, sim::SwarmOptions& options);

}  // namespace mirrorproof::scenarios
