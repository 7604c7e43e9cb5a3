#include "checker/trace_text.h"

#include <fmt/core.h>

#include <algorithm>

namespace mirrorproof::checker {
namespace {

/// Value of one hexadecimal digit, or -1.
int hex_value(char c) {
  if (is_json_digit(c)) {
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

}  // namespace

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

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text, at));
    std::uint32_t code = byte_of(text[at]);
    if (length == 2) {
      code = ((code & 0x1F) << 6) | (byte_of(text[at + 1]) & 0x3Fu);
    } else if (length == 3) {
      code = ((code & 0x0F) << 12) | ((byte_of(text[at + 1]) & 0x3Fu) << 6) | (byte_of(text[at + 2]) & 0x3Fu);
    }
    const bool acts = (code >= 0x7F && code <= 0x9F) || (code >= 0x2028 && code <= 0x202E) ||
                      (code >= 0x2066 && code <= 0x2069);
    if (acts && length < 4) {
      out += fmt::format("\\u{:04x}", code);
    } else {
      out += text.substr(at, length);
    }
    at += length;
  }
  return out;
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
