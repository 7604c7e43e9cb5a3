#include "reports/report_window.h"

#include <algorithm>

#include "reports/event_text.h"

namespace mirrorproof::reports {
namespace {

/// The event that a reader wants to see first: what broke, else the last truncation; 0 if there is neither.
EventId event_in_focus(const checker::Judgement& judgement) {
  if (!judgement.violations.empty()) {
    return judgement.violations.front().event;
  }
  return judgement.mirror_truncations.empty() ? 0 : judgement.mirror_truncations.back().event;
}

/// Number of the first event of a window of `limit` events that holds the one in focus near its end.
std::uint64_t window_begin(const EventSource& source, EventId focus, std::uint64_t total, std::size_t limit) {
  if (total <= limit) {
    return 0;
  }
  std::uint64_t before_focus = 0;
  source([&](const Event& event) { before_focus += event.id < focus ? 1 : 0; });
  const std::uint64_t lead = limit - limit / 10;
  return std::min(before_focus > lead ? before_focus - lead : 0, total - limit);
}

}  // namespace

std::ptrdiff_t ReportWindow::place_of(EventId id) const {
  const auto found = std::lower_bound(events.begin(), events.end(), id,
                                      [](const Event& event, EventId wanted) { return event.id < wanted; });
  return found == events.end() || found->id != id ? -1 : found - events.begin();
}

ReportWindow collect_window(const TraceHeader& header, const EventSource& source,
                            const checker::Judgement& judgement, std::size_t limit) {
  ReportWindow window(header);
  window.total = judgement.statistics.events;
  window.first = window_begin(source, event_in_focus(judgement), window.total, limit);
  window.events.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(window.total, limit)));
  EventNarrator narrator(header);
  std::uint64_t number = 0;
  source([&](const Event& event) {
    const bool shown = number >= window.first && window.events.size() < limit;
    if (number == window.first) {
      window.logs_before = narrator.logs();
    }
    ++number;
    if (number > window.first && !shown) {
      return;
    }
    window.order.add(event);
    narrator.observe(event);
    if (shown) {
      window.texts.push_back(narrator.text(event));
      window.events.push_back(event);
    }
  });
  return window;
}

}  // namespace mirrorproof::reports
