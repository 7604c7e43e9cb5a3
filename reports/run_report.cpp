#include "reports/run_report.h"

#include <fmt/format.h>

#include "reports/expectations.h"
#include "reports/result_file.h"
#include "sim/runner.h"

namespace mirrorproof::reports {
namespace {

using scenarios::Scenario;
using scenarios::Verdict;

std::string reason(const SeedsEvaluation& all) {
  const Evaluation& shown = all.shown;
  const std::string of_seeds = all.seeds > 1 ? fmt::format(" of {} seeds", all.seeds) : "";
  switch (all.verdict) {
    case Verdict::holds:
      return all.seeds > 1 ? fmt::format("every invariant holds in all {} seeds", all.seeds)
                           : "every invariant holds";
    case Verdict::violated: {
      const std::string broken = shown.verdict == Verdict::violated ? broken_sentence(shown.judgement)
                                                                    : std::string("invariants are broken");
      return all.seeds > 1 ? fmt::format("{} in seed {}; {}{} break an invariant", broken, shown.seed,
                                         all.violated, of_seeds)
                           : broken;
    }
    case Verdict::inconclusive:
      return all.seeds > 1 ? fmt::format("{}{} could not be carried out", all.inconclusive, of_seeds)
                           : safe_text(shown.problem);
  }
  return "";
}

}  // namespace

std::string verdict_sentence(const SeedsEvaluation& all, const Style& style) {
  std::string word = all.verdict == Verdict::holds      ? "HOLDS"
                     : all.verdict == Verdict::violated ? "VIOLATED"
                                                        : "INCONCLUSIVE";
  word += all.as_expected ? ", as expected" : ", NOT as expected";
  word = all.as_expected                        ? style.good(word)
         : all.verdict == Verdict::inconclusive ? style.unclear(word)
                                                : style.bad(word);
  return fmt::format("{}: {}.", word, reason(all));
}

std::string run_text(const Scenario& scenario, const RunKey& key, const SeedsEvaluation& all,
                     const Style& style) {
  const Evaluation& shown = all.shown;
  const TraceHeader header = sim::make_trace_header(scenario.setup, shown.seed);
  const TraceNames names(header);
  const ToldEvents told = tell_events(header, source_of(scenario, key), events_to_tell(shown.judgement));
  const JudgementView view{names, shown.judgement, told};

  std::string out = verdict_sentence(all, style) + "\n";
  out += style.dim(fmt::format("{}, seed {}{}", safe_text(scenario.setup.name), shown.seed,
                               key.choices ? ", recorded choices" : "")) +
         "\n";
  if (!shown.not_met.empty()) {
    out += "\n" + style.bold("Not as expected") + "\n";
    for (const std::string& line : shown.not_met) {
      out += "  " + safe_text(line) + "\n";
    }
  }
  for (const std::string& part : {violations_text(view, style), mirror_truncations_text(view, style)}) {
    out += part.empty() ? "" : "\n" + part;
  }
  out += fmt::format("\n{}, {}.\nDigest of the trace: {}\n", counted(shown.actions, "action"),
                     statistics_text(shown.judgement.statistics), digest_text(shown.digest));
  return out;
}

Json run_json(const Scenario& scenario, const RunKey& key, const SeedsEvaluation& all) {
  const Evaluation& shown = all.shown;
  const TraceHeader header = sim::make_trace_header(scenario.setup, shown.seed);
  const TraceNames names(header);
  const ToldEvents told = tell_events(header, source_of(scenario, key), events_to_tell(shown.judgement));
  const JudgementView view{names, shown.judgement, told};

  Json out;
  add_result_frame(out, scenario, key);
  out["scenario"] = scenario.setup.name;
  out["seed"] = shown.seed;
  out["verdict"] = to_string(all.verdict);
  out["as_expected"] = all.as_expected;
  out["expected"] = {{"verdict", to_string(scenario.expect.verdict)},
                     {"invariants", scenario.expect.invariants}};
  out["not_met"] = shown.not_met;
  out["problem"] = shown.problem.empty() ? Json(nullptr) : Json(shown.problem);
  out["seeds"] = {{"first", all.first_seed},
                  {"count", all.seeds},
                  {"holds", all.holding},
                  {"violated", all.violated},
                  {"inconclusive", all.inconclusive},
                  {"as_expected", all.as_expected_seeds}};
  out["violations"] = violations_json(view);
  out["mirror_truncations"] = mirror_truncations_json(view);
  out["digest"] = digest_text(shown.digest);
  out["actions"] = shown.actions;
  out["events"] = shown.judgement.statistics.events;
  out["statistics"] = statistics_json(shown.judgement.statistics);
  return out;
}

}  // namespace mirrorproof::reports
