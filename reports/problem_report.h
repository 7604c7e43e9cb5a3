#pragma once
// Problems of input files, as JSON.

#include <string>
#include <vector>

#include "checker/trace_reader.h"
#include "reports/judgement_report.h"
#include "scenarios/scenario.h"

namespace mirrorproof::reports {

Json problem_json(const scenarios::Problem& problem);
Json problem_json(const checker::TraceProblem& problem, const std::string& file);

/// {"error": .., "problems": [..]}: what --json prints instead of a result.
Json bad_input_json(const std::string& error, Json problems);

}  // namespace mirrorproof::reports
