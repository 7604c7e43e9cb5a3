#include "reports/explain_report.h"

#include <fmt/format.h>

#include "reports/record_story.h"

namespace mirrorproof::reports {
namespace {

constexpr std::size_t kMaxExplainedInText = 20;
constexpr std::size_t kMaxExplainedInJson = 100;

/// Everything known of one run's truncations.
struct Explanation {
  Explanation(const scenarios::Scenario& scenario, const RunKey& key, const Evaluation& evaluation,
              std::size_t truncations)
      : header(sim::make_trace_header(scenario.setup, key.seed)),
        names(header),
        told(tell_events(header, source_of(scenario, key), events_to_tell(evaluation.judgement))),
        stories(tell_stories(header, source_of(scenario, key), evaluation.judgement, truncations)),
        view{names, evaluation.judgement, told} {}

  std::vector<const checker::Violation*> charges(const checker::MirrorTruncation& truncation) const {
    std::vector<const checker::Violation*> out;
    for (const checker::Violation& violation : view.judgement.violations) {
      if (violation.event == truncation.event &&
          violation.invariant == checker::Invariant::truncation_provenance) {
        out.push_back(&violation);
      }
    }
    return out;
  }

  TraceHeader header;
  TraceNames names;
  ToldEvents told;
  std::vector<TruncationStory> stories;
  JudgementView view;
};

std::string removed_records_text(const Explanation& explanation, const checker::RemovedRecords& removed) {
  return fmt::format("{} of epoch {}, first written in {}", offsets_text(removed), removed.epoch,
                     explanation.names.cluster(removed.first_id.origin()));
}

std::string record_story_text(const RecordStory& story, std::string_view margin) {
  std::string out;
  for (const auto& [event, text] : story.lines) {
    out += fmt::format("{}#{} {}\n", margin, event, text);
  }
  if (story.left_out > 0) {
    out += fmt::format("{}... and {} more\n", margin, story.left_out);
  }
  return out;
}

std::string explanation_text(const Explanation& explanation, std::size_t index, const Style& style) {
  const checker::MirrorTruncation& truncation = explanation.view.judgement.mirror_truncations[index];
  const TruncationStory& story = explanation.stories[index];
  std::string out = mirror_truncation_text(explanation.view, truncation, index + 1, style);
  for (const checker::Violation* charge : explanation.charges(truncation)) {
    out += fmt::format("     {}: {}\n", charge->kind, safe_text(charge->message));
    for (const EventId evidence : charge->evidence) {
      out += fmt::format("       see {}\n", told_text(explanation.view, evidence));
    }
  }
  for (std::size_t i = 0; i < truncation.removed.size(); ++i) {
    const checker::RemovedRecords& removed = truncation.removed[i];
    out += fmt::format("     removed {}\n", removed_records_text(explanation, removed));
    out += removed.killer == 0
               ? fmt::format("       killed by {} that could have led here\n", style.bad("nothing"))
               : fmt::format("       killed by {}\n", told_text(explanation.view, removed.killer));
    out += i < story.removed.size() ? record_story_text(story.removed[i], "       | ") : "";
  }
  if (!truncation.justified) {
    const std::string source = explanation.names.cluster(truncation.source);
    out += story.source_elections.lines.empty()
               ? fmt::format("     {} had no election before\n", source)
               : fmt::format("     elections of {} before:\n{}", source,
                             record_story_text(story.source_elections, "       | "));
  }
  return out;
}

Json record_story_json(const RecordStory& story) {
  Json out = Json::array();
  for (const auto& [event, text] : story.lines) {
    out.push_back({{"event", event}, {"text", text}});
  }
  return out;
}

}  // namespace

std::string explain_text(const scenarios::Scenario& scenario, const RunKey& key, const Evaluation& evaluation,
                         const Style& style) {
  const Explanation explanation(scenario, key, evaluation, kMaxExplainedInText);
  const std::size_t count = evaluation.judgement.mirror_truncations.size();
  std::string out = fmt::format("{} in {}, seed {}.\n", style.bold(counted(count, "mirror truncation")),
                                safe_text(scenario.setup.name), key.seed);
  for (std::size_t i = 0; i < explanation.stories.size(); ++i) {
    out += "\n" + explanation_text(explanation, i, style);
  }
  if (count > explanation.stories.size()) {
    out += fmt::format("\n... and {} more\n", count - explanation.stories.size());
  }
  const checker::Statistics& statistics = evaluation.judgement.statistics;
  if (count > 0 || statistics.over_truncation.records > 0) {
    out += fmt::format("\n{}.\n", statistics_text(statistics));
  }
  return out;
}

Json explain_json(const scenarios::Scenario& scenario, const RunKey& key, const Evaluation& evaluation) {
  const Explanation explanation(scenario, key, evaluation, kMaxExplainedInJson);
  Json truncations = Json::array();
  for (std::size_t i = 0; i < explanation.stories.size(); ++i) {
    const checker::MirrorTruncation& truncation = evaluation.judgement.mirror_truncations[i];
    const TruncationStory& story = explanation.stories[i];
    Json object = mirror_truncation_json(explanation.view, truncation);
    object["charges"] = Json::array();
    for (const checker::Violation* charge : explanation.charges(truncation)) {
      object["charges"].push_back({{"kind", charge->kind}, {"message", charge->message}});
    }
    object["removed"] = Json::array();
    for (std::size_t r = 0; r < truncation.removed.size(); ++r) {
      const checker::RemovedRecords& removed = truncation.removed[r];
      Json entry;
      entry["base_offset"] = removed.base_offset;
      entry["last_offset"] = removed.last_offset;
      entry["epoch"] = removed.epoch;
      entry["first_id"] = fmt::format("{}:{}", explanation.names.cluster(removed.first_id.origin()),
                                      removed.first_id.serial());
      entry["killer"] = removed.killer == 0 ? Json(nullptr) : told_json(explanation.view, removed.killer);
      entry["story"] = r < story.removed.size() ? record_story_json(story.removed[r]) : Json::array();
      object["removed"].push_back(std::move(entry));
    }
    object["source_elections"] = record_story_json(story.source_elections);
    truncations.push_back(std::move(object));
  }
  Json out;
  out["scenario"] = scenario.setup.name;
  out["seed"] = key.seed;
  out["verdict"] = to_string(evaluation.verdict);
  out["mirror_truncation_count"] = evaluation.judgement.mirror_truncations.size();
  out["mirror_truncations"] = std::move(truncations);
  out["over_truncation"] = over_truncation_json(evaluation.judgement.statistics.over_truncation);
  return out;
}

}  // namespace mirrorproof::reports
