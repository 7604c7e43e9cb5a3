#pragma once
// The progress of a campaign on stderr: a line rewritten once a second on a terminal, a line each ten seconds
// otherwise, and a line for each failure saved.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "cli/terminal.h"
#include "reports/campaign.h"

namespace mirrorproof::cli {

class Progress {
 public:
  /// `seeds`: 0 = no limit; `time`: nothing = no limit.
  Progress(std::uint64_t seeds, std::optional<std::chrono::milliseconds> time, const Terminal& terminal);

  void show(std::chrono::milliseconds elapsed, const reports::CampaignCounts& counts,
            const std::vector<reports::FoundFailure>& found);
  /// Removes the line.
  void finish(const std::vector<reports::FoundFailure>& found);

 private:
  void clear_line();
  void show_found(const std::vector<reports::FoundFailure>& found);
  std::string time_left(std::chrono::milliseconds elapsed, const reports::CampaignCounts& counts) const;

  std::uint64_t seeds_;
  std::optional<std::chrono::milliseconds> time_;
  const Terminal& terminal_;
  bool live_;
  bool line_shown_ = false;
  std::chrono::milliseconds next_{0};
  std::map<reports::FailureShape, int> shown_;
};

}  // namespace mirrorproof::cli
