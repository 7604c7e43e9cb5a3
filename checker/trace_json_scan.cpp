#include <fmt/core.h>

#include "checker/trace_json.h"
#include "checker/trace_text.h"

namespace mirrorproof::checker {
namespace {

/// Accepts or rejects; every function returns false after noting the problem.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool document(std::vector<JsonMember>& members) {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") {
      return fail(0, "a byte order mark", "an object");
    }
    skip_space();
    if (!more() || text_[at_] != '{') {
      return expect_found("an object");
    }
    if (!container(0, &members)) {
      return false;
    }
    skip_space();
    return !more() || expect_found("the end of the line");
  }

  JsonProblem problem() && { return std::move(problem_); }

 private:
  bool more() const { return at_ < text_.size(); }
  void skip_space() {
    while (more() && is_json_space(text_[at_])) {
      ++at_;
    }
  }

  bool fail(std::size_t at, std::string found, std::string_view expected) {
    problem_ = JsonProblem{at, std::move(found), std::string(expected)};
    return false;
  }
  /// The problem is the byte the scan stands at.
  bool expect_found(std::string_view expected) {
    if (!more()) {
      return fail(at_, "the end of the line", expected);
    }
    const unsigned char c = byte_of(text_[at_]);
    const std::string found =
        c > 0x20 && c < 0x7F ? fmt::format("'{}'", text_[at_]) : fmt::format("byte 0x{:02x}", c);
    return fail(at_, found, expected);
  }

  /// An object or array. Recursion is bounded by kMaxJsonDepth.
  bool container(int depth, std::vector<JsonMember>* members) {
    if (depth >= kMaxJsonDepth) {
      return fail(at_, "deeper nesting", fmt::format("at most {} levels", kMaxJsonDepth));
    }
    const bool object = text_[at_] == '{';
    const char close = object ? '}' : ']';
    ++at_;
    skip_space();
    if (more() && text_[at_] == close) {
      ++at_;
      return true;
    }
    while (true) {
      if (object) {
        const std::size_t key_at = at_;
        if (!more() || text_[at_] != '"') {
          return expect_found("a field name in double quotes");
        }
        if (!string()) {
          return false;
        }
        skip_space();
        if (!more() || text_[at_] != ':') {
          return expect_found("':'");
        }
        ++at_;
        skip_space();
        if (members != nullptr) {
          members->push_back(JsonMember{key_at, at_});
        }
      }
      if (!value(depth + 1)) {
        return false;
      }
      skip_space();
      if (!more() || (text_[at_] != ',' && text_[at_] != close)) {
        return expect_found(object ? "',' or '}'" : "',' or ']'");
      }
      if (text_[at_++] == close) {
        return true;
      }
      skip_space();
    }
  }

  bool value(int depth) {
    if (!more()) {
      return expect_found("a value");
    }
    switch (text_[at_]) {
      case '{':
      case '[':
        return container(depth, nullptr);
      case '"':
        return string();
      case 't':
        return literal("true");
      case 'f':
        return literal("false");
      case 'n':
        return literal("null");
      default:
        return number();
    }
  }

  bool literal(std::string_view word) {
    for (const char c : word) {
      if (!more() || text_[at_] != c) {
        return expect_found(fmt::format("'{}'", word));
      }
      ++at_;
    }
    return true;
  }

  bool digits() {
    if (!more() || !is_json_digit(text_[at_])) {
      return expect_found("a digit");
    }
    while (more() && is_json_digit(text_[at_])) {
      ++at_;
    }
    return true;
  }

  bool number() {
    const bool negative = text_[at_] == '-';
    if (negative) {
      ++at_;
    }
    if (!more() || !is_json_digit(text_[at_])) {
      return expect_found(negative ? "a digit" : "a value");
    }
    if (text_[at_] == '0') {
      ++at_;
      if (more() && is_json_digit(text_[at_])) {
        return expect_found("a number without leading zeros");
      }
    } else if (!digits()) {
      return false;
    }
    if (more() && text_[at_] == '.') {
      ++at_;
      if (!digits()) {
        return false;
      }
    }
    if (more() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (more() && (text_[at_] == '+' || text_[at_] == '-')) {
        ++at_;
      }
      return digits();
    }
    return true;
  }

  bool string() {
    ++at_;
    while (true) {
      at_ += plain_run(text_, at_);
      if (!more()) {
        return expect_found("'\"'");
      }
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c == '\\') {
        if (!escape()) {
          return false;
        }
      } else if (byte_of(c) < 0x20) {
        return expect_found("an escape sequence for a control character");
      } else {
        const std::size_t length = utf8_length(text_, at_);
        if (length == 0) {
          return expect_found("valid UTF-8");
        }
        at_ += length;
      }
    }
  }

  bool escape() {
    const std::size_t start = at_++;
    if (!more()) {
      return expect_found("an escape sequence");
    }
    if (text_[at_] != 'u') {
      if (std::string_view("\"\\/bfnrt").find(text_[at_]) == std::string_view::npos) {
        return expect_found("one of \" \\ / b f n r t u after '\\'");
      }
      ++at_;
      return true;
    }
    const int unit = hex4(text_, at_ + 1);
    if (unit < 0) {
      return fail(start, "an incomplete \\u escape", "four hexadecimal digits");
    }
    at_ += 5;
    if (is_low_surrogate(unit)) {
      return fail(start, "a lone low surrogate", "a whole surrogate pair");
    }
    if (is_high_surrogate(unit)) {
      if (text_.substr(at_, 2) != "\\u" || !is_low_surrogate(hex4(text_, at_ + 2))) {
        return fail(start, "a lone high surrogate", "a whole surrogate pair");
      }
      at_ += 6;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  JsonProblem problem_;
};

}  // namespace

std::optional<JsonProblem> scan_json_object(std::string_view text, std::vector<JsonMember>& members) {
  members.clear();
  Scanner scanner(text);
  if (scanner.document(members)) {
    return std::nullopt;
  }
  return std::move(scanner).problem();
}

}  // namespace mirrorproof::checker
