#pragma once
// docs/mutants.md: which invariant catches which fault, and after how many seeds. Written and read here.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/mutants/hunt.h"
#include "tests/mutants/rows.h"

namespace mirrorproof::mutants {

/// A row and what came of it.
struct Outcome {
  Row row;
  std::optional<Catch> caught;
};

/// How many seeds a fault may take that was caught at this one: draws change, chances do not.
std::uint64_t seeds_allowed(std::uint64_t caught_at);

std::string written_table(std::span<const Outcome> mutants, std::span<const Outcome> variants);

/// What a written table says of a row.
struct Stated {
  std::string name;
  std::uint64_t seed = 0;     ///< where it was caught; 0: nowhere
  std::uint64_t allowed = 0;  ///< seeds it may take
};
std::vector<Stated> read_table(const std::string& text);

}  // namespace mirrorproof::mutants
