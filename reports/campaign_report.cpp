#include "reports/campaign_report.h"

#include <fmt/format.h>

#include "checker/describe.h"
#include "reports/reachability_report.h"

namespace mirrorproof::reports {
namespace {

using scenarios::Verdict;

double per_second(std::uint64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0.0;
}

std::string short_number(double value) {
  if (value >= 1e6) {
    return fmt::format("{:.1f} M", value / 1e6);
  }
  return value >= 1e4 ? fmt::format("{:.0f} k", value / 1e3) : fmt::format("{:.0f}", value);
}

std::string shard_text(const CampaignFrame& frame) {
  return frame.shard_from.empty() ? ""
                                  : fmt::format(" (shard {}/{}, from {})", frame.shard.index + 1,
                                                frame.shard.count, frame.shard_from);
}

}  // namespace

std::string campaign_sentence(const CampaignResult& result, const Style& style) {
  const std::string seeds = counted(result.counts.seeds, "seed");
  switch (result.verdict()) {
    case Verdict::violated:
      if (result.failures.empty()) {
        return fmt::format("{}: {} of the goals {} not reached.", style.bad("NOT REACHED"),
                           result.goals_not_met.size(), result.goals_not_met.size() == 1 ? "was" : "were");
      }
      return fmt::format("{}: {} of {} break an invariant.", style.bad("VIOLATED"),
                         result.counts.failing_seeds, seeds);
    case Verdict::inconclusive:
      return result.counts.seeds == 0
                 ? fmt::format("{}: no seed was run.", style.unclear("INCONCLUSIVE"))
                 : fmt::format("{}: none of {} could be carried out: {}.", style.unclear("INCONCLUSIVE"),
                               seeds, safe_text(result.first_problem));
    case Verdict::holds:
      break;
  }
  return fmt::format("{}: no {}failure in {}.", style.good("HOLDS"), result.known.empty() ? "" : "new ",
                     seeds);
}

std::string rate_text(const CampaignCounts& counts, double seconds) {
  return fmt::format("{}, {}/s, {} actions/s", counted(counts.seeds, "seed"),
                     short_number(per_second(counts.seeds, seconds)),
                     short_number(per_second(counts.actions, seconds)));
}

std::string campaign_text(const CampaignResult& result, const CampaignFrame& frame, const Style& style) {
  std::string out = campaign_sentence(result, style) + "\n";
  if (frame.interrupted) {
    out += "Interrupted: what was found until then was kept.\n";
  }
  if (result.inconclusive > 0 && result.verdict() != Verdict::inconclusive) {
    out += fmt::format("{} could not be carried out: {}\n", counted(result.inconclusive, "seed"),
                       safe_text(result.first_problem));
  }
  if (!result.failures.empty()) {
    out += "\n" + style.bold("Failures") + "\n";
  }
  for (const auto& [shape, group] : result.failures) {
    out += fmt::format("  {} ({}): {}, first {}\n", style.bad(to_string(shape.first)), shape.second,
                       counted(group.seeds, "seed"), group.first_seed);
    out += fmt::format("    {}\n    {}\n", safe_text(group.message),
                       group.replay.empty() ? "(could not be saved)" : group.replay);
    if (!group.shrunk_file.empty()) {
      out += fmt::format("    shrunk to {}: mirrorproof run {}\n", counted(group.shrunk_steps, "step"),
                         shell_word(group.shrunk_file));
    }
    for (const ShrunkForm& form : group.forms) {
      out += fmt::format("    shrunk to {} in {}: mirrorproof run {}\n", counted(form.steps, "step"),
                         counted(form.folders.size(), "campaign"), shell_word(form.file));
    }
  }
  if (!result.known.empty()) {
    out += "\n" + style.bold("Known findings") + "\n";
  }
  for (const auto& [name, met] : result.known) {
    out += fmt::format("  {}: met in {}, first {}\n", name, counted(met.seeds, "seed"), met.first_seed);
  }
  if (result.consequences > 0) {
    out += fmt::format("  and {} that followed from them later in the same run and partition\n",
                       counted(result.consequences, "violation"));
  }
  if (!result.goals_not_met.empty()) {
    out += "\n" + style.bold("Goals not reached") + "\n";
  }
  for (const std::string& goal : result.goals_not_met) {
    out += fmt::format("  {}\n", goal);
  }
  out += "\n" + reachability_text(result.reachability, style);
  for (const std::string& problem : result.write_problems) {
    out += fmt::format("\nNot saved: {}\n", safe_text(problem));
  }
  out += fmt::format("\n{} from {} on{}, {}, {} in {:.2f} s ({}).\n", counted(result.counts.seeds, "seed"),
                     frame.first_seed, shard_text(frame), counted(result.counts.actions, "action"),
                     counted(result.counts.events, "event"), frame.seconds,
                     rate_text(result.counts, frame.seconds));
  out += fmt::format("{} of {} traced to an unclean leader election ({} unclean elections took place).\n",
                     result.justified_truncations, counted(result.truncations, "mirror truncation"),
                     result.unclean_elections);
  if (!frame.left_out.empty()) {
    out += fmt::format("Left out, as the known findings need it: {}.\n", fmt::join(frame.left_out, ", "));
  }
  for (const auto& [excuse, count] : result.excused_truncations) {
    out += fmt::format("  {} excused ({}): {}\n", count, to_string(excuse), checker::excuse_text(excuse));
  }
  out += fmt::format("Digest of {}: {}\n", counted(result.digest_seeds, "trace"), digest_text(result.digest));
  return out;
}

Json excused_json(const CampaignResult& result) {
  Json out = Json::object();
  for (const auto& [excuse, count] : result.excused_truncations) {
    out[std::string(to_string(excuse))] = count;
  }
  return out;
}

Json campaign_json(const CampaignResult& result, const CampaignFrame& frame) {
  Json failures = Json::array();
  for (const auto& [shape, group] : result.failures) {
    failures.push_back({{"invariant", to_string(shape.first)},
                        {"kind", shape.second},
                        {"seeds", group.seeds},
                        {"first_seed", group.first_seed},
                        {"message", group.message},
                        {"replay", group.replay.empty() ? Json(nullptr) : Json(group.replay)}});
    if (!group.shrunk_file.empty()) {
      failures.back()["shrunk"] = {{"file", group.shrunk_file}, {"steps", group.shrunk_steps}};
    }
    for (const ShrunkForm& form : group.forms) {
      failures.back()["shrunk_forms"].push_back(
          {{"shape", form.shape}, {"file", form.file}, {"steps", form.steps}, {"folders", form.folders}});
    }
  }
  Json known = Json::array();
  for (const auto& [name, met] : result.known) {
    known.push_back({{"name", name}, {"seeds", met.seeds}, {"first_seed", met.first_seed}});
  }
  Json out;
  out["campaign"] = frame.what;
  out["verdict"] = to_string(result.verdict());
  out["interrupted"] = frame.interrupted;
  out["left_out"] = frame.left_out;
  out["first_seed"] = frame.first_seed;
  out["shard"] =
      frame.shard_from.empty()
          ? Json(nullptr)
          : Json(
                {{"index", frame.shard.index + 1}, {"count", frame.shard.count}, {"from", frame.shard_from}});
  out["seeds"] = result.counts.seeds;
  out["actions"] = result.counts.actions;
  out["events"] = result.counts.events;
  out["failing_seeds"] = result.counts.failing_seeds;
  out["failures"] = std::move(failures);
  out["known_findings"] = std::move(known);
  out["consequences"] = result.consequences;
  out["inconclusive_seeds"] = result.inconclusive;
  out["problem"] = result.first_problem.empty() ? Json(nullptr) : Json(result.first_problem);
  out["not_saved"] = result.write_problems;
  out["mirror_truncations"] = result.truncations;
  out["justified_mirror_truncations"] = result.justified_truncations;
  out["excused_mirror_truncations"] = excused_json(result);
  out["unclean_elections"] = result.unclean_elections;
  out["reachability"] = reachability_json(result.reachability);
  out["goals_not_met"] = result.goals_not_met;
  out["digest"] = digest_text(result.digest);
  out["digest_seeds"] = result.digest_seeds;
  out["out"] = frame.out_dir;
  out["seconds"] = frame.seconds;
  out["seeds_per_second"] = per_second(result.counts.seeds, frame.seconds);
  out["actions_per_second"] = per_second(result.counts.actions, frame.seconds);
  return out;
}

int exit_code_of(const CampaignResult& result) {
  switch (result.verdict()) {
    case Verdict::holds:
      return 0;
    case Verdict::violated:
      return 1;
    case Verdict::inconclusive:
      return 3;
  }
  return 3;
}

}  // namespace mirrorproof::reports
