#include "reports/record_story.h"

#include <algorithm>

#include "reports/event_text.h"

namespace mirrorproof::reports {
namespace {

constexpr std::size_t kMaxFollowedBatches = 8;  ///< batches of one truncation
constexpr std::size_t kMaxStoryLines = 16;      ///< of one story

void add_line(RecordStory& story, EventId event, const std::string& text) {
  if (story.lines.size() < kMaxStoryLines) {
    story.lines.emplace_back(event, text);
  } else {
    ++story.left_out;
  }
}

bool batches_overlap(const Batch& batch, const checker::RemovedRecords& removed) {
  const std::uint64_t first = batch.first_id.packed;
  const std::uint64_t last = first + static_cast<std::uint64_t>(batch.last_offset - batch.base_offset);
  const std::uint64_t removed_last =
      removed.first_id.packed + static_cast<std::uint64_t>(removed.last_offset - removed.base_offset);
  return first <= removed_last && removed.first_id.packed <= last;
}

bool touches_records(const Event& event, const LogReplay& logs_before,
                     const checker::RemovedRecords& removed) {
  const auto hit = [&](const Batch& batch) { return batches_overlap(batch, removed); };
  if (const auto* appended = std::get_if<Appended>(&event.payload)) {
    return std::any_of(appended->batches.begin(), appended->batches.end(), hit);
  }
  if (const auto* cut = std::get_if<Truncated>(&event.payload)) {
    const ReplayedLog* log = logs_before.find({event.cluster, event.broker, event.partition});
    return log != nullptr && std::any_of(log->batches.rbegin(), log->batches.rend(), [&](const Batch& batch) {
             return batch.last_offset >= cut->target && hit(batch);
           });
  }
  return false;
}

}  // namespace

std::vector<TruncationStory> tell_stories(const TraceHeader& header, const EventSource& source,
                                          const checker::Judgement& judgement, std::size_t truncations) {
  truncations = std::min(truncations, judgement.mirror_truncations.size());
  std::vector<TruncationStory> stories(truncations);
  for (std::size_t i = 0; i < truncations; ++i) {
    stories[i].removed.resize(std::min(judgement.mirror_truncations[i].removed.size(), kMaxFollowedBatches));
  }
  if (truncations == 0) {
    return stories;
  }
  EventNarrator narrator(header);
  source([&](const Event& event) {
    // Who is touched is seen before the event, what it did afterwards.
    std::vector<RecordStory*> touched;
    for (std::size_t i = 0; i < truncations; ++i) {
      const checker::MirrorTruncation& truncation = judgement.mirror_truncations[i];
      if (event.partition != truncation.partition || event.id > truncation.event) {
        continue;
      }
      for (std::size_t r = 0; r < stories[i].removed.size(); ++r) {
        if (touches_records(event, narrator.logs(), truncation.removed[r])) {
          touched.push_back(&stories[i].removed[r]);
        }
      }
      if (event.cluster == truncation.source && std::holds_alternative<Election>(event.payload)) {
        touched.push_back(&stories[i].source_elections);
      }
    }
    narrator.observe(event);
    if (!touched.empty()) {
      const std::string text = narrator.text(event);
      for (RecordStory* story : touched) {
        add_line(*story, event.id, text);
      }
    }
  });
  return stories;
}

}  // namespace mirrorproof::reports
