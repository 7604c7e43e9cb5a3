#include "tests/mutants/hunt.h"

#include <set>

#include "sim/runner.h"
#include "sim/swarm.h"

namespace mirrorproof::mutants {

std::optional<Catch> first_failure(const ProtocolOptions& protocol, Mutant mutant, std::uint64_t seed) {
  sim::SwarmOptions options;
  options.protocol = protocol;
  const sim::Setup setup = sim::swarm_setup(options, seed);
  active_mutant = mutant;
  sim::SeededChoices choices(seed);
  sim::Runner runner(setup);
  checker::Checker judge(sim::make_trace_header(setup, seed));
  runner.run(choices, [&judge](const std::vector<Event>& events, const sim::Simulator&) {
    for (const Event& event : events) {
      judge.observe(event);
    }
    return judge.violation_count() == 0;
  });
  active_mutant = Mutant::none;
  const std::vector<checker::Violation> violations = judge.finish().violations;
  if (violations.empty()) {
    return std::nullopt;
  }
  return Catch{seed, violations.front().invariant, violations.front().kind};
}

std::optional<Catch> Hunter::without_fault(const Row& row, std::uint64_t seed) {
  const auto key = std::pair{row.base_name, seed};
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) {
      return found->second;
    }
  }
  std::optional<Catch> failure = first_failure(row.base, Mutant::none, seed);
  const std::scoped_lock lock(mutex_);
  known_.emplace(key, failure);
  return failure;
}

std::optional<Catch> Hunter::hunt(const Row& row, std::uint64_t first_seed, std::uint64_t seeds) {
  using Kind = std::pair<checker::Invariant, std::string>;
  std::set<Kind> shown_without;
  for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
    if (const auto failure = without_fault(row, seed)) {
      shown_without.emplace(failure->invariant, failure->kind);
    }
    const std::optional<Catch> caught = first_failure(row.faulty, row.mutant, seed);
    if (caught && !shown_without.contains(Kind{caught->invariant, caught->kind})) {
      return caught;
    }
  }
  return std::nullopt;
}

}  // namespace mirrorproof::mutants
