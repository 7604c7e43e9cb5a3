#pragma once
// CaseGraph: the provenance drawing of one case, a mirror truncation or a violation. The events that matter,
// joined by what led to what; the records that were removed; and, where the claim fails, the unclean election
// that should have been there and is not.

#include <cstdint>
#include <string>
#include <vector>

#include "checker/checker.h"
#include "reports/event_text.h"
#include "reports/report_window.h"

namespace mirrorproof::reports {

struct GraphPoint {
  double x = 0;
  double y = 0;
};

struct GraphNode {
  enum class Role : std::uint8_t {
    event,
    records,  ///< what was removed
    missing,  ///< what should have been there
  };
  Role role = Role::event;
  EventId event = 0;
  bool lit = false;
  std::vector<std::string> lines;
  // Filled in by the layout: centre and size, in pixels.
  GraphPoint centre;
  double width = 0;
  double height = 0;
};

struct GraphEdge {
  enum class Kind : std::uint8_t {
    direct,   ///< the one needs the other
    through,  ///< the one led to the other through events that are not drawn
    records,  ///< to or from records: wrote, lost, removed
    missing,  ///< from what is not there
  };
  std::size_t from = 0;
  std::size_t to = 0;
  Kind kind = Kind::direct;
  bool lit = false;
  std::vector<GraphPoint> points;  ///< filled in by the layout: a B-spline's control points
};

struct CaseGraph {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
  double width = 0;
  double height = 0;
};

/// What a truncation removed, neighbouring batches of one epoch, origin and fate as one.
std::vector<checker::RemovedRecords> removed_runs(const checker::MirrorTruncation& truncation);

CaseGraph truncation_graph(const ReportWindow& window, const TraceNames& names,
                           const checker::Judgement& judgement, const checker::MirrorTruncation& truncation);

/// What of the causal past of a violation is near enough to say something.
CaseGraph violation_graph(const ReportWindow& window, const TraceNames& names,
                          const checker::Violation& violation);

}  // namespace mirrorproof::reports
