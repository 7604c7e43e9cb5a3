#include "cli/progress.h"

#include <fmt/format.h>

namespace mirrorproof::cli {
namespace {

/// Of one shape; the summary counts the rest.
constexpr int kMaxFoundLines = 3;

}  // namespace

void Progress::show(std::chrono::milliseconds elapsed, const reports::Campaign& campaign,
                    const std::vector<reports::FoundFailure>& found) {
  show_found(found);
  line_.show(elapsed, [&] {
    return reports::campaign_progress_text(elapsed, campaign.counts(), campaign.points_reached(), limits_);
  });
}

void Progress::finish(const std::vector<reports::FoundFailure>& found) {
  show_found(found);
  line_.clear();
}

void Progress::show_found(const std::vector<reports::FoundFailure>& found) {
  for (const reports::FoundFailure& failure : found) {
    if (shown_[failure.shape]++ < kMaxFoundLines) {
      line_.clear();
      terminal_.complain(fmt::format("seed {} breaks {} ({}): {}", failure.seed,
                                     to_string(failure.shape.first), failure.shape.second, failure.replay));
    }
  }
}

}  // namespace mirrorproof::cli
