#include "cli/merged_page.h"

#include <optional>
#include <utility>
#include <vector>

#include "reports/failure_file.h"
#include "reports/html_report.h"

namespace mirrorproof::cli {
namespace {

/// The failure that is shown, from its file; nothing if there is none, or it cannot be read.
std::optional<reports::CampaignExample> example_of(const reports::MergedCampaigns& merged) {
  const auto* failure = reports::shown_failure(merged.result);
  for (const reports::CampaignPart& part : merged.parts) {
    const auto& failures = part.file.state.result.failures;
    const auto own = failure == nullptr ? failures.end() : failures.find(failure->first);
    if (own == failures.end() || own->second.first_seed != failure->second.first_seed) {
      continue;
    }
    reports::LoadFailureResult loaded = reports::load_failure_file(
        reports::failure_path(part.folder, failure->first, failure->second.first_seed));
    if (loaded.failure) {
      reports::CampaignExample example;
      example.scenario = std::move(loaded.failure->scenario);
      example.key = std::move(loaded.failure->key);
      example.all = reports::evaluate_single(example.scenario, example.key);
      return example;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string merged_page(const reports::MergedCampaigns& merged) {
  const auto example = example_of(merged);
  const auto* failure = reports::shown_failure(merged.result);
  std::vector<reports::PageCommand> commands;
  if (example && !failure->second.replay.empty()) {
    commands.push_back({"Step through the run above", failure->second.replay});
  }
  return reports::campaign_page(merged.result, reports::merged_frame(merged), reports::merged_json(merged),
                                example ? &*example : nullptr, commands);
}

}  // namespace mirrorproof::cli
