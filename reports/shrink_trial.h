#pragma once
// Trial: runs a candidate of the shrinker. Lenient where `run` is strict: a step that is not enabled is left
// out.

#include <optional>
#include <span>
#include <vector>

#include "reports/explanation.h"
#include "reports/shrink.h"
#include "sim/setup.h"

namespace mirrorproof::reports {

using Script = std::vector<sim::ScriptStep>;

/// What a candidate must do to fail as the run did.
struct ShrinkGoal {
  ShrinkTarget target;
  /// Of the run's own violation. One that another finding may be behind is another failure.
  FindingNames findings;

  /// The first violation that is such a failure; nullptr if none is.
  const checker::Violation* reached_by(std::span<const checker::Violation> violations,
                                       const ProtocolOptions& protocol) const;
};

/// Runs `script` in the world of `setup` (whose own steps are ignored). The steps that could be taken, up to
/// the one that reached the goal; nothing if it was not reached, or a `settle` never came to rest.
std::optional<Script> run_leniently(const sim::Setup& setup, const Script& script, const ShrinkGoal& goal);

/// Every action of a run, as a script. `seed` and choices as in evaluate().
Script script_of_run(const scenarios::Scenario& scenario, const RunKey& key);

sim::ScriptStep settle_step();

}  // namespace mirrorproof::reports
