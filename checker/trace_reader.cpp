#include "checker/trace_reader.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <utility>

#include "checker/trace_event_reader.h"
#include "checker/trace_header_reader.h"
#include "checker/trace_lines.h"

namespace mirrorproof::checker {
namespace {

TraceStreamResult unreadable(std::string found) {
  TraceStreamResult result;
  result.problems.push_back(TraceProblem{0, 0, "", std::move(found), "a readable file"});
  return result;
}

/// Reads line after line; `result` is complete when it returns.
void read_lines(std::istream& in, const TraceHeaderSink& on_header, const TraceEventSink& on_event,
                TraceStreamResult& result) {
  TraceProblemList problems;
  TraceWorld world;
  TraceEventReader events(world, problems);
  TraceLines lines(in, kMaxTraceLine);
  std::string_view text;
  Event event;
  std::size_t line = 0;
  TraceLines::Status status = lines.next(text);
  for (; status == TraceLines::Status::line && problems.total() < kHopelessTraceProblems;
       status = lines.next(text)) {
    ++line;
    if (line == 1) {
      if (read_trace_header(text, line, world, problems)) {
        TraceHeader header = world.header;
        on_header(std::move(header));
      } else {
        events.skip_line();
      }
    } else if (events.read(text, line, event) && problems.total() == 0) {
      ++result.events;
      on_event(std::move(event));
    }
    problems.end_line();
  }
  switch (status) {
    case TraceLines::Status::line:
      problems.add(
          TraceProblem{line + 1, 0, "", fmt::format("{} problems so far", problems.total()), "a trace"});
      break;
    case TraceLines::Status::too_long:
      problems.add(TraceProblem{line + 1, 0, "", "a longer line (the rest was not read)",
                                fmt::format("at most {} bytes in a line", kMaxTraceLine)});
      break;
    case TraceLines::Status::failed:
      problems.add(TraceProblem{line + 1, 0, "", "a read error", "a readable stream"});
      break;
    case TraceLines::Status::end:
      if (line == 0) {
        problems.add(TraceProblem{1, 0, "", "an empty file", "a header line"});
      }
      break;
  }
  problems.move_to(result.problems, result.suppressed);
}

}  // namespace

std::string describe(const TraceProblem& problem) {
  std::string text;
  if (problem.line > 0) {
    text += fmt::format("line {}, ", problem.line);
  }
  if (problem.column > 0) {
    text += fmt::format("column {}, ", problem.column);
  }
  if (!problem.pointer.empty()) {
    text += fmt::format("{}, ", problem.pointer);
  }
  if (!text.empty()) {
    text.replace(text.size() - 2, 2, ": ");
  }
  return text + fmt::format("found {}, expected {}", problem.found, problem.expected);
}

TraceStreamResult stream_trace(std::istream& in, const TraceHeaderSink& on_header,
                               const TraceEventSink& on_event) {
  TraceStreamResult result;
  try {
    read_lines(in, on_header, on_event, result);
  } catch (const std::bad_alloc&) {
    result.problems.assign(1, TraceProblem{0, 0, "", "a trace larger than the memory", "a smaller trace"});
  }
  return result;
}

TraceStreamResult stream_trace_file(const std::string& path, const TraceHeaderSink& on_header,
                                    const TraceEventSink& on_event) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return unreadable("a directory");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return unreadable(errno != 0 ? std::strerror(errno) : "a file that cannot be opened");
  }
  return stream_trace(in, on_header, on_event);
}

namespace {

template <class Stream>
ReadTraceResult collect(Stream&& stream) {
  ReadTraceResult result;
  TraceStreamResult outcome = stream([&](TraceHeader&& header) { result.trace.header = std::move(header); },
                                     [&](Event&& event) { result.trace.events.push_back(std::move(event)); });
  result.problems = std::move(outcome.problems);
  result.suppressed = outcome.suppressed;
  return result;
}

}  // namespace

ReadTraceResult read_trace(std::istream& in) {
  return collect(
      [&](const auto& on_header, const auto& on_event) { return stream_trace(in, on_header, on_event); });
}

ReadTraceResult read_trace_file(const std::string& path) {
  return collect([&](const auto& on_header, const auto& on_event) {
    return stream_trace_file(path, on_header, on_event);
  });
}

}  // namespace mirrorproof::checker
