#include "reports/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "model/protocol_presets.h"
#include "reports/action_text.h"
#include "reports/expectations.h"
#include "reports/html_page.h"
#include "reports/page_cases.h"
#include "reports/page_timeline.h"
#include "reports/run_report.h"

namespace mirrorproof::reports {
namespace {

using scenarios::Verdict;

constexpr int kPageFormat = 1;

Json page_frame(const std::string& name, const std::vector<PageCommand>& commands) {
  Json page;
  page["format"] = kPageFormat;
  page["program"] = "mirrorproof " MIRRORPROOF_VERSION;
  page["name"] = name;
  page["question"] =
      "Once a mirror is aligned, is every truncation of it caused by an unclean leader election on the "
      "source?";
  page["commands"] = Json::array();
  for (const PageCommand& command : commands) {
    page["commands"].push_back({{"what", command.what}, {"line", command.line}});
  }
  return page;
}

/// What this run says about the question.
std::string page_answer(const checker::Judgement& judgement, bool finished) {
  // Those that are excused say neither yes nor no; the list of truncations names why.
  std::vector<checker::MirrorTruncation> truncations;
  std::copy_if(judgement.mirror_truncations.begin(), judgement.mirror_truncations.end(),
               std::back_inserter(truncations), [](const checker::MirrorTruncation& truncation) {
                 return truncation.excuse == checker::TruncationExcuse::none;
               });
  const auto justified = static_cast<std::uint64_t>(
      std::count_if(truncations.begin(), truncations.end(),
                    [](const checker::MirrorTruncation& truncation) { return truncation.justified; }));
  if (justified < truncations.size()) {
    return truncations.size() == 1 ? "No: the one mirror truncation goes back to no unclean leader election."
           : justified == 0
               ? fmt::format("No: none of the {} mirror truncations goes back to an unclean leader election.",
                             truncations.size())
               : fmt::format("No: of {} mirror truncations, {} back to no unclean leader election.",
                             truncations.size(),
                             truncations.size() - justified == 1
                                 ? "one goes"
                                 : fmt::format("{} go", truncations.size() - justified));
  }
  const std::string here = finished ? "in this run" : "as far as this run went";
  if (truncations.empty()) {
    return fmt::format("Nothing speaks against it {}: {}.", here,
                       judgement.mirror_truncations.empty()
                           ? "no mirror was truncated after alignment"
                           : "every mirror truncation after alignment is excused");
  }
  return fmt::format("Yes, {}: {} traced to {}.", here,
                     truncations.size() == 1
                         ? "the one mirror truncation is"
                         : fmt::format("all {} mirror truncations are", truncations.size()),
                     truncations.size() == 1 && truncations.front().unclean_elections.size() == 1
                         ? "an unclean leader election"
                         : "unclean leader elections");
}

/// "good", "bad" or "unclear": how the page colours a verdict. A claim that is refuted as expected is
/// refuted.
std::string_view verdict_tone(Verdict verdict) {
  return verdict == Verdict::holds ? "good" : verdict == Verdict::violated ? "bad" : "unclear";
}

void add_verdict(Json& page, Verdict verdict, std::string_view expectation, const std::string& sentence) {
  page["verdict"] = {{"word", to_string(verdict)},
                     {"tone", verdict_tone(verdict)},
                     {"expectation", expectation},
                     {"sentence", sentence}};
}

Json facts_of(const checker::Statistics& statistics) {
  Json facts = Json::array();
  facts.push_back({"events", statistics.events});
  facts.push_back({"records appended", statistics.appended_records});
  facts.push_back(
      {"elections", fmt::format("{}, {} unclean", statistics.elections, statistics.unclean_elections)});
  facts.push_back({"mirror truncations", statistics.mirror_truncations});
  facts.push_back({"cut by alignment", statistics.alignment_truncations});
  facts.push_back({"follower truncations", statistics.follower_truncations});
  facts.push_back(
      {"cut although both sides agreed", fmt::format("{} records", statistics.over_truncation.records)});
  return facts;
}

template <class E>
void add_values(Json& option, E) {
  for (const auto& [value, name] : EnumNames<E>::entries) {
    option["values"].push_back(name);
  }
}
void add_values(Json& option, bool) {
  option["values"] = {"true", "false"};
}

std::string value_name(bool value) {
  return value ? "true" : "false";
}
template <class E>
std::string value_name(E value) {
  return std::string(to_string(value));
}

/// Every option in force, beside what the proposal says.
Json protocol_json(const ProtocolOptions& protocol) {
  Json out;
  out["preset"] = nullptr;
  for (const auto& [preset, name] : EnumNames<Preset>::entries) {
    if (preset_options(preset) == protocol) {
      out["preset"] = name;
    }
  }
  const ProtocolOptions proposed = preset_options(Preset::as_proposed);
  Json options = Json::array();
  for_each_option(protocol, [&](std::string_view name, const auto& value) {
    Json option;
    option["name"] = name;
    option["value"] = value_name(value);
    option["values"] = Json::array();
    add_values(option, value);
    options.push_back(std::move(option));
  });
  std::size_t index = 0;
  for_each_option(proposed, [&](std::string_view, const auto& value) {
    options[index++]["proposed"] = value_name(value);
  });
  out["options"] = std::move(options);
  return out;
}

/// Everything that the events tell.
void add_events(Json& page, const TraceHeader& header, const EventSource& source,
                const checker::Judgement& judgement) {
  const TraceNames names(header);
  const ToldEvents told = tell_events(header, source, events_to_tell(judgement));
  const JudgementView view{names, judgement, told};
  const ReportWindow window = collect_window(header, source, judgement);
  page["clusters"] = Json::array();
  for (std::size_t c = 0; c < header.clusters.size(); ++c) {
    page["clusters"].push_back(names.cluster(static_cast<ClusterId>(c)));
  }
  page["partitions"] = Json::array();
  for (std::size_t p = 0; p < header.partitions.size(); ++p) {
    page["partitions"].push_back(names.partition(static_cast<PartitionId>(p)));
  }
  page["protocol"] = protocol_json(header.protocol);
  page["events_total"] = window.total;
  page["events_before"] = window.first;
  add_timeline(page, header, window);
  add_cases(page, view, window);
}

/// Adds "steps", [first event id, number, what, script step] for each action, and "script", [pointer, text,
/// note].
void add_steps(Json& page, const scenarios::Scenario& scenario, const RunKey& key) {
  const sim::Setup& setup = scenario.setup;
  const EventId first = page["events"].empty() ? 0 : page["events"].front()[0].get<EventId>();
  const EventId last = page["events"].empty() ? 0 : page["events"].back()[0].get<EventId>();
  Json steps = Json::array();
  walk_actions(scenario, key, [&](const std::vector<Event>& events, const sim::Runner& runner) {
    if (events.empty() || events.front().id < first || events.front().id > last) {
      return;
    }
    const sim::Simulator& simulator = runner.simulator();
    const bool start = simulator.steps() == 0;
    const std::size_t position = runner.script_position();
    steps.push_back({events.front().id, start ? -1 : static_cast<int>(simulator.steps()) - 1,
                     start ? std::string("the start") : action_text(setup, simulator.last_action()),
                     start || position >= setup.steps.size() ? -1 : static_cast<int>(position)});
  });
  page["steps"] = std::move(steps);
  Json script = Json::array();
  for (const sim::ScriptStep& step : setup.steps) {
    script.push_back({step.pointer, step_text(setup, step), safe_text(step.note)});
  }
  page["script"] = std::move(script);
}

/// A name that any file system takes.
std::string scenario_file_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    out += plain ? c : '-';
  }
  constexpr std::size_t kLongestFileName = 80;
  return (out.empty() ? "scenario" : out.substr(0, kLongestFileName)) + ".json";
}

void add_run(Json& page, const scenarios::Scenario& scenario, const RunKey& key, const SeedsEvaluation& all) {
  const Evaluation& shown = all.shown;
  page["description"] = scenario.description;
  add_verdict(page, all.verdict, all.as_expected ? "as expected" : "not as expected",
              verdict_sentence(all, Style(false)));
  page["answer"] = page_answer(shown.judgement, shown.problem.empty());
  page["problems"] = Json::array();
  for (const std::string& line : shown.not_met) {
    page["problems"].push_back(safe_text(line));
  }
  if (!shown.problem.empty()) {
    page["problems"].push_back(safe_text(shown.problem));
  }
  page["facts"] = Json::array();
  // As text: a browser's numbers do not hold all seeds.
  page["facts"].push_back({"seed", std::to_string(shown.seed)});
  if (all.seeds > 1) {
    page["facts"].push_back({"of seeds", fmt::format("{} ({} hold, {} violated, {} inconclusive)", all.seeds,
                                                     all.holding, all.violated, all.inconclusive)});
  }
  page["facts"].push_back({"actions", shown.actions});
  for (Json& fact : facts_of(shown.judgement.statistics)) {
    page["facts"].push_back(std::move(fact));
  }
  page["facts"].push_back({"digest", digest_text(shown.digest)});
  add_events(page, sim::make_trace_header(scenario.setup, shown.seed), source_of(scenario, key),
             shown.judgement);
  add_steps(page, scenario, key);
  page["scenario"] = {{"file", scenario_file_name(scenario.setup.name)},
                      {"text", scenarios::to_json(scenario)}};
}

}  // namespace

std::string run_page(const scenarios::Scenario& scenario, const RunKey& key, const SeedsEvaluation& all,
                     const std::vector<PageCommand>& commands, const std::vector<PageFact>& facts) {
  Json page = page_frame(scenario.setup.name, commands);
  add_run(page, scenario, key, all);
  Json before = Json::array();
  for (const PageFact& fact : facts) {
    before.push_back({fact.name, fact.value});
  }
  page["facts"].insert(page["facts"].begin(), before.begin(), before.end());
  return html_page(scenario.setup.name + " - Mirrorproof", page);
}

std::string trace_page(const TraceCheck& check, const std::string& path,
                       const std::vector<PageCommand>& commands) {
  const std::string name = check.header.scenario.empty() ? path : check.header.scenario;
  Json page = page_frame(name, commands);
  page["description"] = "A trace: " + safe_text(path);
  const Verdict verdict = check.judgement.holds() ? Verdict::holds : Verdict::violated;
  add_verdict(page, verdict, "",
              verdict == Verdict::holds ? fmt::format("HOLDS: {}.", held_sentence(check))
                                        : fmt::format("VIOLATED: {}.", broken_sentence(check.judgement)));
  page["answer"] = page_answer(check.judgement, true);
  page["problems"] = Json::array();
  page["not_judged"] = Json::array();
  for (const NotJudged& gap : check.gaps) {
    page["not_judged"].push_back(not_judged_text(gap));
  }
  page["facts"] = facts_of(check.judgement.statistics);
  page["facts"].push_back({"digest", digest_text(check.digest)});
  add_events(page, check.header, trace_source(path), check.judgement);
  return html_page(name + " - Mirrorproof", page);
}

std::string campaign_page(const CampaignResult& result, const CampaignFrame& frame, const Json& document,
                          const CampaignExample* example, const std::vector<PageCommand>& commands) {
  const std::string name = "Campaign: " + frame.what;
  Json page = page_frame(name, commands);
  if (example != nullptr) {
    add_run(page, example->scenario, example->key, example->all);
    const auto* failure = shown_failure(result);
    page["description"] = fmt::format("Below: seed {}, the first that breaks {}. {}", example->key.seed,
                                      failure == nullptr ? "anything" : to_string(failure->first.first),
                                      example->scenario.description);
  } else {
    page["description"] = "";
    page["problems"] = Json::array();
    page["facts"] = Json::array();
  }
  const std::string text = campaign_text(result, frame, Style(false));
  add_verdict(page, result.verdict(), "", text.substr(0, text.find('\n')));
  if (example == nullptr) {
    page["answer"] =
        fmt::format("{} of {} in {} traced to an unclean leader election.", result.justified_truncations,
                    counted(result.truncations, "mirror truncation"), counted(result.counts.seeds, "seed"));
  }
  page["campaign"] = document;
  return html_page(name + " - Mirrorproof", page);
}

}  // namespace mirrorproof::reports
