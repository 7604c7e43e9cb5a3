// Which shard of a campaign a call runs, and who says so.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"
#include "tests/cli/worlds.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Variables = std::vector<std::pair<std::string, std::string>>;

struct ShardCase {
  std::string name;
  Variables environment;
  std::vector<std::string> arguments;
  int index;  ///< from 1
  int count;
  std::string from;
};
void PrintTo(const ShardCase& shard, std::ostream* out) {
  *out << shard.name;
}

std::vector<ShardCase> shard_cases() {
  const Variables gtest{{"GTEST_SHARD_INDEX", "1"}, {"GTEST_TOTAL_SHARDS", "3"}};
  const Variables slurm{{"SLURM_ARRAY_TASK_ID", "9"},
                        {"SLURM_ARRAY_TASK_COUNT", "4"},
                        {"SLURM_ARRAY_TASK_MIN", "3"},
                        {"SLURM_ARRAY_TASK_MAX", "12"},
                        {"SLURM_ARRAY_TASK_STEP", "3"}};
  Variables both = slurm;
  both.insert(both.end(), gtest.begin(), gtest.end());
  return {
      {"gtest", gtest, {}, 2, 3, "GTEST_SHARD_INDEX"},
      {"kubernetes",
       {{"JOB_COMPLETION_INDEX", "15"}, {"MIRRORPROOF_SHARDS", "16"}},
       {},
       16,
       16,
       "JOB_COMPLETION_INDEX"},
      {"slurm_in_steps", slurm, {}, 3, 4, "SLURM_ARRAY_TASK_ID"},
      {"slurm_from_one",
       {{"SLURM_ARRAY_TASK_ID", "64"}, {"SLURM_ARRAY_TASK_COUNT", "64"}},
       {},
       64,
       64,
       "SLURM_ARRAY_TASK_ID"},
      {"slurm_from_zero",
       {{"SLURM_ARRAY_TASK_ID", "0"}, {"SLURM_ARRAY_TASK_COUNT", "2"}, {"SLURM_ARRAY_TASK_MIN", "0"}},
       {},
       1,
       2,
       "SLURM_ARRAY_TASK_ID"},
      {"first_of_two", both, {}, 2, 3, "GTEST_SHARD_INDEX"},
      {"flag_before_all", both, {"--shard", "5/6"}, 5, 6, "--shard"},
      {"flag_before_nonsense", {{"GTEST_SHARD_INDEX", "x"}}, {"--shard", "1/2"}, 1, 2, "--shard"},
  };
}

class ShardChosen : public testing::TestWithParam<ShardCase> {};

TEST_P(ShardChosen, RunsItsSeedsAndSaysWhoSaidSo) {
  const TemporaryFolder folder;
  const std::string file = folder.write("world.json", random_world(10, 1));
  std::vector<std::string> call{"fuzz", file, "--seeds", "2", "--json", "--out", folder / "out"};
  call.insert(call.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  const ProgramResult result = run_program(call, {"", false, GetParam().environment});
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json summary = parse_json(result.out);
  EXPECT_EQ(summary["first_seed"], GetParam().index);
  EXPECT_EQ(
      summary["shard"],
      nlohmann::json({{"index", GetParam().index}, {"count", GetParam().count}, {"from", GetParam().from}}));
  EXPECT_THAT(result.err, HasSubstr("shard " + std::to_string(GetParam().index) + "/" +
                                    std::to_string(GetParam().count) + ", from " + GetParam().from + "\n"));
}

INSTANTIATE_TEST_SUITE_P(All, ShardChosen, testing::ValuesIn(shard_cases()),
                         [](const testing::TestParamInfo<ShardCase>& each) { return each.param.name; });

TEST(Shard, WithoutFlagAndVariableTheCampaignIsWhole) {
  const TemporaryFolder folder;
  const std::string file = folder.write("world.json", random_world(10, 1));
  const ProgramResult result = run_program({"fuzz", file, "--seeds", "2", "--json", "--out", folder / "out"},
                                           {"", false, {{"MIRRORPROOF_SHARDS", "4"}}});
  EXPECT_EQ(parse_json(result.out)["shard"], nullptr);
  EXPECT_THAT(result.err, testing::Not(HasSubstr("shard")));
}

struct BadShard {
  std::string name;
  Variables environment;
  std::string complaint;
};
void PrintTo(const BadShard& shard, std::ostream* out) {
  *out << shard.name;
}

std::vector<BadShard> bad_shards() {
  return {
      {"index_is_no_number",
       {{"GTEST_SHARD_INDEX", "one"}, {"GTEST_TOTAL_SHARDS", "3"}},
       "GTEST_SHARD_INDEX: found \"one\", expected an integer from 0 to 2"},
      {"index_beyond_the_last",
       {{"GTEST_SHARD_INDEX", "3"}, {"GTEST_TOTAL_SHARDS", "3"}},
       "GTEST_SHARD_INDEX: found \"3\", expected an integer from 0 to 2"},
      {"no_shards",
       {{"GTEST_SHARD_INDEX", "0"}, {"GTEST_TOTAL_SHARDS", "0"}},
       "GTEST_TOTAL_SHARDS: found \"0\", expected an integer from 1 to 1000000"},
      {"index_alone",
       {{"GTEST_SHARD_INDEX", "0"}},
       "GTEST_SHARD_INDEX: is set, but GTEST_TOTAL_SHARDS is not"},
      {"count_alone",
       {{"GTEST_TOTAL_SHARDS", "2"}},
       "GTEST_TOTAL_SHARDS: is set, but GTEST_SHARD_INDEX is not"},
      {"job_of_unknown_size",
       {{"JOB_COMPLETION_INDEX", "0"}},
       "JOB_COMPLETION_INDEX: is set, but MIRRORPROOF_SHARDS is not; expected the number of completions"},
      {"job_index_is_empty",
       {{"JOB_COMPLETION_INDEX", ""}, {"MIRRORPROOF_SHARDS", "4"}},
       "JOB_COMPLETION_INDEX: found \"\", expected an integer from 0 to 3"},
      {"array_without_count",
       {{"SLURM_ARRAY_TASK_ID", "1"}},
       "SLURM_ARRAY_TASK_ID: is set, but SLURM_ARRAY_TASK_COUNT is not"},
      {"array_with_gaps",
       {{"SLURM_ARRAY_TASK_ID", "7"},
        {"SLURM_ARRAY_TASK_COUNT", "3"},
        {"SLURM_ARRAY_TASK_MIN", "1"},
        {"SLURM_ARRAY_TASK_MAX", "7"}},
       "for an array with gaps say --shard I/N"},
      {"negative_step",
       {{"SLURM_ARRAY_TASK_ID", "1"}, {"SLURM_ARRAY_TASK_COUNT", "3"}, {"SLURM_ARRAY_TASK_STEP", "-1"}},
       "SLURM_ARRAY_TASK_STEP: found \"-1\""},
  };
}

class ShardRefused : public testing::TestWithParam<BadShard> {};

TEST_P(ShardRefused, NamesTheVariable) {
  const TemporaryFolder folder;
  const ProgramResult result =
      run_program({"fuzz", "--seeds", "1", "--out", folder / "out"}, {"", false, GetParam().environment});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr(GetParam().complaint));
  EXPECT_EQ(result.out, "");
}

INSTANTIATE_TEST_SUITE_P(All, ShardRefused, testing::ValuesIn(bad_shards()),
                         [](const testing::TestParamInfo<BadShard>& each) { return each.param.name; });

}  // namespace
}  // namespace mirrorproof::cli_tests
