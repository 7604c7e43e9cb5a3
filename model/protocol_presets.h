#pragma once
// Sets of protocol options with a name.

#include <cstdint>

#include "model/enum_names.h"
#include "model/protocol_options.h"

namespace mirrorproof {

enum class Preset : std::uint8_t { as_proposed, prototype, hardened };

template <>
struct EnumNames<Preset> {
  static constexpr EnumTable<Preset, 3> entries{{
      {Preset::as_proposed, "as_proposed"},
      {Preset::prototype, "prototype"},
      {Preset::hardened, "hardened"},
  }};
};

/// as_proposed: protocol.md section 9. prototype: sections 5 and 7 letter by letter (M12, M18, M19, M24, M27,
/// M30, M35, V6). hardened: the proposal with a mend for each finding (scenarios/findings/).
constexpr ProtocolOptions preset_options(Preset preset) {
  ProtocolOptions options;
  if (preset == Preset::prototype) {
    options.alignment = Alignment::end_offset_lookup;
    options.version_detection = VersionDetection::drop_field;
    options.ofle_rounds = OfleRounds::one;
    options.on_source_epoch_change = OnSourceEpochChange::keep_fetching;
    options.mirror_initial_state = MirrorInitialState::truncating;
    options.stop_position_write = StopPositionWrite::fire_and_forget;
    options.leaderless_source_keeps_broker = true;
    options.epoch_question_by_metadata = true;
    options.follower_guard_by_log_epoch = true;
  }
  if (preset == Preset::hardened) {
    options.alignment_wait = AlignmentWait::all_replicas;
    options.recovery_wait = RecoveryWait::all_heard;
    options.restart_alignment = RestartAlignment::resume;
    options.mirror_isr_join = MirrorIsrJoin::latest_epoch_and_start_offset;
    options.retention_gap = RetentionGap::fail;
    options.transaction_guard = TransactionGuard::verified;
    options.elr_on_every_release = true;
    options.follower_positions_survive_cut = false;
    options.stop_position_excludes_stop_writes = true;
    options.orders_while_failed = true;
    options.loops_are_followed = true;
    options.alignment_clamps_positions = true;
    options.positions_end_with_alignment = true;
    options.positions_name_topics = true;
    options.source_epoch_stored = true;
    options.alignment_verifies_epochs = true;
    options.alignment_by_origin = true;
    options.scratch_needs_empty_log = true;
    options.deleted_mirrors_fence = true;
    options.alignment_fails_parked_produce = true;
    options.group_sync_waits_for_epoch = true;
    options.truncation_at_batch_boundaries = true;
    options.epoch_starts_at_batch = true;
    options.cleaner_keeps_epoch_starts = true;
    options.cuts_drop_answers = true;
    options.unclean_leader_ends_transactions = true;
    options.unclean_leader_resets_producers = true;
    options.markers_fenced_by_epoch = true;
    options.out_of_range_trims_epochs = true;
    options.unknown_epochs_diverge = true;
    options.out_of_range_diverges = true;
    options.reassigned_replica = ReassignedReplica::starts_empty;
    options.epoch_blocks_at_failover = true;
    options.group_offsets_follow_truncation = true;
    options.skipped_epoch_forgets_followers = true;
    options.reader_topic_ids = true;
    options.records_need_epochs = true;
  }
  return options;
}

}  // namespace mirrorproof
