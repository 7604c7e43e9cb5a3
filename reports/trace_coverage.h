#pragma once
// What a trace leaves out. A real broker may emit some events and not others; what is missing weakens the
// verdict, and the report says which invariants could not be judged, or which part of them.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checker/checker.h"
#include "checker/trace_fields.h"

namespace mirrorproof::reports {

/// Counts the events of each type.
class TraceCoverage {
 public:
  void observe(const Event& event) { counts_[event.payload.index()] += 1; }
  /// `type`: "election". 0 for types that do not exist.
  std::uint64_t count(std::string_view type) const;

 private:
  std::array<std::uint64_t, checker::kEventTypeCount> counts_{};
};

/// An invariant that was not judged, or a part of it.
struct NotJudged {
  checker::Invariant invariant = checker::Invariant::truncation_provenance;
  std::string_view missing;  ///< type of the events that the trace does not have
  std::string_view part;     ///< what of the invariant needs them; empty: all of it
};

/// By invariant; those about clients and about rest are left out, since most traces have neither. A trace in
/// which nothing of a kind happened counts as one that leaves it out: nobody can tell.
std::vector<NotJudged> not_judged(const TraceCoverage& coverage, const checker::Judgement& judgement);

/// "epoch-order was judged but for the epoch caches: the trace has no epoch_cache_changed events"
std::string not_judged_text(const NotJudged& gap);

}  // namespace mirrorproof::reports
