#pragma once
// JSON for people: what fits on a line stays on one.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace mirrorproof::scenarios {

/// Two spaces per level, lines of at most about 110 characters; strings that are not UTF-8 get U+FFFD.
std::string print_json(const nlohmann::ordered_json& value);

}  // namespace mirrorproof::scenarios
