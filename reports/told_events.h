#pragma once
// Told events: the few events of a run that a report talks about, fetched by walking the run or the file once
// more. A run of any length needs memory for these alone.

#include <functional>
#include <map>
#include <set>
#include <string>

#include "model/event.h"
#include "reports/evaluation.h"

namespace mirrorproof::reports {

/// Reports describe this many mirror truncations and count the rest.
inline constexpr std::size_t kMaxToldTruncations = 1000;

struct ToldEvent {
  Event event;
  std::string text;  ///< one readable line (event_text.h)
};
using ToldEvents = std::map<EventId, ToldEvent>;

/// Shows all events of a run or a trace, in order, to the sink it is given.
using EventSource = std::function<void(const EventSink&)>;

EventSource source_of(const scenarios::Scenario& scenario, const RunKey& key);

ToldEvents tell_events(const TraceHeader& header, const EventSource& source, const std::set<EventId>& wanted);

/// All that a report of the judgement mentions: violations with their evidence, truncations with their
/// causes.
std::set<EventId> events_to_tell(const checker::Judgement& judgement);

}  // namespace mirrorproof::reports
