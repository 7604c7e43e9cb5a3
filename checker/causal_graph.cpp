#include "checker/causal_graph.h"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/pending/queue.hpp>
#include <boost/property_map/property_map.hpp>
#include <iterator>

#include "model/check.h"

namespace mirrorproof::checker {
namespace {

/// Colours of a search, kept between searches: an event the running one has not touched is white. Events
/// older than every root are black from the start, so that the search never enters them.
struct SearchColours {
  using key_type = EventIndex;
  using value_type = boost::two_bit_color_type;
  using reference = value_type;
  using category = boost::read_write_property_map_tag;

  std::vector<std::uint32_t>* seen_in = nullptr;
  std::uint32_t search = 0;
  EventIndex oldest = 0;
};

boost::two_bit_color_type get(const SearchColours& colours, EventIndex event) {
  if (event < colours.oldest) {
    return boost::two_bit_black;
  }
  return (*colours.seen_in)[event] == colours.search ? boost::two_bit_gray : boost::two_bit_white;
}

void put(const SearchColours& colours, EventIndex event, boost::two_bit_color_type colour) {
  if (colour != boost::two_bit_white) {
    (*colours.seen_in)[event] = colours.search;
  }
}

/// Thrown by the visitor below and caught at once: Boost.Graph's way to end a search early. No event: out of
/// budget.
struct Found {
  EventIndex event = kNoEvent;
};

class StopAtRoot : public boost::default_bfs_visitor {
 public:
  StopAtRoot(std::span<const EventIndex> roots, std::vector<EventIndex>& reached_from, std::uint64_t& budget)
      : roots_(roots), reached_from_(&reached_from), budget_(&budget) {}

  template <class Graph>
  void tree_edge(CausalGraph::Edge edge, const Graph&) const {
    if (*budget_ == 0) {
      throw Found{};
    }
    *budget_ -= 1;
    (*reached_from_)[edge.cause] = edge.effect;
    if (std::binary_search(roots_.begin(), roots_.end(), edge.cause)) {
      throw Found{edge.cause};
    }
  }

 private:
  std::span<const EventIndex> roots_;
  std::vector<EventIndex>* reached_from_;
  std::uint64_t* budget_;
};

}  // namespace

void CausalGraph::add(EventIndex previous, std::span<const EventIndex> causes) {
  const EventIndex self = size();
  const std::size_t begin = targets_.size();
  const auto add_edge = [&](EventIndex cause) {
    MP_CHECK(cause < self, "a cause must come before its effect");
    if (std::find(targets_.begin() + static_cast<std::ptrdiff_t>(begin), targets_.end(), cause) ==
        targets_.end()) {
      targets_.push_back(cause);
    }
  };
  std::for_each(causes.begin(), causes.end(), add_edge);
  if (previous != kNoEvent) {
    add_edge(previous);
  }
  first_edge_.push_back(targets_.size());
}

std::vector<EventIndex> PathFinder::shortest_path(std::span<const EventIndex> roots, EventIndex effect) {
  if (roots.empty()) {
    return {};
  }
  if (std::binary_search(roots.begin(), roots.end(), effect)) {
    return {effect};
  }
  seen_in_.resize(graph_->size(), 0);
  reached_from_.resize(graph_->size(), kNoEvent);
  search_ += 1;
  boost::queue<EventIndex> frontier;
  std::vector<EventIndex> path;
  try {
    boost::breadth_first_visit(*graph_, effect, frontier, StopAtRoot(roots, reached_from_, budget_),
                               SearchColours{&seen_in_, search_, roots.front()});
  } catch (const Found& found) {
    if (found.event == kNoEvent) {
      return path;
    }
    for (EventIndex event = found.event; event != effect; event = reached_from_[event]) {
      path.push_back(event);
    }
    path.push_back(effect);
  }
  return path;
}

bool is_acyclic(const CausalGraph& graph) {
  std::vector<EventIndex> order;
  order.reserve(graph.size());
  std::vector<boost::default_color_type> colours(graph.size(), boost::white_color);
  const auto colour_map =
      boost::make_iterator_property_map(colours.begin(), boost::typed_identity_property_map<EventIndex>());
  try {
    boost::topological_sort(graph, std::back_inserter(order), boost::color_map(colour_map));
  } catch (const boost::not_a_dag&) {
    return false;
  }
  return order.size() == graph.size();
}

}  // namespace mirrorproof::checker
