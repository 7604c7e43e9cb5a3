#include "reports/finding_mends.h"

#include <algorithm>
#include <vector>

namespace mirrorproof::reports {

std::span<const FindingMend> finding_mends() {
  using Options = ProtocolOptions;
  static const std::vector<FindingMend> table{
      {"restart-aligns-from-scratch", [](Options& o) { o.restart_alignment = RestartAlignment::resume; }},
      {"restart-realigns-to-the-old-position",
       [](Options& o) { o.restart_alignment = RestartAlignment::resume; }},
      {"stop-runs-again-after-pid-reset", [](Options& o) { o.alignment_verifies_epochs = true; }},
      {"stop-order-lost-while-failed", [](Options& o) { o.orders_while_failed = true; }},
      {"failed-state-without-a-way-back", [](Options& o) { o.orders_while_failed = true; }},
      {"stale-position-after-a-new-source", [](Options& o) { o.alignment_clamps_positions = true; }},
      {"failback-after-an-old-epoch-came-back", [](Options& o) { o.alignment_verifies_epochs = true; }},
      {"stale-source-leader-after-a-destination-failover", [](Options& o) { o.source_epoch_stored = true; }},
      {"power-loss-without-an-unclean-election", [](Options& o) { o.elr_on_every_release = true; }},
      {"retention-overtakes-the-mirror", [](Options& o) { o.retention_gap = RetentionGap::fail; }},
      {"alignment-ends-before-a-follower-is-heard",
       [](Options& o) { o.alignment_wait = AlignmentWait::all_replicas; }},
      {"recovery-ends-on-a-stale-follower-position",
       [](Options& o) {
         o.follower_positions_survive_cut = false;
         o.recovery_wait = RecoveryWait::all_heard;
       }},
      {"isr-join-by-epoch-alone",
       [](Options& o) { o.mirror_isr_join = MirrorIsrJoin::latest_epoch_and_start_offset; }},
      {"out-of-range-loops-on-an-unknown-epoch", [](Options& o) { o.out_of_range_trims_epochs = true; }},
      {"cut-inside-a-batch-wedges-the-replica", [](Options& o) { o.truncation_at_batch_boundaries = true; }},
      {"position-of-a-deleted-topic", [](Options& o) { o.positions_name_topics = true; }},
      {"records-deleted-inside-a-batch-wedge-a-follower", [](Options& o) { o.epoch_starts_at_batch = true; }},
      {"chain-restart-in-the-middle", [](Options& o) { o.positions_end_with_alignment = true; }},
      {"epochs-race-after-failover", [](Options& o) { o.epoch_blocks_at_failover = true; }},
      {"empty-mirror-stopped-before-its-epoch-bump", [](Options& o) { o.epoch_blocks_at_failover = true; }},
      {"group-offset-ahead-of-the-leader-epoch", [](Options& o) { o.group_sync_waits_for_epoch = true; }},
      {"group-left-beyond-the-log-by-a-truncation",
       [](Options& o) { o.group_offsets_follow_truncation = true; }},
      {"parked-produce-acked-by-mirrored-records",
       [](Options& o) { o.alignment_fails_parked_produce = true; }},
      {"unclean-leader-loses-the-marker", [](Options& o) { o.unclean_leader_ends_transactions = true; }},
      {"marker-lost-at-a-deposed-leader", [](Options& o) { o.markers_fenced_by_epoch = true; }},
      {"reader-crosses-a-recreated-topic", [](Options& o) { o.reader_topic_ids = true; }},
      {"mirror-leader-knows-no-later-epoch", [](Options& o) { o.unknown_epochs_diverge = true; }},
      {"leader-that-missed-its-deposition", [](Options& o) { o.skipped_epoch_forgets_followers = true; }},
      {"unclean-leader-loses-pid-reset", [](Options& o) { o.unclean_leader_resets_producers = true; }},
      {"siblings-align-from-scratch",
       [](Options& o) {
         o.alignment_by_origin = true;
         o.alignment_verifies_epochs = true;
         o.epoch_blocks_at_failover = true;
       }},
      {"loop-of-three-mirrors", [](Options& o) { o.loops_are_followed = true; }},
      {"compaction-hides-an-epoch", [](Options& o) { o.cleaner_keeps_epoch_starts = true; }},
      {"compaction-moves-the-start-of-an-epoch", [](Options& o) { o.cleaner_keeps_epoch_starts = true; }},
      {"truncation-into-a-gap-wedges-followers", [](Options& o) { o.truncation_at_batch_boundaries = true; }},
      {"alignment-cuts-what-had-overwritten", [](Options& o) { o.truncation_at_batch_boundaries = true; }},
      {"scratch-alignment-under-a-reader", [](Options& o) { o.scratch_needs_empty_log = true; }},
      {"deleted-mirror-forgets-its-writer", [](Options& o) { o.deleted_mirrors_fence = true; }},
      {"stop-does-not-wait-for-its-position",
       [](Options& o) { o.stop_position_write = StopPositionWrite::awaited; }},
      {"last-fetched-epoch-dropped-in-silence",
       [](Options& o) { o.version_detection = VersionDetection::every_fetch; }},
      {"records-without-epochs-hide-a-divergence", [](Options& o) { o.records_need_epochs = true; }},
      {"isr-proposal-crosses-a-restart", [](Options& o) { o.elr_on_every_release = true; }},
      {"failover-while-the-source-is-gone", [](Options& o) { o.orders_while_failed = true; }},
      {"aborted-records-come-back", [](Options& o) { o.unclean_leader_ends_transactions = true; }},
      {"late-batch-of-an-ended-transaction",
       [](Options& o) { o.transaction_guard = TransactionGuard::verified; }},
      {"leaderless-source-answers-from-a-follower",
       [](Options& o) { o.leaderless_source_keeps_broker = false; }},
      {"out-of-range-cut-escapes-the-policy", [](Options& o) { o.out_of_range_diverges = true; }},
      {"late-read-of-an-older-history", [](Options& o) { o.cuts_drop_answers = true; }},
      {"replica-assigned-anew-escapes-the-alignment",
       [](Options& o) { o.reassigned_replica = ReassignedReplica::starts_empty; }},
  };
  return table;
}

bool may_come_about(std::string_view finding, const ProtocolOptions& protocol) {
  const auto table = finding_mends();
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const FindingMend& each) { return each.finding == finding; });
  if (row == table.end()) {
    return true;
  }
  ProtocolOptions mended = protocol;
  row->apply(mended);
  return mended != protocol;
}

}  // namespace mirrorproof::reports
