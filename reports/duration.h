#pragma once
// Durations as people type and read them.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace mirrorproof::reports {

/// "500ms", "60s", "5m", "2h"; a number alone counts seconds. From a millisecond to a year; nothing for
/// anything else.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// "12s", "1m05s", "3h10m"
std::string duration_text(std::chrono::milliseconds duration);

}  // namespace mirrorproof::reports
