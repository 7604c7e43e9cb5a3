#include "tests/cli/program.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace mirrorproof::cli_tests {
namespace {

int open_for_writing(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

pid_t start(const std::vector<std::string>& arguments, int out, int err,
            const std::vector<std::pair<std::string, std::string>>& environment) {
  const char* const other = std::getenv("MIRRORPROOF_CLI");
  std::vector<std::string> words{other != nullptr ? other : MIRRORPROOF_CLI};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    // What the tests themselves are run with is none of the program's business.
    for (const char* name : {"NO_COLOR", "GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", "JOB_COMPLETION_INDEX",
                             "SLURM_ARRAY_TASK_ID"}) {
      ::unsetenv(name);
    }
    for (const auto& [name, value] : environment) {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  if (pid < 0) {
    throw std::runtime_error("cannot start the program");
  }
  return pid;
}

void take_status(pid_t pid, ProgramResult& result) {
  int status = 0;
  rusage usage{};
  ::wait4(pid, &status, 0, &usage);
  result.peak_memory = static_cast<std::size_t>(usage.ru_maxrss) << 10;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

std::string drain(int file) {
  std::string text;
  std::array<char, 4096> buffer{};
  // A pseudo terminal reports an error when the program at the other end is gone.
  for (ssize_t count = 0; (count = ::read(file, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments, const ProgramOptions& options) {
  const TemporaryFolder folder;
  const std::string out_path = options.out_path.empty() ? folder / "out" : options.out_path;
  int terminal = -1;
  int out = -1;
  if (options.terminal) {
    if (::openpty(&terminal, &out, nullptr, nullptr, nullptr) != 0) {
      throw std::runtime_error("no pseudo terminal");
    }
  } else {
    out = open_for_writing(out_path);
  }
  const int err = open_for_writing(folder / "err");
  const pid_t pid = start(arguments, out, err, options.environment);
  ::close(out);
  ::close(err);
  ProgramResult result;
  if (options.terminal) {
    result.out = drain(terminal);
    ::close(terminal);
  }
  take_status(pid, result);
  if (!options.terminal && options.out_path.empty()) {
    result.out = read_file(out_path);
  }
  result.err = read_file(folder / "err");
  return result;
}

RunningProgram::RunningProgram(const std::vector<std::string>& arguments) {
  const std::string base = (std::filesystem::temp_directory_path() / "mirrorproof-running-XXXXXX").string();
  std::string folder = base;
  if (::mkdtemp(folder.data()) == nullptr) {
    throw std::runtime_error("no temporary folder");
  }
  out_path_ = folder + "/out";
  err_path_ = folder + "/err";
  const int out = open_for_writing(out_path_);
  const int err = open_for_writing(err_path_);
  pid_ = start(arguments, out, err, {});
  ::close(out);
  ::close(err);
}

RunningProgram::~RunningProgram() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(std::filesystem::path(out_path_).parent_path(), ignored);
}

void RunningProgram::send(int signal) const {
  ::kill(pid_, signal);
}

ProgramResult RunningProgram::wait() {
  ProgramResult result;
  take_status(pid_, result);
  pid_ = -1;
  result.out = read_file(out_path_);
  result.err = read_file(err_path_);
  return result;
}

TemporaryFolder::TemporaryFolder() {
  path_ = (std::filesystem::temp_directory_path() / "mirrorproof-test-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error("no temporary folder");
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(std::string_view name, std::string_view text) const {
  std::string path = *this / name;
  std::ofstream stream(path, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  return path;
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string scenario_path(std::string_view name) {
  return std::string(MIRRORPROOF_SOURCE_DIR) + "/scenarios/" + std::string(name);
}

nlohmann::json parse_json(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace mirrorproof::cli_tests
