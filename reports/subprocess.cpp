#include "reports/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every libc's headers

namespace mirrorproof::reports {
namespace {

/// One end of a connection; closed in the end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  void close() {
    if (number_ >= 0) {
      ::close(number_);
      number_ = -1;
    }
  }

 private:
  int number_;
};

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// Stdin and stdout are one socket, stderr goes nowhere. -1 if the program cannot be started.
pid_t start(const std::vector<std::string>& command, int socket) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  FileActions actions;
  posix_spawn_file_actions_adddup2(actions.get(), socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), socket, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(actions.get(), STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, arguments.front(), actions.get(), nullptr, arguments.data(), environ);
  return error == 0 ? pid : -1;
}

/// False once the other side is silent for too long, says too much, or breaks off.
bool converse(int socket, const std::string& input, int patience_ms, std::size_t most, std::string& output) {
  std::size_t written = 0;
  std::array<char, 65536> buffer{};
  if (input.empty()) {
    ::shutdown(socket, SHUT_WR);
  }
  while (true) {
    pollfd waiting{socket, static_cast<short>(POLLIN | (written < input.size() ? POLLOUT : 0)), 0};
    const int ready = ::poll(&waiting, 1, patience_ms);
    if (ready == 0 || (ready < 0 && errno != EINTR)) {
      return false;
    }
    if ((waiting.revents & POLLOUT) != 0) {
      const ssize_t count =
          ::send(socket, input.data() + written, input.size() - written, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0 && errno != EAGAIN && errno != EINTR) {
        return false;
      }
      written += count > 0 ? static_cast<std::size_t>(count) : 0;
      if (written == input.size()) {
        ::shutdown(socket, SHUT_WR);
      }
    }
    if ((waiting.revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
      const ssize_t count = ::recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (count == 0) {
        return true;
      }
      if (count < 0 && errno != EAGAIN && errno != EINTR) {
        return false;
      }
      output.append(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
      if (output.size() > most) {
        return false;
      }
    }
  }
}

}  // namespace

std::optional<std::string> run_filter(const std::vector<std::string>& command, const std::string& input,
                                      int patience_ms, std::size_t most) {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return std::nullopt;
  }
  const Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  const pid_t pid = start(command, theirs.number());
  theirs.close();
  if (pid < 0) {
    return std::nullopt;
  }
  std::string output;
  const bool good = converse(ours.number(), input, patience_ms, most, output);
  if (!good) {
    ::kill(pid, SIGKILL);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const bool succeeded = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return succeeded ? std::optional(std::move(output)) : std::nullopt;
}

}  // namespace mirrorproof::reports
