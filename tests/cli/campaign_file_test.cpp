// campaign.json: what is written is read back; what somebody changed is refused with its place.

#include "reports/campaign_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "reports/campaign_plan.h"
#include "tests/cli/program.h"

namespace mirrorproof::reports {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

CampaignFile campaign_example() {
  CampaignPlan plan;
  plan.first_seed = 10;
  plan.shard = {1, 4};
  plan.known = known_findings_of(plan.swarm.protocol);
  CampaignFile file;
  file.plan = plan_json(plan);
  file.first_seed = plan.first_seed;
  file.shard = plan.shard;
  file.seconds = 1.5;
  CampaignResult& result = file.state.result;
  result.digest_seeds = 3;
  result.digest = 0x1234;
  file.state.early_digests = {{4, 77}, {6, 78}};
  file.state.first_trace = 99;
  file.state.first_inconclusive = 2;
  result.first_problem = "/steps/0: cannot";
  result.inconclusive = 1;
  result.counts = {5, 1000, 2000, 2};
  result.consequences = 3;
  result.truncations = 8;
  result.justified_truncations = 7;
  result.unclean_elections = 6;
  FailureGroup& group = result.failures[{checker::Invariant::log_matching, "copy-diverged"}];
  group.seeds = 2;
  group.first_seed = 11;
  group.message = "a \"message\" with \x01 in it";
  group.replay = "mirrorproof replay out/log-matching--copy-diverged/seed-11.json";
  group.kept_seeds = {11, 35};
  group.shrunk_file = "out/log-matching--copy-diverged/shrunk.json";
  group.shrunk_steps = 4;
  result.known["restart-aligns-from-scratch"] = {1, 15};
  result.reachability.add(3, ReachCount{4, 11});
  return file;
}

TEST(CampaignFile, IsReadBackAsItWasWritten) {
  const std::string text = campaign_file_text(campaign_example());
  const LoadCampaignResult loaded = load_campaign(text, "out/campaign.json", "out");
  ASSERT_TRUE(loaded.campaign.has_value()) << scenarios::format_problem(loaded.problems.at(0));
  EXPECT_EQ(campaign_file_text(*loaded.campaign), text);
  EXPECT_EQ(loaded.campaign->plan, campaign_example().plan);
  const CampaignResult& result = loaded.campaign->state.result;
  EXPECT_EQ(result.counts.seeds, 5U);
  const FailureGroup& group = result.failures.begin()->second;
  EXPECT_EQ(group.replay, campaign_example().state.result.failures.begin()->second.replay);
  EXPECT_EQ(group.shrunk_file, "out/log-matching--copy-diverged/shrunk.json");
  EXPECT_EQ(group.message, "a \"message\" with \x01 in it");
}

TEST(CampaignFile, ASeedHasOneIndex) {
  const CampaignFile file = campaign_example();
  EXPECT_EQ(file.seed_at(0), 11U);
  EXPECT_EQ(file.seed_at(6), 35U);
  EXPECT_EQ(file.index_of(35), 6U);
  EXPECT_EQ(file.index_of(34), std::nullopt);
}

struct CampaignDamage {
  std::string pointer;    ///< what is changed
  json value;             ///< into this; discarded: taken out
  std::string complaint;  ///< part of the problem
};
void PrintTo(const CampaignDamage& damage, std::ostream* out) {
  *out << damage.pointer;
}

class CampaignFileDamaged : public testing::TestWithParam<CampaignDamage> {};

TEST_P(CampaignFileDamaged, IsRefusedWithItsPlace) {
  json document = json::parse(campaign_file_text(campaign_example()));
  const json::json_pointer place(GetParam().pointer);
  if (GetParam().value.is_discarded()) {
    document.at(place.parent_pointer()).erase(place.back());
  } else {
    document[place] = GetParam().value;
  }
  const LoadCampaignResult loaded = load_campaign(document.dump(), "out/campaign.json", "out");
  EXPECT_FALSE(loaded.campaign.has_value());
  ASSERT_FALSE(loaded.problems.empty());
  EXPECT_THAT(scenarios::format_problem(loaded.problems[0]),
              HasSubstr("out/campaign.json: " + GetParam().complaint));
}

const json kFieldGone = json(json::value_t::discarded);

INSTANTIATE_TEST_SUITE_P(
    All, CampaignFileDamaged,
    testing::Values(
        CampaignDamage{"/mirrorproof_campaign", 2, "/mirrorproof_campaign: found 2, expected 1"},
        CampaignDamage{"/mirrorproof_campaign", kFieldGone, "/mirrorproof_campaign: found nothing"},
        CampaignDamage{"/plan", json::array(), "/plan: found an empty array"},
        CampaignDamage{"/plan", kFieldGone, "/plan: found nothing"},
        CampaignDamage{"/plan/shard", 5, "/plan/shard: found 5, expected an integer from 1 to 4"},
        CampaignDamage{"/plan/shards", 0, "/plan/shards: found 0"},
        CampaignDamage{"/plan/first_seed", -1, "/plan/first_seed: found -1"},
        CampaignDamage{"/done/in_order", 1e300, "/done/in_order: found"},
        CampaignDamage{"/done/digest", "xyz", "/done/digest: found \"xyz\", expected 16 hexadecimal digits"},
        CampaignDamage{"/done/beyond/0/index", 3,
                       "/done/beyond/0/index: found 3, expected an integer from 4"},
        CampaignDamage{"/done/beyond/1/index", 4,
                       "/done/beyond/1/index: found 4, expected an integer from 5"},
        CampaignDamage{"/done/beyond", "all", "/done/beyond: found \"all\", expected a list"},
        CampaignDamage{"/done/first_trace", nullptr, "/done/first_trace: found null"},
        CampaignDamage{"/counts/failing_seeds", 6,
                       "/counts/failing_seeds: found 6, expected an integer from 0 to 5"},
        CampaignDamage{"/counts/justified_mirror_truncations", 9,
                       "/counts/justified_mirror_truncations: found 9"},
        CampaignDamage{"/counts/actions", "many", "/counts/actions: found \"many\""},
        CampaignDamage{"/problem", nullptr, "/problem: found null"},
        CampaignDamage{"/failures", json::array(), "/failures: found a list of 0"},
        CampaignDamage{"/failures/0", 7, "/failures/0: found 7, expected an object"},
        CampaignDamage{"/failures/0/invariant", "no-such-thing",
                       "/failures/0/invariant: found \"no-such-thing\""},
        CampaignDamage{"/failures/0/kind", "../../etc",
                       "/failures/0/kind: found \"../../etc\", expected a name of small"},
        CampaignDamage{"/failures/0/kind", "", "/failures/0/kind: found \"\""},
        CampaignDamage{"/failures/0/seeds", 3, "/failures/0/seeds: found 3, expected an integer from 1 to 2"},
        CampaignDamage{"/failures/0/first_seed", 12,
                       "/failures/0/first_seed: found 12, expected a seed that this"},
        CampaignDamage{"/failures/0/first_seed", 23,
                       "/failures/0/first_seed: found 23, expected a seed that this"},
        CampaignDamage{"/failures/0/kept_seeds/1", 11,
                       "/failures/0/kept_seeds/1: found 11, expected a seed larger"},
        CampaignDamage{"/failures/0/kept_seeds/1", 31,
                       "/failures/0/kept_seeds/1: found 31, expected a seed that this"},
        CampaignDamage{"/failures/0/saved", "yes",
                       "/failures/0/saved: found \"yes\", expected true or false"},
        CampaignDamage{"/failures/0/shrunk_steps", -4, "/failures/0/shrunk_steps: found -4"},
        CampaignDamage{"/known_findings/0/name", "a b", "/known_findings/0/name: found \"a b\""},
        CampaignDamage{"/known_findings/0/seeds", 0, "/known_findings/0/seeds: found 0"},
        CampaignDamage{"/reached", 1, "/reached: found 1, expected an object"},
        CampaignDamage{"/reached/mirror_state~1NOWHERE", json::object(),
                       "/reached/mirror_state/NOWHERE: found an unknown point"},
        CampaignDamage{"/seconds", -1, "/seconds: found -1"},
        CampaignDamage{"/seconds", "x", "/seconds: found \"x\""},
        CampaignDamage{"/finished", 1, "/finished: found 1"}));

TEST(CampaignFile, WhateverIsNoDocumentIsRefused) {
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("7"), std::string(100'000, '['), std::string("{\"a\":"),
        campaign_file_text(campaign_example()).substr(0, 300), std::string("\xff\xfe")}) {
    const LoadCampaignResult loaded = load_campaign(text, "out/campaign.json", "out");
    EXPECT_FALSE(loaded.campaign.has_value());
    EXPECT_EQ(loaded.problems.size(), 1U) << text.substr(0, 20);
  }
}

TEST(CampaignPlan, DiffersInWhateverChangesARun) {
  const CampaignPlan usual;
  const auto differences = [&](const std::function<void(CampaignPlan&)>& change) {
    CampaignPlan plan;
    change(plan);
    return plan_differences(plan_json(usual), plan_json(plan));
  };
  EXPECT_THAT(differences([](CampaignPlan&) {}), IsEmpty());
  EXPECT_THAT(differences([](CampaignPlan& plan) { plan.seeds = 7; }), IsEmpty());
  EXPECT_THAT(differences([](CampaignPlan& plan) { plan.jobs = 7; }), IsEmpty());
  EXPECT_EQ(differences([](CampaignPlan& plan) { plan.swarm.brokers.max = 2; }).at(0),
            "/swarm/brokers/max: 3, not 2");
  EXPECT_EQ(differences([](CampaignPlan& plan) { plan.known = known_findings_of({}); }).size(), 9U);
  EXPECT_EQ(differences([](CampaignPlan& plan) { plan.swarm.protocol.ule_support = false; }).at(0),
            "/swarm/protocol/ule_support: true, not false");
}

TEST(CampaignPlan, TheDigestIsThatOfThePlanWithoutItsSeeds) {
  CampaignPlan plan;
  const std::string digest = plan_digest(plan_json(plan));
  plan.shard = {2, 3};
  plan.first_seed = 1000;
  EXPECT_EQ(plan_digest(plan_json(plan)), digest);
  plan.swarm.actions.max += 1;
  EXPECT_NE(plan_digest(plan_json(plan)), digest);
}

}  // namespace
}  // namespace mirrorproof::reports
