#include "scenarios/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "scenarios/json_text.h"

namespace mirrorproof::scenarios {
namespace {

std::string size_limit() {
  return fmt::format("at most {} bytes", kMaxFileBytes);
}

Problem file_problem(std::string_view file, std::string found, std::string expected) {
  return {std::string(file), 0, 0, "", std::move(found), std::move(expected)};
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

std::vector<Problem> read_document(std::string_view text, std::string_view file_name, SchemaName schema,
                                   const DocumentReader& reader) {
  if (text.size() > kMaxFileBytes) {
    return {file_problem(file_name, fmt::format("{} bytes", text.size()), size_limit())};
  }
  JsonText::Result scanned = JsonText::scan(text);
  if (scanned.syntax) {
    const SyntaxProblem& syntax = *scanned.syntax;
    return {{std::string(file_name), syntax.position.line, syntax.position.column, syntax.pointer,
             syntax.found, syntax.expected}};
  }
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded()) {
    return {file_problem(file_name, "text that is not JSON", "a JSON object")};
  }
  Problems problems = std::move(scanned.duplicates);
  check_schema(document, problems, schema);
  reader(Cursor(document), problems);
  return placed(problems, *scanned.text, file_name);
}

FileText read_document_file(const std::string& path, std::string_view what) {
  const auto refuse = [&](std::string found, std::string expected) {
    return FileText{"", file_problem(path, std::move(found), std::move(expected))};
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    return refuse("no such file", std::string(what));
  }
  if (status.type() == std::filesystem::file_type::directory) {
    return refuse("a directory", std::string(what));
  }
  if (status.type() != std::filesystem::file_type::regular) {
    return refuse(error ? error.message() : "something that is not a regular file", std::string(what));
  }
  std::ifstream stream(path, std::ios::binary);
  const std::string readable = "a readable " + std::string(what.substr(what.find(' ') + 1));
  if (!stream) {
    return refuse("a file that cannot be opened", readable);
  }
  // One byte more than allowed tells a file that is too large from one that just fits, whatever its size was
  // a moment ago.
  std::string text(kMaxFileBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) {
    return refuse("a file that cannot be read", readable);
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kMaxFileBytes) {
    return refuse(fmt::format("more than {} bytes", kMaxFileBytes), size_limit());
  }
  return {std::move(text), std::nullopt};
}

}  // namespace mirrorproof::scenarios
