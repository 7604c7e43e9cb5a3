#pragma once
// Layout of provenance drawings by Graphviz. Its `dot` is run as a program: it needs no headers to build, and
// a machine without it still gets a drawing, a plainer one.

#include <string>
#include <vector>

#include "reports/case_graph.h"

namespace mirrorproof::reports {

/// Gives every node its size and place and every edge its course. All graphs go through one run of `dot`.
void lay_out(std::vector<CaseGraph>& graphs, const std::string& program = "dot");

}  // namespace mirrorproof::reports
