#pragma once
// Blocks of a trace: whole lines, read ahead on any thread. What the events before a block allow is not known
// there, so its events count only once TraceEventReader::accept() has taken each of them; a block with
// anything wrong in it is read again, line by line, by the one reader whose complaints count.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "checker/trace_lines.h"
#include "checker/trace_values.h"
#include "model/event.h"

namespace mirrorproof::checker {

struct TraceBlock {
  std::string text;               ///< the lines, without their newlines
  std::vector<std::size_t> ends;  ///< where each line ends in `text`
  bool sound = false;             ///< every line is an event as far as the block alone can tell
  std::vector<Event> events;      ///< if sound: one per line

  std::string_view line(std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : ends[index - 1];
    return std::string_view(text).substr(begin, ends[index] - begin);
  }
};

/// Takes the next lines, one at least unless the status is another than `line`.
TraceLines::Status cut_block(TraceLines& lines, TraceBlock& block);

/// Reads the block's lines as events. Precondition: the header's clusters and partitions are known.
void read_ahead(const TraceWorld& world, TraceBlock& block);

}  // namespace mirrorproof::checker
