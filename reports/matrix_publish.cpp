#include "reports/matrix_publish.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "reports/atomic_file.h"
#include "reports/limited_json.h"
#include "reports/matrix_report.h"
#include "reports/search_certificate.h"

namespace mirrorproof::reports {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolders[] = {"scenarios", "certificates"};

/// What the Markdown may link to.
std::set<std::string> linked_files(const Matrix& matrix) {
  std::set<std::string> files;
  for (std::size_t r = 0; r < matrix.rows.size(); ++r) {
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
      for (const MatrixMark& mark : matrix_marks(matrix, r, c)) {
        if (mark.news && mark.file().starts_with("scenarios/")) {
          files.insert(mark.file());
        }
      }
      const MatrixCell& cell = matrix.at(r, c);
      if (cell.searched_whole() && parse_enum<Preset>(matrix.rows[r].name)) {
        files.insert(cell.search->file);
      }
    }
  }
  return files;
}

/// Removes what an earlier call left, and nothing else. Empty, or why the folder is not ours.
std::string clear(const fs::path& folder) {
  std::error_code error;
  for (const char* below : kFolders) {
    for (const auto& entry : fs::directory_iterator(folder / below, error)) {
      if (!entry.is_regular_file() || entry.path().extension() != ".json") {
        return fmt::format("{}: found something else than the .json files of a matrix",
                           entry.path().string());
      }
      fs::remove(entry.path(), error);
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> publish_matrix(const Matrix& matrix, std::string_view command,
                                        const std::string& from, const std::string& path) {
  const fs::path folder = fs::path(path).replace_extension();
  if (folder == fs::path(path)) {
    return {fmt::format("{}: expected a name with an extension, such as matrix.md", path)};
  }
  std::error_code error;
  for (const char* below : kFolders) {
    fs::create_directories(folder / below, error);
    if (error) {
      return {fmt::format("cannot make the folder {}: {}", (folder / below).string(), error.message())};
    }
  }
  if (std::string problem = clear(folder); !problem.empty()) {
    return {std::move(problem)};
  }
  std::vector<std::string> problems;
  MatrixLinks links{.folder = folder.filename().string() + "/", .files = std::set<std::string>{}};
  for (const std::string& file : linked_files(matrix)) {
    const auto text = read_beginning((fs::path(from) / file).string(), kMaxSearchCertificateBytes);
    if (text && file.starts_with("scenarios/") && text->size() > kMostPublishedBytes) {
      continue;
    }
    std::string problem =
        text ? write_file((folder / file).string(), *text) : fmt::format("{}/{}: cannot be read", from, file);
    if (problem.empty()) {
      links.files->insert(file);
    } else {
      problems.push_back(std::move(problem));
    }
  }
  if (std::string problem = write_file(path, matrix_markdown(matrix, command, links)); !problem.empty()) {
    problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace mirrorproof::reports
