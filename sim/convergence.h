#pragma once
// Convergence: faults stop, everything that was cut or down comes back, and a fair scheduler runs the world
// to rest.

#include <string>

#include "sim/simulator.h"
#include "sim/strategy.h"

namespace mirrorproof::sim {

struct RestReport {
  bool rested = true;
  bool told_to_end = false;  ///< by `after_action`
  int rounds = 0;
  int cycle = 0;         ///< not rested: rounds until the same state came back; 0 = not seen to
  std::string activity;  ///< not rested: what went on in the last rounds, for a person
};

/// settle, and if the world does not rest, what it is doing instead.
RestReport run_to_rest(Simulator& simulator, RoundRobinStrategy& round_robin, int max_rounds,
                       const AfterAction& after_action);

/// `never`: none is ordered; what has no leader that can be elected cleanly stays without one. (With eligible
/// leader replicas the controller may still hold one of its own accord when the last known leader comes
/// back.)
enum class UncleanElections : std::uint8_t { if_need_be, never };

/// Heals links, brings brokers back, elects where nobody leads (uncleanly if need be), aborts what producers
/// left open, runs to rest, and emits WorldRested.
RestReport converge(Simulator& simulator, RoundRobinStrategy& round_robin, int max_rounds,
                    const AfterAction& after_action, UncleanElections unclean = UncleanElections::if_need_be);

}  // namespace mirrorproof::sim
