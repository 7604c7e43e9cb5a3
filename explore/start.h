#pragma once
// Where a search begins: after the scenario's script, with the budgets of its bounds.

#include "explore/moves.h"
#include "scenarios/scenario.h"

namespace mirrorproof::explore {

/// Carries out the script of `setup` and what must happen before the first move; the world's judge sees all
/// of it. False: an invariant is broken, and nothing is searched. The actions that followed the script are
/// appended to `taken` (may be nullptr). Preconditions: the world was made from `setup` and is new; the
/// script is one that refusals() does not object to.
bool bring_to_start(const sim::Setup& setup, const scenarios::Bounds& bounds, JudgedWorld& world,
                    std::vector<sim::Action>* taken);

}  // namespace mirrorproof::explore
