#include "model/leader_epoch_check.h"

#include "model/mutant.h"

namespace mirrorproof {

namespace {

EpochEndOffset end_offset_for(const LeaderEpochCache& epochs, Epoch requested, Offset log_end_offset,
                              bool unknown_diverges) {
  const std::optional<Epoch> latest = epochs.latest_epoch();
  if (unknown_diverges && latest && requested > *latest) {
    return {*latest, log_end_offset};
  }
  return epochs.end_offset_for(requested, log_end_offset);
}

}  // namespace

ErrorCode check_leader_epoch(Epoch requested, Epoch local) {
  if (requested < 0 || requested == local) {
    return ErrorCode::none;
  }
  if (requested < local ? mutated(Mutant::older_leader_epoch_accepted)
                        : mutated(Mutant::newer_leader_epoch_accepted)) {
    return ErrorCode::none;
  }
  return requested < local ? ErrorCode::fenced_leader_epoch : ErrorCode::unknown_leader_epoch;
}

FetchCheck check_fetch_epoch(const LeaderEpochCache& epochs, Offset log_start_offset, Offset log_end_offset,
                             Offset fetch_offset, Epoch last_fetched_epoch, bool range_first,
                             bool unknown_diverges) {
  constexpr FetchCheck kOutOfRange{FetchCheck::Result::out_of_range, {}};
  if (last_fetched_epoch >= 0) {
    const EpochEndOffset known = end_offset_for(epochs, last_fetched_epoch, log_end_offset, unknown_diverges);
    if (known.epoch == kUndefinedEpoch || known.end_offset == kUndefinedOffset) {
      return mutated(Mutant::unknown_last_epoch_served) ? FetchCheck{} : kOutOfRange;  // P10
    }
    if (range_first && fetch_offset < log_start_offset) {
      return kOutOfRange;  // P11
    }
    const bool older_epoch =
        known.epoch < last_fetched_epoch && !mutated(Mutant::diverging_epoch_not_compared);
    const Offset tolerated = mutated(Mutant::diverging_end_off_by_one) ? 1 : 0;
    if (older_epoch || known.end_offset + tolerated < fetch_offset) {
      return {FetchCheck::Result::diverging, known};  // P12
    }
  }
  if (fetch_offset < log_start_offset || fetch_offset > log_end_offset) {
    return kOutOfRange;  // L23
  }
  return {};
}

FetchCheck check_fetch_epoch(const Log& log, Offset fetch_offset, Epoch last_fetched_epoch, bool range_first,
                             bool unknown_diverges) {
  return check_fetch_epoch(log.leader_epoch_cache(), log.log_start_offset(), log.log_end_offset(),
                           fetch_offset, last_fetched_epoch, range_first, unknown_diverges);
}

EpochPartitionResponse answer_offset_for_leader_epoch(const LeaderEpochCache& epochs, Offset log_end_offset,
                                                      LeaderView view, const EpochPartition& asked,
                                                      ApiVersion version, bool unknown_diverges) {
  EpochPartitionResponse response;
  response.partition = asked.partition;
  response.error = check_leader_epoch(asked.current_leader_epoch, view.leader_epoch);
  if (response.error == ErrorCode::none && !view.is_leader) {
    response.error = ErrorCode::not_leader_or_follower;
  }
  if (response.error != ErrorCode::none) {
    return response;
  }
  response.answer = end_offset_for(epochs, asked.leader_epoch, log_end_offset,
                                   unknown_diverges && version >= kOfleWithEpochInAnswer);
  if (version < kOfleWithEpochInAnswer) {
    response.answer.epoch = kUndefinedEpoch;
  }
  return response;
}

EpochPartitionResponse answer_offset_for_leader_epoch(const Log& log, LeaderView view,
                                                      const EpochPartition& asked, ApiVersion version,
                                                      bool unknown_diverges) {
  return answer_offset_for_leader_epoch(log.leader_epoch_cache(), log.log_end_offset(), view, asked, version,
                                        unknown_diverges);
}

}  // namespace mirrorproof
