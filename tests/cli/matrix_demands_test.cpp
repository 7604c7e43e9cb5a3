// mirrorproof matrix in CI: rows that must hold, exit codes and JUnit.

#include "reports/matrix_demands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

ProgramResult matrix(const std::string& out, std::vector<std::string> more) {
  std::vector<std::string> call{"matrix",  "--row", "alignment=none", "--world", "none",
                                "--seeds", "10",    "--no-shrink",    "--out",   out};
  call.insert(call.end(), more.begin(), more.end());
  return run_program(call);
}

TEST(MatrixDemands, HardenedMustHoldAndDoes) {
  const TemporaryFolder folder;
  const ProgramResult result = matrix(folder / "m", {"--junit", folder / "junit.xml"});
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("hardened must hold, and does."));
  EXPECT_THAT(read_file(folder / "junit.xml"),
              AllOf(HasSubstr("tests=\"11\" failures=\"0\" errors=\"0\""),
                    HasSubstr("classname=\"mirrorproof.matrix\" name=\"hardened, faults: power-loss\""),
                    Not(HasSubstr("alignment=none, "))));
  const ProgramResult kept = matrix(folder / "m", {"--junit", folder / "junit.xml"});
  EXPECT_EQ(kept.code, 2);
  EXPECT_THAT(kept.err, HasSubstr("--force replaces it"));
}

TEST(MatrixDemands, ABrokenRowThatMustHoldFails) {
  const TemporaryFolder folder;
  const ProgramResult result =
      matrix(folder / "m", {"--must-hold", "alignment=none", "--junit", folder / "junit.xml"});
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_THAT(result.out, HasSubstr("alignment=none must hold, and is broken: "));
  const std::string junit = read_file(folder / "junit.xml");
  EXPECT_THAT(junit, AllOf(HasSubstr("<failure type=\"alignment-exactness/"),
                           HasSubstr("See it: mirrorproof run "), Not(HasSubstr("failures=\"0\""))));
  const std::size_t begin = junit.find("mirrorproof run ") + std::string_view("mirrorproof run ").size();
  const ProgramResult shown =
      run_program({"run", junit.substr(begin, junit.find_first_of(" \n<&", begin) - begin)});
  EXPECT_EQ(shown.code, 1) << shown.err;
  EXPECT_EQ(matrix(folder / "other", {"--must-hold", "none"}).code, 0);
}

TEST(MatrixDemands, WhatWasNotRunIsNoSuccess) {
  reports::Matrix matrix = reports::full_matrix();
  const reports::MatrixDemands first{0};
  EXPECT_EQ(reports::demands_verdict(matrix, first), scenarios::Verdict::inconclusive);
  EXPECT_THAT(reports::matrix_junit(matrix, first, "out"),
              AllOf(HasSubstr("errors=\"11\""), HasSubstr("no seed was run")));
  for (std::size_t column = 0; column < matrix.columns.size(); ++column) {
    matrix.cells[column].seeds = 3;
  }
  EXPECT_EQ(reports::demands_verdict(matrix, first), scenarios::Verdict::holds);
  EXPECT_EQ(reports::demands_verdict(matrix, {0, 1}), scenarios::Verdict::inconclusive);
  // What only the search breaks is broken.
  matrix.cells[2].search.emplace().verdict = scenarios::Verdict::violated;
  matrix.cells[2].search->message = "<lost> & gone";
  EXPECT_EQ(reports::demands_verdict(matrix, {0, 1}), scenarios::Verdict::violated);
  EXPECT_THAT(reports::matrix_junit(matrix, first, "out"),
              AllOf(HasSubstr("failures=\"1\""), HasSubstr("&lt;lost&gt; &amp; gone")));
  EXPECT_EQ(reports::demands_verdict(matrix, {}), scenarios::Verdict::holds);
}

}  // namespace
}  // namespace mirrorproof::cli_tests
