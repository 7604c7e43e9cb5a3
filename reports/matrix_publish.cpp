#include "reports/matrix_publish.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "model/protocol_presets.h"
#include "reports/atomic_file.h"
#include "reports/limited_json.h"
#include "reports/matrix_file.h"
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

fs::path folder_of(const std::string& path) {
  return fs::path(path).replace_extension();
}

/// Is the file, "scenarios/a.json", linked from the page?
bool links_to(std::string_view page, const fs::path& folder, const std::string& file) {
  const std::string link = fmt::format("]({}/{}", folder.filename().string(), file);
  for (std::size_t at = page.find(link); at != std::string_view::npos; at = page.find(link, at + 1)) {
    const std::size_t end = at + link.size();
    if (end < page.size() && (page[end] == ' ' || page[end] == ')')) {
      return true;
    }
  }
  return false;
}

struct Published {
  std::vector<std::string> files;  ///< "scenarios/a.json"
  std::string problem;             ///< there is something that no earlier call wrote
};

Published published_before(const std::string& path) {
  Published found;
  std::string page;
  std::error_code error;
  if (fs::exists(path, error)) {
    std::optional<std::string> text = read_beginning(path, kMaxMatrixFileBytes);
    if (!text || !text->starts_with(kMatrixPageTitle)) {
      found.problem = fmt::format(
          "{}: found a file that is no page of a design matrix, expected a new name or such a page", path);
      return found;
    }
    page = std::move(*text);
  }
  const fs::path folder = folder_of(path);
  for (const char* below : kFolders) {
    for (const auto& entry : fs::directory_iterator(folder / below, error)) {
      std::string file = fmt::format("{}/{}", below, entry.path().filename().string());
      if (!entry.is_regular_file() || !links_to(page, folder, file)) {
        found.problem = fmt::format(
            "{}: found a file that no earlier matrix put there, expected none beside those that {} links to",
            entry.path().string(), path);
        return found;
      }
      found.files.push_back(std::move(file));
    }
  }
  return found;
}

/// What is wrong with the name; empty if nothing is.
std::string name_problem(const std::string& from, const std::string& path) {
  const fs::path folder = folder_of(path);
  if (folder == fs::path(path) || !fs::path(path).has_stem()) {
    return fmt::format("found {}, expected a name with an extension, such as matrix.md", path);
  }
  // The folder beside the page is tidied up; the results themselves are not to be.
  std::error_code error;
  if (fs::weakly_canonical(folder, error) == fs::weakly_canonical(from, error)) {
    return fmt::format("found {}, whose folder {} is the one of --out; expected another name", path,
                       folder.string());
  }
  return {};
}

Published look_before(const std::string& from, const std::string& path) {
  if (std::string problem = name_problem(from, path); !problem.empty()) {
    return {{}, std::move(problem)};
  }
  return published_before(path);
}

}  // namespace

std::string publish_problem(const std::string& from, const std::string& path) {
  return look_before(from, path).problem;
}

std::vector<std::string> publish_matrix(const Matrix& matrix, std::string_view command,
                                        const std::string& from, const std::string& path) {
  const Published before = look_before(from, path);
  if (!before.problem.empty()) {
    return {"--publish: " + before.problem};
  }
  const fs::path folder = folder_of(path);
  std::error_code error;
  for (const char* below : kFolders) {
    fs::create_directories(folder / below, error);
    if (error) {
      return {fmt::format("cannot make the folder {}: {}", (folder / below).string(), error.message())};
    }
  }
  std::vector<std::string> problems;
  std::map<std::string, std::string> texts;
  MatrixLinks links{.folder = folder.filename().string() + "/", .files = std::set<std::string>{}};
  for (const std::string& file : linked_files(matrix)) {
    auto text = read_beginning((fs::path(from) / file).string(), kMaxSearchCertificateBytes);
    if (!text) {
      problems.push_back(fmt::format("{}/{}: cannot be read", from, file));
    } else if (!file.starts_with("scenarios/") || text->size() <= kMostPublishedBytes) {
      links.files->insert(file);
      texts.emplace(file, std::move(*text));
    }
  }
  // In an order that leaves, whenever it is cut short, no file that a page does not link to.
  for (const std::string& file : before.files) {
    if (!texts.contains(file)) {
      fs::remove(folder / file, error);
    }
  }
  const auto write = [&](const std::string& where, const std::string& text) {
    std::string problem = write_file(where, text);
    const bool written = problem.empty();
    if (!written) {
      problems.push_back(std::move(problem));
    }
    return written;
  };
  if (write(path, matrix_markdown(matrix, command, links))) {
    for (const auto& [file, text] : texts) {
      write((folder / file).string(), text);
    }
  }
  return problems;
}

}  // namespace mirrorproof::reports
