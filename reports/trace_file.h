#pragma once
// Writes the trace of a run to a file.

#include <string>

#include "reports/atomic_file.h"
#include "reports/evaluation.h"

namespace mirrorproof::reports {

/// Walks the run once more and writes its trace (JSON Lines, docs/traces.md) into `file`. Empty, or what went
/// wrong.
std::string write_run_trace(const scenarios::Scenario& scenario, const RunKey& key, AtomicFile& file);

}  // namespace mirrorproof::reports
