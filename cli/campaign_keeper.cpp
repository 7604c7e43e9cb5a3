#include "cli/campaign_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/report_files.h"
#include "reports/atomic_file.h"
#include "reports/campaign_plan.h"
#include "reports/judgement_report.h"
#include "reports/limited_json.h"

namespace mirrorproof::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kBetweenSaves{2'000};
constexpr milliseconds kAfterFound{200};

}  // namespace

CampaignKeeper::CampaignKeeper(const std::string& folder) : folder_(folder) {
  if (std::string problem = make_out_folder(folder); !problem.empty()) {
    problems_.push_back(std::move(problem));
    return;
  }
  lock_.emplace(folder);
  if (lock_->taken_by_another()) {
    problems_.push_back(
        fmt::format("--out: another campaign is writing into {}; give each a folder of its own", folder));
  }
}

bool CampaignKeeper::open(const reports::CampaignPlan& plan, bool resume) {
  const std::string path = reports::campaign_path(folder_);
  std::error_code error;
  if (problems_.empty() && fs::exists(path, error)) {
    reports::LoadCampaignResult loaded = reports::load_campaign_folder(folder_);
    const auto beginning = reports::read_beginning(path, 512);
    if (!loaded.campaign && !(beginning && reports::starts_with_field(*beginning, reports::kCampaignMagic))) {
      problems_.push_back(fmt::format("{}: found something else, expected a campaign of this program", path));
      return false;
    }
    if (resume) {
      for (const scenarios::Problem& problem : loaded.problems) {
        problems_.push_back(scenarios::format_problem(problem));
      }
      if (loaded.campaign) {
        go_on_with(std::move(*loaded.campaign), plan);
      }
    } else if (loaded.campaign && !loaded.campaign->finished &&
               loaded.campaign->state.result.counts.seeds > 0) {
      set_aside();
    }
  } else if (resume) {
    note_ = fmt::format("nothing to go on with in {}: the campaign begins", folder_);
  }
  if (!problems_.empty()) {
    return false;
  }
  file_.plan = reports::plan_json(plan);
  file_.first_seed = plan.first_seed;
  file_.shard = plan.shard;
  // Says so now if nothing can be saved there, not after an hour.
  if (const std::string problem = save(file_.state, earlier_, false); !problem.empty()) {
    problems_.push_back("--out: " + problem);
  }
  return problems_.empty();
}

void CampaignKeeper::go_on_with(reports::CampaignFile earlier, const reports::CampaignPlan& plan) {
  const std::string path = reports::campaign_path(folder_);
  const auto differences = reports::plan_differences(earlier.plan, reports::plan_json(plan));
  if (!differences.empty()) {
    problems_.push_back(fmt::format("--resume: {} is of another campaign; it and this call differ:", path));
    for (const std::string& line : differences) {
      problems_.push_back("  /plan" + line);
    }
    return;
  }
  if (earlier.state.first_trace) {
    const std::uint64_t seed = plan.seed_at(0);
    const std::uint64_t digest = reports::evaluate(reports::campaign_scenario(plan, seed), seed).digest;
    if (digest != *earlier.state.first_trace) {
      problems_.push_back(fmt::format(
          "--resume: {}: seed {} had a trace of digest {}, now it has {}: another build of the program made "
          "it",
          path, seed, reports::digest_text(*earlier.state.first_trace), reports::digest_text(digest)));
      return;
    }
  }
  file_.state = std::move(earlier.state);
  earlier_ = milliseconds(static_cast<std::int64_t>(earlier.seconds * 1000));
  next_ = earlier_ + kBetweenSaves;
  note_ = fmt::format("going on after {} in {:.1f} s",
                      reports::counted(file_.state.result.counts.seeds, "seed"), earlier.seconds);
}

void CampaignKeeper::set_aside() {
  const std::string other = (fs::path(folder_) / "campaign.earlier.json").string();
  std::error_code error;
  fs::rename(reports::campaign_path(folder_), other, error);
  note_ = error ? ""
                : fmt::format(
                      "an unfinished campaign was here; --resume would have gone on with it. It is "
                      "kept as {}",
                      other);
}

void CampaignKeeper::save_sometimes(const reports::Campaign& campaign, milliseconds elapsed, bool found) {
  if (found) {
    next_ = std::min(next_, last_ + kAfterFound);
  }
  if (elapsed >= next_) {
    save(campaign.state(), elapsed, false);
    last_ = elapsed;
    next_ = elapsed + kBetweenSaves;
  }
}

std::string CampaignKeeper::save_end(const reports::CampaignState& state, milliseconds elapsed,
                                     bool finished) {
  return save(state, elapsed, finished);
}

std::string CampaignKeeper::save(const reports::CampaignState& state, milliseconds elapsed, bool finished) {
  file_.seconds = static_cast<double>(elapsed.count()) / 1000.0;
  file_.finished = finished;
  if (&state != &file_.state) {
    file_.state = state;
  }
  return reports::write_file(reports::campaign_path(folder_), reports::campaign_file_text(file_));
}

}  // namespace mirrorproof::cli
