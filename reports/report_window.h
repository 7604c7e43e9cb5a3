#pragma once
// ReportWindow: the events that an HTML report shows, in memory. All of a run, or for a very long one the
// part around what matters most, with the logs as they were before it.

#include <cstdint>
#include <string>
#include <vector>

#include "checker/causal_order.h"
#include "checker/checker.h"
#include "reports/log_replay.h"
#include "reports/told_events.h"

namespace mirrorproof::reports {

/// What a browser still scrolls through without effort.
inline constexpr std::size_t kMaxReportEvents = 50'000;

struct ReportWindow {
  explicit ReportWindow(const TraceHeader& header) : order(header) {}

  std::uint64_t total = 0;         ///< events of the whole run
  std::uint64_t first = 0;         ///< number of the first event shown, from 0
  LogReplay logs_before;           ///< before the first event shown
  std::vector<Event> events;       ///< at most kMaxReportEvents
  std::vector<std::string> texts;  ///< one readable line for each of them
  checker::CausalOrder order;      ///< of everything up to the last event shown

  /// Place in `events`, or -1.
  std::ptrdiff_t place_of(EventId id) const;
};

ReportWindow collect_window(const TraceHeader& header, const EventSource& source,
                            const checker::Judgement& judgement, std::size_t limit = kMaxReportEvents);

}  // namespace mirrorproof::reports
