#pragma once
// Words for messages: values shown safely, lists of names, the nearest name to a typo.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mirrorproof::scenarios {

/// Control characters and DEL as \xNN, at most `limit` bytes (cut between characters, then "...").
std::string printable(std::string_view text, std::size_t limit);

/// printable() in double quotes, quotes inside escaped.
std::string in_quotes(std::string_view text);

/// "\"x\"", "7", "an object", "an array of 3", "true", "null".
std::string describe(const nlohmann::json& value);

/// The candidate nearest to `text` when it is near enough to be a typo; empty if none is. Linear in the
/// bounded sizes.
std::string_view nearest(std::string_view text, const std::vector<std::string_view>& candidates);

/// "one of \"a\", \"b\", \"c\" (did you mean \"b\"?)"
std::string one_of(const std::vector<std::string_view>& candidates, std::string_view text);

}  // namespace mirrorproof::scenarios
