#pragma once
// Strict JSON (RFC 8259) for one line of a trace: a scan that accepts or rejects the whole text, and a cursor
// that walks a text which the scan accepted. Knows nothing of traces. Made for hostile input: bounded depth,
// no exceptions, and positions (byte offsets into the text) in every complaint.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/trace_text.h"

namespace mirrorproof::checker {

/// Deepest nesting of objects and arrays that the scan accepts.
inline constexpr int kMaxJsonDepth = 32;

struct JsonProblem {
  std::size_t at = 0;
  std::string found;
  std::string expected;
};

/// A member of the outermost object: where its key and its value start.
struct JsonMember {
  std::size_t key_at = 0;
  std::size_t value_at = 0;
};

/// Nothing if `text` is exactly one JSON object in valid UTF-8, perhaps with white space around it; `members`
/// then holds its members in order (repeated keys included). Otherwise the first problem.
std::optional<JsonProblem> scan_json_object(std::string_view text, std::vector<JsonMember>& members);

enum class JsonKind : std::uint8_t { object, array, string, number, boolean, null };

/// A JSON number written without fraction and exponent.
struct JsonInteger {
  bool negative = false;
  std::uint64_t magnitude = 0;
};

/// Walks a scanned text. Every reading function consumes the value it stands at and must match its kind.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text, std::size_t at = 0) : text_(text), at_(at) { skip_space(); }

  /// Offset of the value the cursor stands at.
  std::size_t at() const { return at_; }
  JsonKind kind() const;

  void skip();
  bool boolean();
  /// Nothing for a fraction, an exponent or a magnitude above 64 bits.
  std::optional<JsonInteger> integer();
  /// The decoded text; it lives in the scanned text, or in `scratch` if it held escapes.
  std::string_view string(std::string& scratch);
  /// The text between the quotes as written, without decoding.
  std::string_view raw_string() {
    bool escaped = false;
    return raw_string(escaped);
  }

  /// Steps into an object or array; then call next() before each member or element.
  void enter() {
    ++at_;
    skip_space();
  }
  /// False when the object or array has ended (and is consumed).
  bool next();
  /// The key of an object's member, with the colon after it.
  std::string_view key(std::string& scratch);

 private:
  void skip_space() {
    while (at_ < text_.size() && is_json_space(text_[at_])) {
      ++at_;
    }
  }
  std::string_view raw_string(bool& escaped);

  std::string_view text_;
  std::size_t at_;
};

/// Short form of the value at `at`, for messages: the text as written, cut off when long; "an object", "an
/// array".
std::string describe_json_value(std::string_view text, std::size_t at);

}  // namespace mirrorproof::checker
