#pragma once
// JsonText: a JSON text with the place of every value. Checks the text strictly (RFC 8259, UTF-8, limits of
// scenario.h), so that what passes here parses everywhere.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/problems.h"

namespace mirrorproof::scenarios {

/// Both count from 1; columns count characters, not bytes.
struct Position {
  int line = 1;
  int column = 1;
  friend auto operator<=>(const Position&, const Position&) = default;
};

/// Why a text is not JSON: the first place where it goes wrong.
struct SyntaxProblem {
  Position position;
  std::string pointer;  ///< the value that could not be read, or the one around it
  std::string found;
  std::string expected;
};

class JsonText {
 public:
  struct Result;
  /// `text` must outlive the result.
  static Result scan(std::string_view text);

  /// Where the value of `pointer` starts, or with `at_name` where its name does. A pointer to nothing gets
  /// the place of the nearest value around it.
  Position locate(std::string_view pointer, bool at_name) const;

 private:
  friend class JsonScanner;

  /// Values in the order of the text; the children of a container follow it directly, up to `end`.
  struct Node {
    std::size_t name_offset = 0;
    std::size_t value_offset = 0;
    std::uint32_t end = 0;  ///< index past the last value inside
    bool is_array = false;
    std::string name;  ///< empty for elements of an array
  };

  Position position_of(std::size_t offset) const;

  std::string_view text_;
  std::vector<std::size_t> line_starts_;
  std::vector<Node> nodes_;
};

struct JsonText::Result {
  std::optional<JsonText> text;  ///< nothing if `syntax` is set
  std::optional<SyntaxProblem> syntax;
  Problems duplicates;  ///< fields given twice
};

}  // namespace mirrorproof::scenarios
