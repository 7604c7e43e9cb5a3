#pragma once
// What a scenario expects, compared with how a run ended.

#include <string>
#include <vector>

#include "reports/evaluation.h"
#include "sim/world.h"

namespace mirrorproof::reports {

/// Every expectation that is not met, in words; empty if all are. `world` is the run's last state.
std::vector<std::string> unmet_expectations(const scenarios::Scenario& scenario, const Evaluation& evaluation,
                                            const sim::World& world);

/// "truncation-provenance, log-matching (3 times)", in order of first appearance.
std::string broken_invariants_text(const checker::Judgement& judgement);

/// "truncation-provenance is broken", "log-matching (3 times), epoch-order are broken"
std::string broken_sentence(const checker::Judgement& judgement);

}  // namespace mirrorproof::reports
