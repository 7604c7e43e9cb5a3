#pragma once
// Reads traces: JSON Lines as docs/traces.md describes them, from trace_writer.h or from a real broker. The
// input is hostile: everything that is wrong is reported with its place, nothing is thrown, nothing is
// trusted.
//
// What is guaranteed for every event handed on: event ids strictly increase; causes exist and are smaller;
// clusters, brokers and partitions lie inside the header; an event that needs a partition names one; events
// of brokers happen at brokers and events of controllers at controllers; offsets are at most kMaxTraceOffset,
// batches hold 1 to kMaxBatchRecords records. Whether the events make sense together is the Checker's
// business.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <limits>
#include <string>
#include <vector>

#include "model/event.h"

namespace mirrorproof::checker {

/// Problems kept; the rest is counted.
inline constexpr std::size_t kMaxTraceProblems = 50;
/// Reading stops after so many problems: such a file is no trace.
inline constexpr std::uint64_t kHopelessTraceProblems = 1'000'000;
/// Longest line, in bytes, without its newline.
inline constexpr std::size_t kMaxTraceLine = std::size_t{16} << 20;

struct TraceProblem {
  std::size_t line = 0;    ///< 1-based; 0 = the whole file
  std::size_t column = 0;  ///< 1-based, in bytes; 0 = the whole line
  std::string pointer;  ///< JSON pointer inside the line ("/batches/0/epoch"), "" = the line; keys as written
  std::string found;
  std::string expected;
  friend bool operator==(const TraceProblem&, const TraceProblem&) = default;
};

/// "line 3, column 17, /batches/0/epoch: found -2, expected an integer from -1 to 2147483647"
std::string describe(const TraceProblem& problem);

struct TraceStreamResult {
  std::vector<TraceProblem> problems;  ///< by line, then column; at most kMaxTraceProblems
  std::uint64_t suppressed = 0;        ///< problems beyond those
  std::uint64_t events = 0;            ///< events handed on
  bool ok() const { return problems.empty(); }
};

using TraceHeaderSink = std::function<void(TraceHeader&&)>;
using TraceEventSink = std::function<void(Event&&)>;

/// The id of no event: reading goes on to the end.
inline constexpr EventId kEveryEvent = std::numeric_limits<EventId>::max();

/// Streams a trace in memory bounded by its longest line (plus 16 bytes for every gap in the event ids), and
/// a few blocks that other threads read ahead. The sinks are called in order, one at a time, but not always
/// on the calling thread. `on_header` is called once, before the first event. After the first problem neither
/// is called again; the rest is only examined. What comes behind the event `last` is not read at all. The
/// sinks must not throw.
TraceStreamResult stream_trace(std::istream& in, const TraceHeaderSink& on_header,
                               const TraceEventSink& on_event, EventId last = kEveryEvent);
TraceStreamResult stream_trace_file(const std::string& path, const TraceHeaderSink& on_header,
                                    const TraceEventSink& on_event, EventId last = kEveryEvent);

struct ReadTraceResult {
  Trace trace;  ///< only when ok(): otherwise what came before the first problem
  std::vector<TraceProblem> problems;
  std::uint64_t suppressed = 0;
  bool ok() const { return problems.empty(); }
};

/// The whole trace in memory (about 180 bytes an event).
ReadTraceResult read_trace(std::istream& in);
ReadTraceResult read_trace_file(const std::string& path);

}  // namespace mirrorproof::checker
