#pragma once
// The leader's checks of what a follower, a mirror or a consumer believes (protocol.md P4, 3.2, P17; Kafka:
// Partition). Pure functions of the serving replica's log; none of them looks at leadership unless told.

#include "model/api_versions.h"
#include "model/leader_epoch_cache.h"
#include "model/log.h"
#include "model/messages.h"
#include "model/types.h"

namespace mirrorproof {

/// P4, which comes before the leader check: none, fenced_leader_epoch (the request is older than `local`) or
/// unknown_leader_epoch (newer). A negative `requested` was not sent and passes.
ErrorCode check_leader_epoch(Epoch requested, Epoch local);

struct FetchCheck {
  enum class Result : std::uint8_t { ok, diverging, out_of_range } result = Result::ok;
  EpochEndOffset diverging;  ///< for Result::diverging: what the log knows of lastFetchedEpoch (P12)
  friend bool operator==(const FetchCheck&, const FetchCheck&) = default;
};

/// P10-P13, then the bounds of a read (L23). A negative `last_fetched_epoch` was not sent: bounds only. All
/// bounds are log end based, whoever asks (P15). `range_first` false: a fetch below the log start that
/// diverges is answered as diverging (KAFKA-12996). `unknown_diverges`: an epoch above all known is answered
/// with the end of the latest one, not as out of range (P10).
FetchCheck check_fetch_epoch(const LeaderEpochCache& epochs, Offset log_start_offset, Offset log_end_offset,
                             Offset fetch_offset, Epoch last_fetched_epoch, bool range_first = true,
                             bool unknown_diverges = false);
FetchCheck check_fetch_epoch(const Log& log, Offset fetch_offset, Epoch last_fetched_epoch,
                             bool range_first = true, bool unknown_diverges = false);

/// What the serving replica is, for P17.
struct LeaderView {
  Epoch leader_epoch = 0;
  bool is_leader = true;
};

/// P17, P18: the epoch check, then the leader check, then the look-up. Epoch -1 in version 0 answers, so that
/// `unknown_diverges` leaves those alone.
EpochPartitionResponse answer_offset_for_leader_epoch(const LeaderEpochCache& epochs, Offset log_end_offset,
                                                      LeaderView view, const EpochPartition& asked,
                                                      ApiVersion version, bool unknown_diverges = false);
EpochPartitionResponse answer_offset_for_leader_epoch(const Log& log, LeaderView view,
                                                      const EpochPartition& asked, ApiVersion version,
                                                      bool unknown_diverges = false);

}  // namespace mirrorproof
