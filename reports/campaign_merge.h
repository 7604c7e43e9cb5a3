#pragma once
// Campaigns of one plan, counted together: shards of many machines, nights one after the other. Each distinct
// failure is there once; what overlaps, is missing or has not finished is said.

#include <string>
#include <utility>
#include <vector>

#include "reports/campaign_file.h"
#include "reports/campaign_report.h"

namespace mirrorproof::reports {

struct CampaignPart {
  std::string folder;
  CampaignFile file;
};

/// Seeds that two campaigns have both run.
struct CampaignOverlap {
  std::string folder;
  std::string other;
  std::uint64_t seeds = 0;
  bool left_out = false;  ///< all seeds of `folder` are among those of `other`: it is not counted
};

struct MergedCampaigns {
  CampaignResult result;            ///< of all that are counted
  std::vector<CampaignPart> parts;  ///< those, by first seed and shard
  std::vector<CampaignOverlap> overlaps;
  /// First seed of a campaign that was split, and a shard of it that is not there.
  std::vector<std::pair<std::uint64_t, Shard>> missing;
  double seconds = 0;  ///< of all parts

  /// Every shard is there and came to its end.
  bool complete() const;
};

/// How the plans differ, a line each; empty: they can be merged. `parts` must not be empty.
std::vector<std::string> merge_obstacles(const std::vector<CampaignPart>& parts);

/// Precondition: no obstacles. Reads the shrunk scenarios that the parts say they have.
MergedCampaigns merge_campaigns(std::vector<CampaignPart> parts);

/// How many seeds both have run.
std::uint64_t common_seeds(const CampaignFile& one, const CampaignFile& other);

/// Copies the failure files that are kept, and the shrunk scenarios, into `folder`, and has the commands in
/// `merged` name them there. What cannot be copied is noted as not saved.
void collect_failures(const std::string& folder, MergedCampaigns& merged);

CampaignFrame merged_frame(const MergedCampaigns& merged);
std::string merged_text(const MergedCampaigns& merged, const Style& style);
Json merged_json(const MergedCampaigns& merged);

}  // namespace mirrorproof::reports
