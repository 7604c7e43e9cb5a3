#pragma once
// The HTML report: one self-contained page about a run, a trace or a campaign. This header says what goes in;
// page_*.h make the data, html_page.h the file, reports/html/ is what the browser runs.

#include <string>
#include <vector>

#include "reports/campaign_report.h"
#include "reports/evaluation.h"
#include "reports/trace_check.h"

namespace mirrorproof::reports {

/// A command that makes the same again, ready to copy.
struct PageCommand {
  std::string what;  ///< "Run it again"
  std::string line;  ///< "mirrorproof run my.json --seed 7"
};

/// A line of the page's facts.
struct PageFact {
  std::string name;
  std::string value;
};

/// `key` is the run that `all.shown` describes; it is walked again. `facts` stand before those of the run.
std::string run_page(const scenarios::Scenario& scenario, const RunKey& key, const SeedsEvaluation& all,
                     const std::vector<PageCommand>& commands, const std::vector<PageFact>& facts = {});

/// Only for a trace that could be read. `path` is read again.
std::string trace_page(const TraceCheck& check, const std::string& path,
                       const std::vector<PageCommand>& commands);

/// The run of a campaign that its page shows: that of shown_failure().
struct CampaignExample {
  scenarios::Scenario scenario;
  RunKey key;
  SeedsEvaluation all;
};
/// `document` is what the campaign, or the merge of several, prints with --json. `example` may be nullptr:
/// nothing failed.
std::string campaign_page(const CampaignResult& result, const CampaignFrame& frame, const Json& document,
                          const CampaignExample* example, const std::vector<PageCommand>& commands);

}  // namespace mirrorproof::reports
