#include "reports/graph_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "reports/subprocess.h"

namespace mirrorproof::reports {
namespace {

constexpr double kPixelsPerInch = 72;
constexpr double kLetterWidth = 6.7;
constexpr double kLineHeight = 15;
constexpr double kNodePadding = 10;
constexpr double kNodeWidthMin = 120;
constexpr double kGapX = 28;
constexpr double kGapY = 34;
constexpr int kPatienceMs = 5'000;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

void measure(CaseGraph& graph) {
  for (GraphNode& node : graph.nodes) {
    std::size_t longest = 0;
    for (const std::string& line : node.lines) {
      longest = std::max(longest, line.size());
    }
    node.width = std::max(kNodeWidthMin, static_cast<double>(longest) * kLetterWidth + 2 * kNodePadding);
    node.height = static_cast<double>(node.lines.size()) * kLineHeight + 2 * kNodePadding;
  }
}

/// Names and sizes only: no text of a scenario ever reaches the program.
std::string nameless_dot(const CaseGraph& graph) {
  std::string out =
      "digraph {\n  graph [rankdir=TB, nodesep=0.3, ranksep=0.42];\n"
      "  node [shape=box, fixedsize=true, label=\"\"];\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    out += fmt::format("  n{} [width={:.4f}, height={:.4f}];\n", i, graph.nodes[i].width / kPixelsPerInch,
                       graph.nodes[i].height / kPixelsPerInch);
  }
  for (const GraphEdge& edge : graph.edges) {
    out += fmt::format("  n{} -> n{}{};\n", edge.from, edge.to, edge.lit ? " [weight=8]" : "");
  }
  return out + "}\n";
}

/// Words of Graphviz's "plain" output, one after the other.
class PlainWords {
 public:
  explicit PlainWords(std::string_view text) : text_(text) {}

  std::string_view word() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \n"), text_.size()));
    const std::size_t end = std::min(text_.find_first_of(" \n"), text_.size());
    const std::string_view out = text_.substr(0, end);
    text_.remove_prefix(end);
    return out;
  }
  template <class Number>
  std::optional<Number> number() {
    const std::string_view text = word();
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
  }
  /// "n17" as 17.
  std::optional<std::size_t> node() {
    const std::string_view text = word();
    std::size_t value = 0;
    if (!text.starts_with('n')) {
      return std::nullopt;
    }
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
  }
  void skip_line() { text_.remove_prefix(std::min(text_.find('\n'), text_.size())); }

 private:
  std::string_view text_;
};

/// Reads the block of one graph. False if it is not what was asked for.
class PlainReader {
 public:
  PlainReader(PlainWords& words, CaseGraph& graph) : words_(words), graph_(graph) {}

  bool read() {
    const std::string_view head = words_.word();
    const auto scale = words_.number<double>();
    const auto width = words_.number<double>();
    const auto height = words_.number<double>();
    if (head != "graph" || !scale || !width || !height) {
      return false;
    }
    graph_.width = *width * kPixelsPerInch;
    graph_.height = *height * kPixelsPerInch;
    std::size_t edges = 0;
    while (true) {
      const std::string_view what = words_.word();
      if (what == "stop") {
        return edges == graph_.edges.size();
      }
      if (what == "node" ? !read_node() : what != "edge" || !read_edge()) {
        return false;
      }
      edges += what == "edge" ? 1 : 0;
      words_.skip_line();
    }
  }

 private:
  std::optional<GraphPoint> point() {
    const auto x = words_.number<double>();
    const auto y = words_.number<double>();
    if (!x || !y) {
      return std::nullopt;
    }
    // Graphviz counts from the bottom.
    return GraphPoint{*x * kPixelsPerInch, graph_.height - *y * kPixelsPerInch};
  }

  bool read_node() {
    const auto number = words_.node();
    const auto centre = point();
    if (!number || *number >= graph_.nodes.size() || !centre) {
      return false;
    }
    graph_.nodes[*number].centre = *centre;
    return true;
  }

  bool read_edge() {
    const auto from = words_.node();
    const auto to = words_.node();
    const auto count = words_.number<std::size_t>();
    const auto edge = std::find_if(graph_.edges.begin(), graph_.edges.end(), [&](const GraphEdge& each) {
      return from && to && each.from == *from && each.to == *to && each.points.empty();
    });
    if (edge == graph_.edges.end() || !count || *count > 1000) {
      return false;
    }
    for (std::size_t i = 0; i < *count; ++i) {
      const auto next = point();
      if (!next) {
        return false;
      }
      edge->points.push_back(*next);
    }
    return true;
  }

  PlainWords& words_;
  CaseGraph& graph_;
};

/// Each node one row below the lowest of its causes; the rows centred.
void lay_out_plainly(CaseGraph& graph) {
  std::vector<std::size_t> rows(graph.nodes.size(), 0);
  // Edges lead forward but for those of records; as many rounds as there are nodes are enough without cycles.
  bool moved = true;
  for (std::size_t round = 0; moved && round < graph.nodes.size(); ++round) {
    moved = false;
    for (const GraphEdge& edge : graph.edges) {
      if (rows[edge.to] < rows[edge.from] + 1) {
        rows[edge.to] = rows[edge.from] + 1;
        moved = true;
      }
    }
  }
  std::vector<std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    members.resize(std::max(members.size(), rows[i] + 1));
    members[rows[i]].push_back(i);
  }
  graph.width = 0;
  for (const std::vector<std::size_t>& row : members) {
    double width = 0;
    for (const std::size_t i : row) {
      width += graph.nodes[i].width + kGapX;
    }
    graph.width = std::max(graph.width, width);
  }
  double y = kGapY / 2;
  for (const std::vector<std::size_t>& row : members) {
    double width = 0;
    double height = 0;
    for (const std::size_t i : row) {
      width += graph.nodes[i].width + kGapX;
      height = std::max(height, graph.nodes[i].height);
    }
    double x = (graph.width - width) / 2 + kGapX / 2;
    for (const std::size_t i : row) {
      GraphNode& node = graph.nodes[i];
      node.centre = {x + node.width / 2, y + height / 2};
      x += node.width + kGapX;
    }
    y += height + kGapY;
  }
  graph.height = y - kGapY / 2;
  for (GraphEdge& edge : graph.edges) {
    const GraphNode& from = graph.nodes[edge.from];
    const GraphNode& to = graph.nodes[edge.to];
    const GraphPoint begin{from.centre.x, from.centre.y + from.height / 2};
    const GraphPoint end{to.centre.x, to.centre.y - to.height / 2};
    const double bend = std::max(kGapY / 2, (end.y - begin.y) / 2);
    edge.points = {begin, {begin.x, begin.y + bend}, {end.x, end.y - bend}, end};
  }
}

}  // namespace

void lay_out(std::vector<CaseGraph>& graphs, const std::string& program) {
  std::string all;
  for (CaseGraph& graph : graphs) {
    measure(graph);
    all += nameless_dot(graph);
  }
  if (graphs.empty()) {
    return;
  }
  const std::optional<std::string> answer = run_filter({program, "-Tplain"}, all, kPatienceMs, kMostBytes);
  std::vector<CaseGraph> laid = graphs;
  PlainWords words(answer ? std::string_view(*answer) : std::string_view());
  const bool good = answer && std::all_of(laid.begin(), laid.end(),
                                          [&](CaseGraph& graph) { return PlainReader(words, graph).read(); });
  if (good) {
    graphs = std::move(laid);
    return;
  }
  std::for_each(graphs.begin(), graphs.end(), lay_out_plainly);
}

}  // namespace mirrorproof::reports
