#pragma once
// The report of `mirrorproof explore`: the verdict of an exhaustive search in one sentence, its size, and its
// counterexample as a scenario.

#include <optional>
#include <string>
#include <vector>

#include "explore/explore.h"
#include "reports/evaluation.h"
#include "reports/judgement_report.h"
#include "reports/style.h"

namespace mirrorproof::reports {

/// What a search came to, and where its files are.
struct ExploreReport {
  const scenarios::Scenario* scenario = nullptr;
  const explore::ExploreResult* result = nullptr;
  /// Of a violation: the scenario that shows it, and its run.
  std::optional<scenarios::Scenario> counterexample;
  SeedsEvaluation run;  ///< of the counterexample; without one, of the script up to the marked state
  std::vector<std::string> known_findings;  ///< names, see known_findings.h
  bool as_expected = true;
  std::string counterexample_path;  ///< empty: not written
  std::string certificate_path;
};

/// Runs the counterexample as `run` would. MP_CHECKs that it breaks what the search found broken.
ExploreReport make_explore_report(const scenarios::Scenario& scenario, const explore::ExploreResult& result);

scenarios::Verdict verdict_of(const explore::ExploreResult& result);

std::string explore_text(const ExploreReport& report, const Style& style);
Json explore_json(const ExploreReport& report);

/// n^2 / 2^65: that any two of n states share their 64 bits.
double collision_probability(std::uint64_t states);

/// "records 2, crashes 1, granularity coarse"
std::string bounds_text(const scenarios::Bounds& bounds);
Json bounds_json(const scenarios::Bounds& bounds);
/// "symmetry on, partial order off"
std::string reductions_text(const explore::ExploreReductions& reductions);
Json reductions_json(const explore::ExploreReductions& reductions);

}  // namespace mirrorproof::reports
