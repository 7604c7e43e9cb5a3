// mirrorproof matrix that is stopped, killed, or in the way of another one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/cli/program.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::HasSubstr;

std::vector<std::string> matrix_call(const std::string& out, const std::string& seeds) {
  return {"matrix",  "--row", "stale_response_guard",
          "--world", "none",  "--no-shrink",
          "--jobs",  "1",     "--seeds",
          seeds,     "--out", out};
}
std::vector<std::string> resumed(std::vector<std::string> call) {
  call.emplace_back("--resume");
  return call;
}

/// Of the cell with the most; 0 before anything was saved.
std::uint64_t seeds_done(const std::string& folder) {
  std::uint64_t seeds = 0;
  const std::string path = folder + "/matrix.json";
  if (!std::filesystem::exists(path)) {
    return 0;
  }
  const nlohmann::json matrix = parse_json(read_file(path));
  EXPECT_FALSE(matrix.is_discarded()) << "it is there as a whole or not at all";
  for (const auto& row : matrix["rows"]) {
    for (const auto& cell : row["cells"]) {
      seeds = std::max(seeds, cell["seeds"].get<std::uint64_t>());
    }
  }
  return seeds;
}

void wait_for_seeds(const std::string& folder) {
  for (int tries = 0; tries < 3000 && seeds_done(folder) == 0; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

TEST(MatrixResume, AfterAKillTheResultIsThatOfAnUndisturbedMatrix) {
  const TemporaryFolder folder;
  const std::string out = folder / "killed";
  RunningProgram program(matrix_call(out, "1000000"));
  wait_for_seeds(out);
  program.send(SIGKILL);
  EXPECT_EQ(program.wait().signal, SIGKILL);
  const std::uint64_t before = seeds_done(out);
  EXPECT_GT(before, 0U);
  const std::string seeds = std::to_string(before + 20);
  ASSERT_EQ(run_program(resumed(matrix_call(out, seeds))).code, 0);
  ASSERT_EQ(run_program(matrix_call(folder / "whole", seeds)).code, 0);
  EXPECT_EQ(parse_json(read_file(out + "/matrix.json")), parse_json(read_file(folder / "whole/matrix.json")));
}

TEST(MatrixResume, AFolderInUseIsRefused) {
  const TemporaryFolder folder;
  const std::string out = folder / "m";
  RunningProgram first(matrix_call(out, "1000000"));
  wait_for_seeds(out);
  const ProgramResult second = run_program(matrix_call(out, "1"));
  EXPECT_EQ(second.code, 2);
  EXPECT_THAT(second.err, HasSubstr("another matrix is being written into " + out));
}

TEST(MatrixResume, AFolderWithoutAMatrixBeginsOneAndAnEarlierOneIsKept) {
  const TemporaryFolder folder;
  const std::string out = folder / "m";
  const ProgramResult begun = run_program(resumed(matrix_call(out, "1")));
  EXPECT_EQ(begun.code, 0) << begun.err;
  EXPECT_THAT(begun.err, HasSubstr("nothing to go on with"));
  const std::string first = read_file(out + "/matrix.json");
  const ProgramResult again = run_program(matrix_call(out, "2"));
  EXPECT_THAT(again.err, HasSubstr("--resume would have gone on with it"));
  EXPECT_EQ(read_file(out + "/matrix.earlier.json"), first);
}

}  // namespace
}  // namespace mirrorproof::cli_tests
