#pragma once
// What but-for replays say, as text and as JSON.

#include "reports/but_for.h"
#include "reports/judgement_report.h"

namespace mirrorproof::reports {

/// A paragraph, and one line for each truncation blamed on what was taken out; with `all`, for the others
/// too.
std::string but_for_text(const scenarios::Scenario& scenario, const RunKey& key,
                         const checker::Judgement& judgement, const ButForReport& report, bool all,
                         const Style& style);
Json but_for_json(const scenarios::Scenario& scenario, const RunKey& key, const checker::Judgement& judgement,
                  const ButForReport& report);

}  // namespace mirrorproof::reports
