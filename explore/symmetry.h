#pragma once
// Symmetry: brokers of one cluster are interchangeable. Nothing that happens in a world depends on what its
// brokers are called, so that of all worlds that differ in names only one has to be gone through.
//
// Two things do depend on names or on the assignment order of replicas; where they may still happen, the
// names or the order are kept (docs/explore.md tells why nothing else does):
// - a mirror's look-up asks the first live broker of its source;
// - a clean election picks the first candidate of the assignment.

#include <vector>

#include "explore/broker_names.h"
#include "scenarios/scenario.h"
#include "sim/setup.h"

namespace mirrorproof::explore {

class Symmetry {
 public:
  /// `start` is the world that the search begins with.
  Symmetry(const sim::Setup& setup, const scenarios::Bounds& bounds, const sim::World& start);

  /// Some cluster has brokers that are interchangeable at some time.
  bool any() const;

  /// May the brokers of the cluster have other names, from this state on?
  bool names_matter(const sim::World& world, ClusterId cluster) const;

  /// Preconditions here and below: the world is in its canonical form (canonical_world.h).
  /// The assignment order of replicas, where it decides nothing any more, becomes that of their names.
  void forget_order(sim::World& world) const;
  /// Names by what is to be seen of each broker. What cannot be told apart so may still differ: `ties` are
  /// all further names to try. Equal for worlds that differ in names, up to the order of `ties`.
  BrokerNames choose(const sim::World& world, std::vector<BrokerNames>& ties) const;

 private:
  struct ClusterRules {
    bool homogeneous_answers = false;  ///< every live broker tells a look-up the same, at any time
    bool one_source = true;            ///< no mirror from here goes to where another cluster is mirrored too
    bool one_candidate = true;         ///< with two replicas a clean election never has two to pick from
  };
  bool order_matters(const sim::World& world, std::size_t cluster, std::size_t partition) const;
  bool may_look_up(const sim::World& world, ClusterId source) const;

  std::vector<ClusterRules> rules_;  // by cluster
};

}  // namespace mirrorproof::explore
