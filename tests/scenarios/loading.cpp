#include "tests/scenarios/loading.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace mirrorproof::scenarios {

std::vector<std::string> problems_of(std::string_view text) {
  std::vector<std::string> out;
  for (const Problem& problem : load_scenario(text, "f").problems) {
    out.push_back(format_problem(problem));
  }
  return out;
}

Scenario loaded(std::string_view text) {
  LoadResult result = load_scenario(text, "f");
  for (const Problem& problem : result.problems) {
    ADD_FAILURE() << format_problem(problem);
  }
  EXPECT_TRUE(result.scenario.has_value()) << text;
  return result.scenario.value_or(Scenario{});
}

std::string with_fields(std::string_view fields) {
  return R"({"name": "n", "clusters": [{"name": "A", "brokers": 2}, {"name": "B", "brokers": 2}],
 "topics": [{"name": "orders"}], "mirrors": [{"source": "A", "destination": "B"}])" +
         std::string(fields) + "}";
}

std::vector<std::string> wrong(std::string_view fields) {
  std::vector<std::string> out;
  for (const Problem& problem : load_scenario(with_fields(fields), "f").problems) {
    EXPECT_GT(problem.line, 0);
    EXPECT_GT(problem.column, 0);
    out.push_back(problem.pointer + ": found " + problem.found + ", expected " + problem.expected);
  }
  return out;
}

std::vector<std::string> wrong_step(std::string_view step) {
  return wrong(fmt::format(R"(, "steps": [{}])", step));
}

std::vector<std::filesystem::path> shipped_files(std::string_view folder) {
  std::vector<std::filesystem::path> out;
  const std::filesystem::path root = MIRRORPROOF_SOURCE_DIR "/scenarios";
  for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".json") && !name.ends_with(".schema.json")) {
      out.push_back(entry.path());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.good()) << path;
  std::ostringstream out;
  out << stream.rdbuf();
  return out.str();
}

}  // namespace mirrorproof::scenarios
