#pragma once
// The stories of removed records: where they were written, copied to and removed from, and which elections
// the source held meanwhile. What is known of a truncation, also where no unclean election explains it.

#include <string>
#include <utility>
#include <vector>

#include "checker/checker.h"
#include "reports/told_events.h"

namespace mirrorproof::reports {

using StoryLine = std::pair<EventId, std::string>;

struct RecordStory {
  std::vector<StoryLine> lines;  ///< oldest first
  std::size_t left_out = 0;      ///< further lines
};

struct TruncationStory {
  /// By index of MirrorTruncation::removed; shorter if there are too many to follow.
  std::vector<RecordStory> removed;
  RecordStory source_elections;  ///< of the partition in the source cluster, before the truncation
};

/// Stories of the first `truncations` mirror truncations, from one walk through the run.
std::vector<TruncationStory> tell_stories(const TraceHeader& header, const EventSource& source,
                                          const checker::Judgement& judgement, std::size_t truncations);

}  // namespace mirrorproof::reports
