#pragma once
// Style: emphasis in texts for a terminal. Without colour the texts are the same, minus the escapes.

#include <string>
#include <string_view>

namespace mirrorproof::reports {

class Style {
 public:
  explicit Style(bool colour = false) : colour_(colour) {}

  std::string bold(std::string_view text) const { return wrapped("1", text); }
  std::string dim(std::string_view text) const { return wrapped("2", text); }
  std::string good(std::string_view text) const { return wrapped("1;32", text); }
  std::string bad(std::string_view text) const { return wrapped("1;31", text); }
  std::string unclear(std::string_view text) const { return wrapped("1;33", text); }

 private:
  std::string wrapped(std::string_view code, std::string_view text) const {
    if (!colour_) {
      return std::string(text);
    }
    std::string out = "\x1b[";
    out.append(code).append("m").append(text).append("\x1b[0m");
    return out;
  }

  bool colour_;
};

}  // namespace mirrorproof::reports
