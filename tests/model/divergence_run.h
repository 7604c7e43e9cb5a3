#pragma once
// Runs one pair of logs of fetch-divergence.json through the real Fetcher and writes down what happened in
// the file's own format, so that a test is one comparison.

#include "vector_file.h"

namespace mirrorproof::vectors {

/// The one partition of a run.
inline constexpr PartitionId kPartition = 0;

enum class DivergencePath : std::uint8_t {
  truncate_on_fetch,
  offsets_for_leader_epoch,
  offsets_for_leader_epoch_v0,
};

/// Throws VectorError for an unknown name.
DivergencePath parse_divergence_path(const std::string& name);

/// {initial, steps, final} for `pair` = {leader, follower, ...}.
Json run_divergence(const Json& pair, DivergencePath path);

}  // namespace mirrorproof::vectors
