#pragma once
// JUnit XML, which every CI reads: one test case for each invariant that was judged, and one for what a
// scenario expects.

#include <string>

#include "reports/campaign_report.h"
#include "reports/corpus.h"
#include "reports/evaluation.h"
#include "reports/trace_check.h"

namespace mirrorproof::reports {

/// What a failing case adds to its message: how to see more.
struct JunitHints {
  std::string replay;  ///< the command that repeats the run; may be empty
  std::string html;    ///< the page about it; may be empty
};

/// An invariant that a scenario expects to be broken passes when it is.
std::string run_junit(const scenarios::Scenario& scenario, const SeedsEvaluation& all,
                      const JunitHints& hints);
std::string trace_junit(const TraceCheck& check, const std::string& path, const JunitHints& hints);
/// Known findings do not fail; their names are printed with the case of their invariant. Each run of the
/// corpus is a case too (nullptr: none was replayed).
std::string campaign_junit(const CampaignResult& result, const CampaignFrame& frame, const JunitHints& hints,
                           const Corpus* corpus = nullptr);

}  // namespace mirrorproof::reports
