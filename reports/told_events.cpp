#include "reports/told_events.h"

#include "reports/event_text.h"

namespace mirrorproof::reports {

EventSource source_of(const scenarios::Scenario& scenario, const RunKey& key) {
  return [&scenario, key](const EventSink& sink) { walk_events(scenario, key, sink); };
}

ToldEvents tell_events(const TraceHeader& header, const EventSource& source,
                       const std::set<EventId>& wanted) {
  ToldEvents told;
  if (wanted.empty()) {
    return told;
  }
  EventNarrator narrator(header);
  const EventId last = *wanted.rbegin();
  source([&](const Event& event) {
    if (event.id > last) {
      return;
    }
    narrator.observe(event);
    if (wanted.contains(event.id)) {
      told.emplace(event.id, ToldEvent{event, narrator.text(event)});
    }
  });
  return told;
}

std::set<EventId> events_to_tell(const checker::Judgement& judgement) {
  std::set<EventId> wanted;
  const auto want_all = [&](const std::vector<EventId>& events) {
    wanted.insert(events.begin(), events.end());
  };
  for (const checker::Violation& violation : judgement.violations) {
    wanted.insert(violation.event);
    want_all(violation.evidence);
  }
  std::size_t truncations = 0;
  for (const checker::MirrorTruncation& truncation : judgement.mirror_truncations) {
    if (truncations++ == kMaxToldTruncations) {
      break;
    }
    wanted.insert(truncation.event);
    want_all(truncation.unclean_elections);
    want_all(truncation.path);
    for (const checker::RemovedRecords& removed : truncation.removed) {
      wanted.insert(removed.killer);
    }
  }
  wanted.erase(0);
  return wanted;
}

}  // namespace mirrorproof::reports
