#pragma once
// One line that says how far a campaign or a search is: rate, coverage, time left.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "explore/explore.h"
#include "reports/campaign.h"

namespace mirrorproof::reports {

/// When a campaign ends by itself.
struct CampaignLimits {
  std::uint64_t seeds = 0;                        ///< 0: no limit
  std::optional<std::chrono::milliseconds> time;  ///< nothing: no limit
};

/// "12s: 15000 seeds, 1250/s, 380 k actions/s, coverage 310 of 331, 48s left, 0 failing". Coverage: points of
/// reachability.h that some seed came to, of those that the protocol allows.
std::string campaign_progress_text(std::chrono::milliseconds elapsed, const CampaignCounts& counts,
                                   std::size_t points_reached, const CampaignLimits& limits);

/// "12s: 600000 states, 50000/s, 99000 in the queue, depth 14, 83 % of them gone through, 2s left or more,
/// 64 MiB". With the number of states that a certificate gives, coverage and the time left are those of the
/// whole search.
std::string search_progress_text(std::chrono::milliseconds elapsed, const explore::ExploreProgress& progress,
                                 std::optional<std::uint64_t> states_in_all);

}  // namespace mirrorproof::reports
