#pragma once
// CampaignKeeper: the folder of a campaign, held for this program alone, with the campaign.json in it that
// says how far the campaign has come.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "reports/campaign_file.h"
#include "reports/folder_lock.h"

namespace mirrorproof::cli {

class CampaignKeeper {
 public:
  /// Makes the folder if need be.
  explicit CampaignKeeper(const std::string& folder);

  /// Begins a campaign, or goes on with the one in the folder. False with problems() if that cannot be; an
  /// empty folder has nothing to go on with, which is no problem.
  bool open(const reports::CampaignPlan& plan, bool resume);
  const std::vector<std::string>& problems() const { return problems_; }
  /// What a person should know of an earlier campaign in the folder; may be empty.
  const std::string& note() const { return note_; }

  /// Where the campaign stands to begin with.
  const reports::CampaignState& state() const { return file_.state; }
  std::chrono::milliseconds earlier() const { return earlier_; }

  /// Saves now and then: soon after a failure was found, every few seconds otherwise.
  void save_sometimes(const reports::Campaign& campaign, std::chrono::milliseconds elapsed, bool found);
  /// Saves how it ended. Empty, or what went wrong.
  std::string save_end(const reports::CampaignState& state, std::chrono::milliseconds elapsed, bool finished);

 private:
  std::string save(const reports::CampaignState& state, std::chrono::milliseconds elapsed, bool finished);
  void go_on_with(reports::CampaignFile earlier, const reports::CampaignPlan& plan);
  void set_aside();

  std::string folder_;
  std::vector<std::string> problems_;
  std::string note_;
  std::optional<reports::FolderLock> lock_;
  reports::CampaignFile file_;
  std::chrono::milliseconds earlier_{0};
  std::chrono::milliseconds next_{0};
  std::chrono::milliseconds last_{0};
};

}  // namespace mirrorproof::cli
