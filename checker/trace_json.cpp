#include "checker/trace_json.h"

#include <fmt/core.h>

#include <array>
#include <limits>

#include "model/check.h"

namespace mirrorproof::checker {
namespace {

constexpr std::size_t kMaxFound = 48;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
unsigned char byte_of(char c) {
  return static_cast<unsigned char>(c);
}

/// Length of the well-formed UTF-8 sequence at `at`; 0 if there is none (overlong forms, surrogates and
/// values above U+10FFFF included).
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const unsigned char lead = byte_of(text[at]);
  if (lead < 0x80) {
    return 1;
  }
  std::size_t length = 0;
  unsigned char second_min = 0x80;
  unsigned char second_max = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    second_min = lead == 0xE0 ? 0xA0 : 0x80;
    second_max = lead == 0xED ? 0x9F : 0xBF;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    second_min = lead == 0xF0 ? 0x90 : 0x80;
    second_max = lead == 0xF4 ? 0x8F : 0xBF;
  } else {
    return 0;
  }
  if (length > text.size() - at) {
    return 0;
  }
  const unsigned char second = byte_of(text[at + 1]);
  if (second < second_min || second > second_max) {
    return 0;
  }
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte_of(text[at + i]) & 0xC0) != 0x80) {
      return 0;
    }
  }
  return length;
}

/// Value of one hexadecimal digit, or -1.
int hex_value(char c) {
  if (is_digit(c)) {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  if (c >= 'A' && c <= 'F') {
    return c - 'A' + 10;
  }
  return -1;
}

/// The four hexadecimal digits at `at`, or -1.
int hex4(std::string_view text, std::size_t at) {
  if (text.size() < at + 4) {
    return -1;
  }
  int value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const int digit = hex_value(text[at + i]);
    if (digit < 0) {
      return -1;
    }
    value = value * 16 + digit;
  }
  return value;
}

bool is_high_surrogate(int unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}
bool is_low_surrogate(int unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto tail = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80 | ((code >> shift) & 0x3F)));
  };
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xC0 | (code >> 6)));
    tail(0);
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | (code >> 12)));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0 | (code >> 18)));
    tail(12);
    tail(6);
    tail(0);
  }
}

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
    while (more() && is_space(text_[at_])) {
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
    if (!more() || !is_digit(text_[at_])) {
      return expect_found("a digit");
    }
    while (more() && is_digit(text_[at_])) {
      ++at_;
    }
    return true;
  }

  bool number() {
    const bool negative = text_[at_] == '-';
    if (negative) {
      ++at_;
    }
    if (!more() || !is_digit(text_[at_])) {
      return expect_found(negative ? "a digit" : "a value");
    }
    if (text_[at_] == '0') {
      ++at_;
      if (more() && is_digit(text_[at_])) {
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
    while (more()) {
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
    return expect_found("'\"'");
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

void JsonCursor::skip_space() {
  while (at_ < text_.size() && is_space(text_[at_])) {
    ++at_;
  }
}

JsonKind JsonCursor::kind() const {
  switch (text_[at_]) {
    case '{':
      return JsonKind::object;
    case '[':
      return JsonKind::array;
    case '"':
      return JsonKind::string;
    case 't':
    case 'f':
      return JsonKind::boolean;
    case 'n':
      return JsonKind::null;
    default:
      return JsonKind::number;
  }
}

void JsonCursor::skip() {
  int depth = 0;
  do {
    switch (kind()) {
      case JsonKind::object:
      case JsonKind::array:
        ++depth;
        ++at_;
        break;
      case JsonKind::string:
        raw_string();
        break;
      default:
        while (at_ < text_.size() &&
               std::string_view(",]} \t\r\n").find(text_[at_]) == std::string_view::npos) {
          ++at_;
        }
        break;
    }
    // Between values: separators, and the ends of what was entered here.
    skip_space();
    while (depth > 0 && at_ < text_.size() &&
           std::string_view(",:]}").find(text_[at_]) != std::string_view::npos) {
      if (text_[at_] == ']' || text_[at_] == '}') {
        --depth;
      }
      ++at_;
      skip_space();
    }
  } while (depth > 0);
}

bool JsonCursor::boolean() {
  const bool value = text_[at_] == 't';
  at_ += value ? 4 : 5;
  skip_space();
  return value;
}

std::optional<JsonInteger> JsonCursor::integer() {
  JsonInteger value;
  std::size_t at = at_;
  if (text_[at] == '-') {
    value.negative = true;
    ++at;
  }
  bool fits = true;
  while (at < text_.size() && is_digit(text_[at])) {
    const auto digit = static_cast<std::uint64_t>(text_[at] - '0');
    if (value.magnitude > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) {
      fits = false;
    } else {
      value.magnitude = value.magnitude * 10 + digit;
    }
    ++at;
  }
  const bool whole = at >= text_.size() || (text_[at] != '.' && text_[at] != 'e' && text_[at] != 'E');
  if (!whole || !fits) {
    skip();
    return std::nullopt;
  }
  at_ = at;
  skip_space();
  return value;
}

std::string_view JsonCursor::raw_string() {
  const std::size_t start = ++at_;
  while (text_[at_] != '"') {
    at_ += text_[at_] == '\\' ? 2 : 1;
  }
  const std::string_view raw = text_.substr(start, at_ - start);
  ++at_;
  skip_space();
  return raw;
}

std::string_view JsonCursor::string(std::string& scratch) {
  const std::string_view raw = raw_string();
  if (raw.find('\\') == std::string_view::npos) {
    return raw;
  }
  scratch.clear();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      scratch.push_back(raw[i]);
      continue;
    }
    ++i;
    switch (raw[i]) {
      case 'b':
        scratch.push_back('\b');
        break;
      case 'f':
        scratch.push_back('\f');
        break;
      case 'n':
        scratch.push_back('\n');
        break;
      case 'r':
        scratch.push_back('\r');
        break;
      case 't':
        scratch.push_back('\t');
        break;
      case 'u': {
        const int unit = hex4(raw, i + 1);
        i += 4;
        auto code = static_cast<std::uint32_t>(unit);
        if (is_high_surrogate(unit)) {
          const auto low = static_cast<std::uint32_t>(hex4(raw, i + 3));
          code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
          i += 6;
        }
        append_utf8(scratch, code);
        break;
      }
      default:
        scratch.push_back(raw[i]);
        break;
    }
  }
  return scratch;
}

bool JsonCursor::next() {
  MP_CHECK(at_ < text_.size(), "the text was scanned before");
  if (text_[at_] == ',') {
    ++at_;
    skip_space();
    return true;
  }
  if (text_[at_] == ']' || text_[at_] == '}') {
    ++at_;
    skip_space();
    return false;
  }
  return true;
}

std::string_view JsonCursor::key(std::string& scratch) {
  const std::string_view name = string(scratch);
  ++at_;
  skip_space();
  return name;
}

std::string_view cut_utf8(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) {
    return text;
  }
  std::size_t end = max_bytes;
  while (end > 0 && (byte_of(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return text.substr(0, end);
}

std::string describe_json_value(std::string_view text, std::size_t at) {
  JsonCursor cursor(text, at);
  switch (cursor.kind()) {
    case JsonKind::object:
      return "an object";
    case JsonKind::array:
      return "an array";
    default:
      break;
  }
  const std::size_t start = cursor.at();
  cursor.skip();
  std::string_view value = text.substr(start, cursor.at() - start);
  while (!value.empty() && is_space(value.back())) {
    value.remove_suffix(1);
  }
  const std::string_view head = cut_utf8(value, kMaxFound);
  return head.size() < value.size() ? fmt::format("{}...", head) : std::string(head);
}

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  out.push_back('"');
  std::size_t plain = 0;  // start of the stretch that is copied as it is
  std::size_t at = 0;
  const auto flush = [&](std::size_t skip) {
    out.append(text.substr(plain, at - plain));
    at += skip;
    plain = at;
  };
  while (at < text.size()) {
    const char c = text[at];
    if (byte_of(c) >= 0x80) {
      const std::size_t length = utf8_length(text, at);
      if (length == 0) {
        flush(1);
        out.append("\xEF\xBF\xBD");
      } else {
        at += length;
      }
    } else if (c == '"' || c == '\\') {
      flush(1);
      out.push_back('\\');
      out.push_back(c);
    } else if (byte_of(c) < 0x20) {
      flush(1);
      switch (c) {
        case '\n':
          out.append("\\n");
          break;
        case '\r':
          out.append("\\r");
          break;
        case '\t':
          out.append("\\t");
          break;
        default:
          out.append("\\u00");
          out.push_back(hex[byte_of(c) >> 4]);
          out.push_back(hex[byte_of(c) & 0xF]);
          break;
      }
    } else {
      ++at;
    }
  }
  flush(0);
  out.push_back('"');
}

}  // namespace mirrorproof::checker
