#pragma once
// The objects of this program are compiled without optimisation: with no fault in force they must give the
// traces that the optimised program gives.

#include <cstdint>
#include <string>

namespace mirrorproof::mutants {

/// Runs `program fuzz` over the first seeds and compares its digest of all traces with that of the same runs
/// here. Prints what differs.
bool gives_the_traces_of(const std::string& program, std::uint64_t seeds);

}  // namespace mirrorproof::mutants
