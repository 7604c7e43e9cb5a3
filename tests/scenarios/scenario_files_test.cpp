// The scenario files that ship with the program: each loads in an editor and here, and ends as it says it
// will.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/evaluation.h"
#include "scenarios/scenario.h"
#include "tests/scenarios/loading.h"

namespace mirrorproof::scenarios {
namespace {

class ShippedScenario : public testing::TestWithParam<std::filesystem::path> {};

std::string test_name(const testing::TestParamInfo<std::filesystem::path>& info) {
  std::string name = info.param.stem();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, ShippedScenario, testing::ValuesIn(shipped_files()), test_name);

TEST_P(ShippedScenario, names_its_schema_itself_and_what_it_shows) {
  const nlohmann::json document = nlohmann::json::parse(read_text(GetParam()));
  EXPECT_EQ(document["$schema"], "./scenario.schema.json");
  EXPECT_EQ(document["name"], GetParam().stem().string());
  EXPECT_GT(document["description"].get<std::string>().size(), 100U);
  EXPECT_TRUE(document.contains("expect"));
}

TEST_P(ShippedScenario, ends_as_expected) {
  const LoadResult result = load_scenario_file(GetParam().string());
  ASSERT_TRUE(result.scenario.has_value()) << format_problem(result.problems.front());
  const sim::RunSetup& run = result.scenario->setup.run;
  const reports::SeedsEvaluation seeds =
      reports::evaluate_seeds(*result.scenario, run.first_seed, static_cast<std::uint64_t>(run.seeds));
  EXPECT_TRUE(seeds.as_expected);
  EXPECT_EQ(seeds.verdict, result.scenario->expect.verdict);
  EXPECT_EQ(seeds.shown.problem, "");
  for (const std::string& line : seeds.shown.not_met) {
    ADD_FAILURE() << line;
  }
}

TEST(ShippedScenarios, cover_the_questions_of_the_review) {
  std::vector<std::string> names;
  for (const auto& path : shipped_files()) {
    names.push_back(path.stem());
  }
  for (const char* name :
       {"reverse-mirroring-epoch-only", "reverse-mirroring-epoch-and-offset", "reverse-mirroring-inclusive",
        "reverse-mirroring-as-posted", "ule-truncate-on-fetch", "ule-offsets-for-leader-epoch",
        "downgrade-upgrade-with-ules", "old-source-fetch-only", "old-source-field-dropped", "ule-support-off",
        "recovery-waits-for-replica", "failover-failback-twice", "chain-ule-at-the-head",
        "clean-elections-slow-follower", "destination-leader-change-in-recovery"}) {
    EXPECT_THAT(names, testing::Contains(name));
  }
}

/// An expectation that cannot fail expects nothing: turned around, each is refused.
TEST_P(ShippedScenario, fails_when_its_expectation_is_turned_around) {
  LoadResult result = load_scenario_file(GetParam().string());
  ASSERT_TRUE(result.scenario.has_value());
  Scenario& scenario = *result.scenario;
  Expect& expect = scenario.expect;
  expect.verdict = expect.verdict == Verdict::violated ? Verdict::holds : Verdict::violated;
  expect.invariants.clear();
  EXPECT_FALSE(reports::evaluate(scenario, scenario.setup.run.first_seed).as_expected);
}

}  // namespace
}  // namespace mirrorproof::scenarios
