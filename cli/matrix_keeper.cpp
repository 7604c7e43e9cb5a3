#include "cli/matrix_keeper.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "cli/report_files.h"
#include "reports/atomic_file.h"
#include "reports/limited_json.h"
#include "reports/matrix_evidence.h"
#include "reports/matrix_file.h"

namespace mirrorproof::cli {
namespace {

namespace fs = std::filesystem;

/// A matrix is some megabytes of text, which takes a tenth of a second.
constexpr std::chrono::seconds kBetweenSaves{2};

}  // namespace

MatrixKeeper::MatrixKeeper(const std::string& folder, std::string command)
    : folder_(folder), command_(std::move(command)), path_((fs::path(folder) / "matrix.json").string()) {}

bool MatrixKeeper::open(reports::Matrix& matrix, bool resume) {
  std::error_code error;
  const bool there = fs::exists(path_, error);
  if (std::string problem = make_out_folder(folder_); !problem.empty()) {
    problems_.push_back(std::move(problem));
    return false;
  }
  lock_.emplace(folder_);
  if (lock_->taken_by_another()) {
    problems_.push_back(fmt::format(
        "--out: another matrix is being written into {}; give each a folder of its own", folder_));
    return false;
  }
  if (resume && there) {
    read_earlier(matrix);
  } else if (there) {
    set_aside();
  } else if (resume) {
    note_ = fmt::format("nothing to go on with in {}: the matrix begins", folder_);
  }
  if (problems_.empty()) {
    // Says so now if nothing can be saved there, not after an hour.
    if (const std::string problem = save(matrix); !problem.empty()) {
      problems_.push_back("--out: " + problem);
    }
  }
  return problems_.empty();
}

void MatrixKeeper::read_earlier(reports::Matrix& matrix) {
  const auto text = reports::read_beginning(path_, reports::kMaxMatrixFileBytes + 1);
  if (!text) {
    problems_.push_back(path_ + ": cannot be read");
    return;
  }
  if (text->size() > reports::kMaxMatrixFileBytes) {
    problems_.push_back(
        fmt::format("{}: found more than {} bytes, expected a matrix", path_, reports::kMaxMatrixFileBytes));
    return;
  }
  if (const std::string problem = reports::load_matrix(*text, matrix); !problem.empty()) {
    problems_.push_back(path_ + ": " + problem);
    return;
  }
  reports::forget_missing_evidence(matrix, folder_);
}

void MatrixKeeper::set_aside() {
  const std::string other = (fs::path(folder_) / "matrix.earlier.json").string();
  std::error_code error;
  fs::rename(path_, other, error);
  note_ =
      error ? ""
            : fmt::format("a matrix was here; --resume would have gone on with it. It is kept as {}", other);
}

void MatrixKeeper::save_sometimes(const reports::Matrix& matrix) {
  if (Clock::now() >= next_) {
    save(matrix);
  }
}

std::string MatrixKeeper::save(const reports::Matrix& matrix) {
  std::string problem = reports::write_file(path_, reports::matrix_json(matrix, command_).dump(1) + "\n");
  next_ = Clock::now() + kBetweenSaves;
  return problem;
}

}  // namespace mirrorproof::cli
