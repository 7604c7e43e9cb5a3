#pragma once
// The cases of an HTML report as data: each mirror truncation and each violation, with its path, its records
// and its provenance drawing.

#include "reports/judgement_report.h"
#include "reports/report_window.h"

namespace mirrorproof::reports {

/// Cases that a page tells in full; the others are counted.
inline constexpr std::size_t kMaxPageTruncations = 60;
inline constexpr std::size_t kMaxPageViolations = 60;

/// Adds "cases" and "cases_left_out" to `page`.
void add_cases(Json& page, const JudgementView& view, const ReportWindow& window);

}  // namespace mirrorproof::reports
