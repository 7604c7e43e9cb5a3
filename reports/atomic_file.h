#pragma once
// AtomicFile: a file that appears whole or not at all. Written beside its place under another name, renamed
// when done, removed when given up.

#include <fstream>
#include <string>
#include <string_view>

namespace mirrorproof::reports {

class AtomicFile {
 public:
  /// Opens the temporary file; ok() says whether that went well. A symbolic link is followed; anything else
  /// that is no regular file is refused.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  bool ok() const { return error_.empty(); }
  /// "cannot write x/y.json: No such file or directory"
  const std::string& error() const { return error_; }
  /// Only if ok().
  std::ostream& stream() { return stream_; }
  /// Flushes and renames. False with an error() if anything could not be written.
  bool commit();

 private:
  void fail(std::string_view why);

  std::string path_;
  std::string temporary_;  ///< empty once it is gone
  std::ofstream stream_;
  std::string error_;
};

/// Writes `text` to `path` at once. Empty, or what went wrong.
std::string write_file(const std::string& path, std::string_view text);

}  // namespace mirrorproof::reports
