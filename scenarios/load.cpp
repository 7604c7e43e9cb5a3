#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "scenarios/json_text.h"
#include "scenarios/reading.h"
#include "scenarios/scenario.h"
#include "scenarios/schema_check.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::scenarios {
namespace {

LoadResult file_problem(std::string_view file, std::string found, std::string expected) {
  LoadResult result;
  result.problems.push_back({std::string(file), 0, 0, "", std::move(found), std::move(expected)});
  return result;
}

std::string size_limit() {
  return fmt::format("at most {} bytes", kMaxFileBytes);
}

Scenario read_document(const nlohmann::json& document, Problems& problems) {
  Reading reading(problems);
  const Cursor root(document);
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

/// Pointers become lines and columns; in the order of the text, each once.
std::vector<Problem> placed(const Problems& problems, const JsonText& text, std::string_view file) {
  std::vector<Problem> out;
  for (const PointedProblem& problem : problems.list()) {
    const Position position = text.locate(problem.pointer, problem.at_name);
    out.push_back({std::string(file), position.line, position.column, problem.pointer, problem.found,
                   problem.expected});
  }
  std::stable_sort(out.begin(), out.end(), [](const Problem& a, const Problem& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (problems.left_out() > 0) {
    out.push_back(
        {std::string(file), 0, 0, "", fmt::format("{} more problems", problems.left_out()), "none"});
  }
  return out;
}

}  // namespace

LoadResult load_scenario(std::string_view text, std::string_view file_name) {
  if (text.size() > kMaxFileBytes) {
    return file_problem(file_name, fmt::format("{} bytes", text.size()), size_limit());
  }
  JsonText::Result scanned = JsonText::scan(text);
  if (scanned.syntax) {
    const SyntaxProblem& syntax = *scanned.syntax;
    LoadResult result;
    result.problems.push_back({std::string(file_name), syntax.position.line, syntax.position.column,
                               syntax.pointer, syntax.found, syntax.expected});
    return result;
  }
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded()) {
    return file_problem(file_name, "text that is not JSON", "a JSON object");
  }
  Problems problems = std::move(scanned.duplicates);
  check_schema(document, problems);
  Scenario scenario = read_document(document, problems);
  LoadResult result;
  if (problems.empty()) {
    result.scenario = std::move(scenario);
  } else {
    result.problems = placed(problems, *scanned.text, file_name);
  }
  return result;
}

LoadResult load_scenario_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    return file_problem(path, "no such file", "a scenario file");
  }
  if (status.type() == std::filesystem::file_type::directory) {
    return file_problem(path, "a directory", "a scenario file");
  }
  if (status.type() != std::filesystem::file_type::regular) {
    return file_problem(path, error ? error.message() : "something that is not a regular file",
                        "a scenario file");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return file_problem(path, "a file that cannot be opened", "a readable scenario file");
  }
  // One byte more than allowed tells a file that is too large from one that just fits, whatever its size was
  // a moment ago.
  std::string text(kMaxFileBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) {
    return file_problem(path, "a file that cannot be read", "a readable scenario file");
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kMaxFileBytes) {
    return file_problem(path, fmt::format("more than {} bytes", kMaxFileBytes), size_limit());
  }
  return load_scenario(text, path);
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
