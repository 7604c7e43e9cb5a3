// Thousands of damaged scenario files: never a crash, never a hang, always a scenario or a list of problems.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "scenarios/scenario.h"
#include "tests/scenarios/loading.h"

namespace mirrorproof::scenarios {
namespace {

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_()) % n; }

  /// One edit of bytes or of a whole token, so that some damage leaves the text well formed.
  void apply(std::string& text) {
    static const std::vector<std::string> kTokens{
        "0", "-1",     "99999999999", "\"A\"", "\"\"", "null", "true",        "[]",  "{}",    "\"4.1\"",
        "2", "\"do\"", ",",           "]",     "}",    "{",    "\"0:0 1:0\"", "1e3", "[[0]]", "\"A/0\""};
    if (text.empty()) {
      return;
    }
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, 1 + below(20));
        break;
      case 2:
        text.insert(at, kTokens[below(kTokens.size())]);
        break;
      case 3: {  // another value for a field
        const std::size_t colon = text.find(": ", at);
        const std::size_t end = text.find_first_of(",}]\n", colon == std::string::npos ? at : colon);
        if (colon != std::string::npos && end != std::string::npos) {
          text.replace(colon + 2, end - colon - 2, kTokens[below(kTokens.size())]);
        }
        break;
      }
      default: {  // a piece of the text somewhere else
        const std::string piece = text.substr(at, below(60));
        text.insert(below(text.size()), piece);
      }
    }
  }

 private:
  std::mt19937 random_;
};

TEST(DamagedFiles, give_a_scenario_or_problems_with_places_and_nothing_else) {
  Damage damage(3);
  std::vector<std::string> texts;
  for (const auto& path : shipped_files()) {
    texts.push_back(read_text(path));
  }
  int loaded_count = 0;
  int semantic = 0;
  for (int i = 0; i < 8'000; ++i) {
    std::string text = texts[damage.below(texts.size())];
    for (std::size_t edits = 1 + damage.below(3); edits > 0; --edits) {
      damage.apply(text);
    }
    const LoadResult result = load_scenario(text, "f");
    ASSERT_NE(result.scenario.has_value(), !result.problems.empty()) << text;
    const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
    for (const Problem& problem : result.problems) {
      ASSERT_GE(problem.line, 1) << format_problem(problem);
      ASSERT_LE(problem.line, lines) << format_problem(problem);
      ASSERT_GE(problem.column, 1) << format_problem(problem);
      ASSERT_FALSE(problem.found.empty());
      ASSERT_FALSE(problem.expected.empty());
      semantic += problem.pointer.empty() ? 0 : 1;
    }
    if (result.scenario) {
      ++loaded_count;
      const std::string written = to_json(*result.scenario);
      const LoadResult again = load_scenario(written, "f");
      ASSERT_EQ(again.scenario, result.scenario) << written;
    }
  }
  EXPECT_GT(loaded_count, 200) << "no damaged file is still a scenario: the damage is too coarse";
  EXPECT_GT(semantic, 500) << "no damaged file reaches the later passes";
}

}  // namespace
}  // namespace mirrorproof::scenarios
