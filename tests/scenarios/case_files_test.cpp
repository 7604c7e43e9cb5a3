// scenarios/cases: what public bug reports teach, each as a pair of files: NAME.json switches the faulty rule
// on and breaks an invariant; NAME-right.json takes the same steps with the right rule, and holds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "reports/evaluation.h"
#include "scenarios/scenario.h"
#include "tests/scenarios/loading.h"

namespace mirrorproof::scenarios {
namespace {

constexpr std::string_view kRight = "-right";

class CaseFile : public testing::TestWithParam<std::filesystem::path> {};

std::string case_test_name(const testing::TestParamInfo<std::filesystem::path>& info) {
  std::string name = info.param.stem();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, CaseFile, testing::ValuesIn(shipped_files("cases")), case_test_name);

Scenario load_case(const std::filesystem::path& path) {
  LoadResult result = load_scenario_file(path.string());
  for (const Problem& problem : result.problems) {
    ADD_FAILURE() << format_problem(problem);
  }
  return result.scenario.value_or(Scenario{});
}

TEST_P(CaseFile, ends_as_expected) {
  const Scenario scenario = load_case(GetParam());
  EXPECT_EQ(scenario.setup.name, GetParam().stem().string());
  const reports::SeedsEvaluation seeds = reports::evaluate_seeds(
      scenario, scenario.setup.run.first_seed, static_cast<std::uint64_t>(scenario.setup.run.seeds));
  EXPECT_TRUE(seeds.as_expected);
  EXPECT_EQ(seeds.shown.problem, "");
  for (const std::string& line : seeds.shown.not_met) {
    ADD_FAILURE() << line;
  }
}

TEST_P(CaseFile, has_a_right_half_that_differs_in_the_protocol) {
  const std::string stem = GetParam().stem();
  const std::filesystem::path other = GetParam().parent_path() / (stem + std::string(kRight) + ".json");
  if (!std::filesystem::exists(other)) {
    return;  // the right half itself, or a case in which the proposal is wrong
  }
  const Scenario wrong = load_case(GetParam());
  const Scenario right = load_case(other);
  EXPECT_EQ(wrong.expect.verdict, Verdict::violated);
  EXPECT_FALSE(wrong.expect.invariants.empty());
  EXPECT_EQ(right.expect.verdict, Verdict::holds);
  EXPECT_NE(wrong.setup.protocol, right.setup.protocol);
}

TEST(CaseFiles, are_there) {
  EXPECT_GE(shipped_files("cases").size(), 20U);
}

}  // namespace
}  // namespace mirrorproof::scenarios
