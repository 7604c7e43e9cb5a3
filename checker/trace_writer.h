#pragma once
// Writes traces as JSON Lines: a header line, then one line per event, as docs/traces.md describes them. The
// bytes are a function of the trace alone: fixed key order, integers only, no locale. Fields that hold their
// default are left out where trace_fields.h calls them optional.

#include <ostream>
#include <string>
#include <vector>

#include "model/event.h"

namespace mirrorproof::checker {

/// Lines of one trace as text. Events must lie inside the header (clusters, brokers, partitions, origins of
/// records).
class TraceFormatter {
 public:
  explicit TraceFormatter(const TraceHeader& header);

  /// Both end with a newline.
  void append_header(std::string& out) const;
  void append_event(std::string& out, const Event& event) const;

 private:
  TraceHeader header_;
  std::vector<std::string> clusters_;    ///< names as JSON strings, quotes included
  std::vector<std::string> partitions_;  ///< likewise
};

/// Streams a trace. Writes the header on construction; buffers; flushes on destruction.
class TraceWriter {
 public:
  TraceWriter(std::ostream& out, const TraceHeader& header);
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  void write(const Event& event);
  /// False if anything could not be written.
  bool flush();

 private:
  std::ostream& out_;
  TraceFormatter formatter_;
  std::string buffer_;
  bool good_ = true;
};

/// False if anything could not be written.
bool write_trace(std::ostream& out, const Trace& trace);
std::string trace_to_text(const Trace& trace);

}  // namespace mirrorproof::checker
