#include "reports/trace_check.h"

#include <fmt/format.h>

#include "checker/trace_digest.h"
#include "reports/expectations.h"

namespace mirrorproof::reports {

TraceCheck check_trace_file(const std::string& path) {
  TraceCheck check;
  std::optional<checker::Checker> checker;
  checker::TraceDigest digest;
  TraceCoverage coverage;
  check.reading = checker::stream_trace_file(
      path,
      [&](TraceHeader&& header) {
        digest.add(header);
        check.header = header;
        checker.emplace(std::move(header));
      },
      [&](Event&& event) {
        digest.add(event);
        coverage.observe(event);
        checker->observe(event);
      });
  if (!check.ok() || !checker) {
    return check;
  }
  check.judgement = checker->finish();
  check.digest = digest.value();
  check.gaps = not_judged(coverage, check.judgement);
  const std::set<EventId> wanted = events_to_tell(check.judgement);
  const EventSource source = [&](const EventSink& sink) {
    checker::stream_trace_file(
        path, [](TraceHeader&&) {}, [&](Event&& event) { sink(event); }, *wanted.rbegin());
  };
  check.told = tell_events(check.header, source, wanted);
  return check;
}

EventSource trace_source(const std::string& path) {
  return [path](const EventSink& sink) {
    checker::stream_trace_file(
        path, [](TraceHeader&&) {}, [&](Event&& event) { sink(event); });
  };
}

std::string trace_problems_text(const TraceCheck& check, const std::string& path) {
  std::string out;
  for (const checker::TraceProblem& problem : check.reading.problems) {
    out += fmt::format("{}: {}\n", safe_text(path), safe_text(checker::describe(problem)));
  }
  if (check.reading.suppressed > 0) {
    out += fmt::format("{}: {}\n", safe_text(path), counted(check.reading.suppressed, "more problem"));
  }
  return out;
}

std::string trace_check_text(const TraceCheck& check, const std::string& path, const Style& style) {
  const TraceNames names(check.header);
  const JudgementView view{names, check.judgement, check.told};
  std::string out = check.judgement.holds()
                        ? fmt::format("{}: {}.\n", style.good("HOLDS"), held_sentence(check))
                        : fmt::format("{}: {}.\n", style.bad("VIOLATED"), broken_sentence(check.judgement));
  out +=
      style.dim(fmt::format("{}{}", safe_text(path),
                            check.header.scenario.empty() ? "" : ", " + safe_text(check.header.scenario))) +
      "\n";
  for (const std::string& part : {violations_text(view, style), mirror_truncations_text(view, style)}) {
    out += part.empty() ? "" : "\n" + part;
  }
  if (!check.gaps.empty()) {
    out += "\n" + style.bold("Not judged") + "\n";
  }
  for (const NotJudged& gap : check.gaps) {
    out += "  " + not_judged_text(gap) + "\n";
  }
  out += fmt::format("\n{}.\nDigest of the trace: {}\n", statistics_text(check.judgement.statistics),
                     digest_text(check.digest));
  return out;
}

std::string held_sentence(const TraceCheck& check) {
  return check.gaps.empty() ? "every invariant holds"
                            : "every invariant holds, as far as the trace lets it be judged";
}

Json trace_check_json(const TraceCheck& check, const std::string& path) {
  const TraceNames names(check.header);
  const JudgementView view{names, check.judgement, check.told};
  Json out;
  out["trace"] = path;
  out["scenario"] = check.header.scenario;
  out["seed"] = check.header.seed;
  out["verdict"] = check.judgement.holds() ? "holds" : "violated";
  out["not_judged"] = Json::array();
  for (const NotJudged& gap : check.gaps) {
    out["not_judged"].push_back({{"invariant", to_string(gap.invariant)},
                                 {"part", gap.part.empty() ? Json(nullptr) : Json(gap.part)},
                                 {"missing", gap.missing}});
  }
  out["violations"] = violations_json(view);
  out["mirror_truncations"] = mirror_truncations_json(view);
  out["digest"] = digest_text(check.digest);
  out["events"] = check.judgement.statistics.events;
  out["statistics"] = statistics_json(check.judgement.statistics);
  return out;
}

}  // namespace mirrorproof::reports
