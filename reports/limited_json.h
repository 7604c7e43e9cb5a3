#pragma once
// What the readers of the program's own files share: files of bounded size, JSON of bounded depth and length.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mirrorproof::reports {

/// A document, or what is wrong with the text.
struct LimitedJson {
  nlohmann::json document;
  std::string found;
  std::string expected;
  bool ok() const { return found.empty(); }
};

/// Never throws, whatever the text.
LimitedJson parse_limited_json(std::string_view text);

/// digest_text() backwards; nothing for any other text.
std::optional<std::uint64_t> parse_digest(std::string_view text);

/// Is the text a JSON object whose first field has this name? A few hundred bytes of it are enough.
bool starts_with_field(std::string_view beginning, std::string_view name);

/// The first `limit` bytes of a regular file; nothing if it cannot be read.
std::optional<std::string> read_beginning(const std::string& path, std::size_t limit);

}  // namespace mirrorproof::reports
