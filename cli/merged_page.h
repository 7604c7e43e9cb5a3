#pragma once
// The HTML page of campaigns that were merged, or of one alone.

#include <string>

#include "reports/campaign_merge.h"

namespace mirrorproof::cli {

/// Shows the failure that matters most from its file, if that is still there.
std::string merged_page(const reports::MergedCampaigns& merged);

}  // namespace mirrorproof::cli
