#include "scenarios/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "scenarios/scenario.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::scenarios {
namespace {

/// Longer names are no field of ours; the limit keeps pointers short.
constexpr std::size_t kMaxNameBytes = 256;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_continuation(unsigned char byte) {
  return (byte & 0xC0U) == 0x80U;
}

/// Length of the well-formed UTF-8 character at `at` (no surrogates, nothing overlong, nothing above
/// U+10FFFF); 0 if there is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(at + i < text.size() ? text[at + i] : 0);
  };
  const unsigned char first = byte(0);
  if (first < 0x80U) {
    return 1;
  }
  if (first >= 0xC2U && first <= 0xDFU) {
    return is_continuation(byte(1)) ? 2 : 0;
  }
  if (first >= 0xE0U && first <= 0xEFU) {
    const unsigned char low = first == 0xE0U ? 0xA0U : 0x80U;
    const unsigned char high = first == 0xEDU ? 0x9FU : 0xBFU;
    return byte(1) >= low && byte(1) <= high && is_continuation(byte(2)) ? 3 : 0;
  }
  if (first >= 0xF0U && first <= 0xF4U) {
    const unsigned char low = first == 0xF0U ? 0x90U : 0x80U;
    const unsigned char high = first == 0xF4U ? 0x8FU : 0xBFU;
    return byte(1) >= low && byte(1) <= high && is_continuation(byte(2)) && is_continuation(byte(3)) ? 4 : 0;
  }
  return 0;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80U) {
    out += static_cast<char>(code);
  } else if (code < 0x800U) {
    out += static_cast<char>(0xC0U | (code >> 6U));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  } else if (code < 0x10000U) {
    out += static_cast<char>(0xE0U | (code >> 12U));
    out += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    out += static_cast<char>(0xF0U | (code >> 18U));
    out += static_cast<char>(0x80U | ((code >> 12U) & 0x3FU));
    out += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  }
}

bool fits_a_number(std::string_view token) {
  const char* begin = token.data();
  const char* end = begin + token.size();
  std::from_chars_result result{};
  if (token.find_first_of(".eE") != std::string_view::npos) {
    double value = 0;
    result = std::from_chars(begin, end, value);
  } else if (token.front() == '-') {
    std::int64_t value = 0;
    result = std::from_chars(begin, end, value);
  } else {
    std::uint64_t value = 0;
    result = std::from_chars(begin, end, value);
  }
  return result.ec == std::errc{} && result.ptr == end;
}

}  // namespace

/// One pass, without recursion; stops at the first thing that is not JSON.
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) { result_.text_ = text; }

  JsonText::Result run() {
    JsonText::Result out;
    find_lines();
    const bool ok = check_utf8() && scan_document();
    out.duplicates = std::move(duplicates_);
    if (ok) {
      out.text = std::move(result_);
    } else {
      out.syntax = std::move(problem_);
    }
    return out;
  }

 private:
  struct Open {
    std::uint32_t node = 0;
    bool is_array = false;
    std::size_t count = 0;  ///< children begun
    std::set<std::string> names;
  };

  std::string_view text() const { return result_.text_; }
  bool at_end() const { return at_ >= text().size(); }
  char peek() const { return at_end() ? '\0' : text()[at_]; }

  void find_lines() {
    result_.line_starts_ = {0};
    for (std::size_t i = 0; i < text().size(); ++i) {
      if (text()[i] == '\n') {
        result_.line_starts_.push_back(i + 1);
      }
    }
  }

  /// Always false, so that a failing rule can return it.
  bool fail_at(std::size_t offset, std::string found, std::string expected) {
    problem_ = SyntaxProblem{result_.position_of(offset), here(), std::move(found), std::move(expected)};
    return false;
  }
  bool fail(std::string expected) { return fail_at(at_, what_is_here(), std::move(expected)); }

  /// The innermost open container.
  std::string here() const {
    std::string pointer;
    for (std::size_t i = 1; i < open_.size(); ++i) {
      const Open& parent = open_[i - 1];
      pointer = parent.is_array ? child_pointer(pointer, parent.count - 1)
                                : child_pointer(pointer, result_.nodes_[open_[i].node].name);
    }
    return pointer;
  }

  std::string what_is_here() const {
    if (at_end()) {
      return "the end of the file";
    }
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text(), at_));
    return "'" + printable(text().substr(at_, length), 8) + "'";
  }

  bool check_utf8() {
    at_ = text().starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    for (std::size_t i = at_; i < text().size();) {
      const std::size_t length = utf8_length(text(), i);
      if (length == 0) {
        return fail_at(i, fmt::format("byte 0x{:02x}", static_cast<unsigned char>(text()[i])), "UTF-8 text");
      }
      i += length;
    }
    return true;
  }

  void skip_space() {
    while (!at_end() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) {
      ++at_;
    }
  }

  bool scan_document() {
    skip_space();
    if (at_end()) {
      return fail_at(0, "an empty file", "a JSON object");
    }
    if (!begin_value(at_, "")) {
      return false;
    }
    while (!open_.empty()) {
      if (!step_inside()) {
        return false;
      }
    }
    skip_space();
    return at_end() || fail("the end of the file");
  }

  /// The next element, member or end of the innermost open container.
  bool step_inside() {
    skip_space();
    Open& open = open_.back();
    const char close = open.is_array ? ']' : '}';
    if (peek() == close) {
      ++at_;
      result_.nodes_[open.node].end = static_cast<std::uint32_t>(result_.nodes_.size());
      open_.pop_back();
      return true;
    }
    if (open.count > 0) {
      if (peek() != ',') {
        return fail(open.is_array ? "',' or ']'" : "',' or '}'");
      }
      ++at_;
      skip_space();
    }
    ++open.count;
    return open.is_array ? begin_value(at_, "") : member();
  }

  bool member() {
    const std::size_t name_offset = at_;
    if (peek() != '"') {
      return fail(open_.back().count == 1 ? "a field name in double quotes or '}'"
                                          : "a field name in double quotes");
    }
    std::string name;
    if (!scan_string(&name)) {
      return false;
    }
    if (name.size() > kMaxNameBytes) {
      return fail_at(name_offset, fmt::format("a field name of {} bytes", name.size()),
                     fmt::format("field names of at most {} bytes", kMaxNameBytes));
    }
    if (!open_.back().names.insert(name).second) {
      duplicates_.add_at_name(child_pointer(here(), name), "the field " + in_quotes(name) + " again",
                              "each field at most once");
    }
    skip_space();
    if (peek() != ':') {
      return fail("':'");
    }
    ++at_;
    skip_space();
    return begin_value(name_offset, std::move(name));
  }

  bool begin_value(std::size_t name_offset, std::string name) {
    auto& nodes = result_.nodes_;
    if (nodes.size() >= static_cast<std::size_t>(kMaxValues)) {
      return fail_at(at_, "one value too many", fmt::format("at most {} values", kMaxValues));
    }
    const auto index = static_cast<std::uint32_t>(nodes.size());
    const char first = peek();
    const bool is_array = first == '[';
    if (first == '{' || is_array) {
      if (open_.size() >= static_cast<std::size_t>(kMaxDepth)) {
        return fail_at(at_, "one level of nesting too many", fmt::format("at most {} levels", kMaxDepth));
      }
      nodes.push_back({name_offset, at_, index + 1, is_array, std::move(name)});
      open_.push_back({index, is_array, 0, {}});
      ++at_;
      return true;
    }
    nodes.push_back({name_offset, at_, index + 1, false, std::move(name)});
    if (first == '"') {
      return scan_string(nullptr);
    }
    if (first == '-' || (first >= '0' && first <= '9')) {
      return scan_number();
    }
    return scan_word();
  }

  bool scan_word() {
    for (const std::string_view word : {"true", "false", "null"}) {
      if (text().substr(at_).starts_with(word)) {
        at_ += word.size();
        return true;
      }
    }
    const bool after_comma = !open_.empty() && (peek() == ']' || peek() == '}') && open_.back().count > 1;
    return fail(after_comma ? "a value after ','" : "a value");
  }

  bool scan_digits() {
    if (peek() < '0' || peek() > '9') {
      return fail("a digit");
    }
    while (peek() >= '0' && peek() <= '9') {
      ++at_;
    }
    return true;
  }

  bool scan_number() {
    const std::size_t start = at_;
    at_ += peek() == '-' ? 1 : 0;
    if (peek() == '0') {
      ++at_;
      if (peek() >= '0' && peek() <= '9') {
        return fail_at(start, "a number that starts with 0", "a number without leading zeros");
      }
    } else if (!scan_digits()) {
      return false;
    }
    if (peek() == '.') {
      ++at_;
      if (!scan_digits()) {
        return false;
      }
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      at_ += peek() == '+' || peek() == '-' ? 1 : 0;
      if (!scan_digits()) {
        return false;
      }
    }
    const std::string_view token = text().substr(start, at_ - start);
    return fits_a_number(token) || fail_at(start, printable(token, 40), "a number that fits into 64 bits");
  }

  /// Four hexadecimal digits after \u.
  bool scan_hex(std::uint32_t& code) {
    code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      std::uint32_t digit = 0;
      if (c >= '0' && c <= '9') {
        digit = static_cast<std::uint32_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        digit = static_cast<std::uint32_t>(c - 'a') + 10;
      } else if (c >= 'A' && c <= 'F') {
        digit = static_cast<std::uint32_t>(c - 'A') + 10;
      } else {
        return fail("four hexadecimal digits after \\u");
      }
      code = code * 16 + digit;
    }
    return true;
  }

  bool scan_escape(std::string* out) {
    const std::size_t start = at_;
    ++at_;
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    std::uint32_t code = 0;
    if (const std::size_t simple = kNames.find(peek()); !at_end() && simple != std::string_view::npos) {
      code = static_cast<std::uint32_t>(kMeanings[simple]);
      ++at_;
    } else if (peek() == 'u') {
      ++at_;
      if (!scan_hex(code)) {
        return false;
      }
      const std::uint32_t high = code;
      if (high >= 0xD800U && high <= 0xDBFFU && text().substr(at_).starts_with("\\u")) {
        at_ += 2;
        std::uint32_t low = 0;
        if (!scan_hex(low)) {
          return false;
        }
        if (low >= 0xDC00U && low <= 0xDFFFU) {
          code = 0x10000U + ((high - 0xD800U) << 10U) + (low - 0xDC00U);
        }
      }
      if (code >= 0xD800U && code <= 0xDFFFU) {
        return fail_at(start, "half of a surrogate pair", "both halves, high half first");
      }
    } else {
      return fail("one of \" \\ / b f n r t u after \\");
    }
    if (out != nullptr) {
      append_utf8(*out, code);
    }
    return true;
  }

  bool scan_string(std::string* out) {
    const std::size_t start = at_;
    ++at_;
    while (!at_end() && peek() != '"') {
      if (static_cast<unsigned char>(peek()) < 0x20U) {
        return fail_at(at_, peek() == '\n' ? "the end of the line" : what_is_here(),
                       "'\"' at the end of the string (control characters need an escape)");
      }
      if (peek() == '\\') {
        if (!scan_escape(out)) {
          return false;
        }
        continue;
      }
      if (out != nullptr) {
        *out += peek();
      }
      ++at_;
    }
    if (at_end()) {
      return fail(fmt::format("'\"' at the end of the string that starts at line {}",
                              result_.position_of(start).line));
    }
    ++at_;
    return true;
  }

  JsonText result_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  std::optional<SyntaxProblem> problem_;
  Problems duplicates_;
};

JsonText::Result JsonText::scan(std::string_view text) {
  return JsonScanner(text).run();
}

Position JsonText::position_of(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t line = static_cast<std::size_t>(after - line_starts_.begin());
  std::size_t start = line_starts_[line - 1];
  if (start == 0 && text_.starts_with(kByteOrderMark)) {
    start = kByteOrderMark.size();
  }
  int column = 1;
  for (std::size_t i = start; i < offset; ++i) {
    column += is_continuation(static_cast<unsigned char>(text_[i])) ? 0 : 1;
  }
  return {static_cast<int>(line), column};
}

Position JsonText::locate(std::string_view pointer, bool at_name) const {
  std::size_t node = 0;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    std::string name;
    for (std::size_t i = 0; i < token.size(); ++i) {
      const bool escaped = token[i] == '~' && i + 1 < token.size();
      name += escaped ? (token[++i] == '1' ? '/' : '~') : token[i];
    }
    std::size_t found = 0;  // the document is nobody's child
    std::size_t index = 0;
    for (std::size_t child = node + 1; child < nodes_[node].end; child = nodes_[child].end, ++index) {
      if (nodes_[node].is_array ? std::to_string(index) == name : nodes_[child].name == name) {
        found = child;  // of fields given twice the last one counts
      }
    }
    if (found == 0) {
      return position_of(nodes_[node].value_offset);
    }
    node = found;
  }
  return position_of(at_name ? nodes_[node].name_offset : nodes_[node].value_offset);
}

std::string child_pointer(const std::string& pointer, std::string_view name) {
  std::string out = pointer + '/';
  for (const char c : name) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string child_pointer(const std::string& pointer, std::size_t index) {
  return pointer + '/' + std::to_string(index);
}

}  // namespace mirrorproof::scenarios
