#pragma once
// Reduction (partial order): in some states it is enough to try the moves of one cluster. What the other
// clusters do meanwhile neither touches these moves nor is touched by them, so that whatever can happen can
// also happen with one of them first. docs/explore.md tells why that misses no violation.

#include <span>

#include "checker/checker.h"
#include "scenarios/scenario.h"
#include "sim/simulator.h"

namespace mirrorproof::explore {

/// What an action has to do with other clusters than its own (Action::cluster).
enum class Reach : std::uint8_t {
  within,  ///< reads and writes its own cluster only
  reads,   ///< reads another cluster
  writes,  ///< may write another cluster: connections to a broker that stops break
};
Reach reach_of(const sim::World& world, const sim::Action& action);

/// The moves that have to be tried first.
struct FirstMoves {
  ClusterId cluster = kNoCluster;  ///< those of this cluster; kNoCluster: all
  /// One of them takes an answer out of flight. Else the rest has to be tried as well if none of them leads
  /// to a state not seen before: or it might be put off for ever.
  bool progress = false;
};

/// `moves` are all moves of the state. Where kNoCluster is not the answer, the cluster has moves, and others
/// have moves too.
FirstMoves first_moves(const sim::Simulator& simulator, const checker::Checker& judge,
                       scenarios::Granularity granularity, std::span<const sim::Action> moves);

}  // namespace mirrorproof::explore
