#pragma once
// Judges a trace file, ours or a real broker's: the work and the report of `mirrorproof check`.

#include <optional>
#include <string>
#include <vector>

#include "checker/trace_reader.h"
#include "reports/judgement_report.h"
#include "reports/style.h"
#include "reports/trace_coverage.h"

namespace mirrorproof::reports {

struct TraceCheck {
  checker::TraceStreamResult reading;
  TraceHeader header;
  checker::Judgement judgement;  ///< only if the reading went well
  std::uint64_t digest = 0;
  ToldEvents told;
  std::vector<NotJudged> gaps;  ///< what the trace is silent about
  bool ok() const { return reading.ok(); }
};

/// Reads the file in bounded memory; a second time if there is something to tell.
TraceCheck check_trace_file(const std::string& path);

/// The events of a trace file that was read without problems before.
EventSource trace_source(const std::string& path);

/// Every reading problem, one a line: "FILE: line 3, ...".
std::string trace_problems_text(const TraceCheck& check, const std::string& path);

/// "every invariant holds", with what weakens it. Only if nothing is broken.
std::string held_sentence(const TraceCheck& check);

/// Both only if ok().
std::string trace_check_text(const TraceCheck& check, const std::string& path, const Style& style);
Json trace_check_json(const TraceCheck& check, const std::string& path);

}  // namespace mirrorproof::reports
