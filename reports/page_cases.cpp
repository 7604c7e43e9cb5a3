#include "reports/page_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "checker/describe.h"
#include "reports/case_graph.h"
#include "reports/graph_layout.h"

namespace mirrorproof::reports {
namespace {

using checker::Invariant;
using checker::MirrorTruncation;
using checker::Violation;

/// Whole pixels: a drawing needs no more, and the page stays small.
Json pixels(double value) {
  return static_cast<std::int64_t>(std::lround(value));
}

/// {width, height, nodes: [role, event, lit, x, y, width, height, lines], edges: [from, to, kind, lit, x, y,
/// ...]}
Json graph_json(const CaseGraph& graph, const ReportWindow& window) {
  Json nodes = Json::array();
  for (const GraphNode& node : graph.nodes) {
    nodes.push_back({static_cast<int>(node.role), node.event == 0 ? -1 : window.place_of(node.event),
                     node.lit ? 1 : 0, pixels(node.centre.x), pixels(node.centre.y), pixels(node.width),
                     pixels(node.height), node.lines});
  }
  Json edges = Json::array();
  for (const GraphEdge& edge : graph.edges) {
    Json row = Json::array({edge.from, edge.to, static_cast<int>(edge.kind), edge.lit ? 1 : 0});
    for (const GraphPoint& point : edge.points) {
      row.push_back(pixels(point.x));
      row.push_back(pixels(point.y));
    }
    edges.push_back(std::move(row));
  }
  return {{"width", pixels(graph.width)},
          {"height", pixels(graph.height)},
          {"nodes", std::move(nodes)},
          {"edges", std::move(edges)}};
}

/// [{event: place or -1, id, text}]
Json told_places(const JudgementView& view, const ReportWindow& window, const std::vector<EventId>& events) {
  Json out = Json::array();
  for (const EventId event : events) {
    Json row;
    row["event"] = window.place_of(event);
    row["id"] = event;
    row["text"] = told_json(view, event)["text"];
    out.push_back(std::move(row));
  }
  return out;
}

Json charge_json(const Violation& violation) {
  return {{"invariant", to_string(violation.invariant)},
          {"kind", violation.kind},
          {"message", safe_text(violation.message)}};
}

/// What the two sorts of cases have in common.
Json case_head(const ReportWindow& window, EventId event, PartitionId partition) {
  Json out;
  out["event"] = window.place_of(event);
  out["id"] = event;
  out["partition"] = partition;
  return out;
}

std::string removed_text(const JudgementView& view, const checker::RemovedRecords& removed) {
  return fmt::format("{}, epoch {}, first written in {}", offsets_text(removed), removed.epoch,
                     view.names.cluster(removed.first_id.origin()));
}

Json removed_json(const JudgementView& view, const ReportWindow& window, const MirrorTruncation& truncation) {
  constexpr std::size_t kMaxRemovedOnPage = 20;
  Json out = Json::array();
  for (const checker::RemovedRecords& removed : removed_runs(truncation)) {
    if (out.size() == kMaxRemovedOnPage) {
      break;
    }
    Json row;
    row["text"] = removed_text(view, removed);
    row["killer"] = removed.killer == 0 ? Json(nullptr) : told_places(view, window, {removed.killer})[0];
    out.push_back(std::move(row));
  }
  return out;
}

Json truncation_case(const JudgementView& view, const ReportWindow& window,
                     const MirrorTruncation& truncation) {
  Json out = case_head(window, truncation.event, truncation.partition);
  out["type"] = "truncation";
  const bool excused = truncation.excuse != checker::TruncationExcuse::none;
  out["good"] = truncation.justified || excused;
  out["title"] =
      fmt::format("{} removed {} from offset {} on", view.names.broker(truncation.cluster, truncation.broker),
                  counted(static_cast<std::uint64_t>(truncation.records), "record"), truncation.offset);
  out["subtitle"] = fmt::format("{}, mirror of {}", view.names.partition(truncation.partition),
                                view.names.cluster(truncation.source));
  out["finding"] =
      truncation.justified
          ? fmt::format("Caused by {} of {}.",
                        counted(truncation.unclean_elections.size(), "unclean leader election"),
                        view.names.cluster(truncation.source))
      : excused ? fmt::format("Excused: {}.", checker::excuse_text(truncation.excuse))
                : fmt::format("Not every removed record goes back to an unclean leader election of {}.",
                              view.names.cluster(truncation.source));
  out["elections"] = told_places(view, window, truncation.unclean_elections);
  out["path"] = told_places(view, window, truncation.path);
  out["removed"] = removed_json(view, window, truncation);
  out["removed_runs"] = removed_runs(truncation).size();
  Json charges = Json::array();
  std::set<EventId> evidence;
  for (const Violation& violation : view.judgement.violations) {
    if (violation.event == truncation.event) {
      charges.push_back(charge_json(violation));
      evidence.insert(violation.evidence.begin(), violation.evidence.end());
    }
  }
  out["charges"] = std::move(charges);
  out["evidence"] = told_places(view, window, {evidence.begin(), evidence.end()});
  return out;
}

Json violation_case(const JudgementView& view, const ReportWindow& window, const Violation& violation) {
  Json out = case_head(window, violation.event, violation.partition);
  out["type"] = "violation";
  out["good"] = false;
  out["title"] = fmt::format("{} is broken", to_string(violation.invariant));
  out["subtitle"] = violation.kind;
  out["finding"] = safe_text(violation.message);
  out["elections"] = Json::array();
  out["path"] = told_places(view, window, {violation.event});
  out["removed"] = Json::array();
  out["removed_runs"] = 0;
  out["charges"] = Json::array({charge_json(violation)});
  out["evidence"] = told_places(view, window, violation.evidence);
  return out;
}

}  // namespace

void add_cases(Json& page, const JudgementView& view, const ReportWindow& window) {
  const std::vector<MirrorTruncation>& truncations = view.judgement.mirror_truncations;
  std::vector<Json> cases;
  std::vector<CaseGraph> graphs;
  std::set<EventId> truncated;
  for (const MirrorTruncation& truncation : truncations) {
    truncated.insert(truncation.event);
    if (cases.size() < kMaxPageTruncations) {
      cases.push_back(truncation_case(view, window, truncation));
      graphs.push_back(truncation_graph(window, view.names, view.judgement, truncation));
    }
  }
  std::size_t left_out = truncations.size() - cases.size();
  std::size_t violations = 0;
  for (const Violation& violation : view.judgement.violations) {
    // A broken rule about a mirror truncation is told with that truncation.
    if (truncated.contains(violation.event)) {
      continue;
    }
    if (violations == kMaxPageViolations) {
      ++left_out;
      continue;
    }
    ++violations;
    cases.push_back(violation_case(view, window, violation));
    graphs.push_back(violation_graph(window, view.names, violation));
  }
  lay_out(graphs);
  page["cases"] = Json::array();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i]["graph"] = graph_json(graphs[i], window);
    page["cases"].push_back(std::move(cases[i]));
  }
  page["cases_left_out"] = left_out;
}

}  // namespace mirrorproof::reports
