#include "checker/trace_block.h"

#include "checker/trace_event_reader.h"

namespace mirrorproof::checker {
namespace {
/// Large enough that handing a block to another thread costs nothing, small enough to stay in its cache.
constexpr std::size_t kBlockBytes = std::size_t{1} << 17;
}  // namespace

TraceLines::Status cut_block(TraceLines& lines, TraceBlock& block) {
  while (block.text.size() < kBlockBytes) {
    std::string_view text;
    if (const TraceLines::Status status = lines.next(text); status != TraceLines::Status::line) {
      return status;
    }
    block.text += text;
    block.ends.push_back(block.text.size());
  }
  return TraceLines::Status::line;
}

void read_ahead(const TraceWorld& world, TraceBlock& block) {
  TraceProblemList problems;
  TraceEventReader reader(world, problems, TraceEventReader::Causes::trusted);
  block.events.reserve(block.ends.size());
  for (std::size_t i = 0; i < block.ends.size(); ++i) {
    if (!reader.read(block.line(i), i, block.events.emplace_back()) || problems.total() > 0) {
      block.events.clear();
      return;
    }
  }
  block.sound = true;
}

}  // namespace mirrorproof::checker
