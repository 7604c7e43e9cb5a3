#pragma once
// The progress of a campaign on stderr: a line that is kept up to date, and a line for each failure saved.

#include <chrono>
#include <map>
#include <vector>

#include "cli/live_line.h"
#include "reports/campaign.h"
#include "reports/progress_text.h"

namespace mirrorproof::cli {

class Progress {
 public:
  Progress(reports::CampaignLimits limits, const Terminal& terminal)
      : limits_(limits), terminal_(terminal), line_(terminal) {}

  void show(std::chrono::milliseconds elapsed, const reports::Campaign& campaign,
            const std::vector<reports::FoundFailure>& found);
  /// Removes the line.
  void finish(const std::vector<reports::FoundFailure>& found);

 private:
  void show_found(const std::vector<reports::FoundFailure>& found);

  reports::CampaignLimits limits_;
  const Terminal& terminal_;
  LiveLine line_;
  std::map<reports::FailureShape, int> shown_;
};

}  // namespace mirrorproof::cli
