#include "reports/explore_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/check.h"
#include "reports/known_findings.h"

namespace mirrorproof::reports {
namespace {

using explore::ExploreEnd;
using explore::ExploreResult;
using scenarios::Scenario;
using scenarios::Verdict;

Scenario script_only(const Scenario& scenario) {
  Scenario out;
  out.setup = explore::search_setup(scenario);
  out.expect.verdict = Verdict::holds;
  return out;
}

Scenario counterexample_of(const Scenario& scenario, const ExploreResult& result) {
  Scenario out = script_only(scenario);
  for (const sim::Action& action : result.actions) {
    sim::ScriptStep step;
    step.action = action;
    out.setup.steps.push_back(step);
  }
  const checker::Violation& first = result.violations.front();
  out.setup.name = fmt::format("{}--{}", scenario.setup.name, first.kind);
  out.description = fmt::format("Breaks {} ({}): {}. The shortest way from the marked state of {}: {}.",
                                to_string(first.invariant), first.kind, first.message, scenario.setup.name,
                                counted(static_cast<std::uint64_t>(result.depth), "move"));
  out.expect.verdict = Verdict::violated;
  out.expect.invariants = {std::string(to_string(first.invariant))};
  return out;
}

bool breaks(const Evaluation& run, const checker::Violation& wanted) {
  return std::any_of(run.judgement.violations.begin(), run.judgement.violations.end(),
                     [&](const checker::Violation& violation) {
                       return violation.invariant == wanted.invariant && violation.kind == wanted.kind;
                     });
}

/// A search meets what its scenario expects of runs: some run breaks the invariants, or none breaks any.
bool meets_expectation(const Scenario& scenario, const ExploreResult& result) {
  if (scenario.expect.verdict != Verdict::violated) {
    return result.end == ExploreEnd::complete;
  }
  return result.end == ExploreEnd::violation &&
         std::all_of(scenario.expect.invariants.begin(), scenario.expect.invariants.end(),
                     [&](const std::string& name) {
                       return std::any_of(result.violations.begin(), result.violations.end(),
                                          [&](const checker::Violation& violation) {
                                            return to_string(violation.invariant) == name;
                                          });
                     });
}

std::string_view end_name(ExploreEnd end) {
  switch (end) {
    case ExploreEnd::complete:
      return "complete";
    case ExploreEnd::violation:
      return "violation";
    case ExploreEnd::memory:
      return "memory";
    case ExploreEnd::interrupted:
      return "interrupted";
  }
  return "";
}

std::string covered_text(const ExploreResult& result) {
  return fmt::format("all states up to {} from the start were gone through, {} more wait",
                     counted(static_cast<std::uint64_t>(std::max(0, result.depth - 1)), "move"),
                     result.queue);
}

std::string reason(const ExploreReport& report) {
  const ExploreResult& result = *report.result;
  switch (result.end) {
    case ExploreEnd::complete:
      return result.depth_bound_met ? fmt::format("no invariant is broken within {}",
                                                  counted(static_cast<std::uint64_t>(result.depth), "move"))
                                    : "no invariant is broken in any state within the bounds";
    case ExploreEnd::violation: {
      const checker::Violation& first = result.violations.front();
      return fmt::format("{} is broken ({}) after {}", to_string(first.invariant), first.kind,
                         counted(static_cast<std::uint64_t>(result.depth), "move"));
    }
    case ExploreEnd::memory:
      return "the memory budget is used up; " + covered_text(result);
    case ExploreEnd::interrupted:
      return "interrupted; " + covered_text(result);
  }
  return "";
}

}  // namespace

Verdict verdict_of(const ExploreResult& result) {
  switch (result.end) {
    case ExploreEnd::complete:
      return Verdict::holds;
    case ExploreEnd::violation:
      return Verdict::violated;
    default:
      return Verdict::inconclusive;
  }
}

ExploreReport make_explore_report(const Scenario& scenario, const ExploreResult& result) {
  ExploreReport report;
  report.scenario = &scenario;
  report.result = &result;
  report.as_expected = meets_expectation(scenario, result);
  if (result.end == ExploreEnd::violation) {
    report.counterexample = counterexample_of(scenario, result);
    // As a file would be read: what is written must show the same.
    scenarios::LoadResult loaded = scenarios::load_scenario(scenarios::to_json(*report.counterexample), "");
    MP_CHECK(loaded.scenario.has_value(), "a counterexample is a valid scenario");
    report.counterexample = std::move(loaded.scenario);
    report.run = evaluate_single(*report.counterexample, RunKey{});
    MP_CHECK(breaks(report.run.shown, result.violations.front()),
             "a counterexample, run as a script, breaks what the search found broken");
    std::set<std::string> names;
    for (const KnownFinding& finding : known_findings_of(scenario.setup.protocol)) {
      for (const checker::Violation& violation : report.run.shown.judgement.violations) {
        if (finding.matches(violation)) {
          names.emplace(finding.name);
        }
      }
    }
    report.known_findings.assign(names.begin(), names.end());
  } else {
    report.run = evaluate_single(script_only(scenario), RunKey{});
    if (report.run.verdict == Verdict::holds) {
      report.run.verdict = verdict_of(result);
      report.run.shown.verdict = report.run.verdict;
      report.run.shown.problem = result.end == ExploreEnd::complete ? "" : reason(report);
    }
  }
  report.run.as_expected = report.as_expected;
  return report;
}

double collision_probability(std::uint64_t states) {
  const auto n = static_cast<double>(states);
  return n * n / 36893488147419103232.0;
}

std::string bounds_text(const scenarios::Bounds& bounds) {
  std::string out;
  scenarios::for_each_bound(bounds, [&](std::string_view name, int value) {
    if (value != 0) {
      out += fmt::format("{} {}, ", name, value);
    }
  });
  return out + fmt::format("granularity {}", to_string(bounds.granularity));
}

Json bounds_json(const scenarios::Bounds& bounds) {
  Json out = Json::object();
  scenarios::for_each_bound(bounds,
                            [&](std::string_view name, int value) { out[std::string(name)] = value; });
  out["granularity"] = to_string(bounds.granularity);
  return out;
}

std::string reductions_text(const explore::ExploreReductions& reductions) {
  const auto text = [](bool on) { return on ? "on" : "off"; };
  return fmt::format("symmetry {}, partial order {}", text(reductions.symmetry),
                     text(reductions.partial_order));
}

Json reductions_json(const explore::ExploreReductions& reductions) {
  return {{"symmetry", reductions.symmetry}, {"partial_order", reductions.partial_order}};
}

std::string explore_text(const ExploreReport& report, const Style& style) {
  const ExploreResult& result = *report.result;
  const Verdict verdict = verdict_of(result);
  std::string word = verdict == Verdict::holds      ? "HOLDS"
                     : verdict == Verdict::violated ? "VIOLATED"
                                                    : "INCONCLUSIVE";
  if (verdict != Verdict::inconclusive) {
    word += report.as_expected ? ", as expected" : ", NOT as expected";
  }
  word = verdict == Verdict::inconclusive ? style.unclear(word)
         : report.as_expected             ? style.good(word)
                                          : style.bad(word);
  std::string out = fmt::format("{}: {}.\n", word, reason(report));
  out += style.dim(safe_text(report.scenario->setup.name)) + "\n";
  if (result.end == ExploreEnd::violation) {
    out += "\n" + safe_text(result.violations.front().message) + "\n";
    for (const std::string& name : report.known_findings) {
      out += fmt::format("Known finding: {}\n", name);
    }
  }
  out += fmt::format("\n{} states, {} transitions, depth {}.\n", result.states, result.transitions,
                     result.depth);
  out += fmt::format("Bounds: {}.\nReductions: {}.\n", bounds_text(report.scenario->bounds),
                     reductions_text(result.reductions));
  if (result.end == ExploreEnd::complete) {
    out += fmt::format("Probability that a state was missed because two share a fingerprint: {:.1e}.\n",
                       collision_probability(result.states));
  }
  if (!report.counterexample_path.empty()) {
    out += fmt::format("Counterexample: {} ({}); mirrorproof run shows it.\n", report.counterexample_path,
                       counted(result.actions.size(), "action"));
  }
  if (!report.certificate_path.empty()) {
    out += fmt::format("Certificate: {}\n", report.certificate_path);
  }
  return out;
}

Json explore_json(const ExploreReport& report) {
  const ExploreResult& result = *report.result;
  Json out;
  out["scenario"] = report.scenario->setup.name;
  out["verdict"] = to_string(verdict_of(result));
  out["as_expected"] = report.as_expected;
  out["end"] = end_name(result.end);
  out["states"] = result.states;
  out["transitions"] = result.transitions;
  out["depth"] = result.depth;
  out["depth_bound_met"] = result.depth_bound_met;
  out["queue"] = result.queue;
  out["peak_memory"] = result.peak_memory;
  const auto per_state = [&](std::uint64_t bytes) {
    return result.states == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(result.states);
  };
  out["bytes_per_stored_state"] = per_state(result.frontier_bytes);
  out["visited_bytes_per_state"] = per_state(result.visited_bytes);
  out["link_bytes_per_state"] = per_state(result.link_bytes);
  out["collision_probability"] = collision_probability(result.states);
  out["bounds"] = bounds_json(report.scenario->bounds);
  out["reductions"] = reductions_json(result.reductions);
  out["violations"] = Json::array();
  for (const checker::Violation& violation : result.violations) {
    out["violations"].push_back({{"invariant", to_string(violation.invariant)},
                                 {"kind", violation.kind},
                                 {"message", violation.message}});
  }
  out["known_findings"] = report.known_findings;
  out["actions"] = result.actions.size();
  const auto path_or_null = [](const std::string& path) { return path.empty() ? Json(nullptr) : Json(path); };
  out["counterexample"] = path_or_null(report.counterexample_path);
  out["certificate"] = path_or_null(report.certificate_path);
  return out;
}

}  // namespace mirrorproof::reports
