#pragma once
// CausalGraph: the events of a trace with their causes and their program order, as a Boost.Graph incidence
// graph whose edges lead from effect to cause.
//
// Stored as three flat arrays (compressed sparse rows), so that recording an event costs a few stores and
// Boost.Graph's algorithms run on the recording itself, without a copy.

#include <boost/graph/graph_traits.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/transform_iterator.hpp>
#include <boost/range/iterator_range_core.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace mirrorproof::checker {

/// Number of an event in the trace, 0-based.
using EventIndex = std::uint32_t;
inline constexpr EventIndex kNoEvent = std::numeric_limits<EventIndex>::max();

class CausalGraph {
 public:
  struct Edge {
    EventIndex effect = 0;
    EventIndex cause = 0;
    friend bool operator==(Edge, Edge) = default;
  };

  /// Appends the next event. `previous` is the event before it at the same actor (kNoEvent if it is the
  /// first). Every edge must lead to an earlier event (checked): trace order is a topological order, hence no
  /// cycles.
  void add(EventIndex previous, std::span<const EventIndex> causes);

  EventIndex size() const { return static_cast<EventIndex>(first_edge_.size() - 1); }
  /// Explicit causes first, then the predecessor in program order; no duplicates.
  std::span<const EventIndex> causes(EventIndex event) const {
    return {targets_.data() + first_edge_[event], targets_.data() + first_edge_[event + 1]};
  }

 private:
  std::vector<std::uint64_t> first_edge_{0};
  std::vector<EventIndex> targets_;
};

class PathFinder {
 public:
  /// All searches together visit at most `budget` events; then no more paths are found.
  explicit PathFinder(const CausalGraph& graph,
                      std::uint64_t budget = std::numeric_limits<std::uint64_t>::max())
      : graph_(&graph), budget_(budget) {}
  /// One shortest chain of causes from any of `roots` to `effect`, both included, oldest first; empty if
  /// there is none. Roots are sorted. Cost: what of the causal past of `effect` is at least as near as the
  /// nearest root.
  std::vector<EventIndex> shortest_path(std::span<const EventIndex> roots, EventIndex effect);

 private:
  const CausalGraph* graph_;
  std::uint64_t budget_;
  // Per event: number of the search that saw it last, and the effect it was reached from.
  std::vector<std::uint32_t> seen_in_;
  std::vector<EventIndex> reached_from_;
  std::uint32_t search_ = 0;
};

/// Boost.Graph's topological sort finds no cycle.
bool is_acyclic(const CausalGraph& graph);

// --- Boost.Graph's incidence graph and vertex list graph concepts
// -------------------------------------------------

struct MakeEdge {
  EventIndex effect = 0;
  CausalGraph::Edge operator()(EventIndex cause) const { return {effect, cause}; }
};
using CauseIterator =
    boost::transform_iterator<MakeEdge, const EventIndex*, CausalGraph::Edge, CausalGraph::Edge>;

inline EventIndex source(CausalGraph::Edge edge, const CausalGraph&) {
  return edge.effect;
}
inline EventIndex target(CausalGraph::Edge edge, const CausalGraph&) {
  return edge.cause;
}
inline std::pair<CauseIterator, CauseIterator> out_edges(EventIndex event, const CausalGraph& graph) {
  const std::span<const EventIndex> causes = graph.causes(event);
  return {CauseIterator(causes.data(), MakeEdge{event}),
          CauseIterator(causes.data() + causes.size(), MakeEdge{event})};
}
inline std::size_t out_degree(EventIndex event, const CausalGraph& graph) {
  return graph.causes(event).size();
}
inline std::pair<boost::counting_iterator<EventIndex>, boost::counting_iterator<EventIndex>> vertices(
    const CausalGraph& graph) {
  return {boost::counting_iterator<EventIndex>(0), boost::counting_iterator<EventIndex>(graph.size())};
}
inline EventIndex num_vertices(const CausalGraph& graph) {
  return graph.size();
}

}  // namespace mirrorproof::checker

namespace boost {

template <>
struct graph_traits<mirrorproof::checker::CausalGraph> {
  struct traversal_category : public virtual incidence_graph_tag, public virtual vertex_list_graph_tag {};
  using vertex_descriptor = mirrorproof::checker::EventIndex;
  using edge_descriptor = mirrorproof::checker::CausalGraph::Edge;
  using directed_category = directed_tag;
  using edge_parallel_category = disallow_parallel_edge_tag;
  using out_edge_iterator = mirrorproof::checker::CauseIterator;
  using vertex_iterator = counting_iterator<mirrorproof::checker::EventIndex>;
  using degree_size_type = std::size_t;
  using vertices_size_type = mirrorproof::checker::EventIndex;
  using edges_size_type = std::size_t;
  static vertex_descriptor null_vertex() { return mirrorproof::checker::kNoEvent; }
};

}  // namespace boost
