#include "reports/trace_coverage.h"

#include <fmt/format.h>

#include <algorithm>

namespace mirrorproof::reports {
namespace {

using checker::Invariant;

/// What each invariant needs to see. `part`: what is left unjudged without it, if not everything.
constexpr std::array<NotJudged, 18> kNeeds{{
    {Invariant::truncation_provenance, "appended", ""},
    {Invariant::truncation_provenance, "election", ""},
    {Invariant::truncation_provenance, "became_leader", ""},
    {Invariant::truncation_provenance, "mirror_state_changed", ""},
    {Invariant::truncation_provenance, "response_received", "the causal paths"},
    {Invariant::log_matching, "appended", ""},
    {Invariant::log_matching, "request_handled", "what the source had when it answered"},
    {Invariant::alignment_exactness, "mirror_aligned", ""},
    {Invariant::follower_truncation, "became_leader", ""},
    {Invariant::committed_stability, "high_watermark_moved", ""},
    {Invariant::epoch_order, "appended", ""},
    {Invariant::epoch_order, "epoch_cache_changed", "the epoch caches"},
    {Invariant::epoch_identity, "appended", ""},
    {Invariant::state_machine, "mirror_state_changed", ""},
    {Invariant::state_machine, "request_sent", "fetching only in MIRRORING"},
    {Invariant::recovery_barrier, "mirror_state_changed", ""},
    {Invariant::version_safety, "broker_started", ""},
    {Invariant::version_safety, "request_sent", ""},
}};

}  // namespace

std::uint64_t TraceCoverage::count(std::string_view type) const {
  const auto found = std::find(checker::kEventTypes.begin(), checker::kEventTypes.end(), type);
  return found == checker::kEventTypes.end()
             ? 0
             : counts_[static_cast<std::size_t>(found - checker::kEventTypes.begin())];
}

std::vector<NotJudged> not_judged(const TraceCoverage& coverage, const checker::Judgement& judgement) {
  std::vector<NotJudged> gaps;
  for (const NotJudged& need : kNeeds) {
    // One reason is enough where nothing of the invariant could be judged.
    const bool told = std::any_of(gaps.begin(), gaps.end(), [&](const NotJudged& gap) {
      return gap.invariant == need.invariant && gap.part.empty();
    });
    if (!told && coverage.count(need.missing) == 0) {
      gaps.push_back(need);
    }
  }
  // The policy is about divergences: where mirrors were truncated, somebody must have noticed one.
  if (judgement.statistics.mirror_truncations > 0 && coverage.count("divergence_detected") == 0) {
    gaps.push_back({Invariant::ule_policy, "divergence_detected", ""});
  }
  if (coverage.count("produce_acked") > 0 && coverage.count("high_watermark_moved") == 0) {
    gaps.push_back({Invariant::ack_means_stored, "high_watermark_moved", "acks=all"});
  }
  return gaps;
}

std::string not_judged_text(const NotJudged& gap) {
  return gap.part.empty() ? fmt::format("{} was not judged: the trace has no {} events",
                                        to_string(gap.invariant), gap.missing)
                          : fmt::format("{} was judged but for {}: the trace has no {} events",
                                        to_string(gap.invariant), gap.part, gap.missing);
}

}  // namespace mirrorproof::reports
