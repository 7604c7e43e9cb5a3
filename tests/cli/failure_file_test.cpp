// Failure files: a swarm's setup survives being written and read, so that the replay is the same run.

#include "reports/failure_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/campaign.h"

namespace mirrorproof::reports {
namespace {

TEST(FailureFile, HoldsEverythingThatARunDependsOn) {
  CampaignPlan plan;
  plan.swarm.actions = {37, 150};
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const scenarios::Scenario scenario = campaign_scenario(plan, seed);
    const Evaluation run = evaluate(scenario, seed);
    const std::string text = failure_to_json(scenario, run, "mirrorproof replay x");
    ASSERT_TRUE(is_failure_text(text));
    const LoadFailureResult loaded = load_failure(text, "x");
    ASSERT_TRUE(loaded.failure.has_value())
        << "seed " << seed << ": " << scenarios::format_problem(loaded.problems.front()) << "\n"
        << text;
    EXPECT_EQ(loaded.failure->scenario.setup, scenario.setup) << "seed " << seed;
    EXPECT_EQ(loaded.failure->key.seed, seed);
    EXPECT_EQ(loaded.failure->digest, run.digest);
    ASSERT_TRUE(loaded.failure->key.choices.has_value());
    EXPECT_EQ(*loaded.failure->key.choices, run.choices);
    EXPECT_EQ(evaluate(loaded.failure->scenario, loaded.failure->key).digest, run.digest) << "seed " << seed;
  }
}

TEST(FailureFile, IsToldFromAScenarioByItsFirstField) {
  EXPECT_TRUE(is_failure_text("  {\n \"mirrorproof_failure\": 1"));
  EXPECT_FALSE(is_failure_text("{\"name\": \"mirrorproof_failure\"}"));
  EXPECT_FALSE(is_failure_text(""));
  EXPECT_FALSE(is_failure_text("{"));
  EXPECT_FALSE(is_failure_text("[\"mirrorproof_failure\"]"));
}

}  // namespace
}  // namespace mirrorproof::reports
