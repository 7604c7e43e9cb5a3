// Where a follower cuts its log (protocol.md section 5.4), and what becomes of its fetch state (F12,
// F26-F28).

#include <algorithm>

#include "model/fetcher.h"
#include "model/mutant.h"

namespace mirrorproof {
TruncationDecision truncation_decision(EpochEndOffset answer, Offset fetch_offset, Offset log_end_offset,
                                       FetcherHost& host, PartitionId partition) {
  if (answer.end_offset < 0) {
    return {fetch_offset, true, FetcherBranch::leader_cannot_tell};  // F13
  }
  if (answer.epoch == kUndefinedEpoch) {
    return {std::min(answer.end_offset, log_end_offset), true, FetcherBranch::leader_without_epochs};  // F14
  }
  const EpochEndOffset local = host.end_offset_for_epoch(partition, answer.epoch);
  if (local.end_offset == kUndefinedOffset) {
    return {std::min(answer.end_offset, log_end_offset), true, FetcherBranch::no_local_answer};  // F17
  }
  if (local.epoch == answer.epoch) {
    const Offset own_end = mutated(Mutant::cut_ignores_own_end) ? log_end_offset : local.end_offset;
    const Offset leader_end = mutated(Mutant::cut_ignores_leader_end) ? log_end_offset : answer.end_offset;
    return {std::min({own_end, leader_end, log_end_offset}), true, FetcherBranch::epoch_shared};  // F15
  }
  return {std::min(local.end_offset, log_end_offset), false, FetcherBranch::epoch_unknown_here};  // F16
}

void Fetcher::truncate_by_answer(const PartitionFetchState& state, EpochEndOffset answer,
                                 TruncationReason reason, FetcherHost& host) {
  PartitionFetchState* held = find_mutable(state.partition);
  if (rules_.undefined_is_out_of_range && answer.end_offset < 0 && held != nullptr) {
    branches_.note(FetcherBranch::leader_cannot_tell);
    held->out_of_range = OutOfRangeStep::ask_latest;
    return;
  }
  const Offset log_end = host.log_end_offset(state.partition);
  const TruncationDecision decision =
      truncation_decision(answer, state.fetch_offset, log_end, host, state.partition);
  branches_.note(decision.rule);
  cut(state, decision, reason, host);
}

void Fetcher::cut(const PartitionFetchState& state, TruncationDecision decision, TruncationReason reason,
                  FetcherHost& host) {
  if (mutated(Mutant::cut_one_too_deep) && decision.target > 0) {
    decision.target -= 1;
  }
  const HostVerdict verdict = host.truncate(state.partition, decision.target, reason, decision.completed);
  if (verdict != HostVerdict::proceed) {
    apply_verdict(state.partition, verdict);
    return;
  }
  PartitionFetchState* held = find_mutable(state.partition);
  if (held == nullptr) {
    return;
  }
  held->fetch_offset = std::min(decision.target, host.log_end_offset(state.partition));
  if (!mutated(Mutant::cut_keeps_last_epoch)) {
    held->last_fetched_epoch = host.latest_epoch(state.partition).value_or(kUndefinedEpoch);
  }
  const bool may_fetch = decision.completed || truncate_on_fetch_ || rules_.one_ofle_round;
  held->phase = may_fetch ? FetchPhase::fetching : FetchPhase::truncating;
  if (!may_fetch) {
    branches_.note(FetcherBranch::another_round);
  }
}

void Fetcher::leader_end_known(const PartitionFetchState& state, Offset leader_end, FetcherHost& host) {
  const Offset log_end = host.log_end_offset(state.partition);
  if (leader_end >= log_end || mutated(Mutant::longer_log_kept_when_out_of_range)) {
    PartitionFetchState* held = find_mutable(state.partition);
    held->lag = leader_end - log_end;
    held->out_of_range = OutOfRangeStep::ask_earliest;
    return;
  }
  // F27: no epoch is compared.
  branches_.note(FetcherBranch::leader_ends_before);
  const HostVerdict verdict =
      host.truncate(state.partition, leader_end, TruncationReason::out_of_range, /*completed=*/true);
  if (verdict != HostVerdict::proceed) {
    apply_verdict(state.partition, verdict);
    return;
  }
  if (PartitionFetchState* held = find_mutable(state.partition)) {
    held->fetch_offset = std::min(leader_end, host.log_end_offset(state.partition));
    held->lag = 0;
    held->last_fetched_epoch = host.latest_epoch(state.partition).value_or(kUndefinedEpoch);
    held->phase = FetchPhase::fetching;
    held->out_of_range = OutOfRangeStep::none;
  }
}

void Fetcher::leader_start_known(const PartitionFetchState& state, Offset leader_start, FetcherHost& host) {
  const Offset log_end = host.log_end_offset(state.partition);
  const bool nothing_shared = rules_.restart_at_leader_start && leader_start == log_end &&
                              host.log_start_offset(state.partition) < log_end;
  const bool restarts = leader_start > log_end || nothing_shared || rules_.in_range_restarts;
  branches_.note(leader_start > log_end ? FetcherBranch::leader_starts_after
                                        : FetcherBranch::in_range_after_all);
  if (restarts) {
    const HostVerdict verdict = host.truncate_fully_and_start_at(state.partition, leader_start);
    if (verdict != HostVerdict::proceed) {
      apply_verdict(state.partition, verdict);
      return;
    }
  }
  if (!restarts && rules_.out_of_range_trims_epochs) {
    // Removes no record: only epochs at the log end, which the leader could not place and would not the next
    // time.
    const HostVerdict verdict =
        host.truncate(state.partition, log_end, TruncationReason::out_of_range, /*completed=*/true);
    if (verdict != HostVerdict::proceed) {
      apply_verdict(state.partition, verdict);
      return;
    }
  }
  // F28: an unchanged log keeps its latest epoch, a restarted one has none.
  if (PartitionFetchState* held = find_mutable(state.partition)) {
    held->fetch_offset = std::max(leader_start, host.log_end_offset(state.partition));
    held->lag = std::max<std::int64_t>(0, held->lag - (held->fetch_offset - log_end));
    held->last_fetched_epoch = host.latest_epoch(state.partition).value_or(kUndefinedEpoch);
    held->phase = FetchPhase::fetching;
    held->out_of_range = OutOfRangeStep::none;
  }
}

}  // namespace mirrorproof
