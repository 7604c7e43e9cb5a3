#pragma once
// What a judgement says, as text and as JSON: the parts that the reports of runs, traces and explanations
// share.

#include <nlohmann/json.hpp>
#include <string>

#include "checker/checker.h"
#include "reports/event_text.h"
#include "reports/style.h"
#include "reports/told_events.h"

namespace mirrorproof::reports {

using Json = nlohmann::ordered_json;

/// Everything the renderers need; all of it must outlive them.
struct JudgementView {
  const TraceNames& names;
  const checker::Judgement& judgement;
  const ToldEvents& told;
};

// --- text: paragraphs that end with a newline, or nothing if there is nothing to say ---

std::string violations_text(const JudgementView& view, const Style& style);
/// The first few truncations, then how many are left.
std::string mirror_truncations_text(const JudgementView& view, const Style& style);
/// One truncation: what was removed, the ULEs it goes back to, one causal path. `number` counts from 1.
std::string mirror_truncation_text(const JudgementView& view, const checker::MirrorTruncation& truncation,
                                   std::size_t number, const Style& style);
/// "1234 events, 5 elections (1 unclean), ..."
std::string statistics_text(const checker::Statistics& statistics);
/// "#45 A/1 was elected uncleanly in epoch 1 (ISR 1)"
std::string told_text(const JudgementView& view, EventId event);

// --- JSON ---

/// {"event":..,"text":..}
Json told_json(const JudgementView& view, EventId event);
Json violations_json(const JudgementView& view);
Json mirror_truncations_json(const JudgementView& view);
Json mirror_truncation_json(const JudgementView& view, const checker::MirrorTruncation& truncation);
Json statistics_json(const checker::Statistics& statistics);
Json over_truncation_json(const checker::OverTruncationStatistics& over);

/// "offset 3", "offsets 3 to 5"
std::string offsets_text(const checker::RemovedRecords& records);

/// "1 record", "2 records"
std::string counted(std::uint64_t count, std::string_view noun);

/// What comes from input files, made safe to print and not too long.
std::string safe_text(std::string_view text);

}  // namespace mirrorproof::reports
