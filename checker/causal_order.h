#pragma once
// CausalOrder: is one event in the causal past of another? Program order per actor plus causes, by vector
// clocks over the actors (brokers and controllers) that the header announces.
//
// A clock is stored only when an event learns something new from another actor; the events between two
// lessons share it. Memory: one stamp per event, one clock (4 bytes per actor) per lesson.

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/causal_graph.h"
#include "checker/landmark_sets.h"
#include "model/event.h"

namespace mirrorproof::checker {

class CausalOrder {
 public:
  /// `forgetful`: only in_past() is ever asked, with a landmark (landmark_sets.h) as the cause; for a judge
  /// whose state is saved and loaded.
  explicit CausalOrder(const TraceHeader& header, bool forgetful = false);

  /// Preconditions (checked): ids strictly increase, causes are known, the actor lies inside the header.
  EventIndex add(const Event& event);

  /// Precondition: an id that add() has seen.
  EventIndex index_of(EventId id) const;
  EventId id_of(EventIndex event) const { return ids_[event]; }
  /// Where the event happened.
  struct Actor {
    ClusterId cluster = kNoCluster;
    BrokerId broker = kController;
  };
  Actor actor_at(EventIndex event) const;
  /// An event is in its own past.
  bool precedes(EventIndex cause, EventIndex effect) const;
  /// The same by ids.
  bool in_past(EventId cause, EventId effect) const {
    return landmarks_ ? landmarks_->in_past(cause, effect) : precedes(index_of(cause), index_of(effect));
  }

  const CausalGraph& graph() const { return graph_; }

  /// Of a forgetful order: the cluster's brokers under other names (judge_state.h).
  void rename_brokers(ClusterId cluster, std::span<const BrokerId> names) {
    const auto place = static_cast<std::size_t>(cluster);
    landmarks_->rename_actors(first_actor_[place] + 1, static_cast<std::size_t>(brokers_[place]), names);
  }

  std::size_t actors() const { return actors_; }
  /// Its number.
  std::size_t actor(ClusterId cluster, BrokerId broker) const {
    return first_actor_[static_cast<std::size_t>(cluster)] + 1 + static_cast<std::size_t>(broker);
  }
  /// Nothing unless forgetful.
  std::optional<LandmarkSets>& landmarks() { return landmarks_; }

 private:
  struct Stamp {
    std::uint32_t actor = 0;
    std::uint32_t sequence = 0;  // 1-based, in the actor's program order
    std::uint32_t clock = 0;     // number of the clock in force
  };

  std::uint32_t actor_of(const Event& event) const;
  std::uint32_t* clock(std::uint32_t number) { return clocks_.data() + std::size_t{number} * actors_; }
  const std::uint32_t* clock(std::uint32_t number) const {
    return clocks_.data() + std::size_t{number} * actors_;
  }

  std::size_t actors_ = 0;
  std::vector<std::uint32_t> first_actor_;  // per cluster: its controller; its brokers follow
  std::vector<int> brokers_;                // per cluster
  std::vector<EventId> ids_;
  std::vector<Stamp> stamps_;
  std::vector<EventIndex> latest_;     // per actor; kNoEvent before its first event
  std::vector<std::uint32_t> clocks_;  // number 0 is the empty clock
  std::vector<EventIndex> scratch_;
  CausalGraph graph_;
  std::optional<LandmarkSets> landmarks_;
};

}  // namespace mirrorproof::checker
