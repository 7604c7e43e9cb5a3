#pragma once
// For programs whose model and simulator are compiled at another optimisation level than the program's: they
// must give the traces that the program gives.

#include <cstdint>
#include <string>

namespace mirrorproof::determinism {

/// Runs `program fuzz` over the first seeds and compares its digest of all traces with that of the same runs
/// here. Prints what differs.
bool gives_the_traces_of(const std::string& program, std::uint64_t seeds);

}  // namespace mirrorproof::determinism
