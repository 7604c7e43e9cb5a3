#pragma once
// Runs the real program as a user would: arguments in; exit code, stdout and stderr out.

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mirrorproof::cli_tests {

struct ProgramResult {
  int code = -1;   ///< exit code; -1 if a signal ended it
  int signal = 0;  ///< the signal that ended it; 0 if none did
  std::string out;
  std::string err;
  std::size_t peak_memory = 0;  ///< bytes, resident
};

struct ProgramOptions {
  std::string out_path;   ///< where stdout goes instead
  bool terminal = false;  ///< stdout is a pseudo terminal
  std::vector<std::pair<std::string, std::string>> environment;
};

ProgramResult run_program(const std::vector<std::string>& arguments, const ProgramOptions& options = {});

/// A program that runs beside the test; killed if it is still there in the end.
class RunningProgram {
 public:
  explicit RunningProgram(const std::vector<std::string>& arguments);
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  void send(int signal) const;
  ProgramResult wait();

 private:
  std::string out_path_;
  std::string err_path_;
  pid_t pid_ = -1;
};

/// A folder of the test's own, removed afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
  /// Writes a file and returns its path.
  std::string write(std::string_view name, std::string_view text) const;

 private:
  std::string path_;
};

std::string read_file(const std::string& path);
/// A scenario of the project, by file name.
std::string scenario_path(std::string_view name);
/// The document, or a discarded value: one JSON document and nothing else.
nlohmann::json parse_json(std::string_view text);

}  // namespace mirrorproof::cli_tests
