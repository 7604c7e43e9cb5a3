// mirrorproof import: its options. What it reads, and what it makes of that, is tested in
// tests/scenarios/import_test.cpp.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::HasSubstr;

ProgramResult import_diverged(std::vector<std::string> more) {
  const std::string folder = std::string(MIRRORPROOF_SOURCE_DIR) + "/tests/data/import/diverged/";
  std::vector<std::string> call{"import", "--source", folder + "source", "--destination",
                                folder + "destination"};
  call.insert(call.end(), more.begin(), more.end());
  return run_program(call);
}

TEST(Import, NamesVersionAndFirstOffsetAreThoseAskedFor) {
  const ProgramResult result = import_diverged(
      {"--name", "mine", "--topic", "payments", "--source-version", "2.8", "--from-offset", "5"});
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json scenario = parse_json(result.out);
  EXPECT_EQ(scenario["name"], "mine");
  EXPECT_EQ(scenario["topics"][0]["name"], "payments");
  EXPECT_EQ(scenario["clusters"][0]["version"], "2.8");
  for (const nlohmann::json& log : scenario["initial_logs"]) {
    EXPECT_THAT(log["log"].get<std::string>(), testing::StartsWith("5")) << log;
  }
  const nlohmann::json plain = parse_json(import_diverged({}).out);
  EXPECT_EQ(plain["name"], "imported");
  EXPECT_EQ(plain["topics"][0]["name"], "orders");
  EXPECT_THAT(plain["initial_logs"][0]["log"].get<std::string>(), testing::StartsWith("0"));
}

TEST(Import, AFileThatExistsIsKept) {
  const TemporaryFolder folder;
  const std::string out = folder.write("mine.json", "mine");
  const ProgramResult kept = import_diverged({"--out", out});
  EXPECT_EQ(kept.code, 2);
  EXPECT_THAT(kept.err, HasSubstr("--force replaces it"));
  EXPECT_EQ(read_file(out), "mine");
  const ProgramResult written = import_diverged({"--out", out, "--force", "--json"});
  ASSERT_EQ(written.code, 0) << written.err;
  EXPECT_EQ(parse_json(written.out)["scenario"], out);
  EXPECT_EQ(run_program({"validate", out}).code, 0);
}

TEST(Import, SaysWhatIsWrongWithItsOptions) {
  EXPECT_THAT(import_diverged({"--source-version", "9.9"}).err,
              HasSubstr("--source-version: found \"9.9\", expected one of 2.1, "));
  EXPECT_EQ(import_diverged({"--source-version", "9.9"}).code, 2);
  EXPECT_EQ(import_diverged({"--from-offset", "-1"}).code, 2);
  const ProgramResult missing =
      run_program({"import", "--source", "/nowhere/at/all", "--destination", "/nowhere"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("/nowhere/at/all: found no folder"));
}

}  // namespace
}  // namespace mirrorproof::cli_tests
