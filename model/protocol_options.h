#pragma once
// The protocol decisions under debate, as switches (design.md section 6). The defaults are the preset
// `as_proposed`.

#include <string_view>

#include "model/protocol_choices.h"
#include "model/types.h"

namespace mirrorproof {

struct ProtocolOptions {
  Alignment alignment = Alignment::epoch_and_offset;
  AlignmentWait alignment_wait = AlignmentWait::relevant_replicas;
  DivergenceDetection divergence_detection = DivergenceDetection::fetch_then_ofle;
  VersionDetection version_detection = VersionDetection::every_fetch;
  OfleRounds ofle_rounds = OfleRounds::until_complete;
  OnSourceEpochChange on_source_epoch_change = OnSourceEpochChange::retruncate;
  MirrorInitialState mirror_initial_state = MirrorInitialState::by_version;
  MirrorEpochs mirror_epochs = MirrorEpochs::preserve;
  RecoveryWait recovery_wait = RecoveryWait::all_replicas;
  EpochBump epoch_bump = EpochBump::by_10_threshold_3;
  StopPositionWrite stop_position_write = StopPositionWrite::awaited;
  DestinationHighWatermark destination_high_watermark = DestinationHighWatermark::own;
  RestartAlignment restart_alignment = RestartAlignment::lme;
  MirrorIsrJoin mirror_isr_join = MirrorIsrJoin::latest_epoch;
  RetentionGap retention_gap = RetentionGap::restart;
  OpenTransactionsAtStop open_transactions_at_stop = OpenTransactionsAtStop::abort;
  MirroredProducerIds mirrored_producer_ids = MirroredProducerIds::preserve;
  GroupOffsetClamp group_offset_clamp = GroupOffsetClamp::both;
  Replication replication = Replication::kip320;
  EpochRegistration epoch_registration = EpochRegistration::on_election;
  IsrJoin isr_join = IsrJoin::epoch_start;
  SameLeaderNewEpoch same_leader_new_epoch = SameLeaderNewEpoch::reconcile;
  NoopTruncation noop_truncation = NoopTruncation::trims_epochs;
  DivergingFetch diverging_fetch = DivergingFetch::ignored;
  DivergingAnswer diverging_answer = DivergingAnswer::only_truncates;
  FetchChecks fetch_checks = FetchChecks::range_first;
  LogRestart log_restart = LogRestart::moves_high_watermark;
  EpochlessRecords epochless_records = EpochlessRecords::clear_epochs;
  EpochRecovery epoch_recovery = EpochRecovery::every_epoch;
  TransactionGuard transaction_guard = TransactionGuard::by_release;
  FencedIsrMembers fenced_isr_members = FencedIsrMembers::refused;
  ElrOnMinIsrChange elr_on_min_isr_change = ElrOnMinIsrChange::cleared;
  CleanedMarkers cleaned_markers = CleanedMarkers::kept;
  CleanerBound cleaner_bound = CleanerBound::last_stable_offset;
  EmptyAnswer empty_answer = EmptyAnswer::keeps_last_epoch;
  OutOfRangeRestart out_of_range_restart = OutOfRangeRestart::below_leader_start;
  SourceLatestOffset source_latest_offset = SourceLatestOffset::log_end;
  CopiedSequences copied_sequences = CopiedSequences::unchecked;
  MarkerAcks marker_acks = MarkerAcks::all;
  HighWatermarkRecovery high_watermark_recovery = HighWatermarkRecovery::checkpoint;
  ReassignedReplica reassigned_replica = ReassignedReplica::keeps_log;
  RacingWrites racing_writes = RacingWrites::left_out;
  StableBound stable_bound = StableBound::one_look;
  /// mirror.unclean.leader.election.enable: recover from source ULEs, or fail (N3).
  bool ule_support = true;
  /// A response for a removed or re-added partition is ignored (F22, F23).
  bool stale_response_guard = true;
  /// Batches above the known leader epoch are refused (L5, M22).
  bool batch_epoch_guard = true;
  /// KIP-966: a replica that restarts uncleanly is not electable as clean.
  bool eligible_leader_replicas = true;
  /// KIP-966 also on clusters with brokers before 4.0, which lack it, and KIP-903 before 3.5.
  bool elr_on_every_release = false;
  /// A mirror leader that cuts its log goes on believing what it knew of its followers.
  bool follower_positions_survive_cut = true;
  /// A leader that takes a new epoch while it leads knows its followers no longer, if another may have led in
  /// between.
  bool skipped_epoch_forgets_followers = false;
  /// The position of a STOPPING that begins again ends before what this stop has written itself.
  bool stop_position_excludes_stop_writes = false;
  /// Stop and pause are honoured while FAILED (7.3 ignores them), a pause as soon as MIRRORING is reached.
  bool orders_while_failed = false;
  /// LOG_ALIGNMENT looks for a mirror loop through all clusters on the way, not only in its source.
  bool loops_are_followed = false;
  /// Positions stored for any source end where a LOG_ALIGNMENT cuts the log.
  bool alignment_clamps_positions = false;
  /// Positions and mirrors of a log count only until that log is cut by a LOG_ALIGNMENT of its own.
  bool positions_end_with_alignment = false;
  /// A last mirror position names the source topic by its id, and stands for no other.
  bool positions_name_topics = false;
  /// M35 as the prototype merges it: source metadata that names a newer epoch and no leader leaves the broker
  /// that was believed to lead, and takes the epoch.
  bool leaderless_source_keeps_broker = false;
  /// The coordinator keeps the largest source epoch mirrored from, and no destination leader aligns to, or
  /// fetches in, a smaller one.
  bool source_epoch_stored = false;
  /// LOG_ALIGNMENT also asks the source where each local epoch ends, and cuts what lies beyond.
  bool alignment_verifies_epochs = false;
  /// Logs that go back to the same topic of the same cluster are aligned by their epochs
  /// (alignment_verifies_epochs), not from scratch, nor by last mirror positions, which may be outdated.
  /// Where no topic id tells, logs that have mirrored one another are compared batch by batch as well.
  bool alignment_by_origin = false;
  /// LOG_ALIGNMENT that would start from scratch on a log that was written to fails for good: nothing tells
  /// readers of one history from those of the other. The operator creates the topic again.
  bool scratch_needs_empty_log = false;
  /// The coordinator remembers the leader epoch of a deleted mirror's last writer, so that older leaders stay
  /// fenced when the mirror is started again.
  bool deleted_mirrors_fence = false;
  /// Writes with acks=all that wait for the high watermark fail when LOG_ALIGNMENT begins.
  bool alignment_fails_parked_produce = false;
  /// A group offset is synced only once the destination's leader epoch has reached the offset's epoch.
  bool group_sync_waits_for_epoch = false;
  /// A truncation inside a batch, or where the log cleaner left a gap, ends the log where those of its
  /// batches end that are left and still have records, not at the offset asked for.
  bool truncation_at_batch_boundaries = false;
  /// A log start inside a batch leaves the epoch of that batch beginning where the batch does, not at the log
  /// start.
  bool epoch_starts_at_batch = false;
  /// The log cleaner empties the first batch of a leader epoch and never drops it, so that copies of the log
  /// know the epoch, and where it begins. A copy that begins inside a gap takes its first batch for its log
  /// start.
  bool cleaner_keeps_epoch_starts = false;
  /// A broker that cuts its log drops the answers that have yet to send records of what was cut.
  bool cuts_drop_answers = false;
  /// Followers and mirrors append a batch that begins above their log end (L6): the cleaner left a gap.
  bool gaps_accepted = true;
  /// A leader elected uncleanly aborts the transactions it finds open in its log.
  bool unclean_leader_ends_transactions = false;
  /// A leader elected uncleanly on a stopped mirror writes PID_RESET once more: the log it won may lack it.
  bool unclean_leader_resets_producers = false;
  /// No leader of a smaller epoch than one that has taken batches of a transaction writes its marker.
  bool markers_fenced_by_epoch = false;
  /// A follower whose offset turns out to be in range after all drops epochs without records before it asks
  /// again.
  bool out_of_range_trims_epochs = false;
  /// A leader asked about an epoch above all it knows, in a fetch or by OffsetsForLeaderEpoch, answers with
  /// the end of its latest one, as divergence; out of range, which compares no epochs, is left for a leader
  /// that knows none. A mirror that is told "undefined" all the same takes that for out of range.
  bool unknown_epochs_diverge = false;
  /// A mirror's out-of-range procedure that has to remove records is a divergence like any other (N3): it
  /// ends in ULE_RECOVERY, or in FAILED with nothing removed.
  bool out_of_range_diverges = false;
  /// STOPPING moves the leader epoch into the next block of epochs that is the cluster's own.
  bool epoch_blocks_at_failover = false;
  /// A mirror whose source topic has another id than before fails for good.
  bool topic_id_check = true;
  /// The mirror follows the source's log start no lower than where its fetcher resumed.
  bool log_start_resume_floor = false;
  /// STOPPING writes the PID_RESET batch that clears producer state (M30 step 5).
  bool pid_reset = true;
  /// A mirror tells its operator exactly what it discarded, and what it will never copy.
  bool loss_report = true;
  /// Readers send the epoch of what they read last (KIP-320).
  bool reader_epochs = true;
  /// Readers know their topic by its id: created again, they start afresh, and are told.
  bool reader_topic_ids = false;
  /// Group offsets are synced for stopped mirrors too.
  bool group_sync_after_stop = false;
  /// Group offsets are not synced for groups that exist on the destination without members.
  bool group_sync_skips_memberless = false;
  /// A mirror truncation takes group offsets beyond the new log end back to it.
  bool group_offsets_follow_truncation = false;
  /// M19: an OffsetsForLeaderEpoch question of a mirror carries the leader epoch of the source metadata, not
  /// that of the fetch state, by which its answer is still judged (F10).
  bool epoch_question_by_metadata = false;
  /// M27: followers of a mirror leader take batches up to the latest epoch that its log was known to hold by
  /// the answer before, not up to the leader epoch (L5).
  bool follower_guard_by_log_epoch = false;
  /// A mirror whose source sends records without a leader epoch (message formats before v2) fails for good:
  /// nothing could tell it that their histories part.
  bool records_need_epochs = false;

  friend constexpr bool operator==(const ProtocolOptions&, const ProtocolOptions&) = default;
};

/// Calls visit(name, field) for every option, in the order of design.md section 6. `Options` is
/// ProtocolOptions, const or not; fields are bool or one of the enumerations above.
template <class Options, class Visitor>
constexpr void for_each_option(Options& options, Visitor&& visit) {
  visit(std::string_view{"alignment"}, options.alignment);
  visit(std::string_view{"alignment_wait"}, options.alignment_wait);
  visit(std::string_view{"divergence_detection"}, options.divergence_detection);
  visit(std::string_view{"version_detection"}, options.version_detection);
  visit(std::string_view{"ofle_rounds"}, options.ofle_rounds);
  visit(std::string_view{"on_source_epoch_change"}, options.on_source_epoch_change);
  visit(std::string_view{"mirror_initial_state"}, options.mirror_initial_state);
  visit(std::string_view{"mirror_epochs"}, options.mirror_epochs);
  visit(std::string_view{"recovery_wait"}, options.recovery_wait);
  visit(std::string_view{"epoch_bump"}, options.epoch_bump);
  visit(std::string_view{"stop_position_write"}, options.stop_position_write);
  visit(std::string_view{"destination_high_watermark"}, options.destination_high_watermark);
  visit(std::string_view{"restart_alignment"}, options.restart_alignment);
  visit(std::string_view{"mirror_isr_join"}, options.mirror_isr_join);
  visit(std::string_view{"retention_gap"}, options.retention_gap);
  visit(std::string_view{"open_transactions_at_stop"}, options.open_transactions_at_stop);
  visit(std::string_view{"mirrored_producer_ids"}, options.mirrored_producer_ids);
  visit(std::string_view{"group_offset_clamp"}, options.group_offset_clamp);
  visit(std::string_view{"replication"}, options.replication);
  visit(std::string_view{"epoch_registration"}, options.epoch_registration);
  visit(std::string_view{"isr_join"}, options.isr_join);
  visit(std::string_view{"same_leader_new_epoch"}, options.same_leader_new_epoch);
  visit(std::string_view{"noop_truncation"}, options.noop_truncation);
  visit(std::string_view{"diverging_fetch"}, options.diverging_fetch);
  visit(std::string_view{"diverging_answer"}, options.diverging_answer);
  visit(std::string_view{"fetch_checks"}, options.fetch_checks);
  visit(std::string_view{"log_restart"}, options.log_restart);
  visit(std::string_view{"epochless_records"}, options.epochless_records);
  visit(std::string_view{"epoch_recovery"}, options.epoch_recovery);
  visit(std::string_view{"transaction_guard"}, options.transaction_guard);
  visit(std::string_view{"fenced_isr_members"}, options.fenced_isr_members);
  visit(std::string_view{"elr_on_min_isr_change"}, options.elr_on_min_isr_change);
  visit(std::string_view{"cleaned_markers"}, options.cleaned_markers);
  visit(std::string_view{"cleaner_bound"}, options.cleaner_bound);
  visit(std::string_view{"empty_answer"}, options.empty_answer);
  visit(std::string_view{"out_of_range_restart"}, options.out_of_range_restart);
  visit(std::string_view{"source_latest_offset"}, options.source_latest_offset);
  visit(std::string_view{"copied_sequences"}, options.copied_sequences);
  visit(std::string_view{"marker_acks"}, options.marker_acks);
  visit(std::string_view{"high_watermark_recovery"}, options.high_watermark_recovery);
  visit(std::string_view{"reassigned_replica"}, options.reassigned_replica);
  visit(std::string_view{"racing_writes"}, options.racing_writes);
  visit(std::string_view{"stable_bound"}, options.stable_bound);
  visit(std::string_view{"ule_support"}, options.ule_support);
  visit(std::string_view{"stale_response_guard"}, options.stale_response_guard);
  visit(std::string_view{"batch_epoch_guard"}, options.batch_epoch_guard);
  visit(std::string_view{"eligible_leader_replicas"}, options.eligible_leader_replicas);
  visit(std::string_view{"elr_on_every_release"}, options.elr_on_every_release);
  visit(std::string_view{"follower_positions_survive_cut"}, options.follower_positions_survive_cut);
  visit(std::string_view{"skipped_epoch_forgets_followers"}, options.skipped_epoch_forgets_followers);
  visit(std::string_view{"stop_position_excludes_stop_writes"}, options.stop_position_excludes_stop_writes);
  visit(std::string_view{"orders_while_failed"}, options.orders_while_failed);
  visit(std::string_view{"loops_are_followed"}, options.loops_are_followed);
  visit(std::string_view{"alignment_clamps_positions"}, options.alignment_clamps_positions);
  visit(std::string_view{"positions_end_with_alignment"}, options.positions_end_with_alignment);
  visit(std::string_view{"positions_name_topics"}, options.positions_name_topics);
  visit(std::string_view{"leaderless_source_keeps_broker"}, options.leaderless_source_keeps_broker);
  visit(std::string_view{"source_epoch_stored"}, options.source_epoch_stored);
  visit(std::string_view{"alignment_verifies_epochs"}, options.alignment_verifies_epochs);
  visit(std::string_view{"alignment_by_origin"}, options.alignment_by_origin);
  visit(std::string_view{"scratch_needs_empty_log"}, options.scratch_needs_empty_log);
  visit(std::string_view{"deleted_mirrors_fence"}, options.deleted_mirrors_fence);
  visit(std::string_view{"alignment_fails_parked_produce"}, options.alignment_fails_parked_produce);
  visit(std::string_view{"group_sync_waits_for_epoch"}, options.group_sync_waits_for_epoch);
  visit(std::string_view{"truncation_at_batch_boundaries"}, options.truncation_at_batch_boundaries);
  visit(std::string_view{"epoch_starts_at_batch"}, options.epoch_starts_at_batch);
  visit(std::string_view{"cleaner_keeps_epoch_starts"}, options.cleaner_keeps_epoch_starts);
  visit(std::string_view{"cuts_drop_answers"}, options.cuts_drop_answers);
  visit(std::string_view{"gaps_accepted"}, options.gaps_accepted);
  visit(std::string_view{"unclean_leader_ends_transactions"}, options.unclean_leader_ends_transactions);
  visit(std::string_view{"unclean_leader_resets_producers"}, options.unclean_leader_resets_producers);
  visit(std::string_view{"markers_fenced_by_epoch"}, options.markers_fenced_by_epoch);
  visit(std::string_view{"out_of_range_trims_epochs"}, options.out_of_range_trims_epochs);
  visit(std::string_view{"unknown_epochs_diverge"}, options.unknown_epochs_diverge);
  visit(std::string_view{"out_of_range_diverges"}, options.out_of_range_diverges);
  visit(std::string_view{"epoch_blocks_at_failover"}, options.epoch_blocks_at_failover);
  visit(std::string_view{"topic_id_check"}, options.topic_id_check);
  visit(std::string_view{"log_start_resume_floor"}, options.log_start_resume_floor);
  visit(std::string_view{"pid_reset"}, options.pid_reset);
  visit(std::string_view{"loss_report"}, options.loss_report);
  visit(std::string_view{"reader_epochs"}, options.reader_epochs);
  visit(std::string_view{"reader_topic_ids"}, options.reader_topic_ids);
  visit(std::string_view{"group_sync_after_stop"}, options.group_sync_after_stop);
  visit(std::string_view{"group_sync_skips_memberless"}, options.group_sync_skips_memberless);
  visit(std::string_view{"group_offsets_follow_truncation"}, options.group_offsets_follow_truncation);
  visit(std::string_view{"epoch_question_by_metadata"}, options.epoch_question_by_metadata);
  visit(std::string_view{"follower_guard_by_log_epoch"}, options.follower_guard_by_log_epoch);
  visit(std::string_view{"records_need_epochs"}, options.records_need_epochs);
}

/// epoch_blocks_at_failover: epochs are dealt out in blocks of this size; block b belongs to cluster b mod
/// kMaxClusters. No cluster holds this many elections between two failovers.
inline constexpr Epoch kEpochBlock = 1 << 20;

}  // namespace mirrorproof
