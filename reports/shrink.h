#pragma once
// Shrink: from a failing run to the smallest scripted scenario found that breaks the same invariant in the
// same way. The run's actions become a script; steps are dropped, stretches of it are replaced by `settle`
// and `hold`, and whatever of the set-up does not matter is taken out.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "reports/evaluation.h"

namespace mirrorproof::reports {

/// What must stay broken.
struct ShrinkTarget {
  checker::Invariant invariant = checker::Invariant::truncation_provenance;
  std::string kind;  ///< Violation::kind
};

struct ShrinkLimits {
  /// Candidates that may be run; then the best one found so far is handed over.
  std::uint64_t max_runs = 200'000;
  /// The protocol stays what it is, option by option. Else options go back to the proposal's where the run
  /// still breaks the target and no known finding comes into question that did not before.
  bool keep_protocol = false;
  CancelFlag cancel = nullptr;
};

struct ShrinkProgress {
  std::size_t steps = 0;
  std::uint64_t runs = 0;
};
using ShrinkObserver = std::function<void(const ShrinkProgress&)>;

struct ShrinkResult {
  scenarios::Scenario scenario;  ///< scripted; expects the violation
  std::string json;              ///< its text
  ShrinkTarget target;
  std::size_t actions_before = 0;  ///< of the run that was shrunk
  std::size_t steps = 0;
  std::uint64_t runs = 0;
  bool finished = true;  ///< false: ended by a limit
};

/// The first violation of the run that a target may be made of and that is no known finding, or the first if
/// all are; nothing if no invariant is broken. An empty `kind`: any.
std::optional<ShrinkTarget> target_of(const Evaluation& evaluation, const ProtocolOptions& protocol,
                                      std::optional<checker::Invariant> invariant = std::nullopt,
                                      std::string_view kind = {});

/// Precondition: the run breaks `target`. What comes out breaks it for the same reason as far as that is
/// known: no known finding may be behind it that cannot be behind the run.
ShrinkResult shrink(const scenarios::Scenario& scenario, const RunKey& key, const ShrinkTarget& target,
                    const ShrinkLimits& limits = {}, const ShrinkObserver& observer = {});

}  // namespace mirrorproof::reports
