#include "model/fetcher.h"

#include <algorithm>

#include "model/mutant.h"

namespace mirrorproof {
namespace {

template <class Parts>
auto find_part(const Parts& parts, PartitionId partition) -> decltype(&parts[0]) {
  const auto found =
      std::ranges::find_if(parts, [partition](const auto& part) { return part.partition == partition; });
  return found == parts.end() ? nullptr : &*found;
}

/// The fetch state that a request was built from, as far as the request tells.
PartitionFetchState state_when_sent(const FetchPartition& asked) {
  PartitionFetchState state;
  state.partition = asked.partition;
  state.topic_id = asked.topic_id;
  state.fetch_offset = asked.fetch_offset;
  state.current_leader_epoch = asked.current_leader_epoch;
  state.last_fetched_epoch = asked.last_fetched_epoch;
  state.phase = FetchPhase::fetching;
  return state;
}

OutOfRangeStep step_of(OffsetSpec spec) {
  return spec == OffsetSpec::latest ? OutOfRangeStep::ask_latest : OutOfRangeStep::ask_earliest;
}

/// True if every answer is about a partition that was asked.
template <class RequestType, class ResponseType>
bool answers_only_asked(const RequestType& sent, const ResponseType& response) {
  return std::ranges::all_of(response.partitions, [&sent](const auto& answer) {
    return find_part(sent.partitions, answer.partition) != nullptr;
  });
}

}  // namespace

// --- partitions

void Fetcher::add_partition(PartitionId partition, TopicId topic_id, Offset init_offset, Epoch leader_epoch,
                            FetcherHost& host) {
  clear_failed(partition);
  PartitionFetchState* held = find_mutable(partition);
  if (held != nullptr && held->current_leader_epoch == leader_epoch) {
    branches_.note(FetcherBranch::added_again);
    return;  // F4
  }
  PartitionFetchState state;
  state.partition = partition;
  state.topic_id = topic_id;
  state.fetch_offset = init_offset;
  state.current_leader_epoch = leader_epoch;
  if (init_offset < 0) {
    state.fetch_offset = host.log_end_offset(partition);
    state.out_of_range = OutOfRangeStep::ask_latest;
    branches_.note(FetcherBranch::added_out_of_range);
  }
  if (truncate_on_fetch_ && !rules_.start_truncating && !rules_.high_watermark_truncation) {
    state.last_fetched_epoch = host.latest_epoch(partition).value_or(kUndefinedEpoch);
    state.phase = state.last_fetched_epoch == kUndefinedEpoch ? FetchPhase::truncating : FetchPhase::fetching;
  }
  branches_.note(state.phase == FetchPhase::fetching ? FetcherBranch::added_fetching
                                                     : FetcherBranch::added_truncating);
  if (held != nullptr) {
    *held = state;
    return;
  }
  const auto position = std::ranges::lower_bound(states_, partition, {}, &PartitionFetchState::partition);
  states_.insert(position, state);
}

void Fetcher::remove_partition(PartitionId partition) {
  clear_failed(partition);
  erase(partition);
}

void Fetcher::update_leader_epoch(PartitionId partition, Epoch epoch) {
  PartitionFetchState* held = find_mutable(partition);
  if (held == nullptr || held->current_leader_epoch == epoch) {
    return;
  }
  branches_.note(FetcherBranch::leader_epoch_updated);
  held->current_leader_epoch = epoch;
  held->out_of_range = OutOfRangeStep::none;  // begun under another leader: the next fetch decides again
  // N2: without lastFetchedEpoch in the fetches nothing else would notice what the new leader lacks.
  if (!truncate_on_fetch_ && rules_.retruncate_on_epoch_change) {
    held->phase = FetchPhase::truncating;
    branches_.note(FetcherBranch::truncating_again);
  }
}

bool Fetcher::update_topic_id(PartitionId partition, TopicId topic_id) {
  PartitionFetchState* held = find_mutable(partition);
  if (held == nullptr) {
    return false;
  }
  held->topic_id = topic_id;
  return true;
}

void Fetcher::backoff_elapsed(PartitionId partition) {
  PartitionFetchState* held = find_mutable(partition);
  if (held != nullptr && !mutated(Mutant::back_off_never_ends)) {
    held->delayed = false;
  }
}

const PartitionFetchState* Fetcher::find(PartitionId partition) const {
  return find_part(states_, partition);
}

PartitionFetchState* Fetcher::find_mutable(PartitionId partition) {
  const auto found = std::ranges::find(states_, partition, &PartitionFetchState::partition);
  return found == states_.end() ? nullptr : &*found;
}

bool Fetcher::failed(PartitionId partition) const {
  return std::ranges::find(failed_, partition) != failed_.end();
}

void Fetcher::clear_failed(PartitionId partition) {
  const auto found = std::ranges::find(failed_, partition);
  if (found != failed_.end()) {
    failed_.erase(found);
  }
}

void Fetcher::erase(PartitionId partition) {
  const auto found = std::ranges::find(states_, partition, &PartitionFetchState::partition);
  if (found != states_.end()) {
    states_.erase(found);
  }
}

void Fetcher::mark_failed(PartitionId partition) {
  if (find(partition) == nullptr) {
    return;
  }
  branches_.note(FetcherBranch::failed);
  erase(partition);
  failed_.insert(std::ranges::lower_bound(failed_, partition), partition);
}

void Fetcher::delay(PartitionId partition) {
  if (PartitionFetchState* held = find_mutable(partition)) {
    held->delayed = true;
    // F29: an out-of-range procedure that failed starts over with the fetch that led to it.
    held->out_of_range = OutOfRangeStep::none;
  }
}

// --- answers

bool Fetcher::answer_counts(PartitionId partition, const Request& sent) const {
  const PartitionFetchState* held = find(partition);
  // Before KIP-320 requests carried no epoch, so there was none to compare.
  const auto epoch_matches = [this, held](Epoch epoch_sent) {
    return !rules_.fenced || !rules_.stale_response_guard || held->current_leader_epoch == epoch_sent ||
           mutated(Mutant::answer_to_older_epoch_counts);
  };
  if (const auto* fetch = std::get_if<FetchRequest>(&sent)) {
    const FetchPartition* asked = find_part(fetch->partitions, partition);
    if (asked == nullptr) {
      return false;
    }
    if (!rules_.stale_response_guard) {
      return true;
    }
    return held != nullptr && (held->ready_to_fetch() || mutated(Mutant::answer_while_truncating_counts)) &&
           held->fetch_offset == asked->fetch_offset && epoch_matches(asked->current_leader_epoch);
  }
  if (const auto* epochs = std::get_if<OffsetsForLeaderEpochRequest>(&sent)) {
    const EpochPartition* asked = find_part(epochs->partitions, partition);
    return asked != nullptr && held != nullptr && epoch_matches(asked->current_leader_epoch);
  }
  const ListOffsetsPartition* asked = find_part(std::get<ListOffsetsRequest>(sent).partitions, partition);
  return asked != nullptr && held != nullptr && held->out_of_range == step_of(asked->spec) &&
         epoch_matches(asked->current_leader_epoch);
}

bool Fetcher::handle_response(const Request& sent, const Response& response, FetcherHost& host) {
  if (sent.index() != response.index()) {
    return false;
  }
  if (const auto* fetch = std::get_if<FetchResponse>(&response)) {
    handle_fetch(sent, *fetch, host);
    return true;
  }
  if (const auto* epochs = std::get_if<OffsetsForLeaderEpochResponse>(&response)) {
    if (!answers_only_asked(std::get<OffsetsForLeaderEpochRequest>(sent), *epochs)) {
      return false;
    }
    handle_epoch_answers(sent, *epochs, host);
    return true;
  }
  const auto& offsets = std::get<ListOffsetsResponse>(response);
  if (!answers_only_asked(std::get<ListOffsetsRequest>(sent), offsets)) {
    return false;
  }
  handle_offset_answers(sent, offsets, host);
  return true;
}

void Fetcher::handle_fetch(const Request& sent, const FetchResponse& response, FetcherHost& host) {
  version_decided_ = true;
  const auto& asked_partitions = std::get<FetchRequest>(sent).partitions;
  boost::container::small_vector<const FetchPartitionResponse*, 2> diverging;
  for (const FetchPartitionResponse& answer : response.partitions) {
    if (!answer_counts(answer.partition, sent)) {
      branches_.note(FetcherBranch::fetch_answer_ignored);
      continue;
    }
    const FetchPartition& asked = *find_part(asked_partitions, answer.partition);
    if (answer.error != ErrorCode::none) {
      handle_fetch_error(asked, answer, host);
    } else if (answer.diverging_epoch.epoch >= 0) {
      const PartitionFetchState* held = find(answer.partition);
      const HostVerdict verdict =
          host.on_diverging_answer(held != nullptr ? *held : state_when_sent(asked), answer);
      if (verdict == HostVerdict::proceed) {
        if (!mutated(Mutant::diverging_answer_ignored)) {
          diverging.push_back(&answer);
        }
      } else {
        branches_.note(FetcherBranch::diverging_skipped);
        apply_verdict(answer.partition, verdict);
      }
    } else {
      handle_data(asked, answer, host);
    }
  }
  // F23: the cuts come after the loop, and only for what is still held.
  for (const FetchPartitionResponse* answer : diverging) {
    if (const PartitionFetchState* held = find(answer->partition)) {
      const PartitionFetchState state = *held;
      branches_.note(FetcherBranch::diverging_answer);
      truncate_by_answer(state, answer->diverging_epoch, TruncationReason::diverging_epoch, host);
    } else if (rules_.stale_response_guard) {
      branches_.note(FetcherBranch::diverging_skipped);
    } else {
      truncate_by_answer(state_when_sent(*find_part(asked_partitions, answer->partition)),
                         answer->diverging_epoch, TruncationReason::diverging_epoch, host);
    }
  }
}

void Fetcher::handle_fetch_error(const FetchPartition& asked, const FetchPartitionResponse& answer,
                                 FetcherHost& host) {
  const PartitionFetchState* held = find(answer.partition);
  if (held == nullptr) {
    return;
  }
  const PartitionFetchState state = *held;
  if (apply_decision(answer.partition, host.on_fetch_error(state, answer))) {
    return;
  }
  if (answer.error == ErrorCode::fenced_leader_epoch) {
    fenced(answer.partition, asked.current_leader_epoch);
  } else if (answer.error == ErrorCode::offset_out_of_range) {
    branches_.note(FetcherBranch::out_of_range);
    if (PartitionFetchState* still_held = find_mutable(answer.partition)) {
      still_held->out_of_range = OutOfRangeStep::ask_latest;
    }
  } else {
    branches_.note(FetcherBranch::error_delayed);
    delay(answer.partition);
  }
}

void Fetcher::handle_data(const FetchPartition& asked, const FetchPartitionResponse& answer,
                          FetcherHost& host) {
  const PartitionFetchState* held_before = find(answer.partition);
  const PartitionFetchState state = held_before != nullptr ? *held_before : state_when_sent(asked);
  const ProcessedData processed = host.process_data(state, answer);
  if (processed.verdict != HostVerdict::proceed) {
    apply_verdict(answer.partition, processed.verdict);
    return;
  }
  branches_.note(processed.appended ? FetcherBranch::records_appended : FetcherBranch::nothing_appended);
  PartitionFetchState* held = find_mutable(answer.partition);
  if (held != nullptr) {
    held->mirror_leader_epoch = std::max(held->mirror_leader_epoch, answer.mirror_leader_epoch);
  }
  if (held == nullptr || (!processed.appended && state.lag >= 0)) {
    return;
  }
  if (processed.appended) {
    held->fetch_offset = processed.next_offset;
    if (processed.last_epoch != kUndefinedEpoch && !mutated(Mutant::last_fetched_epoch_not_advanced)) {
      held->last_fetched_epoch = processed.last_epoch;
    }
  } else if (rules_.empty_answer_forgets_epoch) {
    held->last_fetched_epoch = kUndefinedEpoch;
  }
  held->lag = std::max(answer.high_watermark, held->fetch_offset) - held->fetch_offset;
  held->phase = FetchPhase::fetching;
  held->delayed = false;
}

void Fetcher::handle_epoch_answers(const Request& sent, const OffsetsForLeaderEpochResponse& response,
                                   FetcherHost& host) {
  const auto& asked_partitions = std::get<OffsetsForLeaderEpochRequest>(sent).partitions;
  for (const EpochPartitionResponse& answer : response.partitions) {
    if (!answer_counts(answer.partition, sent)) {
      branches_.note(FetcherBranch::epoch_answer_ignored);
      continue;
    }
    if (answer.error != ErrorCode::none) {
      const Epoch epoch_sent = find_part(asked_partitions, answer.partition)->current_leader_epoch;
      handle_truncation_error(answer.partition, epoch_sent, answer.error, host);
      continue;
    }
    const PartitionFetchState state = *find(answer.partition);
    truncate_by_answer(state, answer.answer, TruncationReason::offset_for_leader_epoch, host);
  }
  fetch_is_next_ = std::ranges::any_of(states_, &PartitionFetchState::ready_to_fetch);
}

void Fetcher::handle_offset_answers(const Request& sent, const ListOffsetsResponse& response,
                                    FetcherHost& host) {
  const auto& asked_partitions = std::get<ListOffsetsRequest>(sent).partitions;
  for (const ListOffsetsPartitionResponse& answer : response.partitions) {
    if (!answer_counts(answer.partition, sent)) {
      branches_.note(FetcherBranch::offset_answer_ignored);
      continue;
    }
    const ListOffsetsPartition& asked = *find_part(asked_partitions, answer.partition);
    // An answer without an offset, or to another question, helps as little as an error.
    const bool usable = answer.offset >= 0 && answer.spec == asked.spec;
    const ErrorCode error =
        answer.error == ErrorCode::none && !usable ? ErrorCode::unknown_server_error : answer.error;
    if (error != ErrorCode::none) {
      handle_truncation_error(answer.partition, asked.current_leader_epoch, error, host);
      continue;
    }
    const PartitionFetchState state = *find(answer.partition);
    if (asked.spec == OffsetSpec::latest) {
      leader_end_known(state, answer.offset, host);
    } else {
      leader_start_known(state, answer.offset, host);
    }
  }
}

void Fetcher::handle_truncation_error(PartitionId partition, Epoch epoch_sent, ErrorCode error,
                                      FetcherHost& host) {
  const PartitionFetchState state = *find(partition);
  if (apply_decision(partition, host.on_truncation_error(state, error))) {
    return;
  }
  if (error == ErrorCode::fenced_leader_epoch) {
    fenced(partition, epoch_sent);
  } else {
    branches_.note(FetcherBranch::error_delayed);
    delay(partition);
  }
}

void Fetcher::fenced(PartitionId partition, Epoch epoch_sent) {
  const PartitionFetchState* held = find(partition);
  if (held != nullptr && held->current_leader_epoch == epoch_sent) {
    branches_.note(FetcherBranch::fenced_failed);
    mark_failed(partition);
  } else {
    branches_.note(FetcherBranch::fenced_delayed);
    delay(partition);
  }
}

void Fetcher::truncate_on_diverging_epoch(PartitionId partition, EpochEndOffset diverging,
                                          FetcherHost& host) {
  if (const PartitionFetchState* held = find(partition)) {
    const PartitionFetchState state = *held;
    truncate_by_answer(state, diverging, TruncationReason::diverging_epoch, host);
  } else if (!rules_.stale_response_guard) {
    PartitionFetchState state;
    state.partition = partition;
    state.fetch_offset = host.log_end_offset(partition);
    truncate_by_answer(state, diverging, TruncationReason::diverging_epoch, host);
  }
}

// --- failures of the whole request

void Fetcher::handle_unsupported_version(ApiKey api, FetcherHost& host) {
  const bool falls_back = api == ApiKey::fetch && truncate_on_fetch_ &&
                          rules_.divergence_detection == DivergenceDetection::fetch_then_ofle &&
                          (rules_.version_detection == VersionDetection::every_fetch ||
                           (rules_.version_detection == VersionDetection::first_fetch && !version_decided_));
  branches_.note(falls_back ? FetcherBranch::fell_back : FetcherBranch::request_refused);
  if (!falls_back) {
    request_failed(RequestFailure::unsupported_version, host);
    return;
  }
  version_decided_ = true;
  truncate_on_fetch_ = false;
  for (PartitionFetchState& state : states_) {
    if (!mutated(Mutant::fallback_keeps_fetching)) {
      state.phase = FetchPhase::truncating;
    }
    state.out_of_range = OutOfRangeStep::none;
  }
}

void Fetcher::handle_disconnect(FetcherHost& host) {
  branches_.note(FetcherBranch::connection_lost);
  request_failed(RequestFailure::io_error, host);
}

void Fetcher::handle_connected() {
  if (truncate_on_fetch_ != rules_.truncate_on_fetch) {
    branches_.note(FetcherBranch::believes_anew);
  }
  truncate_on_fetch_ = rules_.truncate_on_fetch;
  version_decided_ = false;
  fetch_is_next_ = false;
}

void Fetcher::request_failed(RequestFailure failure, FetcherHost& host) {
  const States before = states_;
  for (const PartitionFetchState& state : before) {
    const ErrorDecision decision = host.on_request_failed(state, failure == RequestFailure::io_error);
    if (!apply_decision(state.partition, decision)) {
      delay(state.partition);
    }
  }
}

void Fetcher::apply_verdict(PartitionId partition, HostVerdict verdict) {
  switch (verdict) {
    case HostVerdict::proceed:
      return;
    case HostVerdict::delay:
      delay(partition);
      return;
    case HostVerdict::fail:
      mark_failed(partition);
      return;
    case HostVerdict::remove:
      branches_.note(FetcherBranch::taken_away);
      erase(partition);
      return;
  }
}

bool Fetcher::apply_decision(PartitionId partition, const ErrorDecision& decision) {
  if (decision.kind != ErrorDecision::Kind::by_table) {
    branches_.note(FetcherBranch::error_decided_by_host);
  }
  switch (decision.kind) {
    case ErrorDecision::Kind::by_table:
      return false;
    case ErrorDecision::Kind::delay:
      delay(partition);
      return true;
    case ErrorDecision::Kind::remove:
      erase(partition);
      return true;
    case ErrorDecision::Kind::update_epoch:
      update_leader_epoch(partition, decision.epoch);
      return true;
  }
  return false;
}

}  // namespace mirrorproof
