#include "checker/trace_reader.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <utility>

#include "checker/trace_block.h"
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

/// One trace being read. Used by one thread at a time, but for the two questions.
class TraceReading {
 public:
  TraceReading(const TraceHeaderSink& on_header, const TraceEventSink& on_event, EventId last,
               TraceStreamResult& result)
      : on_header_(on_header),
        on_event_(on_event),
        last_(last),
        result_(result),
        events_(world_, problems_) {}

  /// Nothing more is to be read.
  bool over() const { return over_.load(std::memory_order_relaxed); }
  /// Something was wrong: what is left is read line by line, for the complaints alone.
  bool spoilt() const { return spoilt_.load(std::memory_order_relaxed); }
  const TraceWorld& world() const { return world_; }

  void read_line(std::string_view text) {
    ++line_;
    if (line_ == 1) {
      if (read_trace_header(text, line_, world_, problems_)) {
        on_header_(TraceHeader(world_.header));
      } else {
        events_.skip_line();
        over_.store(opens_a_document(text), std::memory_order_relaxed);
      }
    } else if (events_.read(text, line_, event_) && problems_.total() == 0) {
      hand_on(std::move(event_));
    }
    problems_.end_line();
    if (problems_.total() > 0) {
      spoilt_.store(true, std::memory_order_relaxed);
    }
    if (problems_.total() >= kHopelessTraceProblems) {
      over_.store(true, std::memory_order_relaxed);
    }
  }

  void take(TraceBlock& block) {
    std::size_t taken = 0;
    if (block.sound && !spoilt()) {
      while (taken < block.events.size() && !over() && events_.accept(block.events[taken])) {
        ++line_;
        hand_on(std::move(block.events[taken++]));
      }
    }
    while (taken < block.ends.size() && !over()) {
      read_line(block.line(taken++));
    }
  }

  /// `status`: how the lines ended, if they were read to their end.
  void finish(TraceLines::Status status) {
    if (problems_.total() >= kHopelessTraceProblems) {
      problems_.add(
          TraceProblem{line_ + 1, 0, "", fmt::format("{} problems so far", problems_.total()), "a trace"});
    } else if (!over()) {
      complain_about_end(status);
    }
    problems_.move_to(result_.problems, result_.suppressed);
  }

 private:
  void complain_about_end(TraceLines::Status status) {
    switch (status) {
      case TraceLines::Status::too_long:
        problems_.add(TraceProblem{line_ + 1, 0, "", "a longer line (the rest was not read)",
                                   fmt::format("at most {} bytes in a line", kMaxTraceLine)});
        break;
      case TraceLines::Status::failed:
        problems_.add(TraceProblem{line_ + 1, 0, "", "a read error", "a readable stream"});
        break;
      case TraceLines::Status::end:
        if (line_ == 0) {
          problems_.add(TraceProblem{1, 0, "", "an empty file", "a header line"});
        }
        break;
      case TraceLines::Status::line:
        break;
    }
  }

  void hand_on(Event&& event) {
    ++result_.events;
    if (event.id >= last_) {
      over_.store(true, std::memory_order_relaxed);
    }
    on_event_(std::move(event));
  }

  const TraceHeaderSink& on_header_;
  const TraceEventSink& on_event_;
  const EventId last_;
  TraceStreamResult& result_;
  TraceProblemList problems_;
  TraceWorld world_;
  TraceEventReader events_;
  Event event_;
  std::size_t line_ = 0;
  std::atomic<bool> over_{false};
  std::atomic<bool> spoilt_{false};
};

/// Blocks are read ahead on all cores and taken in their order. Returns how the lines ended.
TraceLines::Status take_blocks(TraceLines& lines, TraceBlock&& first, TraceReading& reading) {
  using Block = std::shared_ptr<TraceBlock>;
  auto status = TraceLines::Status::line;
  Block next = std::make_shared<TraceBlock>(std::move(first));
  const auto cut = [&](oneapi::tbb::flow_control& flow) -> Block {
    if (next == nullptr && status == TraceLines::Status::line && !reading.over()) {
      next = std::make_shared<TraceBlock>();
      status = cut_block(lines, *next);
    }
    if (next == nullptr) {
      flow.stop();
    }
    return std::exchange(next, nullptr);
  };
  const auto parse = [&](const Block& block) {
    if (!reading.spoilt()) {
      read_ahead(reading.world(), *block);
    }
    return block;
  };
  const auto take = [&](const Block& block) { reading.take(*block); };
  using Mode = oneapi::tbb::filter_mode;
  const auto threads = static_cast<std::size_t>(oneapi::tbb::this_task_arena::max_concurrency());
  oneapi::tbb::parallel_pipeline(4 * threads,
                                 oneapi::tbb::make_filter<void, Block>(Mode::serial_in_order, cut) &
                                     oneapi::tbb::make_filter<Block, Block>(Mode::parallel, parse) &
                                     oneapi::tbb::make_filter<Block, void>(Mode::serial_in_order, take));
  return status;
}

/// Reads line after line; `result` is complete when it returns.
void read_lines(std::istream& in, const TraceHeaderSink& on_header, const TraceEventSink& on_event,
                EventId last, TraceStreamResult& result) {
  TraceReading reading(on_header, on_event, last, result);
  TraceLines lines(in, kMaxTraceLine);
  std::string_view header;
  TraceLines::Status status = lines.next(header);
  if (status == TraceLines::Status::line) {
    reading.read_line(header);
  }
  while (status == TraceLines::Status::line && !reading.over()) {
    TraceBlock block;
    status = cut_block(lines, block);
    if (status == TraceLines::Status::line && !reading.spoilt()) {
      status = take_blocks(lines, std::move(block), reading);
    } else {
      reading.take(block);
    }
  }
  reading.finish(status);
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
                               const TraceEventSink& on_event, EventId last) {
  TraceStreamResult result;
  try {
    read_lines(in, on_header, on_event, last, result);
  } catch (const std::bad_alloc&) {
    result.problems.assign(1, TraceProblem{0, 0, "", "a trace larger than the memory", "a smaller trace"});
  }
  return result;
}

TraceStreamResult stream_trace_file(const std::string& path, const TraceHeaderSink& on_header,
                                    const TraceEventSink& on_event, EventId last) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return unreadable("a directory");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return unreadable(errno != 0 ? std::strerror(errno) : "a file that cannot be opened");
  }
  return stream_trace(in, on_header, on_event, last);
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
