#pragma once
// A run of a set-up by random choices, and what the judge finds in it.

#include <vector>

#include "checker/checker.h"
#include "sim/runner.h"

namespace mirrorproof::sim {

inline std::vector<checker::Violation> violations_of(const Setup& setup, std::uint64_t seed) {
  SeededChoices choices(seed);
  Runner runner(setup);
  checker::Checker judge(make_trace_header(setup, seed));
  runner.run(choices, [&judge](const std::vector<Event>& events, const Simulator&) {
    for (const Event& event : events) {
      judge.observe(event);
    }
    return true;
  });
  return judge.finish().violations;
}

}  // namespace mirrorproof::sim
