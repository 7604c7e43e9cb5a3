#pragma once
// A line on stderr that says how far the work is: rewritten once a second on a terminal, else a new one each
// ten seconds.

#include <chrono>
#include <functional>
#include <string>

#include "cli/terminal.h"

namespace mirrorproof::cli {

class LiveLine {
 public:
  explicit LiveLine(const Terminal& terminal);

  /// If it is time for a new one.
  void show(std::chrono::milliseconds elapsed, const std::function<std::string()>& text);
  /// Removes it, before something else is written.
  void clear();

 private:
  const Terminal& terminal_;
  bool live_;
  bool shown_ = false;
  std::chrono::milliseconds interval_;
  std::chrono::milliseconds next_;
};

}  // namespace mirrorproof::cli
