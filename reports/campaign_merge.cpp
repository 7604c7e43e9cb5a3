#include "reports/campaign_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <tuple>

#include "reports/campaign_plan.h"
#include "reports/script_shape.h"

namespace mirrorproof::reports {
namespace {

namespace fs = std::filesystem;

/// What a person reads of a list.
constexpr std::size_t kMostNamed = 10;

std::uint64_t saturating_last(std::uint64_t first, std::uint64_t stride, std::uint64_t count) {
  std::uint64_t distance = 0;
  std::uint64_t last = 0;
  const bool over =
      __builtin_mul_overflow(stride, count - 1, &distance) || __builtin_add_overflow(first, distance, &last);
  return over ? UINT64_MAX : last;
}

/// Common members of the first `n` and `m` of two arithmetic progressions.
std::uint64_t common_members(std::uint64_t a, std::uint64_t s, std::uint64_t n, std::uint64_t b,
                             std::uint64_t t, std::uint64_t m) {
  if (n == 0 || m == 0) {
    return 0;
  }
  const std::uint64_t cycle = t / std::gcd(s, t);
  std::uint64_t x = a;
  for (std::uint64_t i = 0; i < cycle && x % t != b % t; ++i) {
    x = saturating_last(x, s, 2);
  }
  const std::uint64_t last = std::min(saturating_last(a, s, n), saturating_last(b, t, m));
  if (x % t != b % t || x > last) {
    return 0;
  }
  const std::uint64_t step = s * cycle;
  if (x < b) {
    x = saturating_last(x, step, (b - x + step - 1) / step + 1);
  }
  return x > last ? 0 : (last - x) / step + 1;
}

bool done(const CampaignFile& file, std::uint64_t seed) {
  const auto index = file.index_of(seed);
  return index && file.state.done(*index);
}

auto order_of(const CampaignPart& part) {
  return std::make_tuple(part.file.first_seed, part.file.shard.count, part.file.shard.index,
                         // Of two that ran the same the longer one first.
                         UINT64_MAX - part.file.state.result.counts.seeds, part.folder);
}

void add_shrunk(const CampaignPart& part, const FailureGroup& group, FailureGroup& merged,
                CampaignResult& result) {
  if (group.shrunk_file.empty()) {
    return;
  }
  const scenarios::LoadResult loaded = scenarios::load_scenario_file(group.shrunk_file);
  if (!loaded.scenario) {
    result.write_problems.push_back(fmt::format("{}: cannot be read as a scenario", group.shrunk_file));
    return;
  }
  const std::string story = script_shape(loaded.scenario->setup);
  const auto same = std::find_if(merged.forms.begin(), merged.forms.end(),
                                 [&](const ShrunkForm& form) { return form.shape == story; });
  if (same == merged.forms.end()) {
    merged.forms.push_back({story, group.shrunk_file, loaded.scenario->setup.steps.size(), {part.folder}});
  } else {
    same->folders.push_back(part.folder);
  }
}

void add_part(const CampaignPart& part, MergedCampaigns& merged) {
  const CampaignResult& from = part.file.state.result;
  CampaignResult& to = merged.result;
  to.counts.seeds += from.counts.seeds;
  to.counts.actions += from.counts.actions;
  to.counts.events += from.counts.events;
  to.counts.failing_seeds += from.counts.failing_seeds;
  to.consequences += from.consequences;
  if (to.inconclusive == 0) {
    to.first_problem = from.first_problem;
  }
  to.inconclusive += from.inconclusive;
  to.truncations += from.truncations;
  to.justified_truncations += from.justified_truncations;
  for (const auto& [excuse, count] : from.excused_truncations) {
    to.excused_truncations[excuse] += count;
  }
  to.unclean_elections += from.unclean_elections;
  // A digest of digests, in the order of the parts.
  to.digest = to.digest_seeds == 0 ? from.digest : (to.digest * 0x100000001B3ULL) ^ from.digest;
  to.digest_seeds += from.digest_seeds;
  for (const auto& [name, met] : from.known) {
    KnownFindingMet& all = to.known[name];
    all.first_seed = all.seeds == 0 ? met.first_seed : std::min(all.first_seed, met.first_seed);
    all.seeds += met.seeds;
  }
  for (const auto& [shape, group] : from.failures) {
    FailureGroup& all = to.failures[shape];
    if (all.seeds == 0 || group.first_seed < all.first_seed) {
      all.first_seed = group.first_seed;
      all.message = group.message;
      all.replay = group.replay;
    }
    all.seeds += group.seeds;
    std::vector<std::uint64_t> kept;
    std::set_union(all.kept_seeds.begin(), all.kept_seeds.end(), group.kept_seeds.begin(),
                   group.kept_seeds.end(), std::back_inserter(kept));
    kept.resize(std::min(kept.size(), kMaxFailureFiles));
    all.kept_seeds = std::move(kept);
    add_shrunk(part, group, all, to);
  }
  for (std::size_t point = 0; point < reach_points().size(); ++point) {
    to.reachability.add(point, from.reachability.of(point));
  }
  merged.seconds += part.file.seconds;
}

void find_missing(const std::vector<CampaignPart>& parts, MergedCampaigns& merged) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::set<std::uint64_t>> there;
  for (const CampaignPart& part : parts) {
    there[{part.file.first_seed, part.file.shard.count}].insert(part.file.shard.index);
  }
  for (const auto& [campaign, indices] : there) {
    for (std::uint64_t index = 0; index < campaign.second; ++index) {
      if (!indices.contains(index)) {
        merged.missing.push_back({campaign.first, {index, campaign.second}});
      }
    }
  }
}

std::string part_name(const CampaignPart& part) {
  const Shard& shard = part.file.shard;
  return shard.count == 1 ? fmt::format("seeds from {} on", part.file.first_seed)
                          : fmt::format("shard {}/{}, seeds from {} on", shard.index + 1, shard.count,
                                        part.file.seed_at(0));
}

Json shard_json(const Shard& shard) {
  return {{"index", shard.index + 1}, {"count", shard.count}};
}

}  // namespace

bool MergedCampaigns::complete() const {
  return missing.empty() &&
         std::all_of(parts.begin(), parts.end(), [](const CampaignPart& part) { return part.file.finished; });
}

std::uint64_t common_seeds(const CampaignFile& one, const CampaignFile& other) {
  std::uint64_t common = common_members(one.seed_at(0), one.shard.count, one.state.result.digest_seeds,
                                        other.seed_at(0), other.shard.count, other.state.result.digest_seeds);
  for (const auto& [index, digest] : one.state.early_digests) {
    common += done(other, one.seed_at(index)) ? 1 : 0;
  }
  for (const auto& [index, digest] : other.state.early_digests) {
    const auto mine = one.index_of(other.seed_at(index));
    common += mine && *mine < one.state.result.digest_seeds ? 1 : 0;
  }
  return common;
}

std::vector<std::string> merge_obstacles(const std::vector<CampaignPart>& parts) {
  std::vector<std::string> lines;
  const CampaignPart& first = parts.front();
  for (const CampaignPart& part : parts) {
    const auto differences = plan_differences(part.file.plan, first.file.plan, seed_fields());
    if (!differences.empty()) {
      lines.push_back(fmt::format("{} is of another campaign than {}; they differ:",
                                  campaign_path(part.folder), campaign_path(first.folder)));
    }
    for (const std::string& line : differences) {
      lines.push_back("  /plan" + line);
    }
  }
  return lines;
}

MergedCampaigns merge_campaigns(std::vector<CampaignPart> parts) {
  MergedCampaigns merged;
  std::sort(parts.begin(), parts.end(),
            [](const CampaignPart& a, const CampaignPart& b) { return order_of(a) < order_of(b); });
  find_missing(parts, merged);
  for (CampaignPart& part : parts) {
    const std::uint64_t seeds = part.file.state.result.counts.seeds;
    const auto holder = std::find_if(parts.begin(), parts.end(), [&](const CampaignPart& other) {
      const std::uint64_t others = other.file.state.result.counts.seeds;
      // Of two that ran exactly the same the first is counted.
      return &other != &part && seeds > 0 && (others > seeds || (others == seeds && &other < &part)) &&
             common_seeds(part.file, other.file) == seeds;
    });
    if (holder != parts.end()) {
      merged.overlaps.push_back({part.folder, holder->folder, seeds, true});
    }
  }
  const auto is_left_out = [&](const CampaignPart& part) {
    return std::any_of(merged.overlaps.begin(), merged.overlaps.end(), [&](const CampaignOverlap& overlap) {
      return overlap.left_out && overlap.folder == part.folder;
    });
  };
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(merged.parts),
               [&](const CampaignPart& part) { return !is_left_out(part); });
  for (std::size_t i = 0; i < merged.parts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::uint64_t common = common_seeds(merged.parts[i].file, merged.parts[j].file);
      if (common > 0) {
        merged.overlaps.push_back({merged.parts[i].folder, merged.parts[j].folder, common, false});
      }
    }
    add_part(merged.parts[i], merged);
  }
  merged.result.goals_not_met =
      goals_not_met(plan_goals(merged.parts.front().file.plan), merged.result.reachability);
  for (auto& [shape, group] : merged.result.failures) {
    std::stable_sort(group.forms.begin(), group.forms.end(),
                     [](const ShrunkForm& a, const ShrunkForm& b) { return a.steps < b.steps; });
  }
  return merged;
}

void collect_failures(const std::string& folder, MergedCampaigns& merged) {
  const auto copy = [&](const std::string& from, const std::string& to) {
    std::error_code error;
    fs::create_directories(fs::path(to).parent_path(), error);
    if (!error) {
      fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
    }
    if (error) {
      merged.result.write_problems.push_back(fmt::format("{} to {}: {}", from, to, error.message()));
    }
    return !error;
  };
  for (auto& [shape, group] : merged.result.failures) {
    for (const std::uint64_t seed : group.kept_seeds) {
      const auto part = std::find_if(
          merged.parts.begin(), merged.parts.end(), [&wanted = shape, seed](const CampaignPart& each) {
            const auto found = each.file.state.result.failures.find(wanted);
            return found != each.file.state.result.failures.end() &&
                   std::binary_search(found->second.kept_seeds.begin(), found->second.kept_seeds.end(), seed);
          });
      const std::string to = failure_path(folder, shape, seed);
      if (part != merged.parts.end() && copy(failure_path(part->folder, shape, seed), to) &&
          seed == group.first_seed) {
        group.replay = "mirrorproof replay " + shell_word(to);
      }
    }
    for (std::size_t i = 0; i < group.forms.size(); ++i) {
      const std::string to =
          (fs::path(failure_folder(folder, shape)) / fmt::format("shrunk-{}.json", i + 1)).string();
      if (copy(group.forms[i].file, to)) {
        group.forms[i].file = to;
      }
    }
  }
}

CampaignFrame merged_frame(const MergedCampaigns& merged) {
  CampaignFrame frame;
  frame.what = merged.parts.front().file.plan.value("campaign", "");
  frame.first_seed = merged.parts.front().file.seed_at(0);
  frame.seconds = merged.seconds;
  return frame;
}

std::string merged_text(const MergedCampaigns& merged, const Style& style) {
  std::string out = campaign_text(merged.result, merged_frame(merged), style);
  out += fmt::format("\n{}\n", style.bold("Campaigns"));
  for (const CampaignPart& part : merged.parts) {
    const CampaignResult& result = part.file.state.result;
    out += fmt::format("  {}: {}, {} failing{}: {}\n", part_name(part), counted(result.counts.seeds, "seed"),
                       result.counts.failing_seeds, part.file.finished ? "" : style.unclear(", not finished"),
                       safe_text(part.folder));
  }
  for (const CampaignOverlap& overlap : merged.overlaps) {
    out += overlap.left_out
               ? fmt::format("Left out: {}: {} has run all of its {}.\n", safe_text(overlap.folder),
                             safe_text(overlap.other), counted(overlap.seeds, "seed"))
               : fmt::format("Overlap: {} and {} have both run {}, which is counted twice.\n",
                             safe_text(overlap.folder), safe_text(overlap.other),
                             counted(overlap.seeds, "seed"));
  }
  std::string missing;
  for (std::size_t i = 0; i < std::min(merged.missing.size(), kMostNamed); ++i) {
    const auto& [first_seed, shard] = merged.missing[i];
    missing += fmt::format("{}{}/{}", i == 0 ? "" : ", ", shard.index + 1, shard.count);
  }
  if (!missing.empty()) {
    out += fmt::format(
        "{}: {} {}{}.\n", style.unclear("Missing"), merged.missing.size() == 1 ? "shard" : "shards", missing,
        merged.missing.size() > kMostNamed ? fmt::format(" and {} more", merged.missing.size() - kMostNamed)
                                           : "");
  }
  return out;
}

Json merged_json(const MergedCampaigns& merged) {
  Json out = campaign_json(merged.result, merged_frame(merged));
  out["plan_digest"] = plan_digest(merged.parts.front().file.plan);
  out["complete"] = merged.complete();
  out["parts"] = Json::array();
  for (const CampaignPart& part : merged.parts) {
    const CampaignResult& result = part.file.state.result;
    out["parts"].push_back({{"folder", part.folder},
                            {"first_seed", part.file.seed_at(0)},
                            {"shard", shard_json(part.file.shard)},
                            {"seeds", result.counts.seeds},
                            {"failing_seeds", result.counts.failing_seeds},
                            {"finished", part.file.finished},
                            {"seconds", part.file.seconds},
                            {"digest", digest_text(result.digest)},
                            {"digest_seeds", result.digest_seeds}});
  }
  out["overlaps"] = Json::array();
  for (const CampaignOverlap& overlap : merged.overlaps) {
    out["overlaps"].push_back({{"folder", overlap.folder},
                               {"other", overlap.other},
                               {"seeds", overlap.seeds},
                               {"left_out", overlap.left_out}});
  }
  out["missing_shards"] = Json::array();
  for (const auto& [first_seed, shard] : merged.missing) {
    Json entry = shard_json(shard);
    entry["campaign_from_seed"] = first_seed;
    out["missing_shards"].push_back(std::move(entry));
  }
  return out;
}

}  // namespace mirrorproof::reports
