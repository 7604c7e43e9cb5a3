#pragma once
// Invariant convergence: when faults stop and every enabled actor keeps acting, the world comes to rest with
// the destination log equal to the source's committed log on every live replica, or the mirror in a terminal
// state whose reason is stated; an order that a mirror took is carried out; and no read_committed reader is
// blocked for ever.

#include <set>
#include <utility>

#include "checker/findings.h"
#include "checker/late_batches.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

class Convergence {
 public:
  void started(const Event& event) { down_.erase({event.cluster, event.broker}); }
  void stopped(const Event& event) { down_.insert({event.cluster, event.broker}); }
  void check_rested(const Replay& replay, const LateBatches& late, Findings& findings, const Event& event,
                    const WorldRested& world) const;

 private:
  void check_cluster(const Replay& replay, const LateBatches& late, Findings& findings, Event place) const;
  void check_mirror(const Replay& replay, Findings& findings, Event place) const;

  std::set<std::pair<ClusterId, BrokerId>> down_;
};

}  // namespace mirrorproof::checker
