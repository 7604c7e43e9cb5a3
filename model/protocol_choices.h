#pragma once
// The protocol decisions under debate that are more than on or off (design.md section 6). The first value of
// every enumeration is the one of the preset `as_proposed`.

#include <cstdint>

#include "model/enum_names.h"

namespace mirrorproof {

/// What LOG_ALIGNMENT keeps of the local log, given the last mirror position (N4, M12).
/// end_offset_lookup: min(endOffsetForEpoch(last epoch), or 0 if unknown; last offset), the prototype's
/// arithmetic.
enum class Alignment : std::uint8_t {
  epoch_and_offset,
  epoch_only,
  offset_only,
  epoch_and_offset_inclusive,
  as_posted,
  end_offset_lookup,
  none
};
/// Which followers must have followed before LOG_ALIGNMENT ends (M13).
enum class AlignmentWait : std::uint8_t { relevant_replicas, all_replicas, none };
/// How the mirror notices that the source's history changed (N1, N6).
enum class DivergenceDetection : std::uint8_t { fetch_then_ofle, fetch_only, ofle_only };
/// When the mirror fetcher learns that a source lacks lastFetchedEpoch (N1, V1-V6).
enum class VersionDetection : std::uint8_t { every_fetch, first_fetch, drop_field };
/// Whether OffsetsForLeaderEpoch is repeated until truncation is complete (F12).
enum class OfleRounds : std::uint8_t { until_complete, one };
/// What a source leader-epoch change does on the OffsetsForLeaderEpoch path (N2).
enum class OnSourceEpochChange : std::uint8_t { retruncate, keep_fetching };
/// Fetch state of a partition newly given to a mirror fetcher: by F6/F7, or always TRUNCATING (M18).
enum class MirrorInitialState : std::uint8_t { by_version, truncating };
/// Whether mirrored batches keep the source's epochs.
enum class MirrorEpochs : std::uint8_t { preserve, rewrite };
/// Which replicas must agree before ULE_RECOVERY ends (N3, M28).
/// all_heard: and every one must have fetched since the leader took its epoch (or cut its log, with
/// follower_positions_survive_cut off), so that what the leader believes of it is knowledge.
enum class RecoveryWait : std::uint8_t { all_replicas, isr, none, all_heard };
/// How the destination's leader epoch is kept above the source's (M32).
enum class EpochBump : std::uint8_t { by_10_threshold_3, exact, none };
/// Whether STOPPING waits until the last mirror position is stored (M30).
enum class StopPositionWrite : std::uint8_t { awaited, fire_and_forget };
/// Whose high watermark a destination leader uses (M22).
enum class DestinationHighWatermark : std::uint8_t { own, source };
/// What a mirror started again from the same source aligns to.
enum class RestartAlignment : std::uint8_t { lme, resume };
/// When a follower of a mirror leader may join the ISR besides reaching the high watermark: by M3, by M3 and
/// P25, or by P25 alone.
enum class MirrorIsrJoin : std::uint8_t { latest_epoch, latest_epoch_and_start_offset, start_offset };
/// What a mirror does whose source no longer retains the next record: F28's restart at the source's log
/// start, or FAILED for good with nothing removed.
enum class RetentionGap : std::uint8_t { restart, fail };
/// What STOPPING does with transactions whose marker never arrived (M30 step 4).
enum class OpenTransactionsAtStop : std::uint8_t { abort, keep, truncate };
/// Whether mirrored batches keep their producer ids, or get negative ones (an early design).
enum class MirroredProducerIds : std::uint8_t { preserve, negate };
/// How a synced group offset is fitted into the destination log (N5).
enum class GroupOffsetClamp : std::uint8_t { both, none };
/// Truncation and fencing rules inside a cluster. kip320_first_try: truncation on fetch, but no request says
/// which leader epoch it means. kip320_unfenced_truncation: fetches say so, OffsetsForLeaderEpoch does not.
enum class Replication : std::uint8_t {
  kip320,
  kip320_unfenced_truncation,
  kip320_first_try,
  kip279,
  kip101,
  high_watermark
};
/// When a new leader registers its epoch in its own cache (P28): before it writes anything, or with its first
/// record.
enum class EpochRegistration : std::uint8_t { on_election, on_append };
/// What a follower must have reached to join the ISR (P25): the leader epoch's start offset as well, or the
/// leader's high watermark alone.
enum class IsrJoin : std::uint8_t { epoch_start, high_watermark };
/// What a follower does about a newer epoch of the leader it follows already (P29).
enum class SameLeaderNewEpoch : std::uint8_t { reconcile, keep_fetching };
/// What a truncation at or above the log end does to the epoch cache (L10).
enum class NoopTruncation : std::uint8_t { trims_epochs, keeps_epochs };
/// Whether a fetch that is answered with a diverging epoch counts as the follower's progress (P12).
enum class DivergingFetch : std::uint8_t { ignored, counted };
/// Whether a follower takes high watermark and log start from a diverging answer before it truncates (F22).
enum class DivergingAnswer : std::uint8_t { only_truncates, offsets_first };
/// What a leader looks at first: is the fetch offset in its log, or does the follower's epoch diverge (P11).
enum class FetchChecks : std::uint8_t { range_first, divergence_first };
/// Whether the high watermark follows when a log is dropped and started anew (L13).
enum class LogRestart : std::uint8_t { moves_high_watermark, keeps_high_watermark };
/// What records without an epoch (message formats before v2) do to the epoch cache: switch it off (L2), or
/// leave it in use, so that elections go on entering epochs.
enum class EpochlessRecords : std::uint8_t { clear_epochs, keep_epochs };
/// What of the epoch cache a broker has again after an unclean stop (E2, E3).
/// none_after_power_loss: the checkpoint file is lost with the power, though the log is not.
enum class EpochRecovery : std::uint8_t { every_epoch, all_but_epoch_zero, none_after_power_loss };
/// What keeps a batch that comes after the end of its transaction from opening another one (KIP-890): leaders
/// of 3.6 and up ask the coordinator first, all do, the end of a transaction raises the producer epoch, or
/// nothing.
enum class TransactionGuard : std::uint8_t { by_release, verified, epoch_bump, none };
/// Whether a fenced broker may join the ISR (KIP-841).
enum class FencedIsrMembers : std::uint8_t { refused, accepted };
/// What a new min.insync.replicas does to the eligible leader replicas (KIP-966): they were safe by the old
/// one.
enum class ElrOnMinIsrChange : std::uint8_t { cleared, kept };
/// Whether the log cleaner takes transaction markers whose records are still there.
enum class CleanedMarkers : std::uint8_t { kept, taken };
/// How far the log cleaner looks for what has overwritten a record: records above the last stable offset may
/// yet go, and would take with them what they have overwritten.
enum class CleanerBound : std::uint8_t { last_stable_offset, log_end };
/// What a fetcher says of its last epoch after an answer without records (F24).
enum class EmptyAnswer : std::uint8_t { keeps_last_epoch, forgets_last_epoch };
/// When the out-of-range procedure drops the log and starts at the leader's log start (F28): below it, or
/// whenever the leader's log does not end before the own one.
enum class OutOfRangeRestart : std::uint8_t { below_leader_start, unless_above_leader_end };
/// Where a source's log ends when a mirror's out-of-range procedure asks (M17, P20).
enum class SourceLatestOffset : std::uint8_t { log_end, high_watermark };
/// Whether a copy of a log looks at the sequences of the producers' batches, as a leader does.
enum class CopiedSequences : std::uint8_t { unchecked, checked };
/// When a transaction coordinator takes a marker for written: once it is committed, or once the leader has
/// it.
enum class MarkerAcks : std::uint8_t { all, leader };
/// What of its high watermark a broker has again after an unclean stop (L21).
enum class HighWatermarkRecovery : std::uint8_t { checkpoint, lost };
/// What a broker that is assigned a partition again has of it, where it has missed that it was no replica for
/// a while: what it had then, or nothing.
enum class ReassignedReplica : std::uint8_t { keeps_log, starts_empty };
/// Whether a consumer's read that ends where the log ended when it began takes along what was appended
/// meanwhile (L24).
enum class RacingWrites : std::uint8_t { left_out, taken_along };
/// How often a read_committed read looks up the high watermark for its bound: one that moves in between hides
/// the transaction it has moved over (L20).
enum class StableBound : std::uint8_t { one_look, two_looks };

template <>
struct EnumNames<Alignment> {
  static constexpr EnumTable<Alignment, 7> entries{{
      {Alignment::epoch_and_offset, "epoch_and_offset"},
      {Alignment::epoch_only, "epoch_only"},
      {Alignment::offset_only, "offset_only"},
      {Alignment::epoch_and_offset_inclusive, "epoch_and_offset_inclusive"},
      {Alignment::as_posted, "as_posted"},
      {Alignment::end_offset_lookup, "end_offset_lookup"},
      {Alignment::none, "none"},
  }};
};
template <>
struct EnumNames<AlignmentWait> {
  static constexpr EnumTable<AlignmentWait, 3> entries{{
      {AlignmentWait::relevant_replicas, "relevant_replicas"},
      {AlignmentWait::all_replicas, "all_replicas"},
      {AlignmentWait::none, "none"},
  }};
};
template <>
struct EnumNames<DivergenceDetection> {
  static constexpr EnumTable<DivergenceDetection, 3> entries{{
      {DivergenceDetection::fetch_then_ofle, "fetch_then_ofle"},
      {DivergenceDetection::fetch_only, "fetch_only"},
      {DivergenceDetection::ofle_only, "ofle_only"},
  }};
};
template <>
struct EnumNames<VersionDetection> {
  static constexpr EnumTable<VersionDetection, 3> entries{{
      {VersionDetection::every_fetch, "every_fetch"},
      {VersionDetection::first_fetch, "first_fetch"},
      {VersionDetection::drop_field, "drop_field"},
  }};
};
template <>
struct EnumNames<OfleRounds> {
  static constexpr EnumTable<OfleRounds, 2> entries{{
      {OfleRounds::until_complete, "until_complete"},
      {OfleRounds::one, "one"},
  }};
};
template <>
struct EnumNames<OnSourceEpochChange> {
  static constexpr EnumTable<OnSourceEpochChange, 2> entries{{
      {OnSourceEpochChange::retruncate, "retruncate"},
      {OnSourceEpochChange::keep_fetching, "keep_fetching"},
  }};
};
template <>
struct EnumNames<MirrorInitialState> {
  static constexpr EnumTable<MirrorInitialState, 2> entries{{
      {MirrorInitialState::by_version, "by_version"},
      {MirrorInitialState::truncating, "truncating"},
  }};
};
template <>
struct EnumNames<MirrorEpochs> {
  static constexpr EnumTable<MirrorEpochs, 2> entries{{
      {MirrorEpochs::preserve, "preserve"},
      {MirrorEpochs::rewrite, "rewrite"},
  }};
};
template <>
struct EnumNames<RecoveryWait> {
  static constexpr EnumTable<RecoveryWait, 4> entries{{
      {RecoveryWait::all_replicas, "all_replicas"},
      {RecoveryWait::isr, "isr"},
      {RecoveryWait::none, "none"},
      {RecoveryWait::all_heard, "all_heard"},
  }};
};
template <>
struct EnumNames<EpochBump> {
  static constexpr EnumTable<EpochBump, 3> entries{{
      {EpochBump::by_10_threshold_3, "by_10_threshold_3"},
      {EpochBump::exact, "exact"},
      {EpochBump::none, "none"},
  }};
};
template <>
struct EnumNames<StopPositionWrite> {
  static constexpr EnumTable<StopPositionWrite, 2> entries{{
      {StopPositionWrite::awaited, "awaited"},
      {StopPositionWrite::fire_and_forget, "fire_and_forget"},
  }};
};
template <>
struct EnumNames<DestinationHighWatermark> {
  static constexpr EnumTable<DestinationHighWatermark, 2> entries{{
      {DestinationHighWatermark::own, "own"},
      {DestinationHighWatermark::source, "source"},
  }};
};
template <>
struct EnumNames<RestartAlignment> {
  static constexpr EnumTable<RestartAlignment, 2> entries{{
      {RestartAlignment::lme, "lme"},
      {RestartAlignment::resume, "resume"},
  }};
};
template <>
struct EnumNames<MirrorIsrJoin> {
  static constexpr EnumTable<MirrorIsrJoin, 3> entries{{
      {MirrorIsrJoin::latest_epoch, "latest_epoch"},
      {MirrorIsrJoin::latest_epoch_and_start_offset, "latest_epoch_and_start_offset"},
      {MirrorIsrJoin::start_offset, "start_offset"},
  }};
};
template <>
struct EnumNames<RetentionGap> {
  static constexpr EnumTable<RetentionGap, 2> entries{{
      {RetentionGap::restart, "restart"},
      {RetentionGap::fail, "fail"},
  }};
};
template <>
struct EnumNames<OpenTransactionsAtStop> {
  static constexpr EnumTable<OpenTransactionsAtStop, 3> entries{{
      {OpenTransactionsAtStop::abort, "abort"},
      {OpenTransactionsAtStop::keep, "keep"},
      {OpenTransactionsAtStop::truncate, "truncate"},
  }};
};
template <>
struct EnumNames<MirroredProducerIds> {
  static constexpr EnumTable<MirroredProducerIds, 2> entries{{
      {MirroredProducerIds::preserve, "preserve"},
      {MirroredProducerIds::negate, "negate"},
  }};
};
template <>
struct EnumNames<GroupOffsetClamp> {
  static constexpr EnumTable<GroupOffsetClamp, 2> entries{{
      {GroupOffsetClamp::both, "both"},
      {GroupOffsetClamp::none, "none"},
  }};
};
template <>
struct EnumNames<Replication> {
  static constexpr EnumTable<Replication, 6> entries{{
      {Replication::kip320, "kip320"},
      {Replication::kip320_unfenced_truncation, "kip320_unfenced_truncation"},
      {Replication::kip320_first_try, "kip320_first_try"},
      {Replication::kip279, "kip279"},
      {Replication::kip101, "kip101"},
      {Replication::high_watermark, "high_watermark"},
  }};
};
template <>
struct EnumNames<EpochRegistration> {
  static constexpr EnumTable<EpochRegistration, 2> entries{{
      {EpochRegistration::on_election, "on_election"},
      {EpochRegistration::on_append, "on_append"},
  }};
};
template <>
struct EnumNames<IsrJoin> {
  static constexpr EnumTable<IsrJoin, 2> entries{{
      {IsrJoin::epoch_start, "epoch_start"},
      {IsrJoin::high_watermark, "high_watermark"},
  }};
};
template <>
struct EnumNames<SameLeaderNewEpoch> {
  static constexpr EnumTable<SameLeaderNewEpoch, 2> entries{{
      {SameLeaderNewEpoch::reconcile, "reconcile"},
      {SameLeaderNewEpoch::keep_fetching, "keep_fetching"},
  }};
};
template <>
struct EnumNames<NoopTruncation> {
  static constexpr EnumTable<NoopTruncation, 2> entries{{
      {NoopTruncation::trims_epochs, "trims_epochs"},
      {NoopTruncation::keeps_epochs, "keeps_epochs"},
  }};
};
template <>
struct EnumNames<DivergingFetch> {
  static constexpr EnumTable<DivergingFetch, 2> entries{{
      {DivergingFetch::ignored, "ignored"},
      {DivergingFetch::counted, "counted"},
  }};
};
template <>
struct EnumNames<DivergingAnswer> {
  static constexpr EnumTable<DivergingAnswer, 2> entries{{
      {DivergingAnswer::only_truncates, "only_truncates"},
      {DivergingAnswer::offsets_first, "offsets_first"},
  }};
};
template <>
struct EnumNames<FetchChecks> {
  static constexpr EnumTable<FetchChecks, 2> entries{{
      {FetchChecks::range_first, "range_first"},
      {FetchChecks::divergence_first, "divergence_first"},
  }};
};
template <>
struct EnumNames<LogRestart> {
  static constexpr EnumTable<LogRestart, 2> entries{{
      {LogRestart::moves_high_watermark, "moves_high_watermark"},
      {LogRestart::keeps_high_watermark, "keeps_high_watermark"},
  }};
};
template <>
struct EnumNames<EpochlessRecords> {
  static constexpr EnumTable<EpochlessRecords, 2> entries{{
      {EpochlessRecords::clear_epochs, "clear_epochs"},
      {EpochlessRecords::keep_epochs, "keep_epochs"},
  }};
};
template <>
struct EnumNames<EpochRecovery> {
  static constexpr EnumTable<EpochRecovery, 3> entries{{
      {EpochRecovery::every_epoch, "every_epoch"},
      {EpochRecovery::all_but_epoch_zero, "all_but_epoch_zero"},
      {EpochRecovery::none_after_power_loss, "none_after_power_loss"},
  }};
};
template <>
struct EnumNames<TransactionGuard> {
  static constexpr EnumTable<TransactionGuard, 4> entries{{
      {TransactionGuard::by_release, "by_release"},
      {TransactionGuard::verified, "verified"},
      {TransactionGuard::epoch_bump, "epoch_bump"},
      {TransactionGuard::none, "none"},
  }};
};
template <>
struct EnumNames<FencedIsrMembers> {
  static constexpr EnumTable<FencedIsrMembers, 2> entries{{
      {FencedIsrMembers::refused, "refused"},
      {FencedIsrMembers::accepted, "accepted"},
  }};
};
template <>
struct EnumNames<ElrOnMinIsrChange> {
  static constexpr EnumTable<ElrOnMinIsrChange, 2> entries{{
      {ElrOnMinIsrChange::cleared, "cleared"},
      {ElrOnMinIsrChange::kept, "kept"},
  }};
};
template <>
struct EnumNames<CleanedMarkers> {
  static constexpr EnumTable<CleanedMarkers, 2> entries{{
      {CleanedMarkers::kept, "kept"},
      {CleanedMarkers::taken, "taken"},
  }};
};
template <>
struct EnumNames<CleanerBound> {
  static constexpr EnumTable<CleanerBound, 2> entries{{
      {CleanerBound::last_stable_offset, "last_stable_offset"},
      {CleanerBound::log_end, "log_end"},
  }};
};
template <>
struct EnumNames<EmptyAnswer> {
  static constexpr EnumTable<EmptyAnswer, 2> entries{{
      {EmptyAnswer::keeps_last_epoch, "keeps_last_epoch"},
      {EmptyAnswer::forgets_last_epoch, "forgets_last_epoch"},
  }};
};
template <>
struct EnumNames<OutOfRangeRestart> {
  static constexpr EnumTable<OutOfRangeRestart, 2> entries{{
      {OutOfRangeRestart::below_leader_start, "below_leader_start"},
      {OutOfRangeRestart::unless_above_leader_end, "unless_above_leader_end"},
  }};
};
template <>
struct EnumNames<SourceLatestOffset> {
  static constexpr EnumTable<SourceLatestOffset, 2> entries{{
      {SourceLatestOffset::log_end, "log_end"},
      {SourceLatestOffset::high_watermark, "high_watermark"},
  }};
};
template <>
struct EnumNames<CopiedSequences> {
  static constexpr EnumTable<CopiedSequences, 2> entries{{
      {CopiedSequences::unchecked, "unchecked"},
      {CopiedSequences::checked, "checked"},
  }};
};
template <>
struct EnumNames<MarkerAcks> {
  static constexpr EnumTable<MarkerAcks, 2> entries{{
      {MarkerAcks::all, "all"},
      {MarkerAcks::leader, "leader"},
  }};
};
template <>
struct EnumNames<HighWatermarkRecovery> {
  static constexpr EnumTable<HighWatermarkRecovery, 2> entries{{
      {HighWatermarkRecovery::checkpoint, "checkpoint"},
      {HighWatermarkRecovery::lost, "lost"},
  }};
};
template <>
struct EnumNames<ReassignedReplica> {
  static constexpr EnumTable<ReassignedReplica, 2> entries{{
      {ReassignedReplica::keeps_log, "keeps_log"},
      {ReassignedReplica::starts_empty, "starts_empty"},
  }};
};
template <>
struct EnumNames<RacingWrites> {
  static constexpr EnumTable<RacingWrites, 2> entries{{
      {RacingWrites::left_out, "left_out"},
      {RacingWrites::taken_along, "taken_along"},
  }};
};
template <>
struct EnumNames<StableBound> {
  static constexpr EnumTable<StableBound, 2> entries{{
      {StableBound::one_look, "one_look"},
      {StableBound::two_looks, "two_looks"},
  }};
};

}  // namespace mirrorproof
