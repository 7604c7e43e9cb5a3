#pragma once
// The report of `mirrorproof explain`: each mirror truncation with its causal path, and what is known of
// every record it removed, also where the path is missing.

#include <string>

#include "reports/evaluation.h"
#include "reports/judgement_report.h"
#include "reports/style.h"

namespace mirrorproof::reports {

std::string explain_text(const scenarios::Scenario& scenario, const RunKey& key, const Evaluation& evaluation,
                         const Style& style);
Json explain_json(const scenarios::Scenario& scenario, const RunKey& key, const Evaluation& evaluation);

}  // namespace mirrorproof::reports
