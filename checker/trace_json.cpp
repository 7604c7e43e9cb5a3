#include "checker/trace_json.h"

#include <limits>

#include "checker/trace_text.h"
#include "model/check.h"

namespace mirrorproof::checker {
namespace {

constexpr std::size_t kMaxFound = 48;

}  // namespace

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
  while (at < text_.size() && is_json_digit(text_[at])) {
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

std::string_view JsonCursor::raw_string(bool& escaped) {
  escaped = false;
  const std::size_t start = ++at_;
  at_ += plain_run(text_, at_);
  while (text_[at_] != '"') {
    escaped = escaped || text_[at_] == '\\';
    at_ += text_[at_] == '\\' ? 2 : 1;
    at_ += plain_run(text_, at_);
  }
  const std::string_view raw = text_.substr(start, at_ - start);
  ++at_;
  skip_space();
  return raw;
}

std::string_view JsonCursor::string(std::string& scratch) {
  bool escaped = false;
  const std::string_view raw = raw_string(escaped);
  if (!escaped) {
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
  while (!value.empty() && is_json_space(value.back())) {
    value.remove_suffix(1);
  }
  const std::string_view head = cut_utf8(value, kMaxFound);
  return printable(head) + (head.size() < value.size() ? "..." : "");
}

}  // namespace mirrorproof::checker
