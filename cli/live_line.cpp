#include "cli/live_line.h"

#include <cstdio>

namespace mirrorproof::cli {

using std::chrono::milliseconds;

LiveLine::LiveLine(const Terminal& terminal)
    : terminal_(terminal),
      live_(Terminal::error_is_terminal()),
      interval_(live_ ? milliseconds(1'000) : milliseconds(10'000)),
      next_(interval_) {}

void LiveLine::show(milliseconds elapsed, const std::function<std::string()>& text) {
  if (elapsed < next_) {
    return;
  }
  next_ = elapsed + interval_;
  const std::string line = text();
  if (!live_) {
    terminal_.complain(line);
    return;
  }
  std::fputs(("\r" + line + "\x1b[K").c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void LiveLine::clear() {
  if (shown_) {
    std::fputs("\r\x1b[K", stderr);
    shown_ = false;
  }
}

}  // namespace mirrorproof::cli
