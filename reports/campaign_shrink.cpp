#include "reports/campaign_shrink.h"

#include <algorithm>
#include <filesystem>

#include "reports/atomic_file.h"
#include "reports/failure_file.h"
#include "reports/parallel.h"
#include "reports/shrink.h"

namespace mirrorproof::reports {
namespace {

/// The smallest of what the failure's first seeds shrink to; nothing if no file can be read back.
std::optional<ShrinkResult> smallest_of(const std::string& out_dir, const FailureShape& shape,
                                        const std::vector<std::uint64_t>& seeds) {
  std::optional<ShrinkResult> smallest;
  for (std::size_t i = 0; i < std::min(seeds.size(), kSeedsToShrink); ++i) {
    const LoadFailureResult loaded = load_failure_file(failure_path(out_dir, shape, seeds[i]));
    if (!loaded.failure) {
      continue;
    }
    ShrinkResult shrunk = shrink(loaded.failure->scenario, loaded.failure->key, {shape.first, shape.second});
    if (!smallest || shrunk.steps < smallest->steps) {
      smallest = std::move(shrunk);
    }
  }
  return smallest;
}

}  // namespace

void shrink_failures(const std::string& out_dir, int jobs, CampaignResult& result) {
  std::vector<std::pair<const FailureShape, FailureGroup>*> groups;
  for (auto& group : result.failures) {
    groups.push_back(&group);
  }
  std::vector<std::string> problems(groups.size());
  each_in_parallel(groups.size(), jobs, [&](std::size_t i) {
    auto& [shape, group] = *groups[i];
    const std::optional<ShrinkResult> shrunk = smallest_of(out_dir, shape, group.kept_seeds);
    if (!shrunk) {
      return;
    }
    const std::string file = shrunk_path(out_dir, shape);
    problems[i] = write_file(file, shrunk->json);
    if (problems[i].empty()) {
      group.shrunk_file = file;
      group.shrunk_steps = shrunk->steps;
    }
  });
  for (std::string& problem : problems) {
    if (!problem.empty()) {
      result.write_problems.push_back(std::move(problem));
    }
  }
}

}  // namespace mirrorproof::reports
