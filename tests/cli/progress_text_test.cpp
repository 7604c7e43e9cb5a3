// How far a campaign or a search is, in a line.

#include "reports/progress_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "reports/reachability.h"

namespace mirrorproof::reports {
namespace {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr milliseconds kTenSeconds{10'000};

TEST(CampaignProgress, TellsRateCoverageAndTheTimeLeft) {
  const CampaignCounts counts{.seeds = 2'000, .actions = 500'000, .events = 1'000'000, .failing_seeds = 3};
  const std::string limited = campaign_progress_text(kTenSeconds, counts, 120, {0, milliseconds(75'000)});
  EXPECT_EQ(limited, "10s: 2000 seeds, 200/s, 50 k actions/s, coverage 120 of " +
                         std::to_string(allowed_reach_points()) + ", 1m05s left, 3 failing");

  // Whichever limit is met first.
  const auto with = [&](CampaignLimits limits) {
    return campaign_progress_text(kTenSeconds, counts, 0, limits);
  };
  EXPECT_THAT(with({3'000, std::nullopt}), HasSubstr(", 5s left, "));
  EXPECT_THAT(with({3'000, milliseconds(12'000)}), HasSubstr(", 2s left, "));
  EXPECT_THAT(with({3'000, milliseconds(60'000)}), HasSubstr(", 5s left, "));
  EXPECT_THAT(with({0, milliseconds(5'000)}), HasSubstr(", 0s left, "));
  EXPECT_THAT(with({UINT64_MAX, std::nullopt}), HasSubstr(" left, "));
  EXPECT_THAT(with({0, std::nullopt}), Not(HasSubstr("left")));
  EXPECT_THAT(campaign_progress_text(kTenSeconds, {}, 0, {100, std::nullopt}), Not(HasSubstr("left")));
}

TEST(CampaignProgress, CountsWhatTheProtocolAllows) {
  const auto& points = reach_points();
  Reachability reachability;
  EXPECT_EQ(reachability.points_reached(), 0U);
  Reached all;
  for (std::size_t point = 0; point < points.size(); ++point) {
    all.set(point);
  }
  reachability.add(1, all);
  reachability.add(2, all);
  EXPECT_EQ(reachability.points_reached(), allowed_reach_points());
  EXPECT_LT(allowed_reach_points(), points.size());
  EXPECT_GT(allowed_reach_points(), 250U);
}

TEST(SearchProgress, TellsRateCoverageAndTheTimeLeft) {
  const explore::ExploreProgress progress{
      .states = 8'000, .transitions = 30'000, .queue = 2'000, .depth = 7, .memory = std::size_t{64} << 20};
  EXPECT_EQ(search_progress_text(kTenSeconds, progress, std::nullopt),
            "10s: 8000 states, 800/s, 2000 in the queue, depth 7, 75 % of them gone through, 3s left or "
            "more, 64 MiB");
  EXPECT_EQ(
      search_progress_text(kTenSeconds, progress, 24'000),
      "10s: 8000 states, 800/s, 2000 in the queue, depth 7, 25 % of 24000 gone through, 30s left, 64 MiB");
  // More than the certificate promised: it says nothing about what is left.
  EXPECT_THAT(search_progress_text(kTenSeconds, progress, 7'000), HasSubstr("75 % of them"));
  EXPECT_THAT(search_progress_text(milliseconds(0), {}, std::nullopt),
              testing::AllOf(StartsWith("0s: 0 states, "), HasSubstr("0 % of them"), EndsWith(", 0 MiB")));
}

}  // namespace
}  // namespace mirrorproof::reports
