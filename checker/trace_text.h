#pragma once
// Characters: UTF-8 sequences and the escapes of JSON strings. Used by the scan, the cursor and the printing
// of texts.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace mirrorproof::checker {

constexpr unsigned char byte_of(char c) {
  return static_cast<unsigned char>(c);
}
constexpr bool is_json_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
constexpr bool is_json_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_high_surrogate(int unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}
constexpr bool is_low_surrogate(int unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

/// Number of bytes from `at` on that a JSON string holds as they are: ASCII but controls, quotes and
/// backslashes. Most of a trace is such text: eight bytes are looked at in one go.
inline std::size_t plain_run(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kHighs = 0x80 * kOnes;
  const std::size_t start = at;
  if constexpr (std::endian::native == std::endian::little) {
    for (; text.size() - at >= sizeof(std::uint64_t); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + at, sizeof(word));
      // The lowest byte marked is a hit; those above it may be false alarms of the borrow.
      const std::uint64_t quote = word ^ (kOnes * '"');
      const std::uint64_t backslash = word ^ (kOnes * '\\');
      const std::uint64_t special =
          (((word - kOnes * 0x20) | (quote - kOnes) | (backslash - kOnes)) & ~word & kHighs) |
          (word & kHighs);
      if (special != 0) {
        return at - start + static_cast<std::size_t>(std::countr_zero(special)) / 8;
      }
    }
  }
  while (at < text.size() && byte_of(text[at]) >= 0x20 && byte_of(text[at]) < 0x80 && text[at] != '"' &&
         text[at] != '\\') {
    ++at;
  }
  return at - start;
}

/// Length of the well-formed UTF-8 sequence at `at`; 0 if there is none (overlong forms, surrogates and
/// values above U+10FFFF included).
std::size_t utf8_length(std::string_view text, std::size_t at);
void append_utf8(std::string& out, std::uint32_t code);
/// The four hexadecimal digits at `at`, or -1.
int hex4(std::string_view text, std::size_t at);

/// `text` cut to at most `max_bytes` without splitting a character.
std::string_view cut_utf8(std::string_view text, std::size_t max_bytes);

/// `text` with the characters that would act on a terminal or hide what stands there (DEL, C1 controls, line
/// separators, changes of direction) as escapes. For JSON text, where C0 controls cannot occur.
std::string printable(std::string_view text);

/// Appends `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, so that the
/// result is always valid.
void append_json_string(std::string& out, std::string_view text);

}  // namespace mirrorproof::checker
