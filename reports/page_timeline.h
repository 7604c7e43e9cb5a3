#pragma once
// The timeline of an HTML report as data: lanes, events, messages, changes of logs. Rows are arrays, not
// objects, so that a run of thousands of events stays small; reports/html/model.js gives the columns their
// names.

#include "reports/judgement_report.h"
#include "reports/report_window.h"

namespace mirrorproof::reports {

/// One row of the diagram for each controller and broker.
Json lanes_json(const TraceHeader& header);
/// Place of an actor among the lanes.
int lane_of(const TraceHeader& header, ClusterId cluster, BrokerId broker);

/// Adds "kinds", "events", "messages", "replicas", "logs_before" and "log_changes" to `page`.
void add_timeline(Json& page, const TraceHeader& header, const ReportWindow& window);

}  // namespace mirrorproof::reports
