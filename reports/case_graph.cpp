#include "reports/case_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/transitive_reduction.hpp>
#include <iterator>
#include <map>
#include <set>

namespace mirrorproof::reports {
namespace {

constexpr std::size_t kMaxGraphEvents = 48;
constexpr std::size_t kMaxGraphRecords = 4;
constexpr std::size_t kMaxGraphElections = 4;
constexpr std::size_t kGraphColumns = 30;  ///< letters in a line of a node
constexpr std::size_t kGraphLines = 5;
constexpr int kViolationDepth = 4;

/// Lines of at most kGraphColumns bytes, cut at spaces where possible and never inside a character.
std::vector<std::string> wrapped_lines(std::string_view text, std::size_t most) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = text.size();
    if (end > kGraphColumns) {
      const std::size_t space = text.rfind(' ', kGraphColumns);
      end = space == std::string_view::npos || space == 0 ? kGraphColumns : space;
      while (end > 1 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
        --end;
      }
    }
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + (end < text.size() && text[end] == ' ' ? 1 : 0)));
    if (lines.size() == most && !text.empty()) {
      lines.back() += "\u2026";
      break;
    }
  }
  return lines;
}

/// Which events are drawn. Only events inside the window can be.
class EventChoice {
 public:
  explicit EventChoice(const ReportWindow& window) : window_(window) {}

  void add(EventId event) {
    if (event != 0 && chosen_.size() < kMaxGraphEvents && window_.place_of(event) >= 0) {
      chosen_.insert(event);
    }
  }
  template <class Events>
  void add_all(const Events& events) {
    for (const EventId event : events) {
      add(event);
    }
  }
  /// The event and the causes it names, so many levels deep.
  void add_causes(EventId event, int depth) {
    add(event);
    const std::ptrdiff_t place = window_.place_of(event);
    if (depth > 0 && place >= 0) {
      for (const EventId cause : window_.events[static_cast<std::size_t>(place)].causes) {
        add_causes(cause, depth - 1);
      }
    }
  }
  const std::set<EventId>& events() const { return chosen_; }

 private:
  const ReportWindow& window_;
  std::set<EventId> chosen_;
};

class GraphBuilder {
 public:
  GraphBuilder(const ReportWindow& window, const TraceNames& names) : window_(window), names_(names) {}

  void draw(const std::set<EventId>& events, const std::vector<EventId>& path) {
    for (const EventId event : events) {
      GraphNode node;
      node.event = event;
      const auto place = static_cast<std::size_t>(window_.place_of(event));
      node.lines = wrapped_lines(window_.texts[place], kGraphLines);
      place_of_[event] = graph_.nodes.size();
      graph_.nodes.push_back(std::move(node));
    }
    connect(events);
    light(path);
  }

  std::size_t add_node(GraphNode node) {
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.size() - 1;
  }
  void add_edge(std::size_t from, std::size_t to, GraphEdge::Kind kind, bool lit = false) {
    graph_.edges.push_back({from, to, kind, lit, {}});
  }
  void add_edge_from_event(EventId from, std::size_t to, GraphEdge::Kind kind, bool lit = false) {
    const auto found = place_of_.find(from);
    if (found != place_of_.end()) {
      add_edge(found->second, to, kind, lit);
    }
  }
  void add_edge_to_event(std::size_t from, EventId to, GraphEdge::Kind kind, bool lit = false) {
    const auto found = place_of_.find(to);
    if (found != place_of_.end()) {
      add_edge(from, found->second, kind, lit);
    }
  }
  const TraceNames& names() const { return names_; }
  const ReportWindow& window() const { return window_; }
  CaseGraph take() { return std::move(graph_); }

 private:
  using Reachability = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

  bool is_direct(EventId cause, EventId effect) const {
    const auto causes = window_.order.graph().causes(window_.order.index_of(effect));
    return std::find(causes.begin(), causes.end(), window_.order.index_of(cause)) != causes.end();
  }

  /// "Can have led to" among the chosen events, without what follows from the rest.
  void connect(const std::set<EventId>& events) {
    const std::vector<EventId> ids(events.begin(), events.end());
    Reachability all(ids.size());
    for (std::size_t effect = 0; effect < ids.size(); ++effect) {
      for (std::size_t cause = 0; cause < effect; ++cause) {
        if (window_.order.in_past(ids[cause], ids[effect])) {
          boost::add_edge(cause, effect, all);
        }
      }
    }
    Reachability reduced;
    std::vector<std::size_t> to_reduced(ids.size());
    std::vector<std::size_t> numbers(ids.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = i;
    }
    boost::transitive_reduction(
        all, reduced, boost::make_iterator_property_map(to_reduced.begin(), get(boost::vertex_index, all)),
        boost::make_iterator_property_map(numbers.begin(), get(boost::vertex_index, all)));
    std::vector<std::size_t> from_reduced(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      from_reduced[to_reduced[i]] = i;
    }
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    for (auto [edge, end] = boost::edges(reduced); edge != end; ++edge) {
      pairs.emplace(from_reduced[boost::source(*edge, reduced)], from_reduced[boost::target(*edge, reduced)]);
    }
    for (const auto& [from, to] : pairs) {
      add_edge(from, to, is_direct(ids[from], ids[to]) ? GraphEdge::Kind::direct : GraphEdge::Kind::through);
    }
  }

  void light(const std::vector<EventId>& path) {
    for (std::size_t i = 0; i < path.size(); ++i) {
      const auto node = place_of_.find(path[i]);
      if (node == place_of_.end()) {
        continue;
      }
      graph_.nodes[node->second].lit = true;
      const auto before = i == 0 ? place_of_.end() : place_of_.find(path[i - 1]);
      if (before == place_of_.end()) {
        continue;
      }
      const auto edge = std::find_if(graph_.edges.begin(), graph_.edges.end(), [&](const GraphEdge& e) {
        return e.from == before->second && e.to == node->second;
      });
      if (edge == graph_.edges.end()) {
        add_edge(before->second, node->second, GraphEdge::Kind::direct, true);
      } else {
        edge->lit = true;
      }
    }
  }

  const ReportWindow& window_;
  const TraceNames& names_;
  CaseGraph graph_;
  std::map<EventId, std::size_t> place_of_;
};

/// Removed records and where they came from.
struct RemovedGroup {
  checker::RemovedRecords records;
  EventId written = 0;  ///< the event that brought the first of them into the world
  EventId copied = 0;   ///< the event that brought it to the replica that was cut
};

void find_origin(const ReportWindow& window, const checker::MirrorTruncation& truncation,
                 RemovedGroup& group) {
  for (const Event& event : window.events) {
    if (event.id >= truncation.event) {
      return;
    }
    const auto* appended = std::get_if<Appended>(&event.payload);
    if (appended == nullptr || event.partition != truncation.partition) {
      continue;
    }
    const bool holds =
        std::any_of(appended->batches.begin(), appended->batches.end(), [&](const Batch& batch) {
          const std::uint64_t first = batch.first_id.packed;
          return first <= group.records.first_id.packed &&
                 group.records.first_id.packed < first + static_cast<std::uint64_t>(batch.record_count());
        });
    if (holds && group.written == 0) {
      group.written = event.id;
    }
    if (holds && event.cluster == truncation.cluster && event.broker == truncation.broker) {
      group.copied = event.id;
    }
  }
}

/// Does the death of these records go back to an unclean election?
bool is_explained(const checker::Judgement& judgement, const checker::MirrorTruncation& truncation,
                  EventId killer) {
  const std::vector<EventId>& roots = truncation.unclean_elections;
  if (std::binary_search(roots.begin(), roots.end(), killer)) {
    return true;
  }
  // A truncation upstream in a chain is as good as the elections it goes back to.
  return std::any_of(
      judgement.mirror_truncations.begin(), judgement.mirror_truncations.end(),
      [&](const checker::MirrorTruncation& other) { return other.event == killer && other.justified; });
}

/// The latest elections of the source before the truncation: those that did not do it.
std::vector<EventId> elections_of_source(const ReportWindow& window,
                                         const checker::MirrorTruncation& truncation) {
  std::vector<EventId> elections;
  for (const Event& event : window.events) {
    if (event.id >= truncation.event) {
      break;
    }
    if (event.cluster == truncation.source && event.partition == truncation.partition &&
        std::holds_alternative<Election>(event.payload)) {
      elections.push_back(event.id);
    }
  }
  const std::size_t keep = std::min(elections.size(), kMaxGraphElections);
  return {elections.end() - static_cast<std::ptrdiff_t>(keep), elections.end()};
}

GraphNode records_node(const TraceNames& names, const RemovedGroup& group) {
  GraphNode node;
  node.role = GraphNode::Role::records;
  node.lines =
      wrapped_lines(fmt::format("{}, epoch {}", offsets_text(group.records), group.records.epoch), 2);
  for (std::string& line :
       wrapped_lines("first written in " + names.cluster(group.records.first_id.origin()), 2)) {
    node.lines.push_back(std::move(line));
  }
  return node;
}

GraphNode missing_node(const TraceNames& names, const checker::MirrorTruncation& truncation) {
  GraphNode node;
  node.role = GraphNode::Role::missing;
  node.lines = wrapped_lines(fmt::format("not found: an unclean election of {} that lost these records",
                                         names.cluster(truncation.source)),
                             kGraphLines);
  return node;
}

}  // namespace

std::vector<checker::RemovedRecords> removed_runs(const checker::MirrorTruncation& truncation) {
  std::vector<checker::RemovedRecords> runs;
  for (const checker::RemovedRecords& removed : truncation.removed) {
    if (!runs.empty()) {
      checker::RemovedRecords& last = runs.back();
      if (last.epoch == removed.epoch && last.killer == removed.killer &&
          last.last_offset + 1 == removed.base_offset &&
          last.first_id.origin() == removed.first_id.origin()) {
        last.last_offset = removed.last_offset;
        continue;
      }
    }
    runs.push_back(removed);
  }
  return runs;
}

CaseGraph truncation_graph(const ReportWindow& window, const TraceNames& names,
                           const checker::Judgement& judgement, const checker::MirrorTruncation& truncation) {
  std::vector<RemovedGroup> groups;
  for (const checker::RemovedRecords& run : removed_runs(truncation)) {
    if (groups.size() < kMaxGraphRecords) {
      groups.push_back({run, 0, 0});
    }
  }
  EventChoice choice(window);
  choice.add_all(truncation.path);
  choice.add_all(truncation.unclean_elections);
  for (RemovedGroup& group : groups) {
    find_origin(window, truncation, group);
    choice.add(group.records.killer);
    choice.add(group.written);
    choice.add(group.copied);
  }
  choice.add_causes(truncation.event, 3);
  for (const checker::Violation& violation : judgement.violations) {
    if (violation.event == truncation.event) {
      choice.add_all(violation.evidence);
    }
  }
  if (!truncation.justified) {
    choice.add_all(elections_of_source(window, truncation));
  }

  GraphBuilder builder(window, names);
  builder.draw(choice.events(), truncation.path);
  std::vector<std::size_t> unexplained;
  for (const RemovedGroup& group : groups) {
    const bool explained = is_explained(judgement, truncation, group.records.killer);
    const std::size_t node = builder.add_node(records_node(names, group));
    builder.add_edge_from_event(group.written, node, GraphEdge::Kind::records);
    builder.add_edge_from_event(group.records.killer, node, GraphEdge::Kind::records, explained);
    builder.add_edge_to_event(node, truncation.event, GraphEdge::Kind::records, explained);
    if (!explained) {
      unexplained.push_back(node);
    }
  }
  if (!unexplained.empty()) {
    const std::size_t missing = builder.add_node(missing_node(names, truncation));
    for (const std::size_t node : unexplained) {
      builder.add_edge(missing, node, GraphEdge::Kind::missing);
    }
  }
  return builder.take();
}

CaseGraph violation_graph(const ReportWindow& window, const TraceNames& names,
                          const checker::Violation& violation) {
  EventChoice choice(window);
  choice.add(violation.event);
  choice.add_all(violation.evidence);
  choice.add_causes(violation.event, kViolationDepth);
  GraphBuilder builder(window, names);
  builder.draw(choice.events(), {violation.event});
  return builder.take();
}

}  // namespace mirrorproof::reports
