#pragma once
// Rows of kind "fetcher" of fetcher-behaviours.json: a real Fetcher, its followers' logs, a scripted or real
// leader, and a clock that only back-offs move.

#include "vector_file.h"

namespace mirrorproof::vectors {

/// Mismatches are test failures; what the harness does not understand is a VectorError.
void run_fetcher_row(const Json& row);

}  // namespace mirrorproof::vectors
