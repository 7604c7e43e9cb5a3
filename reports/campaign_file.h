#pragma once
// campaign.json: what a campaign was asked for and how far it has come, kept beside its failures. It is
// written again and again while the campaign runs, each time as a whole, so that a campaign that was killed
// can go on, and so that the campaigns of several machines can be counted together.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/campaign.h"

namespace mirrorproof::reports {

inline constexpr std::string_view kCampaignMagic = "mirrorproof_campaign";
inline constexpr int kCampaignFormat = 1;

struct CampaignFile {
  nlohmann::json plan;  ///< plan_json() of the campaign
  std::uint64_t first_seed = 0;
  Shard shard;
  CampaignState state;
  double seconds = 0;     ///< that it has run, all calls together
  bool finished = false;  ///< it came to the end that it was given

  /// The seed that is number `index`; the number of a seed, or nothing if it is none of this campaign.
  std::uint64_t seed_at(std::uint64_t index) const { return first_seed + shard.index + index * shard.count; }
  std::optional<std::uint64_t> index_of(std::uint64_t seed) const;
};

/// FOLDER/campaign.json
std::string campaign_path(const std::string& folder);

std::string campaign_file_text(const CampaignFile& campaign);

struct LoadCampaignResult {
  std::optional<CampaignFile> campaign;
  std::vector<scenarios::Problem> problems;
};

/// Never throws, whatever the text. `folder` is where the failures are: it becomes part of the commands that
/// replay them.
LoadCampaignResult load_campaign(std::string_view text, const std::string& file, const std::string& folder);
LoadCampaignResult load_campaign_folder(const std::string& folder);

}  // namespace mirrorproof::reports
