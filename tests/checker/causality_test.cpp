// The causal order and the causal graph: who could have known what.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "checker/causal_graph.h"
#include "checker/causal_order.h"
#include "tests/checker/trace_builder.h"

namespace mirrorproof::checker::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<EventIndex> causes_of(const CausalGraph& graph, EventIndex event) {
  const auto causes = graph.causes(event);
  return {causes.begin(), causes.end()};
}

TEST(CausalGraph, HoldsCausesOnceAndProgramOrderLast) {
  CausalGraph graph;
  graph.add(kNoEvent, {});
  graph.add(0, {});
  const std::vector<EventIndex> causes{0, 1, 0};
  graph.add(1, causes);
  EXPECT_THAT(causes_of(graph, 0), IsEmpty());
  EXPECT_THAT(causes_of(graph, 1), ElementsAre(0));
  EXPECT_THAT(causes_of(graph, 2), ElementsAre(0, 1));
  EXPECT_TRUE(is_acyclic(graph));
}

TEST(CausalGraphDeathTest, RefusesACauseThatComesLater) {
  CausalGraph graph;
  const std::vector<EventIndex> itself{0};
  EXPECT_DEATH(graph.add(kNoEvent, itself), "a cause must come before its effect");
}

// 0 -> 1 -> 2 -> 4 and 0 -> 3 -> 4.
CausalGraph diamond() {
  CausalGraph graph;
  const auto add = [&](std::vector<EventIndex> causes) { graph.add(kNoEvent, causes); };
  add({});
  add({0});
  add({1});
  add({0});
  add({2, 3});
  add({});
  return graph;
}

TEST(PathFinder, TakesTheShortestWay) {
  const CausalGraph graph = diamond();
  PathFinder finder(graph);
  const std::vector<EventIndex> root{0};
  EXPECT_THAT(finder.shortest_path(root, 4), ElementsAre(0, 3, 4));
  EXPECT_THAT(finder.shortest_path(root, 0), ElementsAre(0));
  EXPECT_THAT(finder.shortest_path(root, 5), IsEmpty());
  EXPECT_THAT(finder.shortest_path({}, 4), IsEmpty());
  const std::vector<EventIndex> nearer{0, 2};
  EXPECT_THAT(finder.shortest_path(nearer, 4), ElementsAre(2, 4));
}

TEST(PathFinder, GivesUpWhenItsBudgetIsSpent) {
  const CausalGraph graph = diamond();
  PathFinder finder(graph, 5);
  const std::vector<EventIndex> root{0};
  EXPECT_THAT(finder.shortest_path(root, 4), ElementsAre(0, 3, 4));
  EXPECT_THAT(finder.shortest_path(root, 4), IsEmpty());
}

TEST(CausalOrder, ProgramOrderAndMessagesOrderEvents) {
  TraceBuilder trace;
  const EventId first = trace.emit(A, 0, Note{});
  const EventId other = trace.emit(B, 0, Note{});
  const EventId later = trace.emit(A, 0, Note{});
  const EventId told = trace.emit(B, 0, Note{}, {first});
  CausalOrder order(trace.trace.header);
  for (const Event& event : trace.trace.events) {
    order.add(event);
  }
  EXPECT_TRUE(order.in_past(first, later));
  EXPECT_TRUE(order.in_past(first, told));
  EXPECT_TRUE(order.in_past(other, told));
  EXPECT_TRUE(order.in_past(told, told));
  EXPECT_FALSE(order.in_past(later, told));
  EXPECT_FALSE(order.in_past(other, later));
  EXPECT_FALSE(order.in_past(told, first));
}

TEST(CausalOrder, KnowsEventsWhoseNumbersHaveGaps) {
  TraceBuilder trace;
  trace.emit(A, 0, Note{});
  trace.emit(A, 1, Note{}, {1});
  trace.trace.events[0].id = 10;
  trace.trace.events[1].id = 1000;
  trace.trace.events[1].causes[0] = 10;
  CausalOrder order(trace.trace.header);
  order.add(trace.trace.events[0]);
  order.add(trace.trace.events[1]);
  EXPECT_EQ(order.index_of(1000), 1U);
  EXPECT_TRUE(order.in_past(10, 1000));
}

// Vector clocks, paths and cones against reachability computed by hand.
RC_GTEST_PROP(CausalOrder, EqualsReachability, ()) {
  TraceBuilder trace;
  const int count = *rc::gen::inRange(1, 40);
  std::vector<std::vector<bool>> reaches;
  std::map<std::pair<ClusterId, BrokerId>, int> latest;
  for (int i = 0; i < count; ++i) {
    const auto cluster = static_cast<ClusterId>(*rc::gen::inRange(0, 2));
    const auto broker = static_cast<BrokerId>(*rc::gen::inRange(-1, 2));
    std::vector<EventId> causes;
    std::vector<bool> past(static_cast<std::size_t>(count), false);
    const auto learn = [&](int earlier) {
      for (std::size_t k = 0; k < past.size(); ++k) {
        past[k] = past[k] || reaches[static_cast<std::size_t>(earlier)][k];
      }
    };
    for (int causes_left = *rc::gen::inRange(0, 3); i > 0 && causes_left > 0; --causes_left) {
      const int cause = *rc::gen::inRange(0, i);
      causes.push_back(static_cast<EventId>(cause) + 1);
      learn(cause);
    }
    const auto previous = latest.find(std::pair(cluster, broker));
    if (previous != latest.end()) {
      learn(previous->second);
    }
    past[static_cast<std::size_t>(i)] = true;
    latest[std::pair(cluster, broker)] = i;
    reaches.push_back(past);
    trace.emit(cluster, broker, Note{}, causes);
  }
  CausalOrder order(trace.trace.header);
  for (const Event& event : trace.trace.events) {
    order.add(event);
  }
  RC_ASSERT(is_acyclic(order.graph()));
  PathFinder finder(order.graph());
  for (EventIndex effect = 0; effect < order.graph().size(); ++effect) {
    for (EventIndex cause = 0; cause < order.graph().size(); ++cause) {
      const bool reachable = reaches[effect][cause];
      RC_ASSERT(order.precedes(cause, effect) == reachable);
      const std::vector<EventIndex> root{cause};
      const std::vector<EventIndex> path = finder.shortest_path(root, effect);
      RC_ASSERT(path.empty() == !reachable);
      for (std::size_t i = 1; i < path.size(); ++i) {
        const auto causes = causes_of(order.graph(), path[i]);
        RC_ASSERT(std::find(causes.begin(), causes.end(), path[i - 1]) != causes.end());
      }
    }
  }
}

}  // namespace
}  // namespace mirrorproof::checker::testing
