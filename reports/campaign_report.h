#pragma once
// The report of `mirrorproof fuzz`.

#include <string>

#include "reports/campaign.h"
#include "reports/judgement_report.h"
#include "reports/style.h"

namespace mirrorproof::reports {

/// How the campaign was ended.
struct CampaignFrame {
  std::string what;  ///< "swarm", or the name of the scenario
  std::uint64_t first_seed = 0;
  Shard shard;
  std::string shard_from;  ///< who said so: "--shard", a variable; empty: the campaign is not split
  double seconds = 0;
  bool interrupted = false;
  std::string out_dir;
  std::string command;                ///< that makes it again
  std::vector<std::string> left_out;  ///< of what seeds draw: leave_out()
};

std::string campaign_text(const CampaignResult& result, const CampaignFrame& frame, const Style& style);
/// "VIOLATED: 4 of 20 seeds break an invariant."
std::string campaign_sentence(const CampaignResult& result, const Style& style);
Json campaign_json(const CampaignResult& result, const CampaignFrame& frame);

/// By name of the excuse, how many.
Json excused_json(const CampaignResult& result);

/// 1 with a failure, 3 if nothing was judged, else 0.
int exit_code_of(const CampaignResult& result);

/// "12345 seeds, 9876/s, 4.9 M actions/s"
std::string rate_text(const CampaignCounts& counts, double seconds);

}  // namespace mirrorproof::reports
