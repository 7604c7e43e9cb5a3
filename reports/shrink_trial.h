#pragma once
// Trial: runs a candidate of the shrinker. Lenient where `run` is strict: a step that is not enabled is left
// out.

#include <vector>

#include "reports/shrink.h"
#include "sim/setup.h"

namespace mirrorproof::reports {

using Script = std::vector<sim::ScriptStep>;

/// Runs `script` in the world of `setup` (whose own steps are ignored). The steps that could be taken, up to
/// the one that broke the target; nothing if it was not broken, or a `settle` never came to rest.
std::optional<Script> run_leniently(const sim::Setup& setup, const Script& script,
                                    const ShrinkTarget& target);

/// Every action of a run, as a script. `seed` and choices as in evaluate().
Script script_of_run(const scenarios::Scenario& scenario, const RunKey& key);

sim::ScriptStep settle_step();

}  // namespace mirrorproof::reports
