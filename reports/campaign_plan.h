#pragma once
// A campaign's plan as data: everything that a seed's run depends on. Two campaigns with the same plan run
// the same thing for the same seed, so that one may go on where the other stopped, or both may be counted
// together.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/campaign.h"

namespace mirrorproof::reports {

/// {"program", "campaign", "scenario" or "swarm", "goals", "known_findings", "first_seed", "shard", "shards"}
nlohmann::json plan_json(const CampaignPlan& plan);

/// "swarm", or the name of the scenario.
std::string campaign_name(const CampaignPlan& plan);

/// What differs between two plans, a line each: "/swarm/actions/max: 400, not 200"; the first few. Fields
/// named in `ignored` (of the plan itself) may differ.
std::vector<std::string> plan_differences(nlohmann::json plan, nlohmann::json other,
                                          const std::vector<std::string>& ignored = {});

/// 16 hexadecimal digits that stand for the plan without its seeds: campaigns that may be merged have the
/// same.
std::string plan_digest(nlohmann::json plan);

/// The goals of a plan; names that this program does not know are left out.
ReachGoals plan_goals(const nlohmann::json& plan);

/// The fields of a plan that say which seeds are meant.
const std::vector<std::string>& seed_fields();

}  // namespace mirrorproof::reports
