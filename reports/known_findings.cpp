#include "reports/known_findings.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

namespace mirrorproof::reports {
namespace {

using checker::Circumstance;
using checker::Invariant;

checker::Circumstances after(std::initializer_list<Circumstance> what) {
  checker::Circumstances all;
  for (const Circumstance each : what) {
    all.add(each);
  }
  return all;
}

/// What a finding shows as. The file has the finding's name.
struct Sign {
  std::string_view finding;
  Invariant invariant;
  std::string_view kind;
  checker::Circumstances needs;
  std::string_view text = {};
  bool prototype_only = false;
};

std::vector<Sign> signs() {
  using C = Circumstance;
  using I = Invariant;
  return {
      {"restart-aligns-from-scratch", I::alignment_exactness, "scratch-removed-shared-record",
       after({C::aligned_again, C::alignment_cut})},
      {"restart-realigns-to-the-old-position", I::alignment_exactness, "removed-shared-record",
       after({C::aligned_again, C::alignment_cut, C::mirror_stopped})},
      {"empty-mirror-stopped-before-its-epoch-bump", I::epoch_identity, "two-records-one-name",
       after({C::aligned}), "with epoch 0 "},
      {"epochs-race-after-failover", I::epoch_identity, "two-records-one-name", after({C::aligned})},
      {"epochs-race-after-failover", I::reader_continuity, "removed-record-not-told",
       after({C::aligned_again, C::alignment_cut, C::mirror_stopped})},
      {"stop-runs-again-after-pid-reset", I::alignment_exactness, "kept-foreign-record",
       after({C::aligned_again, C::stopping_again})},
      {"stop-runs-again-after-pid-reset", I::truncation_provenance, "killed-by-clean-election",
       after({C::aligned_again, C::stopping_again})},
      {"alignment-ends-before-a-follower-is-heard", I::truncation_provenance, "never-in-source-lineage",
       after({C::aligned, C::mirror_leader_changed})},
      {"alignment-ends-before-a-follower-is-heard", I::follower_truncation, "removed-committed-record",
       after({C::aligned, C::alignment_cut})},
      {"failback-after-an-old-epoch-came-back", I::alignment_exactness, "kept-foreign-record",
       after({C::aligned, C::mirror_stopped, C::unclean_election})},
      {"alignment-ends-before-a-follower-is-heard", I::epoch_order, "epoch-decreases-along-log",
       after({C::aligned, C::mirror_leader_changed})},
      {"alignment-ends-before-a-follower-is-heard", I::log_matching, "copy-diverged",
       after({C::aligned, C::mirror_leader_changed})},
      {"alignment-ends-before-a-follower-is-heard", I::log_matching, "copy-has-hole",
       after({C::aligned, C::mirror_leader_changed})},
      {"chain-restart-in-the-middle", I::truncation_provenance, "killed-by-upstream-alignment",
       after({C::aligned_again, C::alignment_cut})},
      {"chain-restart-in-the-middle", I::alignment_exactness, "kept-foreign-record",
       after({C::aligned_again, C::alignment_cut, C::mirror_stopped})},
      {"recovery-ends-on-a-stale-follower-position", I::recovery_barrier, "replica-still-diverges",
       after({C::unclean_election, C::mirror_truncated})},
      {"stop-order-lost-while-failed", I::epoch_order, "cache-entry-misplaced", after({C::mirror_failed})},
      {"stop-order-lost-while-failed", I::epoch_order, "cache-entry-missing", after({C::mirror_failed})},
      {"isr-join-by-epoch-alone", I::committed_stability, "committed-record-lost-in-clean-election",
       after({C::aligned, C::mirror_leader_changed})},
      {"isr-join-by-epoch-alone", I::committed_stability, "committed-record-lost-in-clean-election",
       after({C::mirror_started, C::mirror_leader_changed})},
      {"isr-join-by-epoch-alone", I::follower_truncation, "removed-committed-record",
       after({C::mirror_started, C::mirror_leader_changed})},
      {"leader-that-missed-its-deposition", I::committed_stability, "committed-record-lost-in-clean-election",
       after({C::epoch_skipped})},
      {"leader-that-missed-its-deposition", I::truncation_provenance, "killed-by-clean-election",
       after({C::epoch_skipped})},
      {"power-loss-without-an-unclean-election", I::truncation_provenance, "killed-after-power-loss",
       after({C::power_loss})},
      {"power-loss-without-an-unclean-election", I::committed_stability,
       "committed-record-lost-after-power-loss", after({C::power_loss})},
      {"power-loss-without-an-unclean-election", I::alignment_exactness, "kept-record-lost-by-power-loss",
       after({C::power_loss})},
      {"power-loss-without-an-unclean-election", I::convergence, "readers-blocked", after({C::power_loss})},
      {"retention-overtakes-the-mirror", I::truncation_provenance, "retention-overtook-mirror",
       after({C::records_deleted})},
      {"stale-source-leader-after-a-destination-failover", I::truncation_provenance, "not-killed",
       after({C::aligned, C::mirror_leader_changed})},
      {"group-offset-ahead-of-the-leader-epoch", I::epoch_order, "group-offset-epoch-above-leader-epoch",
       after({C::aligned})},
      {"group-left-beyond-the-log-by-a-truncation", I::group_offset_range, "group-beyond-log-end",
       after({C::aligned})},
      {"parked-produce-acked-by-mirrored-records", I::ack_means_stored, "acked-record-not-there",
       after({C::alignment_cut})},
      {"unclean-leader-loses-pid-reset", I::ack_means_stored, "acked-record-not-there",
       after({C::mirror_stopped, C::unclean_election})},
      {"failed-state-without-a-way-back", I::convergence, "mirror-stuck", after({C::mirror_failed}),
       "FAILED"},
      {"cut-inside-a-batch-wedges-the-replica", I::convergence, "replica-differs",
       after({C::records_deleted})},
      {"alignment-ends-before-a-follower-is-heard", I::convergence, "never-rests",
       after({C::aligned, C::mirror_leader_changed})},
      {"cut-inside-a-batch-wedges-the-replica", I::convergence, "never-rests", after({C::records_deleted})},
      {"records-deleted-inside-a-batch-wedge-a-follower", I::convergence, "replica-differs",
       after({C::records_deleted})},
      {"unclean-leader-loses-the-marker", I::convergence, "readers-blocked", after({C::unclean_election})},
      {"late-read-of-an-older-history", I::epoch_order, "epoch-decreases-along-log", after({})},
      {"late-read-of-an-older-history", I::log_matching, "copy-has-hole", after({C::alignment_cut})},
      {"empty-mirror-stopped-before-its-epoch-bump", I::committed_stability,
       "high-watermark-over-foreign-record", after({C::aligned, C::alignment_cut})},
      {"empty-mirror-stopped-before-its-epoch-bump", I::epoch_order, "local-epoch-not-above-mirrored",
       after({C::aligned, C::records_deleted})},
      {"stop-order-lost-while-failed", I::convergence, "mirror-stuck", after({C::mirror_failed}),
       "ULE_RECOVERY"},
      {"aborted-records-come-back", I::reader_continuity, "aborted-record-came-back", after({})},
      {"late-batch-of-an-ended-transaction", I::convergence, "readers-blocked", after({}), "came when"},
      {"late-batch-of-an-ended-transaction", I::reader_continuity, "late-record-committed", after({})},
      {"failover-while-the-source-is-gone", I::convergence, "order-not-carried-out", after({C::aligned})},
      {"out-of-range-loops-on-an-unknown-epoch", I::convergence, "mirror-stuck", after({C::mirror_started}),
       "LOG_ALIGNMENT"},
      {"out-of-range-loops-on-an-unknown-epoch", I::convergence, "mirror-stuck", after({C::aligned}),
       "STOPPING"},
      {"mirror-leader-knows-no-later-epoch", I::convergence, "mirror-differs", after({C::aligned})},
      {"mirror-leader-knows-no-later-epoch", I::convergence, "replica-differs", after({C::mirror_started})},
      {"out-of-range-loops-on-an-unknown-epoch", I::convergence, "replica-high-watermark-differs",
       after({C::mirror_started})},
      {"compaction-hides-an-epoch", I::truncation_provenance, "taken-by-log-cleaner",
       after({C::log_cleaned})},
      {"compaction-moves-the-start-of-an-epoch", I::log_matching, "copy-diverged", after({C::log_cleaned})},
      {"compaction-moves-the-start-of-an-epoch", I::reader_continuity, "removed-record-not-told",
       after({C::log_cleaned})},
      {"compaction-moves-the-start-of-an-epoch", I::committed_stability, "high-watermark-over-foreign-record",
       after({C::log_cleaned})},
      {"truncation-into-a-gap-wedges-followers", I::convergence, "mirror-stuck", after({C::log_cleaned})},
      {"truncation-into-a-gap-wedges-followers", I::convergence, "replica-differs",
       after({C::log_cleaned, C::unclean_election})},
      {"truncation-into-a-gap-wedges-followers", I::convergence, "mirror-differs",
       after({C::log_cleaned, C::unclean_election})},
      {"compaction-moves-the-start-of-an-epoch", I::convergence, "replica-differs", after({C::log_cleaned})},
      {"alignment-cuts-what-had-overwritten", I::convergence, "mirror-lacks-cleaned-record",
       after({C::log_cleaned})},
      {"scratch-alignment-under-a-reader", I::reader_continuity, "removed-record-not-told",
       after({C::aligned_again, C::alignment_cut})},
      {"records-without-epochs-hide-a-divergence", I::log_matching, "copy-diverged",
       after({C::aligned, C::unclean_election}), "(epoch -1)"},
      {"deleted-mirror-forgets-its-writer", I::state_machine, "write-into-running-mirror",
       after({C::mirror_deleted})},
      {"reader-crosses-a-recreated-topic", I::reader_continuity, "removed-record-not-told",
       after({C::topic_recreated})},
      {"position-of-a-deleted-topic", I::alignment_exactness, "kept-foreign-record",
       after({C::topic_recreated, C::mirror_stopped})},
      {.finding = "stop-does-not-wait-for-its-position",
       .invariant = I::state_machine,
       .kind = "stopped-without-position",
       .needs = after({C::mirror_stopped}),
       .prototype_only = true},
      {.finding = "leaderless-source-answers-from-a-follower",
       .invariant = I::truncation_provenance,
       .kind = "not-killed",
       .needs = after({C::aligned, C::power_loss}),
       .prototype_only = true},
      {.finding = "last-fetched-epoch-dropped-in-silence",
       .invariant = I::version_safety,
       .kind = "field-dropped-silently",
       .needs = after({C::mirror_started}),
       .prototype_only = true},
  };
}

}  // namespace

std::span<const KnownFinding> known_findings() {
  static const std::vector<KnownFinding> table = [] {
    std::vector<KnownFinding> out;
    for (const Sign& sign : signs()) {
      // What the prototype does otherwise is named; the rest reads alike in both.
      std::vector<Preset> presets{Preset::prototype};
      if (!sign.prototype_only) {
        presets.push_back(Preset::as_proposed);
      }
      out.push_back({sign.finding, std::move(presets), sign.invariant, sign.kind, sign.text, sign.needs});
    }
    return out;
  }();
  return table;
}

bool KnownFinding::matches(const checker::Violation& violation) const {
  return violation.invariant == invariant && violation.kind == kind &&
         violation.message.find(text) != std::string::npos && violation.circumstances.contain(needs);
}

std::vector<KnownFinding> known_findings_of(const ProtocolOptions& protocol,
                                            std::span<const KnownFinding> table) {
  std::vector<KnownFinding> out;
  std::copy_if(table.begin(), table.end(), std::back_inserter(out), [&](const KnownFinding& finding) {
    return std::any_of(finding.presets.begin(), finding.presets.end(),
                       [&](Preset preset) { return preset_options(preset) == protocol; });
  });
  return out;
}

SortedViolations sort_violations(std::span<const checker::Violation> violations,
                                 std::span<const KnownFinding> known) {
  SortedViolations out;
  std::set<PartitionId> spoilt;
  for (const checker::Violation& violation : violations) {
    const auto finding = std::find_if(known.begin(), known.end(),
                                      [&](const KnownFinding& each) { return each.matches(violation); });
    if (finding != known.end()) {
      out.known.insert(finding->name);
      spoilt.insert(violation.partition);
    } else if (spoilt.contains(violation.partition)) {
      out.consequences += 1;
    } else {
      out.unknown.push_back(&violation);
    }
  }
  return out;
}

}  // namespace mirrorproof::reports
