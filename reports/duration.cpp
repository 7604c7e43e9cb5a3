#include "reports/duration.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

namespace mirrorproof::reports {

using std::chrono::milliseconds;

std::optional<milliseconds> parse_duration(std::string_view text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::uint64_t kYear = 365ULL * 24 * 3'600'000;
  const std::uint64_t factor = unit == "ms"                  ? 1
                               : unit == "s" || unit.empty() ? 1'000
                               : unit == "m"                 ? 60'000
                               : unit == "h"                 ? 3'600'000
                                                             : 0;
  if (error != std::errc{} || factor == 0 || count < 1 || count > kYear / factor) {
    return std::nullopt;
  }
  return milliseconds(count * factor);
}

std::string duration_text(milliseconds duration) {
  const auto seconds = duration.count() / 1000;
  if (seconds >= 3600) {
    return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
  }
  return seconds >= 60 ? fmt::format("{}m{:02}s", seconds / 60, seconds % 60) : fmt::format("{}s", seconds);
}

}  // namespace mirrorproof::reports
