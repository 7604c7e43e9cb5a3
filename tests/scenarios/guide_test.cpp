// docs/scenarios.md: its examples are scenarios, and they run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "reports/evaluation.h"
#include "scenarios/scenario.h"
#include "tests/scenarios/loading.h"

namespace mirrorproof::scenarios {
namespace {

using Json = nlohmann::json;

struct Example {
  int line = 0;
  std::string text;
};

/// The ```json blocks of the guide.
std::vector<Example> examples() {
  std::vector<Example> out;
  std::istringstream guide(read_text(MIRRORPROOF_SOURCE_DIR "/docs/scenarios.md"));
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(guide, line);) {
    ++number;
    if (line == "```json") {
      inside = true;
      out.push_back({number + 1, ""});
    } else if (line.starts_with("```")) {
      inside = false;
    } else if (inside) {
      out.back().text += line + "\n";
    }
  }
  return out;
}

/// A fragment shows some fields; the first example, which is whole, lends it the rest.
Json completed(const Json& fragment, const Json& whole) {
  if (fragment.contains("name")) {
    return fragment;
  }
  Json document{{"name", "example"}};
  for (const char* field : {"clusters", "topics", "mirrors"}) {
    document[field] = fragment.contains(field) ? fragment[field] : whole[field];
  }
  document.update(fragment);
  return document;
}

TEST(Guide, has_examples_that_load_and_run_as_they_say) {
  const std::vector<Example> all = examples();
  ASSERT_GT(all.size(), 10U);
  const Json whole = Json::parse(all.front().text);
  for (const Example& example : all) {
    SCOPED_TRACE("docs/scenarios.md:" + std::to_string(example.line));
    const Json fragment = Json::parse(example.text, nullptr, false);
    ASSERT_FALSE(fragment.is_discarded()) << example.text;
    const LoadResult result = load_scenario(completed(fragment, whole).dump(1), "example");
    for (const Problem& problem : result.problems) {
      ADD_FAILURE() << format_problem(problem);
    }
    if (result.scenario) {
      const reports::Evaluation run =
          reports::evaluate(*result.scenario, result.scenario->setup.run.first_seed);
      EXPECT_EQ(run.problem, "");
      EXPECT_THAT(run.not_met, testing::IsEmpty());
    }
  }
}

void collect_fields(const Json& value, const std::string& path, std::set<std::string>& out) {
  if (value.is_array()) {
    for (const Json& element : value) {
      collect_fields(element, path, out);
    }
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      out.insert(path + "/" + name);
      collect_fields(member, path + "/" + name, out);
    }
  }
}

/// Fields of the schema, steps apart.
void collect_schema_fields(const Json& rules, const std::string& path, std::set<std::string>& out) {
  if (rules.contains("properties")) {
    for (const auto& [name, inner] : rules["properties"].items()) {
      out.insert(path + "/" + name);
      collect_schema_fields(inner, path + "/" + name, out);
    }
  }
  if (rules.contains("items")) {
    collect_schema_fields(rules["items"], path, out);
  }
}

TEST(Guide, shows_every_field_and_every_step) {
  std::set<std::string> shown;
  std::set<std::string> steps;
  for (const Example& example : examples()) {
    const Json fragment = Json::parse(example.text);
    collect_fields(fragment, "", shown);
    for (const Json& step : fragment.value("steps", Json::array())) {
      steps.insert(step["do"].get<std::string>());
    }
  }
  const Json schema = Json::parse(scenario_schema());
  std::set<std::string> wanted;
  collect_schema_fields(schema, "", wanted);
  const std::string guide = read_text(MIRRORPROOF_SOURCE_DIR "/docs/scenarios.md");
  for (const std::string& field : wanted) {
    const std::string name = field.substr(field.rfind('/') + 1);
    // The options of the protocol and the bounds are listed in tables.
    const bool in_a_table = guide.find("| `" + name + "` |") != std::string::npos;
    EXPECT_TRUE(shown.count(field) > 0 || in_a_table) << field;
  }
  for (const Json& name : schema["definitions"]["step"]["properties"]["do"]["enum"]) {
    const std::string step = name.get<std::string>();
    EXPECT_TRUE(steps.count(step) > 0 || guide.find("`" + step + "`") != std::string::npos) << step;
  }
}

}  // namespace
}  // namespace mirrorproof::scenarios
