#pragma once
// explore/: exhaustive search of a bounded world, breadth first. Every sequence of moves (moves.h) that the
// bounds of a scenario allow, from its marked state on, is judged; states seen before are not gone through
// again. docs/explore.md says what the answer means.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "checker/checker.h"
#include "scenarios/scenario.h"

namespace mirrorproof::explore {

/// What a search may leave out without a verdict being missed.
struct ExploreReductions {
  /// Of states that differ in the names of interchangeable brokers one is gone through (symmetry.h).
  bool symmetry = true;
  /// Of moves that have nothing to do with one another not every order is tried (reduction.h). Not within a
  /// depth bound: another order may take more moves.
  bool partial_order = true;
  friend bool operator==(const ExploreReductions&, const ExploreReductions&) = default;
};

struct ExploreOptions {
  int jobs = 1;                               ///< threads; the result does not depend on it
  std::size_t memory = std::size_t{2} << 30;  ///< bytes the process may use, resident
  ExploreReductions reductions;
};

struct ExploreProgress {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t queue = 0;
  int depth = 0;  ///< moves that the states being gone through are away from the start
  std::size_t memory = 0;
};
/// Called now and then, from the thread that called explore().
using ExploreObserver = std::function<void(const ExploreProgress&)>;

enum class ExploreEnd : std::uint8_t {
  complete,     ///< every state within the bounds was seen
  violation,    ///< an invariant is broken
  memory,       ///< the budget is used up
  interrupted,  ///< by order of the caller
};

struct ExploreResult {
  ExploreEnd end = ExploreEnd::complete;
  std::uint64_t states = 0;
  /// Moves carried out, with those that led to a known state.
  std::uint64_t transitions = 0;
  /// complete: the largest distance of any state from the start; violation: the moves of the counterexample;
  /// else: all states at up to this distance were gone through.
  int depth = 0;
  std::uint64_t queue = 0;       ///< states seen and not gone through
  ExploreReductions reductions;  ///< those in force
  std::uint64_t reduced = 0;     ///< states of which, by partial-order reduction, not all moves were tried
  /// complete: there were states at the depth bound, whose moves were not tried.
  bool depth_bound_met = false;
  std::size_t peak_memory = 0;       ///< bytes, by the search's own count
  std::uint64_t frontier_bytes = 0;  ///< sum of the sizes of all states stored, for bytes per state
  /// At the end: of the fingerprints of all states, of how each was reached. With both a state costs so many
  /// bytes beyond the frontier.
  std::uint64_t visited_bytes = 0;
  std::uint64_t link_bytes = 0;
  /// violation: the actions from the marked state on, and what the judge found.
  std::vector<sim::Action> actions;
  std::vector<checker::Violation> violations;
};

/// Why the scenario cannot be searched; empty if it can.
std::vector<std::string> refusals(const scenarios::Scenario& scenario);

/// The part of the scenario before its marked state: what the search's counterexamples begin with.
sim::Setup search_setup(const scenarios::Scenario& scenario);

/// Precondition: no refusals().
ExploreResult explore(const scenarios::Scenario& scenario, const ExploreOptions& options,
                      const ExploreObserver& observer, const std::atomic<bool>& stop);

}  // namespace mirrorproof::explore
