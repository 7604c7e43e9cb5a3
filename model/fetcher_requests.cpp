// What the fetcher asks next: one truncation round, then one fetch (protocol.md F9, F20, 5.6).

#include <algorithm>

#include "model/fetcher.h"
#include "model/mutant.h"

namespace mirrorproof {
namespace {

bool takes_part_in_truncation(const PartitionFetchState& state) {
  return state.phase == FetchPhase::truncating && !state.delayed &&
         state.out_of_range == OutOfRangeStep::none;
}

}  // namespace

bool Fetcher::has_work() const {
  return std::ranges::any_of(states_, [](const PartitionFetchState& state) { return !state.delayed; });
}

std::optional<Request> Fetcher::next_request(FetcherHost& host) {
  if (std::optional<Request> request = build_list_offsets()) {
    return request;
  }
  if (fetch_is_next_) {
    fetch_is_next_ = false;
    if (std::optional<Request> request = build_fetch(host)) {
      branches_.note(FetcherBranch::fetch_before_round);
      return request;
    }
  }
  cut_to_fetch_offset(host);
  if (std::optional<Request> request = build_offsets_for_leader_epoch(host)) {
    return request;
  }
  return build_fetch(host);
}

void Fetcher::cut_to_fetch_offset(FetcherHost& host) {
  const States before = states_;
  for (const PartitionFetchState& state : before) {
    if (takes_part_in_truncation(state) &&
        (rules_.high_watermark_truncation || !host.latest_epoch(state.partition))) {
      branches_.note(FetcherBranch::cut_without_epochs);
      const TruncationDecision decision{state.fetch_offset, true, FetcherBranch::cut_without_epochs};
      cut(state, decision, TruncationReason::high_watermark, host);
    }
  }
}

std::optional<Request> Fetcher::build_list_offsets() const {
  ListOffsetsRequest request;
  for (const PartitionFetchState& state : states_) {
    if (state.out_of_range != OutOfRangeStep::none && !state.delayed) {
      ListOffsetsPartition part;
      part.partition = state.partition;
      part.current_leader_epoch = rules_.fenced ? state.current_leader_epoch : kUndefinedEpoch;
      part.spec =
          state.out_of_range == OutOfRangeStep::ask_latest ? OffsetSpec::latest : OffsetSpec::earliest;
      request.partitions.push_back(part);
    }
  }
  if (request.partitions.empty()) {
    return std::nullopt;
  }
  return request;
}

std::optional<Request> Fetcher::build_offsets_for_leader_epoch(FetcherHost& host) {
  OffsetsForLeaderEpochRequest request;
  for (const PartitionFetchState& state : states_) {
    if (!takes_part_in_truncation(state)) {
      continue;
    }
    if (const std::optional<Epoch> latest = host.latest_epoch(state.partition)) {
      EpochPartition part;
      part.partition = state.partition;
      const bool fenced = rules_.fenced && !mutated(Mutant::epoch_question_without_leader_epoch);
      part.current_leader_epoch = fenced ? state.current_leader_epoch : kUndefinedEpoch;
      if (fenced && rules_.epoch_question_by_metadata) {
        part.current_leader_epoch =
            host.metadata_leader_epoch(state.partition).value_or(part.current_leader_epoch);
      }
      part.leader_epoch = *latest;
      request.partitions.push_back(part);
    }
  }
  if (request.partitions.empty()) {
    return std::nullopt;
  }
  branches_.note(FetcherBranch::epoch_question);
  return request;
}

std::optional<Request> Fetcher::build_fetch(FetcherHost& host) const {
  FetchRequest request;
  for (const PartitionFetchState& state : states_) {
    if (!state.ready_to_fetch()) {
      continue;
    }
    FetchPartition part;
    part.partition = state.partition;
    part.topic_id = state.topic_id;
    part.fetch_offset = state.fetch_offset;
    part.log_start_offset = host.log_start_offset(state.partition);
    const bool fenced = rules_.fenced && !mutated(Mutant::request_without_leader_epoch);
    part.current_leader_epoch = fenced ? state.current_leader_epoch : kUndefinedEpoch;
    const bool tells_epoch = truncate_on_fetch_ && !mutated(Mutant::fetch_without_last_epoch);
    part.last_fetched_epoch = tells_epoch ? state.last_fetched_epoch : kUndefinedEpoch;
    request.partitions.push_back(part);
  }
  if (request.partitions.empty()) {
    return std::nullopt;
  }
  return request;
}

}  // namespace mirrorproof
