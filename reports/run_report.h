#pragma once
// The report of `mirrorproof run`: the verdict in one sentence first, then the evidence.

#include <string>

#include "reports/evaluation.h"
#include "reports/judgement_report.h"
#include "reports/style.h"

namespace mirrorproof::reports {

/// "VIOLATED, as expected: truncation-provenance is broken." Made of what is safe to print.
std::string verdict_sentence(const SeedsEvaluation& all, const Style& style);

/// `key` is the run that `all.shown` describes; it is walked again for the events that the report mentions.
std::string run_text(const scenarios::Scenario& scenario, const RunKey& key, const SeedsEvaluation& all,
                     const Style& style);
Json run_json(const scenarios::Scenario& scenario, const RunKey& key, const SeedsEvaluation& all);

}  // namespace mirrorproof::reports
