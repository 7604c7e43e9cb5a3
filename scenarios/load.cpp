#include <fmt/format.h>

#include "scenarios/document.h"
#include "scenarios/reading.h"
#include "scenarios/scenario.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::scenarios {
namespace {

Scenario read_scenario(const Cursor& root, Problems& problems) {
  Reading reading(problems);
  reading.scenario.setup.name = root["name"].string().value_or("");
  reading.scenario.description = root["description"].string().value_or("");
  read_clusters(root["clusters"], reading);
  read_topics(root["topics"], reading);
  read_mirrors(root["mirrors"], reading);
  read_readers(root["readers"], reading);
  read_initial_logs(root["initial_logs"], reading);
  read_protocol(root["protocol"], reading);
  read_faults(root["faults"], reading);
  read_steps(root["steps"], reading);
  read_run(root["run"], reading);
  read_bounds(root["bounds"], reading);
  read_expect(root["expect"], reading);
  return std::move(reading.scenario);
}

/// The header line of a trace, as every trace begins.
bool is_trace(std::string_view text) {
  return text.substr(0, text.find('\n')).starts_with("{\"trace\":\"mirrorproof\"");
}

}  // namespace

LoadResult load_scenario(std::string_view text, std::string_view file_name) {
  Scenario scenario;
  LoadResult result;
  if (is_trace(text)) {
    result.problems.push_back(
        {std::string(file_name), 1, 1, "", "a trace",
         "a scenario (mirrorproof check judges traces, mirrorproof report shows them)"});
    return result;
  }
  result.problems = read_document(
      text, file_name, SchemaName::scenario,
      [&](const Cursor& root, Problems& problems) { scenario = read_scenario(root, problems); });
  if (result.problems.empty()) {
    result.scenario = std::move(scenario);
  }
  return result;
}

LoadResult load_scenario_file(const std::string& path) {
  const FileText file = read_document_file(path, "a scenario file");
  if (file.problem) {
    LoadResult result;
    result.problems.push_back(*file.problem);
    return result;
  }
  return load_scenario(file.text, path);
}

std::string format_problem(const Problem& problem) {
  constexpr std::size_t kLongestName = 4096;
  std::string out = printable(problem.file, kLongestName);
  if (problem.line > 0) {
    out += fmt::format(":{}:{}", problem.line, problem.column);
  }
  if (!problem.pointer.empty()) {
    out += ": " + printable(problem.pointer, kLongestName);
  }
  return out + fmt::format(": found {}, expected {}", problem.found, problem.expected);
}

}  // namespace mirrorproof::scenarios
