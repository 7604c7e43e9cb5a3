#pragma once
// Cuts a stream into lines of bounded length without holding more than one line and one chunk in memory.

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>

namespace mirrorproof::checker {

class TraceLines {
 public:
  enum class Status {
    line,
    end,
    too_long,  ///< the next line exceeds the bound; nothing more is read
    failed,    ///< the stream broke; nothing more is read
  };

  TraceLines(std::istream& in, std::size_t max_line_bytes) : in_(in), max_line_bytes_(max_line_bytes) {}

  /// On `line`, `line` is the next one without its newline, valid until the next call.
  Status next(std::string_view& line);

 private:
  /// False when there is no more to read.
  bool fill();

  std::istream& in_;
  std::size_t max_line_bytes_;
  std::string buffer_;
  std::size_t begin_ = 0;  ///< start of the line being looked for
  std::size_t end_ = 0;    ///< end of the bytes in `buffer_`
  bool exhausted_ = false;
  bool broken_ = false;
};

}  // namespace mirrorproof::checker
