#include "reports/judgement_report.h"

#include <fmt/format.h>

#include "checker/describe.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::reports {
namespace {

constexpr std::size_t kMaxViolationsInText = 10;
constexpr std::size_t kMaxTruncationsInText = 10;

const Event* find_event(const JudgementView& view, EventId id) {
  const auto found = view.told.find(id);
  return found == view.told.end() ? nullptr : &found->second.event;
}

std::string where(const JudgementView& view, EventId id) {
  const Event* event = find_event(view, id);
  return event == nullptr ? fmt::format("event {}", id) : fmt::format("event {}, step {}", id, event->step);
}

Json name_or_null(bool known, const std::string& name) {
  return known ? Json(name) : Json(nullptr);
}

Json told_list(const JudgementView& view, const std::vector<EventId>& events) {
  Json out = Json::array();
  for (const EventId event : events) {
    out.push_back(told_json(view, event));
  }
  return out;
}

}  // namespace

std::string offsets_text(const checker::RemovedRecords& records) {
  return records.base_offset == records.last_offset
             ? fmt::format("offset {}", records.base_offset)
             : fmt::format("offsets {} to {}", records.base_offset, records.last_offset);
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : noun.ends_with("ch") ? "es" : "s");
}

std::string safe_text(std::string_view text) {
  constexpr std::size_t kMaxBytes = 4000;
  return scenarios::printable(text, kMaxBytes);
}

std::string told_text(const JudgementView& view, EventId event) {
  const auto found = view.told.find(event);
  return fmt::format("#{} {}", event, found == view.told.end() ? "(not in the trace)" : found->second.text);
}

std::string violations_text(const JudgementView& view, const Style& style) {
  const auto& violations = view.judgement.violations;
  if (violations.empty()) {
    return "";
  }
  std::string out = style.bold("Violations") + "\n";
  for (std::size_t i = 0; i < violations.size() && i < kMaxViolationsInText; ++i) {
    const checker::Violation& violation = violations[i];
    out += fmt::format("  {} ({}) at {}\n", style.bad(to_string(violation.invariant)), violation.kind,
                       where(view, violation.event));
    out += fmt::format("    {}\n", safe_text(violation.message));
    out += fmt::format("    {}\n", told_text(view, violation.event));
    for (const EventId evidence : violation.evidence) {
      out += fmt::format("    see {}\n", told_text(view, evidence));
    }
  }
  if (violations.size() > kMaxViolationsInText) {
    out += fmt::format("  ... and {} more (--json lists them)\n", violations.size() - kMaxViolationsInText);
  }
  return out;
}

std::string mirror_truncation_text(const JudgementView& view, const checker::MirrorTruncation& truncation,
                                   std::size_t number, const Style& style) {
  std::string out = fmt::format("  {}. {} removed {} from offset {} on ({}, mirror of {}): {}\n", number,
                                view.names.broker(truncation.cluster, truncation.broker),
                                counted(static_cast<std::uint64_t>(truncation.records), "record"),
                                truncation.offset, view.names.partition(truncation.partition),
                                view.names.cluster(truncation.source), where(view, truncation.event));
  if (truncation.justified) {
    out += fmt::format("     {} by {}\n", style.good("justified"),
                       counted(truncation.unclean_elections.size(), "unclean leader election"));
  } else if (truncation.excuse != checker::TruncationExcuse::none) {
    out += fmt::format("     excused ({}): {}\n", to_string(truncation.excuse),
                       checker::excuse_text(truncation.excuse));
  } else {
    out += fmt::format("     {}: not every removed record goes back to an unclean leader election of {}\n",
                       style.bad("NOT justified"), view.names.cluster(truncation.source));
  }
  for (const EventId election : truncation.unclean_elections) {
    out += fmt::format("       {}\n", told_text(view, election));
  }
  if (!truncation.path.empty()) {
    out += "     how it led there:\n";
    for (std::size_t i = 0; i < truncation.path.size(); ++i) {
      out += fmt::format("       {} {}\n", i == 0 ? "  " : "->", told_text(view, truncation.path[i]));
    }
  }
  return out;
}

std::string mirror_truncations_text(const JudgementView& view, const Style& style) {
  const auto& truncations = view.judgement.mirror_truncations;
  if (truncations.empty()) {
    return "";
  }
  std::string out = style.bold("Mirror truncations") + "\n";
  for (std::size_t i = 0; i < truncations.size() && i < kMaxTruncationsInText; ++i) {
    out += mirror_truncation_text(view, truncations[i], i + 1, style);
  }
  if (truncations.size() > kMaxTruncationsInText) {
    out += fmt::format("  ... and {} more\n", truncations.size() - kMaxTruncationsInText);
  }
  return out;
}

std::string statistics_text(const checker::Statistics& statistics) {
  std::string out = fmt::format(
      "{}, {} appended, {} ({} unclean); truncations: {} of mirrors, {} by alignment, {} of followers",
      counted(statistics.events, "event"), counted(statistics.appended_records, "record"),
      counted(statistics.elections, "election"), statistics.unclean_elections, statistics.mirror_truncations,
      statistics.alignment_truncations, statistics.follower_truncations);
  if (const checker::OverTruncationStatistics& over = statistics.over_truncation; over.records > 0) {
    out += fmt::format(
        "; cut although source and mirror agreed on them: {} (at least {} bytes) in {}, {} of them fetched "
        "again",
        counted(over.records, "record"), over.bytes, counted(over.cuts, "cut"), over.records_fetched_again);
  }
  return out;
}

Json over_truncation_json(const checker::OverTruncationStatistics& over) {
  Json object;
  object["cuts"] = over.cuts;
  object["records"] = over.records;
  object["bytes"] = over.bytes;
  object["records_fetched_again"] = over.records_fetched_again;
  object["bytes_fetched_again"] = over.bytes_fetched_again;
  return object;
}

Json told_json(const JudgementView& view, EventId event) {
  const auto found = view.told.find(event);
  return {{"event", event}, {"text", found == view.told.end() ? "(not in the trace)" : found->second.text}};
}

Json violations_json(const JudgementView& view) {
  Json out = Json::array();
  for (const checker::Violation& violation : view.judgement.violations) {
    const Event* event = find_event(view, violation.event);
    Json object;
    object["invariant"] = to_string(violation.invariant);
    object["kind"] = violation.kind;
    object["message"] = violation.message;
    object["event"] = violation.event;
    object["step"] = event == nullptr ? Json(nullptr) : Json(event->step);
    object["text"] = told_json(view, violation.event)["text"];
    object["cluster"] = name_or_null(violation.cluster != kNoCluster, view.names.cluster(violation.cluster));
    object["partition"] =
        name_or_null(violation.partition != kNoPartition, view.names.partition(violation.partition));
    object["evidence"] = told_list(view, violation.evidence);
    out.push_back(std::move(object));
  }
  return out;
}

Json mirror_truncation_json(const JudgementView& view, const checker::MirrorTruncation& truncation) {
  Json elections = Json::array();
  for (const EventId id : truncation.unclean_elections) {
    Json object{{"event", id}};
    if (const Event* event = find_event(view, id)) {
      object["cluster"] = view.names.cluster(event->cluster);
      if (const auto* election = std::get_if<Election>(&event->payload)) {
        object["epoch"] = election->epoch;
        object["leader"] = election->leader;
      }
    }
    elections.push_back(std::move(object));
  }
  const Event* event = find_event(view, truncation.event);
  Json object;
  object["event"] = truncation.event;
  object["step"] = event == nullptr ? Json(nullptr) : Json(event->step);
  object["offset"] = truncation.offset;
  object["records"] = truncation.records;
  object["cluster"] = view.names.cluster(truncation.cluster);
  object["broker"] = truncation.broker;
  object["partition"] = view.names.partition(truncation.partition);
  object["source"] = name_or_null(truncation.source != kNoCluster, view.names.cluster(truncation.source));
  object["justified"] = truncation.justified;
  object["excuse"] = name_or_null(truncation.excuse != checker::TruncationExcuse::none,
                                  std::string(to_string(truncation.excuse)));
  object["unclean_elections"] = std::move(elections);
  object["path"] = told_list(view, truncation.path);
  return object;
}

Json mirror_truncations_json(const JudgementView& view) {
  Json out = Json::array();
  for (const checker::MirrorTruncation& truncation : view.judgement.mirror_truncations) {
    if (out.size() == kMaxToldTruncations) {
      break;
    }
    out.push_back(mirror_truncation_json(view, truncation));
  }
  return out;
}

Json statistics_json(const checker::Statistics& statistics) {
  Json object;
  object["events"] = statistics.events;
  object["appended_records"] = statistics.appended_records;
  object["elections"] = statistics.elections;
  object["unclean_elections"] = statistics.unclean_elections;
  object["mirror_truncations"] = statistics.mirror_truncations;
  object["alignment_truncations"] = statistics.alignment_truncations;
  object["follower_truncations"] = statistics.follower_truncations;
  object["over_truncation"] = over_truncation_json(statistics.over_truncation);
  return object;
}

}  // namespace mirrorproof::reports
