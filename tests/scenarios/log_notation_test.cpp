#include "scenarios/log_notation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mirrorproof::scenarios {
namespace {

using testing::ElementsAre;

std::vector<std::string> problems(std::string_view text, NotationRules rules = NotationRules::initial) {
  std::vector<std::string> out;
  for (const NotationProblem& problem : parse_log(text, rules, 100).problems) {
    out.push_back("found " + problem.found + ", expected " + problem.expected);
  }
  return out;
}

TEST(LogNotation, reads_entries_runs_identities_and_the_pid_reset) {
  const NotatedLog log = parse_log("  0:0 1:0b\t2..4:1\n7:1R 8:10xyR ", NotationRules::initial, 100);
  EXPECT_TRUE(log.problems.empty());
  EXPECT_THAT(log.entries, ElementsAre(LogEntry{0, 0, 0, "", false}, LogEntry{1, 1, 0, "b", false},
                                       LogEntry{2, 4, 1, "", false}, LogEntry{7, 7, 1, "", true},
                                       LogEntry{8, 8, 10, "xy", true}));
}

TEST(LogNotation, writes_what_it_reads) {
  for (const std::string_view text :
       {"0:0", "3..9:12", "1:0b", "2:10R", "2..3:4abcdR", "1000000000000000:2147483647", "4:-", "4..5:-b"}) {
    const NotatedLog log = parse_log(text, NotationRules::initial, 100);
    ASSERT_EQ(log.entries.size(), 1U) << text;
    EXPECT_EQ(format_entry(log.entries.front()), text);
  }
}

TEST(LogNotation, of_an_empty_log_is_empty) {
  EXPECT_TRUE(parse_log("", NotationRules::initial, 100).entries.empty());
  EXPECT_TRUE(problems(" \n").empty());
}

TEST(LogNotation, refuses_what_is_no_entry) {
  const std::string form = ", expected offset:epoch or first..last:epoch, such as 2:1, 2:1b or 2..4:1";
  for (const std::string word : {"x", "0", "0:", ":0", "0:--", "-1:0", "0:-1", "0..:1", "3..2:1", "0...1:1",
                                 "0:0B", "0:0Rb", "0:0abcde", "0:0,1:0", "0x1:0", "+1:0"}) {
    EXPECT_THAT(problems(word), ElementsAre("found the entry \"" + word + "\"" + form));
  }
  const std::string limits = ", expected offsets up to 1000000000000000 and epochs up to 2147483647";
  for (const std::string word : {"1000000000000001:0", "0..1000000000000001:0", "0:2147483648",
                                 "9223372036854775807:0", "99999999999999999999:0"}) {
    EXPECT_THAT(problems(word), ElementsAre("found the entry \"" + word + "\"" + limits));
  }
}

TEST(LogNotation, lists_every_problem_of_a_log) {
  EXPECT_THAT(
      problems("0:0 x 0:0 1:2 2:1 3:1 4"),
      ElementsAre("found the entry \"x\", expected offset:epoch or first..last:epoch, such as 2:1, 2:1b or "
                  "2..4:1",
                  "found 0:0 after 0:0, expected offsets that increase",
                  "found 2:1 after 1:2, expected epochs that do not go backwards",
                  "found the entry \"4\", expected offset:epoch or first..last:epoch, such as 2:1, 2:1b or "
                  "2..4:1"));
  EXPECT_TRUE(problems("0:1 1:- 2:0").empty()) << "records without an epoch go anywhere";
  EXPECT_THAT(problems("0..5:0 5:0"), ElementsAre("found 5:0 after 0..5:0, expected offsets that increase"));
}

TEST(LogNotation, of_an_expectation_has_no_identities_but_may_show_epochs_that_go_backwards) {
  EXPECT_TRUE(problems("0:10 1:1", NotationRules::expected).empty());
  EXPECT_TRUE(problems("0:10 1:11R", NotationRules::expected).empty()) << "as reports show it";
  EXPECT_THAT(
      problems("0:0b 1:0", NotationRules::expected),
      ElementsAre(
          "found the entry \"0:0b\", expected offset:epoch or first..last:epoch, such as 2:1 or 2..4:1"));
}

TEST(LogNotation, has_a_limit_on_records) {
  EXPECT_TRUE(problems("0..99:0").empty());
  EXPECT_THAT(
      problems("0..98:0 100..101:0"),
      ElementsAre(
          "found more records with the entry \"100..101:0\", expected at most 100000 records in all logs"));
  EXPECT_THAT(problems("0..1000000000:0"), testing::SizeIs(1));
}

}  // namespace
}  // namespace mirrorproof::scenarios
