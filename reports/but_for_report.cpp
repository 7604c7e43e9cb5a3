#include "reports/but_for_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mirrorproof::reports {
namespace {

constexpr std::size_t kMaxReplaysInText = 20;

struct ButForView {
  ButForView(const scenarios::Scenario& scenario, const RunKey& key, const checker::Judgement& judgement,
             const ButForReport& report)
      : header(sim::make_trace_header(scenario.setup, key.seed)), names(header) {
    std::set<EventId> wanted;
    for (const ButForReplay& replay : report.replays) {
      wanted.insert(replay.without.begin(), replay.without.end());
    }
    told = tell_events(header, source_of(scenario, key), wanted);
    for (const checker::MirrorTruncation& truncation : judgement.mirror_truncations) {
      places.push_back(fmt::format("#{} on {}{}", truncation.event,
                                   names.broker(truncation.cluster, truncation.broker),
                                   names.partition_mark(truncation.partition)));
    }
  }

  std::string election(EventId event) const {
    const auto found = told.find(event);
    return found == told.end() ? fmt::format("#{}", event) : fmt::format("#{} {}", event, found->second.text);
  }

  TraceHeader header;
  TraceNames names;
  ToldEvents told;
  std::vector<std::string> places;
};

bool is_named(ButForVerdict verdict) {
  return verdict != ButForVerdict::no_cause && verdict != ButForVerdict::precondition;
}

std::string sentence(const ButForTruncation& truncation, const Style& style) {
  const std::string of_records =
      fmt::format("{} of {} records", truncation.still_removed, truncation.records);
  switch (truncation.verdict) {
    case ButForVerdict::confirmed:
      return fmt::format(
          "{}: the {} blamed on it stay; {} of them in the mirror's log at the end", style.good("confirmed"),
          counted(static_cast<std::uint64_t>(truncation.records), "record"), truncation.held_at_end);
    case ButForVerdict::other_cause:
      return fmt::format("{}: {} go all the same, to another unclean election{}",
                         style.unclear("other cause"), of_records,
                         truncation.other_elections.empty()
                             ? std::string()
                             : fmt::format(" (#{})", fmt::join(truncation.other_elections, ", #")));
    case ButForVerdict::named_wrongly:
      return fmt::format("{}: {} go all the same", style.bad("NAMED WRONGLY"), of_records);
    case ButForVerdict::no_cause:
      return fmt::format("not blamed on it, and {} go without it as well", of_records);
    case ButForVerdict::precondition:
      return "not blamed on it, but without it there is no such truncation";
  }
  return "";
}

}  // namespace

std::string but_for_text(const scenarios::Scenario& scenario, const RunKey& key,
                         const checker::Judgement& judgement, const ButForReport& report, bool all,
                         const Style& style) {
  const ButForView view(scenario, key, judgement, report);
  std::string out = style.bold("But for") + "\n";
  if (report.replays.empty()) {
    return out + "  No unclean leader election is named as a cause.\n";
  }
  for (std::size_t i = 0; i < report.replays.size() && i < kMaxReplaysInText; ++i) {
    const ButForReplay& replay = report.replays[i];
    for (std::size_t e = 0; e < replay.without.size(); ++e) {
      out += fmt::format("  {} {}\n", e == 0 ? "without" : "    and", view.election(replay.without[e]));
    }
    out += fmt::format("    {} carried over, {} skipped; {} more until the world {}\n",
                       counted(replay.carried_over, "action"), replay.skipped, replay.afterwards,
                       replay.rested ? "rests" : "is given up: it does not rest");
    for (const ButForTruncation& truncation : replay.truncations) {
      if (all || is_named(truncation.verdict)) {
        out += fmt::format("    truncation {}: {}\n", view.places[truncation.truncation],
                           sentence(truncation, style));
      }
    }
  }
  const std::size_t hidden =
      report.left_out +
      (report.replays.size() > kMaxReplaysInText ? report.replays.size() - kMaxReplaysInText : 0);
  if (hidden > 0) {
    out += fmt::format("  ... and {} more\n", hidden);
  }
  return out;
}

Json but_for_json(const scenarios::Scenario& scenario, const RunKey& key, const checker::Judgement& judgement,
                  const ButForReport& report) {
  const ButForView view(scenario, key, judgement, report);
  Json replays = Json::array();
  for (const ButForReplay& replay : report.replays) {
    Json object;
    object["without"] = Json::array();
    for (const EventId event : replay.without) {
      const auto found = view.told.find(event);
      object["without"].push_back(
          {{"event", event}, {"text", found == view.told.end() ? "" : found->second.text}});
    }
    object["carried_over"] = replay.carried_over;
    object["skipped"] = replay.skipped;
    object["afterwards"] = replay.afterwards;
    object["rested"] = replay.rested;
    object["truncations"] = Json::array();
    for (const ButForTruncation& truncation : replay.truncations) {
      if (object["truncations"].size() == kMaxToldTruncations) {
        break;
      }
      Json entry;
      entry["event"] = judgement.mirror_truncations[truncation.truncation].event;
      entry["verdict"] = to_string(truncation.verdict);
      entry["records"] = truncation.records;
      entry["still_removed"] = truncation.still_removed;
      entry["held_at_end"] = truncation.held_at_end;
      entry["other_elections"] = truncation.other_elections;
      object["truncations"].push_back(std::move(entry));
    }
    replays.push_back(std::move(object));
  }
  Json out;
  out["holds"] = report.holds();
  out["left_out"] = report.left_out;
  out["replays"] = std::move(replays);
  return out;
}

}  // namespace mirrorproof::reports
