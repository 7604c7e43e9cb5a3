#include "reports/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "reports/expectations.h"
#include "reports/junit_xml.h"
#include "reports/run_report.h"

namespace mirrorproof::reports {
namespace {

using checker::Invariant;

std::string hints_text(const JunitHints& hints) {
  return (hints.replay.empty() ? "" : "Replay: " + hints.replay + "\n") +
         (hints.html.empty() ? "" : "Report: " + hints.html + "\n");
}

/// One case for each invariant; those that are broken fail unless `expected` names them.
std::vector<JunitCase> invariant_cases(const checker::Judgement& judgement,
                                       const std::vector<std::string>& expected, const JunitHints& hints) {
  std::vector<JunitCase> cases;
  for (const auto& [invariant, name] : EnumNames<Invariant>::entries) {
    JunitCase one;
    one.name = name;
    const bool wanted = std::find(expected.begin(), expected.end(), name) != expected.end();
    std::string told;
    for (const checker::Violation& violation : judgement.violations) {
      if (violation.invariant != invariant) {
        continue;
      }
      if (told.empty()) {
        one.type = violation.kind;
        one.message = safe_text(violation.message);
      }
      told +=
          fmt::format("{} at event {}: {}\n", violation.kind, violation.event, safe_text(violation.message));
    }
    if (!told.empty() && !wanted) {
      one.outcome = JunitCase::Outcome::failed;
      one.details = told + hints_text(hints);
    } else {
      one.output = told.empty() ? "" : "broken, as the scenario expects:\n" + told;
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

JunitCase corpus_case(const CorpusEntry& entry) {
  JunitCase one;
  one.name = "corpus: " + entry.file;
  if (!entry.as_recorded) {
    one.outcome = JunitCase::Outcome::failed;
    one.type = "not-as-recorded";
    one.message = safe_text(entry.difference);
    one.details = hints_text({"mirrorproof replay " + shell_word(entry.file), ""});
  }
  return one;
}

}  // namespace

std::string run_junit(const scenarios::Scenario& scenario, const SeedsEvaluation& all,
                      const JunitHints& hints) {
  std::vector<std::string> expected = scenario.expect.invariants;
  if (scenario.expect.verdict == scenarios::Verdict::violated && all.as_expected) {
    // What breaks beside the named invariants is part of the violation that is expected.
    for (const checker::Violation& violation : all.shown.judgement.violations) {
      expected.emplace_back(to_string(violation.invariant));
    }
  }
  std::vector<JunitCase> cases = invariant_cases(all.shown.judgement, expected, hints);
  JunitCase expectation;
  expectation.name = "ends as the scenario expects";
  if (!all.as_expected) {
    expectation.outcome = all.verdict == scenarios::Verdict::inconclusive ? JunitCase::Outcome::error
                                                                          : JunitCase::Outcome::failed;
    expectation.type = to_string(all.verdict);
    expectation.message = verdict_sentence(all, Style(false));
    for (const std::string& line : all.shown.not_met) {
      expectation.details += safe_text(line) + "\n";
    }
    expectation.details += hints_text(hints);
  }
  cases.push_back(std::move(expectation));
  return junit_suite(scenario.setup.name, cases, 0);
}

std::string trace_junit(const TraceCheck& check, const std::string& path, const JunitHints& hints) {
  std::vector<JunitCase> cases = invariant_cases(check.judgement, {}, hints);
  for (JunitCase& one : cases) {
    for (const NotJudged& gap : check.gaps) {
      if (one.name == to_string(gap.invariant)) {
        one.output += not_judged_text(gap) + "\n";
        one.skipped = one.outcome == JunitCase::Outcome::passed && gap.part.empty();
      }
    }
  }
  return junit_suite(check.header.scenario.empty() ? path : check.header.scenario, cases, 0);
}

std::string campaign_junit(const CampaignResult& result, const CampaignFrame& frame, const JunitHints& hints,
                           const Corpus* corpus) {
  std::vector<JunitCase> cases;
  for (const auto& [invariant, name] : EnumNames<Invariant>::entries) {
    JunitCase one;
    one.name = name;
    for (const auto& [shape, group] : result.failures) {
      if (shape.first != invariant) {
        continue;
      }
      if (one.outcome == JunitCase::Outcome::passed) {
        one.outcome = JunitCase::Outcome::failed;
        one.type = shape.second;
        one.message = safe_text(group.message);
      }
      one.details += fmt::format("{}: {}, first {}\n{}\n", shape.second, counted(group.seeds, "seed"),
                                 group.first_seed, safe_text(group.message));
      if (!group.shrunk_file.empty()) {
        one.details += fmt::format("Shrunk to {}: mirrorproof run {}\n", counted(group.shrunk_steps, "step"),
                                   shell_word(group.shrunk_file));
      }
      one.details += hints_text({group.replay, hints.html});
    }
    for (const auto& [finding, met] : result.known) {
      for (const KnownFinding& known : known_findings()) {
        if (known.name == finding && known.invariant == invariant) {
          one.output += fmt::format("known finding {}: {}, first {}\n", finding, counted(met.seeds, "seed"),
                                    met.first_seed);
        }
      }
    }
    cases.push_back(std::move(one));
  }
  JunitCase judged;
  judged.name = "seeds could be run";
  if (result.verdict() == scenarios::Verdict::inconclusive) {
    judged.outcome = JunitCase::Outcome::error;
    judged.type = "inconclusive";
    judged.message = result.counts.seeds == 0 ? "no seed was run" : safe_text(result.first_problem);
  }
  cases.push_back(std::move(judged));
  for (std::size_t i = 0; corpus != nullptr && i < corpus->entries.size(); ++i) {
    cases.push_back(corpus_case(corpus->entries[i]));
  }
  return junit_suite(frame.what, cases, frame.seconds);
}

}  // namespace mirrorproof::reports
