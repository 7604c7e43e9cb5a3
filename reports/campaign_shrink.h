#pragma once
// Each distinct failure of a campaign, shrunk: from the failure files that the campaign kept.

#include <string>

#include "reports/campaign.h"

namespace mirrorproof::reports {

/// Seeds of a failure that are shrunk; the smallest result is kept.
inline constexpr std::size_t kSeedsToShrink = 4;

/// Writes shrunk.json into the folder of every failure and notes it in `result`. What comes out does not
/// depend on `jobs`.
void shrink_failures(const std::string& out_dir, int jobs, CampaignResult& result);

}  // namespace mirrorproof::reports
