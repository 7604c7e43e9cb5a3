#include "tests/mutants/rows.h"

#include <algorithm>

#include "model/protocol_presets.h"

namespace mirrorproof::mutants {
namespace {

Row row(std::string name, std::string rule, std::string fault, Mutant mutant) {
  std::ranges::replace(name, '_', '-');
  Row made;
  made.name = std::move(name);
  made.rule = std::move(rule);
  made.fault = std::move(fault);
  made.mutant = mutant;
  made.base_name = "hardened";
  made.base = preset_options(Preset::hardened);
  made.faulty = made.base;
  return made;
}

/// What some faults need to be reached: `hardened` has a second guard against them.
void choose_base(Row& row) {
  const auto use = [&row](std::string name, ProtocolOptions options) {
    row.base_name = std::move(name);
    row.base = options;
    row.faulty = options;
  };
  ProtocolOptions options = preset_options(Preset::hardened);
  switch (row.mutant) {
    case Mutant::older_leader_epoch_accepted:
      options.batch_epoch_guard = false;
      use("hardened, batch_epoch_guard=false", options);
      return;
    case Mutant::ule_policy_retries:
    case Mutant::ule_policy_cuts_first:
      options.ule_support = false;
      use("hardened, ule_support=false", options);
      return;
    case Mutant::position_is_high_watermark:
    case Mutant::position_is_last_offset:
    case Mutant::position_never_replaced:
      options.alignment_by_origin = false;
      use("hardened, alignment_by_origin=false", options);
      return;
    case Mutant::stop_bump_accepts_equal_epoch:
      use("as_proposed", preset_options(Preset::as_proposed));
      return;
    case Mutant::active_group_overwritten:
      row.unhunted =
          "not caught: a trace does not say which members a group has, so nobody can tell an active one";
      return;
    default:
      return;
  }
}

template <class Value>
struct Change {
  Value ProtocolOptions::*option;
  Value value;
};

template <class Value>
Row variant(const std::string& option, const std::string& value, Change<Value> change,
            Preset base = Preset::hardened) {
  Row made = row(option + " " + value, "", "", Mutant::none);
  made.name = option + "=" + value;
  made.base = preset_options(base);
  made.base_name = to_string(base);
  made.faulty = made.base;
  made.faulty.*change.option = change.value;
  return made;
}

}  // namespace

std::vector<Row> mutant_rows() {
  std::vector<Row> rows;
#define MUTANT(name, rule, fault) rows.push_back(row(#name, rule, fault, Mutant::name));
#include "model/mutant_list.inc"
#undef MUTANT
  std::ranges::for_each(rows, choose_base);
  return rows;
}

std::vector<Row> variant_rows() {
  using P = ProtocolOptions;
  std::vector<Row> rows;
  const auto shown_by = [&rows](std::string what) { rows.back().unhunted = std::move(what); };
  const auto add = [&rows](const std::string& option, auto value, auto P::*member, std::string_view name,
                           Preset base = Preset::hardened) {
    rows.push_back(variant(option, std::string(name), Change<decltype(value)>{member, value}, base));
  };
#define VARIANT(option, type, value) add(#option, type::value, &P::option, #value)
#define VARIANT_AS_PROPOSED(option, type, value) \
  add(#option, type::value, &P::option, #value, Preset::as_proposed)
#define SWITCH(option, value) add(#option, value, &P::option, #value)
  VARIANT_AS_PROPOSED(alignment, Alignment, epoch_only);
  VARIANT_AS_PROPOSED(alignment, Alignment, offset_only);
  shown_by("too rare at random; scenarios/failback-offset-only.json breaks `alignment-exactness`");
  VARIANT_AS_PROPOSED(alignment, Alignment, epoch_and_offset_inclusive);
  VARIANT_AS_PROPOSED(alignment, Alignment, as_posted);
  VARIANT_AS_PROPOSED(alignment, Alignment, none);
  VARIANT(alignment_wait, AlignmentWait, none);
  VARIANT(version_detection, VersionDetection, first_fetch);
  VARIANT(version_detection, VersionDetection, drop_field);
  VARIANT(ofle_rounds, OfleRounds, one);
  shown_by("no effect: after a cut the mirror recovers, and begins with OffsetsForLeaderEpoch once more");
  VARIANT(on_source_epoch_change, OnSourceEpochChange, keep_fetching);
  shown_by("too rare at random; scenarios/cases/source-epoch-change-unnoticed.json breaks `log-matching`");
  VARIANT(mirror_epochs, MirrorEpochs, rewrite);
  VARIANT(recovery_wait, RecoveryWait, isr);
  VARIANT(recovery_wait, RecoveryWait, none);
  VARIANT_AS_PROPOSED(epoch_bump, EpochBump, exact);
  VARIANT(epoch_bump, EpochBump, none);
  VARIANT(stop_position_write, StopPositionWrite, fire_and_forget);
  VARIANT(destination_high_watermark, DestinationHighWatermark, source);
  SWITCH(stale_response_guard, false);
  SWITCH(batch_epoch_guard, false);
  shown_by(
      "too rare at random; scenarios/cases/late-read-beyond-the-epoch.json breaks `committed-stability`");
  VARIANT(replication, Replication, kip320_unfenced_truncation);
  VARIANT(replication, Replication, kip320_first_try);
  VARIANT(replication, Replication, kip279);
  VARIANT(replication, Replication, kip101);
  VARIANT(replication, Replication, high_watermark);
  SWITCH(eligible_leader_replicas, false);
  VARIANT(restart_alignment, RestartAlignment, lme);
  // A second guard refuses what a restart would throw away.
  rows.back().base_name = "hardened, scratch_needs_empty_log=false";
  rows.back().base.scratch_needs_empty_log = false;
  rows.back().faulty.scratch_needs_empty_log = false;
  VARIANT(open_transactions_at_stop, OpenTransactionsAtStop, keep);
  VARIANT(open_transactions_at_stop, OpenTransactionsAtStop, truncate);
  VARIANT(mirrored_producer_ids, MirroredProducerIds, negate);
  VARIANT(group_offset_clamp, GroupOffsetClamp, none);
  SWITCH(gaps_accepted, false);
  VARIANT(epoch_registration, EpochRegistration, on_append);
  VARIANT(isr_join, IsrJoin, high_watermark);
  shown_by(
      "too rare at random; scenarios/cases/isr-join-before-epoch-start.json breaks `committed-stability`");
  VARIANT(same_leader_new_epoch, SameLeaderNewEpoch, keep_fetching);
  shown_by(
      "no effect beside kip320; with kip279 scenarios/cases/missed-epoch-same-leader.json breaks "
      "`log-matching`");
  VARIANT(noop_truncation, NoopTruncation, keeps_epochs);
  VARIANT(diverging_fetch, DivergingFetch, counted);
  VARIANT(diverging_answer, DivergingAnswer, offsets_first);
  VARIANT(log_restart, LogRestart, keeps_high_watermark);
  VARIANT(epochless_records, EpochlessRecords, keep_epochs);
  shown_by(
      "too rare at random; scenarios/cases/format-downgrade-mass-truncation.json breaks "
      "`committed-stability`");
  VARIANT(epoch_recovery, EpochRecovery, all_but_epoch_zero);
  VARIANT(transaction_guard, TransactionGuard, none);
  VARIANT(fenced_isr_members, FencedIsrMembers, accepted);
  shown_by("too rare at random; scenarios/cases/fenced-broker-in-the-isr.json breaks `committed-stability`");
  VARIANT(elr_on_min_isr_change, ElrOnMinIsrChange, kept);
  shown_by(
      "too rare at random; scenarios/cases/elr-kept-over-a-new-min-isr.json breaks "
      "`committed-stability`");
  VARIANT(cleaned_markers, CleanedMarkers, taken);
  VARIANT(epoch_recovery, EpochRecovery, none_after_power_loss);
  VARIANT(cleaner_bound, CleanerBound, log_end);
  VARIANT(empty_answer, EmptyAnswer, forgets_last_epoch);
  shown_by("too rare at random; scenarios/cases/empty-answer-forgets-the-epoch.json breaks `log-matching`");
  VARIANT(out_of_range_restart, OutOfRangeRestart, unless_above_leader_end);
  shown_by(
      "too rare at random; scenarios/cases/leader-outgrows-an-out-of-range-follower.json breaks "
      "`follower-truncation`");
  VARIANT(source_latest_offset, SourceLatestOffset, high_watermark);
  shown_by(
      "too rare at random; scenarios/cases/source-end-as-a-consumer-is-told.json breaks "
      "`truncation-provenance`");
  VARIANT(copied_sequences, CopiedSequences, checked);
  VARIANT(marker_acks, MarkerAcks, leader);
  VARIANT(high_watermark_recovery, HighWatermarkRecovery, lost);
  shown_by(
      "no effect with leader epochs; with replication=high_watermark "
      "scenarios/cases/high-watermark-lost-on-a-hard-kill.json breaks `follower-truncation`");
  VARIANT(reassigned_replica, ReassignedReplica, keeps_log);
  shown_by(
      "too rare at random; scenarios/findings/replica-assigned-anew-escapes-the-alignment.json breaks "
      "`truncation-provenance`");
  VARIANT(racing_writes, RacingWrites, taken_along);
  shown_by(
      "too rare at random; scenarios/cases/mirror-reads-a-racing-write.json breaks `truncation-provenance`");
  VARIANT(stable_bound, StableBound, two_looks);
  shown_by(
      "too rare at random; scenarios/cases/open-transaction-under-a-moving-watermark.json breaks "
      "`reader-continuity`");
  SWITCH(leaderless_source_keeps_broker, true);
  shown_by(
      "too rare at random; scenarios/findings/leaderless-source-answers-from-a-follower.json breaks "
      "`truncation-provenance`");
  SWITCH(topic_id_check, false);
  shown_by("too rare at random; scenarios/cases/source-topic-recreated.json breaks `truncation-provenance`");
  SWITCH(pid_reset, false);
  SWITCH(loss_report, false);
  SWITCH(reader_epochs, false);
  SWITCH(group_sync_after_stop, true);
  VARIANT(divergence_detection, DivergenceDetection, fetch_only);
  shown_by("no fault: a source below Fetch v12 is refused in sight of everybody, and nothing is mirrored");
  VARIANT(divergence_detection, DivergenceDetection, ofle_only);
  shown_by("no fault: every divergence is found by OffsetsForLeaderEpoch, at the price of more requests");
  SWITCH(ule_support, false);
  shown_by("no fault but a policy: a divergence ends in FAILED, and `ule-policy` watches over it");
#undef VARIANT
#undef VARIANT_AS_PROPOSED
#undef SWITCH
  return rows;
}

}  // namespace mirrorproof::mutants
