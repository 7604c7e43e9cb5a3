#pragma once
// The shape of a script: what is done, by whom, in which order, with the names and numbers that do not matter
// taken out. Two shrunk scenarios of one shape tell the same story.

#include <string>

#include "sim/setup.h"

namespace mirrorproof::reports {

/// "produce a; unclean_election a a1; settle": clusters are a, b, ... and brokers 0, 1, ... in the order in
/// which the script names them; partitions are told apart only where there are several.
std::string script_shape(const sim::Setup& setup);

}  // namespace mirrorproof::reports
