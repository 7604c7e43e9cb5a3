#include "reports/reachability_report.h"

#include <fmt/format.h>

#include <vector>

namespace mirrorproof::reports {
namespace {

struct GroupSummary {
  std::size_t reached = 0;
  std::size_t all = 0;  ///< without forbidden ones
  std::vector<std::string_view> never;
  std::vector<std::string_view> forbidden_reached;
};

template <class Visit>
void for_each_point(ReachGroup group, Visit&& visit) {
  const auto& points = reach_points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].group == group) {
      visit(i, points[i]);
    }
  }
}

GroupSummary summary_of(const Reachability& reachability, ReachGroup group) {
  GroupSummary summary;
  for_each_point(group, [&](std::size_t i, const ReachPoint& point) {
    const bool reached = reachability.reached(i);
    if (point.forbidden) {
      if (reached) {
        summary.forbidden_reached.push_back(point.name);
      }
      return;
    }
    summary.all += 1;
    summary.reached += reached ? 1 : 0;
    if (!reached) {
      summary.never.push_back(point.name);
    }
  });
  return summary;
}

/// "FAILED", from "MIRRORING->FAILED".
std::string_view target_of(std::string_view transition) {
  return transition.substr(transition.find("->") + 2);
}
std::string_view origin_of(std::string_view transition) {
  return transition.substr(0, transition.find("->"));
}

/// Rows: from; columns: to.
std::string transition_table(const Reachability& reachability) {
  std::vector<std::string_view> targets;
  for (const auto& [state, name] : EnumNames<MirrorState>::entries) {
    if (state != MirrorState::unknown) {
      targets.push_back(name);
    }
  }
  std::string out = "| from \\ to |";
  for (const std::string_view target : targets) {
    out += fmt::format(" {} |", target);
  }
  out += "\n|---|";
  for (std::size_t i = 0; i < targets.size(); ++i) {
    out += "---:|";
  }
  out += "\n";
  for (const auto& [state, from] : EnumNames<MirrorState>::entries) {
    const std::string_view origin = from;
    out += fmt::format("| {} |", origin);
    for (const std::string_view target : targets) {
      std::string cell = target == from ? "-" : "";
      for_each_point(ReachGroup::mirror_transition, [&](std::size_t i, const ReachPoint& point) {
        if (origin_of(point.name) != origin || target_of(point.name) != target) {
          return;
        }
        const std::uint64_t seeds = reachability.of(i).seeds;
        if (point.forbidden) {
          cell = seeds > 0 ? fmt::format("**FORBIDDEN: {}**", seeds) : "";
        } else {
          cell = seeds > 0 ? fmt::format("{}", seeds) : "**never**";
        }
      });
      out += fmt::format(" {} |", cell);
    }
    out += "\n";
  }
  return out;
}

}  // namespace

std::string reachability_text(const Reachability& reachability, const Style& style) {
  std::string out = style.bold("Reached") + "\n";
  for (const auto& [group, name] : EnumNames<ReachGroup>::entries) {
    const GroupSummary summary = summary_of(reachability, group);
    out += fmt::format("  {}: {} of {}", name, summary.reached, summary.all);
    if (!summary.never.empty()) {
      out += fmt::format("; never: {}", fmt::join(summary.never, ", "));
    }
    if (!summary.forbidden_reached.empty()) {
      out += fmt::format("; {}: {}", style.bad("forbidden and reached"),
                         fmt::join(summary.forbidden_reached, ", "));
    }
    out += "\n";
  }
  return out;
}

Json reachability_json(const Reachability& reachability) {
  Json out = Json::object();
  for (const auto& [group, name] : EnumNames<ReachGroup>::entries) {
    Json reached = Json::object();
    Json never = Json::array();
    Json forbidden = Json::array();
    for_each_point(group, [&](std::size_t i, const ReachPoint& point) {
      const ReachCount& count = reachability.of(i);
      if (count.seeds > 0) {
        reached[point.name] = {{"seeds", count.seeds}, {"first_seed", count.first_seed}};
      }
      if (point.forbidden) {
        forbidden.push_back(point.name);
      } else if (count.seeds == 0) {
        never.push_back(point.name);
      }
    });
    Json& entry = out[std::string(name)];
    entry["reached"] = std::move(reached);
    entry["never"] = std::move(never);
    if (!forbidden.empty()) {
      entry["forbidden"] = std::move(forbidden);
    }
  }
  return out;
}

std::string reachability_markdown(const Reachability& reachability, const std::string& command,
                                  std::uint64_t seeds) {
  std::string out = fmt::format(
      "# What a campaign reaches\n\nMade by `{}`, program version {}: {} seeds. Each number says in how many "
      "of "
      "them.\n\n## Mirror state transitions\n\nRows are left, columns entered. A blank is a transition that "
      "the "
      "protocol forbids; none was seen unless it says so.\n\n{}",
      command, MIRRORPROOF_VERSION, seeds, transition_table(reachability));
  for (const auto& [group, name] : EnumNames<ReachGroup>::entries) {
    if (group == ReachGroup::mirror_transition) {
      continue;
    }
    const GroupSummary summary = summary_of(reachability, group);
    out += fmt::format("\n## {}\n\n{} of {} reached.", name, summary.reached, summary.all);
    if (!summary.never.empty()) {
      out += fmt::format(" Never: {}.", fmt::join(summary.never, ", "));
    }
    out += "\n\n| | seeds | first |\n|---|---:|---:|\n";
    for_each_point(group, [&](std::size_t i, const ReachPoint& point) {
      const ReachCount& count = reachability.of(i);
      if (count.seeds > 0) {
        out += fmt::format("| `{}` | {} | {} |\n", point.name, count.seeds, count.first_seed);
      }
    });
  }
  return out;
}

}  // namespace mirrorproof::reports
