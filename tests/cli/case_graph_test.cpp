// Provenance drawings: what is in them, and that every layout gives each part its place.

#include "reports/case_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reports/graph_layout.h"
#include "reports/subprocess.h"
#include "tests/cli/program.h"

namespace mirrorproof::reports {
namespace {

using cli_tests::scenario_path;

struct JudgedRun {
  explicit JudgedRun(const std::string& name)
      : scenario(*scenarios::load_scenario_file(scenario_path(name)).scenario),
        evaluation(evaluate(scenario, scenario.setup.run.first_seed)),
        header(sim::make_trace_header(scenario.setup, evaluation.seed)) {}

  ReportWindow window(std::size_t limit = kMaxReportEvents) const {
    return collect_window(header, source_of(scenario, {evaluation.seed, std::nullopt}), evaluation.judgement,
                          limit);
  }
  CaseGraph graph(std::size_t truncation = 0) const {
    return truncation_graph(window(), TraceNames(header), evaluation.judgement,
                            evaluation.judgement.mirror_truncations.at(truncation));
  }

  scenarios::Scenario scenario;
  Evaluation evaluation;
  TraceHeader header;
};

std::size_t count_nodes(const CaseGraph& graph, GraphNode::Role role) {
  return static_cast<std::size_t>(std::count_if(graph.nodes.begin(), graph.nodes.end(),
                                                [&](const GraphNode& node) { return node.role == role; }));
}

TEST(CaseGraph, LightsThePathOfAJustifiedTruncation) {
  const JudgedRun run("ule-truncate-on-fetch.json");
  const CaseGraph graph = run.graph();
  const std::vector<EventId>& path = run.evaluation.judgement.mirror_truncations[0].path;
  std::vector<EventId> lit;
  for (const GraphNode& node : graph.nodes) {
    if (node.lit) {
      lit.push_back(node.event);
    }
  }
  EXPECT_EQ(lit, path);
  for (std::size_t i = 1; i < path.size(); ++i) {
    const auto edge = std::find_if(graph.edges.begin(), graph.edges.end(), [&](const GraphEdge& each) {
      return graph.nodes[each.from].event == path[i - 1] && graph.nodes[each.to].event == path[i];
    });
    ASSERT_NE(edge, graph.edges.end()) << i;
    EXPECT_TRUE(edge->lit) << i;
  }
  EXPECT_EQ(count_nodes(graph, GraphNode::Role::records), 1U);
  EXPECT_EQ(count_nodes(graph, GraphNode::Role::missing), 0U);
}

TEST(CaseGraph, ShowsWhatIsMissingBehindAnUnjustifiedTruncation) {
  const JudgedRun run("reverse-mirroring-epoch-only.json");
  const CaseGraph graph = run.graph();
  ASSERT_EQ(count_nodes(graph, GraphNode::Role::missing), 1U);
  EXPECT_TRUE(
      std::none_of(graph.edges.begin(), graph.edges.end(), [](const GraphEdge& edge) { return edge.lit; }));
  const auto missing = std::find_if(graph.edges.begin(), graph.edges.end(), [](const GraphEdge& edge) {
    return edge.kind == GraphEdge::Kind::missing;
  });
  ASSERT_NE(missing, graph.edges.end());
  EXPECT_EQ(graph.nodes[missing->from].role, GraphNode::Role::missing);
  EXPECT_EQ(graph.nodes[missing->to].role, GraphNode::Role::records);
}

TEST(CaseGraph, DrawsEveryEdgeForwardInTimeAndNoneThatFollowsFromOthers) {
  const JudgedRun run("chain-ule-at-the-head.json");
  for (std::size_t t = 0; t < run.evaluation.judgement.mirror_truncations.size(); ++t) {
    const CaseGraph graph = run.graph(t);
    for (const GraphEdge& edge : graph.edges) {
      const GraphNode& from = graph.nodes[edge.from];
      const GraphNode& to = graph.nodes[edge.to];
      if (from.event != 0 && to.event != 0) {
        EXPECT_LT(from.event, to.event);
      }
      // A short cut is drawn only where the lit path takes it.
      const bool roundabout =
          std::any_of(graph.edges.begin(), graph.edges.end(), [&](const GraphEdge& first) {
            return first.from == edge.from && first.to != edge.to &&
                   std::any_of(graph.edges.begin(), graph.edges.end(), [&](const GraphEdge& second) {
                     return second.from == first.to && second.to == edge.to;
                   });
          });
      EXPECT_TRUE(!roundabout || edge.lit || edge.kind == GraphEdge::Kind::records);
    }
  }
}

/// Nodes apart from each other and inside the drawing; every edge with a course.
void expect_laid_out(const CaseGraph& graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    EXPECT_GE(node.centre.x - node.width / 2, -1);
    EXPECT_LE(node.centre.x + node.width / 2, graph.width + 1);
    EXPECT_GE(node.centre.y - node.height / 2, -1);
    EXPECT_LE(node.centre.y + node.height / 2, graph.height + 1);
    for (std::size_t j = 0; j < i; ++j) {
      const GraphNode& other = graph.nodes[j];
      const bool apart_x = std::abs(node.centre.x - other.centre.x) >= (node.width + other.width) / 2 - 1;
      const bool apart_y = std::abs(node.centre.y - other.centre.y) >= (node.height + other.height) / 2 - 1;
      EXPECT_TRUE(apart_x || apart_y) << i << " and " << j;
    }
  }
  for (const GraphEdge& edge : graph.edges) {
    EXPECT_GE(edge.points.size(), 2U);
  }
}

TEST(GraphLayout, OfGraphvizGivesEverythingAPlace) {
  std::vector<CaseGraph> graphs{JudgedRun("ule-truncate-on-fetch.json").graph(),
                                JudgedRun("reverse-mirroring-epoch-only.json").graph()};
  lay_out(graphs);
  for (const CaseGraph& graph : graphs) {
    expect_laid_out(graph);
  }
}

TEST(GraphLayout, WithoutGraphvizIsPlainerAndComplete) {
  for (const std::string program : {"no-such-program-anywhere", "false", "cat"}) {
    std::vector<CaseGraph> graphs{JudgedRun("ule-truncate-on-fetch.json").graph(),
                                  JudgedRun("chain-ule-at-the-head.json").graph()};
    lay_out(graphs, program);
    for (const CaseGraph& graph : graphs) {
      expect_laid_out(graph);
    }
  }
}

TEST(Subprocess, GivesInputAndTakesOutputOfAnySize) {
  const std::string text(3'000'000, 'x');
  EXPECT_EQ(run_filter({"cat"}, text, 10'000, 4'000'000), text);
  EXPECT_EQ(run_filter({"cat"}, "", 10'000, 10), "");
  EXPECT_EQ(run_filter({"cat"}, text, 10'000, 1000), std::nullopt);
  EXPECT_EQ(run_filter({"false"}, "x", 10'000, 1000), std::nullopt);
  EXPECT_EQ(run_filter({"sleep", "20"}, "", 50, 1000), std::nullopt);
}

TEST(ReportWindow, OfALongRunHoldsWhatMattersAndTheLogsBeforeIt) {
  const JudgedRun run("reverse-mirroring-epoch-only.json");
  const ReportWindow whole = run.window();
  EXPECT_EQ(whole.events.size(), whole.total);
  EXPECT_EQ(whole.first, 0U);
  const ReportWindow part = run.window(100);
  ASSERT_EQ(part.events.size(), 100U);
  EXPECT_EQ(part.total, whole.total);
  EXPECT_GE(part.place_of(run.evaluation.judgement.violations.front().event), 0);
  // Replaying the window on the logs before it ends where replaying everything does.
  LogReplay logs = part.logs_before;
  LogReplay all;
  for (const Event& event : part.events) {
    logs.observe(event);
  }
  for (std::size_t i = 0; i < part.first + part.events.size(); ++i) {
    all.observe(whole.events[i]);
  }
  for (const Event& event : part.events) {
    const ReplicaKey key{event.cluster, event.broker, event.partition};
    if (const ReplayedLog* log = all.find(key)) {
      ASSERT_NE(logs.find(key), nullptr);
      EXPECT_EQ(log_text(*logs.find(key)), log_text(*log));
    }
  }
}

}  // namespace
}  // namespace mirrorproof::reports
