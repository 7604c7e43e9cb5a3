#include "cli/progress.h"

#include <fmt/format.h>

#include <cstdio>

#include "reports/campaign_report.h"

namespace mirrorproof::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLiveInterval{1'000};
constexpr milliseconds kQuietInterval{10'000};
/// Of one shape; the summary counts the rest.
constexpr int kMaxFoundLines = 3;

std::string duration_text(milliseconds duration) {
  const auto seconds = duration.count() / 1000;
  if (seconds >= 3600) {
    return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
  }
  return seconds >= 60 ? fmt::format("{}m{:02}s", seconds / 60, seconds % 60) : fmt::format("{}s", seconds);
}

}  // namespace

Progress::Progress(std::uint64_t seeds, std::optional<milliseconds> time, const Terminal& terminal)
    : seeds_(seeds),
      time_(time),
      terminal_(terminal),
      live_(Terminal::error_is_terminal()),
      next_(live_ ? kLiveInterval : kQuietInterval) {}

void Progress::show(milliseconds elapsed, const reports::CampaignCounts& counts,
                    const std::vector<reports::FoundFailure>& found) {
  show_found(found);
  if (elapsed < next_) {
    return;
  }
  next_ = elapsed + (live_ ? kLiveInterval : kQuietInterval);
  const double seconds = static_cast<double>(elapsed.count()) / 1000.0;
  const std::string line =
      fmt::format("{}: {}{}, {} failing", duration_text(elapsed), reports::rate_text(counts, seconds),
                  time_left(elapsed, counts), counts.failing_seeds);
  clear_line();
  if (live_) {
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fflush(stderr);
    line_shown_ = true;
  } else {
    terminal_.complain(line);
  }
}

void Progress::finish(const std::vector<reports::FoundFailure>& found) {
  show_found(found);
  clear_line();
}

void Progress::clear_line() {
  if (line_shown_) {
    std::fputs("\r\x1b[K", stderr);
    line_shown_ = false;
  }
}

void Progress::show_found(const std::vector<reports::FoundFailure>& found) {
  for (const reports::FoundFailure& failure : found) {
    if (shown_[failure.shape]++ < kMaxFoundLines) {
      clear_line();
      terminal_.complain(fmt::format("seed {} breaks {} ({}): {}", failure.seed,
                                     to_string(failure.shape.first), failure.shape.second, failure.replay));
    }
  }
}

std::string Progress::time_left(milliseconds elapsed, const reports::CampaignCounts& counts) const {
  std::optional<milliseconds> left;
  if (time_) {
    left = *time_ > elapsed ? *time_ - elapsed : milliseconds(0);
  }
  if (seeds_ > 0 && counts.seeds > 0) {
    const double share =
        static_cast<double>(seeds_ - std::min(seeds_, counts.seeds)) / static_cast<double>(counts.seeds);
    const milliseconds by_seeds(static_cast<std::int64_t>(share * static_cast<double>(elapsed.count())));
    left = left ? std::min(*left, by_seeds) : by_seeds;
  }
  return left ? fmt::format(", {} left", duration_text(*left)) : "";
}

}  // namespace mirrorproof::cli
