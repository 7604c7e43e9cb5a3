#pragma once
// Swarm: each seed draws its own topology, versions, fault mix and sizes; never a subset of the protocol's
// own actions. Most seeds mix everything; a share of them is small and asks one question often: replication
// inside one cluster under many elections, an old source under many unclean elections, failovers and
// failbacks.

#include "sim/setup.h"

namespace mirrorproof::sim {

struct SwarmOptions {
  ProtocolOptions protocol;
  int max_clusters = 3;
  int max_brokers = 3;  ///< per cluster
  int max_partitions = 2;
  int max_actions = 400;  ///< a run draws between a quarter and all of it
};

/// A pure function of its arguments. What was drawn is in the setup, which prints as a scenario.
Setup swarm_setup(const SwarmOptions& options, std::uint64_t seed);

}  // namespace mirrorproof::sim
