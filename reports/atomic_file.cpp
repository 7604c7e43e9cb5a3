#include "reports/atomic_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace mirrorproof::reports {
namespace {

namespace fs = std::filesystem;

std::string last_system_error() {
  return errno == 0 ? "the system does not say why" : std::generic_category().message(errno);
}

/// Unique among all files that this and other processes write at the same time.
std::string temporary_name(const std::string& path) {
  static std::atomic<std::uint64_t> counter{0};
  return fmt::format("{}.{}-{}.part", path, ::getpid(), counter.fetch_add(1));
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  std::error_code error;
  if (fs::is_symlink(path, error)) {
    const fs::path target = fs::weakly_canonical(path, error);
    if (!error) {
      path_ = target.string();
    }
  }
  const fs::file_status status = fs::status(path_, error);
  if (status.type() == fs::file_type::directory) {
    fail("it is a directory");
    return;
  }
  if (fs::exists(status) && status.type() != fs::file_type::regular) {
    fail("it is no regular file");
    return;
  }
  temporary_ = temporary_name(path_);
  errno = 0;
  stream_.open(temporary_, std::ios::binary | std::ios::trunc);
  if (!stream_) {
    temporary_.clear();
    fail(last_system_error());
  }
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) {
    stream_.close();
    std::error_code ignored;
    fs::remove(temporary_, ignored);
  }
}

bool AtomicFile::commit() {
  if (!ok()) {
    return false;
  }
  errno = 0;
  stream_.close();
  if (!stream_) {
    fail(last_system_error());
    return false;
  }
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (error) {
    fail(error.message());
    return false;
  }
  temporary_.clear();
  return true;
}

void AtomicFile::fail(std::string_view why) {
  error_ = fmt::format("cannot write {}: {}", path_, why);
}

std::string write_file(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  if (file.ok()) {
    file.stream().write(text.data(), static_cast<std::streamsize>(text.size()));
    file.commit();
  }
  return file.error();
}

}  // namespace mirrorproof::reports
