#pragma once
// Small random worlds to search: clusters, versions, bounds, a script before the search, and every other time
// a protocol that is wrong.

#include <cstdint>

#include "scenarios/scenario.h"

namespace mirrorproof::explore {

/// Always the same for a seed; a search of it takes a fraction of a second, or stops at `depth`.
scenarios::Scenario random_world(std::uint64_t seed);

/// `otherwise`, or what MIRRORPROOF_WALKS asks for.
int wanted_walks(int otherwise);

}  // namespace mirrorproof::explore
