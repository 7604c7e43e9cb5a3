#pragma once
// MatrixKeeper: the folder of a matrix, held for this program alone, with the matrix.json in it that says how
// far the matrix has come. It is written again and again, so that a matrix that was killed can go on.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "reports/folder_lock.h"
#include "reports/matrix.h"

namespace mirrorproof::cli {

class MatrixKeeper {
 public:
  /// Makes the folder if need be. `command` makes the matrix.
  MatrixKeeper(const std::string& folder, std::string command);

  /// Begins `matrix`, or fills it with what the folder has of it. False with problems() if that cannot be; an
  /// empty folder has nothing to go on with, which is no problem.
  bool open(reports::Matrix& matrix, bool resume);
  const std::vector<std::string>& problems() const { return problems_; }
  /// What a person should know of an earlier matrix in the folder; may be empty.
  const std::string& note() const { return note_; }
  /// FOLDER/matrix.json
  const std::string& path() const { return path_; }

  /// Saves every few seconds. Not by two threads at a time.
  void save_sometimes(const reports::Matrix& matrix);
  /// Empty, or what went wrong.
  std::string save(const reports::Matrix& matrix);

 private:
  using Clock = std::chrono::steady_clock;

  void read_earlier(reports::Matrix& matrix);
  void set_aside();

  std::string folder_;
  std::string command_;
  std::string path_;
  std::vector<std::string> problems_;
  std::string note_;
  std::optional<reports::FolderLock> lock_;
  Clock::time_point next_;
};

}  // namespace mirrorproof::cli
