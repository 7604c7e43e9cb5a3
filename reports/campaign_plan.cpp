#include "reports/campaign_plan.h"

#include <fmt/format.h>

#include "model/enum_names.h"
#include "reports/protocol_override.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::reports {
namespace {

using nlohmann::json;

/// Lines that say what differs; more say nothing more.
constexpr std::size_t kMostDifferences = 8;
constexpr std::size_t kLongestPointer = 200;

json range_json(const sim::SwarmRange& range) {
  return {{"min", range.min}, {"max", range.max}};
}

json swarm_json(const sim::SwarmOptions& options) {
  // A field that is added changes what a seed means: this line then fails to compile.
  const auto& [protocol, clusters, brokers, destination_brokers, partitions, actions, oldest, newest,
               subjects, faults, limits] = options;
  json limited = json::object();
  for (const auto& [kind, name] : EnumNames<sim::ActionClass>::entries) {
    const sim::SwarmLimit& limit = limits[static_cast<std::size_t>(kind)];
    if (limit.most != sim::SwarmLimit{}.most || limit.always) {
      limited[std::string(name)] = {{"most", limit.most}, {"always", limit.always}};
    }
  }
  json asked = json::object();
  for (const auto& [subject, name] : EnumNames<sim::SwarmSubject>::entries) {
    asked[std::string(name)] = subjects.test(static_cast<std::size_t>(subject));
  }
  return {{"protocol", json(protocol_options_json(protocol))},
          {"clusters", range_json(clusters)},
          {"brokers", range_json(brokers)},
          {"destination_brokers", range_json(destination_brokers.value_or(brokers))},
          {"partitions", range_json(partitions)},
          {"actions", range_json(actions)},
          {"oldest", kafka_version_name(oldest)},
          {"newest", kafka_version_name(newest)},
          {"subjects", std::move(asked)},
          {"faults", to_string(faults)},
          {"limits", std::move(limited)}};
}

/// FNV-1a.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  }
  return hash;
}

std::string value_at(const json& document, const std::string& pointer) {
  const json::json_pointer place(pointer);
  return document.contains(place) ? scenarios::describe(document.at(place)) : "nothing";
}

}  // namespace

json plan_json(const CampaignPlan& plan) {
  json out;
  out["program"] = MIRRORPROOF_VERSION;
  out["campaign"] = campaign_name(plan);
  if (plan.scenario) {
    out["scenario"] = json::parse(scenarios::to_json(*plan.scenario), nullptr, false);
  } else {
    out["swarm"] = swarm_json(plan.swarm);
  }
  out["goals"] = json::object();
  for (const std::size_t goal : plan.goals) {
    out["goals"][reach_points()[goal].full_name()] = true;
  }
  out["strategy"] = plan.strategy ? json(to_string(*plan.strategy)) : json(nullptr);
  out["change_points"] = plan.change_points ? json(*plan.change_points) : json(nullptr);
  out["known_findings"] = json::object();
  for (const KnownFinding& finding : plan.known) {
    out["known_findings"][fmt::format("{}: {} ({}) {}", finding.name, to_string(finding.invariant),
                                      finding.kind, finding.text)] = true;
  }
  out["first_seed"] = plan.first_seed;
  out["shard"] = plan.shard.index + 1;
  out["shards"] = plan.shard.count;
  return out;
}

std::string campaign_name(const CampaignPlan& plan) {
  return plan.scenario ? plan.scenario->setup.name : "swarm";
}

std::vector<std::string> plan_differences(json plan, json other, const std::vector<std::string>& ignored) {
  for (const std::string& field : ignored) {
    plan.erase(field);
    other.erase(field);
  }
  std::vector<std::string> lines;
  const json changes = json::diff(plan, other);
  for (const json& change : changes) {
    if (lines.size() == kMostDifferences) {
      lines.push_back(fmt::format("and {} more", changes.size() - kMostDifferences));
      break;
    }
    const std::string pointer = change.at("path").get<std::string>();
    const bool added = change.at("op") == "add";
    lines.push_back(fmt::format("{}: {}, not {}", scenarios::printable(pointer, kLongestPointer),
                                added ? "nothing" : value_at(plan, pointer),
                                added ? scenarios::describe(change.at("value")) : value_at(other, pointer)));
  }
  return lines;
}

std::string plan_digest(json plan) {
  for (const std::string& field : seed_fields()) {
    plan.erase(field);
  }
  return digest_text(hash_of(plan.dump(-1, ' ', false, json::error_handler_t::replace)));
}

ReachGoals plan_goals(const json& plan) {
  ReachGoals goals;
  const auto names = plan.find("goals");
  for (std::size_t point = 0; point < reach_points().size(); ++point) {
    if (names != plan.end() && names->is_object() && names->contains(reach_points()[point].full_name())) {
      goals.push_back(point);
    }
  }
  return goals;
}

const std::vector<std::string>& seed_fields() {
  static const std::vector<std::string> fields{"first_seed", "shard", "shards"};
  return fields;
}

}  // namespace mirrorproof::reports
