#pragma once
// Ways to make a script shorter. Candidates only, as in shrink_setup.h.

#include <functional>

#include "reports/shrink_trial.h"

namespace mirrorproof::reports {

/// Tries a script; true if it still fails. It is then what `current` gives.
using TryScript = std::function<bool(const Script&)>;
using CurrentScript = std::function<const Script&()>;

struct ScriptShrinker {
  const sim::Setup& setup;
  CurrentScript current;
  TryScript attempt;

  /// Delta debugging: leaves out ever smaller pieces, until no single step can go.
  void drop_steps() const;
  /// Replaces stretches of protocol actions by `settle`, the longest first.
  void settle_stretches() const;
  /// The same with one activity of one broker held back meanwhile.
  void hold_and_settle() const;
};

}  // namespace mirrorproof::reports
