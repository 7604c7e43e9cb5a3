#pragma once
// Ways to make the set-up of a scripted scenario smaller: one thing is taken out and everything that names it
// follows. Each is a candidate only: whoever asks for it looks whether the scenario still fails.

#include <functional>
#include <vector>

#include "reports/shrink_trial.h"

namespace mirrorproof::reports {

/// A scenario's set-up and its script apart.
struct ShrinkCandidate {
  sim::Setup setup;
  Script script;
};

/// Every set-up that is smaller than `from` by one thing, largest savings first. Made one by one: `consider`
/// looks at each and says whether to go on with the next.
void for_each_smaller_setup(const ShrinkCandidate& from,
                            const std::function<bool(ShrinkCandidate&&)>& consider);

}  // namespace mirrorproof::reports
