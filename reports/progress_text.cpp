#include "reports/progress_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/campaign_report.h"
#include "reports/duration.h"

namespace mirrorproof::reports {
namespace {

using std::chrono::milliseconds;

double seconds_of(milliseconds duration) {
  return static_cast<double>(duration.count()) / 1000.0;
}

/// What is left to do takes as long as what was done.
std::optional<milliseconds> time_for(std::uint64_t left, std::uint64_t done, milliseconds elapsed) {
  if (done == 0) {
    return std::nullopt;
  }
  const double share = static_cast<double>(left) / static_cast<double>(done);
  constexpr double kLongest = 1e12;
  return milliseconds(
      static_cast<std::int64_t>(std::min(share * static_cast<double>(elapsed.count()), kLongest)));
}

std::optional<milliseconds> time_left(milliseconds elapsed, const CampaignCounts& counts,
                                      const CampaignLimits& limits) {
  std::optional<milliseconds> left;
  if (limits.time) {
    left = std::max(*limits.time - elapsed, milliseconds(0));
  }
  if (limits.seeds > 0) {
    const auto by_seeds =
        time_for(limits.seeds - std::min(limits.seeds, counts.seeds), counts.seeds, elapsed);
    left = left && by_seeds ? std::min(*left, *by_seeds) : by_seeds ? by_seeds : left;
  }
  return left;
}

}  // namespace

std::string campaign_progress_text(milliseconds elapsed, const CampaignCounts& counts,
                                   std::size_t points_reached, const CampaignLimits& limits) {
  const auto left = time_left(elapsed, counts, limits);
  return fmt::format("{}: {}, coverage {} of {}{}, {} failing", duration_text(elapsed),
                     rate_text(counts, seconds_of(elapsed)), points_reached, allowed_reach_points(),
                     left ? fmt::format(", {} left", duration_text(*left)) : "", counts.failing_seeds);
}

std::string search_progress_text(milliseconds elapsed, const explore::ExploreProgress& progress,
                                 std::optional<std::uint64_t> states_in_all) {
  const std::uint64_t gone_through = progress.states - std::min(progress.queue, progress.states);
  // A certificate may be wrong about them.
  const bool known = states_in_all && *states_in_all >= progress.states;
  const std::uint64_t all = known ? *states_in_all : progress.states;
  const auto left = time_for(all - gone_through, gone_through, elapsed);
  const double share = all == 0 ? 0 : 100.0 * static_cast<double>(gone_through) / static_cast<double>(all);
  return fmt::format(
      "{}: {} states, {:.0f}/s, {} in the queue, depth {}, {:.0f} % of {} gone through{}, {} MiB",
      duration_text(elapsed), progress.states,
      static_cast<double>(progress.states) / std::max(seconds_of(elapsed), 1e-3), progress.queue,
      progress.depth, share, known ? fmt::format("{}", all) : "them",
      left ? fmt::format(", {} left{}", duration_text(*left), known ? "" : " or more") : "",
      progress.memory >> 20);
}

}  // namespace mirrorproof::reports
