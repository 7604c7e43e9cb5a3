#include "reports/known_findings.h"

#include <algorithm>
#include <iterator>

namespace mirrorproof::reports {

std::span<const KnownFinding> known_findings() {
  using checker::Invariant;
  // The position of a mirror and the waits for followers read alike in both presets.
  static const std::vector<Preset> both = {Preset::as_proposed, Preset::prototype};
  // What no option mends yet.
  static const std::vector<Preset> all = {Preset::as_proposed, Preset::prototype, Preset::hardened};
  static const std::vector<KnownFinding> table = {
      {"restart-aligns-from-scratch", "restart-aligns-from-scratch.json", both,
       Invariant::alignment_exactness, "scratch-removed-shared-record"},
      {"empty-mirror-stopped-before-its-epoch-bump", "empty-mirror-stopped-before-its-epoch-bump.json", both,
       Invariant::epoch_identity, "two-records-one-name", "with epoch 0 "},
      {"epochs-race-after-failover", "epochs-race-after-failover.json", both, Invariant::epoch_identity,
       "two-records-one-name"},
      {"stop-runs-again-after-pid-reset", "stop-runs-again-after-pid-reset.json", both,
       Invariant::alignment_exactness, "kept-foreign-record"},
      {"alignment-ends-before-a-follower-is-heard", "alignment-ends-before-a-follower-is-heard.json", both,
       Invariant::truncation_provenance, "never-in-source-lineage"},
      {"chain-restart-in-the-middle", "chain-restart-in-the-middle.json", both,
       Invariant::truncation_provenance, "killed-by-upstream-alignment"},
      {"recovery-ends-on-a-stale-follower-position", "recovery-ends-on-a-stale-follower-position.json", both,
       Invariant::recovery_barrier, "replica-still-diverges"},
      {"restart-realigns-to-the-old-position", "restart-realigns-to-the-old-position.json", both,
       Invariant::alignment_exactness, "removed-shared-record"},
      {"stop-order-lost-while-failed", "stop-order-lost-while-failed.json", both, Invariant::epoch_order,
       "cache-entry-misplaced"},
      {"stop-order-lost-while-failed", "stop-order-lost-while-failed.json", both, Invariant::epoch_order,
       "cache-entry-missing"},
      {"isr-join-by-epoch-alone", "isr-join-by-epoch-alone.json", both, Invariant::committed_stability,
       "committed-record-lost-in-clean-election"},
      {"power-loss-without-an-unclean-election", "power-loss-without-an-unclean-election.json", both,
       Invariant::truncation_provenance, "killed-after-power-loss"},
      {"power-loss-without-an-unclean-election", "power-loss-without-an-unclean-election.json", both,
       Invariant::committed_stability, "committed-record-lost-after-power-loss"},
      {"power-loss-without-an-unclean-election", "power-loss-without-an-unclean-election.json", both,
       Invariant::alignment_exactness, "kept-record-lost-by-power-loss"},
      {"retention-overtakes-the-mirror", "retention-overtakes-the-mirror.json", both,
       Invariant::truncation_provenance, "retention-overtook-mirror"},
      {"stale-source-leader-after-a-destination-failover",
       "stale-source-leader-after-a-destination-failover.json", both, Invariant::truncation_provenance,
       "not-killed"},
      {"group-offset-ahead-of-the-leader-epoch", "group-offset-ahead-of-the-leader-epoch.json", both,
       Invariant::epoch_order, "group-offset-epoch-above-leader-epoch"},
      {"group-left-beyond-the-log-by-a-truncation", "group-left-beyond-the-log-by-a-truncation.json", both,
       Invariant::group_offset_range, "group-beyond-log-end"},
      {"parked-produce-acked-by-mirrored-records", "parked-produce-acked-by-mirrored-records.json", both,
       Invariant::ack_means_stored, "acked-record-not-there"},
      {"failed-state-without-a-way-back", "failed-state-without-a-way-back.json", both,
       Invariant::convergence, "mirror-stuck", "FAILED"},
      {"cut-inside-a-batch-wedges-the-replica", "cut-inside-a-batch-wedges-the-replica.json", both,
       Invariant::convergence, "replica-differs"},
      {"cut-inside-a-batch-wedges-the-replica", "cut-inside-a-batch-wedges-the-replica.json", both,
       Invariant::convergence, "never-rests"},
      {"unclean-leader-loses-the-marker", "unclean-leader-loses-the-marker.json", both,
       Invariant::convergence, "readers-blocked"},
      {"epochs-race-after-failover", "epochs-race-after-failover.json", both, Invariant::reader_continuity,
       "removed-record-not-told"},
      {"out-of-range-loops-on-an-unknown-epoch", "out-of-range-loops-on-an-unknown-epoch.json", both,
       Invariant::convergence, "mirror-stuck", "LOG_ALIGNMENT"},
      {"out-of-range-loops-on-an-unknown-epoch", "out-of-range-loops-on-an-unknown-epoch.json", both,
       Invariant::convergence, "mirror-stuck", "STOPPING"},
      {"out-of-range-loops-on-an-unknown-epoch", "out-of-range-loops-on-an-unknown-epoch.json", both,
       Invariant::convergence, "mirror-differs"},
      {"out-of-range-loops-on-an-unknown-epoch", "out-of-range-loops-on-an-unknown-epoch.json", both,
       Invariant::convergence, "replica-high-watermark-differs"},
      // The same holes seen through what follows from them when nothing reports them earlier in the run.
      {"stop-runs-again-after-pid-reset", "stop-runs-again-after-pid-reset.json", both,
       Invariant::truncation_provenance, "killed-by-clean-election"},
      {"alignment-ends-before-a-follower-is-heard", "alignment-ends-before-a-follower-is-heard.json", both,
       Invariant::epoch_order, "epoch-decreases-along-log"},
      {"alignment-ends-before-a-follower-is-heard", "alignment-ends-before-a-follower-is-heard.json", both,
       Invariant::log_matching, "copy-diverged"},
      {"alignment-ends-before-a-follower-is-heard", "alignment-ends-before-a-follower-is-heard.json", both,
       Invariant::log_matching, "copy-has-hole"},
      {"position-of-a-deleted-topic", "position-of-a-deleted-topic.json", all, Invariant::alignment_exactness,
       "kept-foreign-record"},
      {"records-deleted-inside-a-batch-wedge-a-follower",
       "records-deleted-inside-a-batch-wedge-a-follower.json", all, Invariant::convergence,
       "replica-differs"},
  };
  return table;
}

bool KnownFinding::matches(const checker::Violation& violation) const {
  return violation.invariant == invariant && violation.kind == kind &&
         violation.message.find(text) != std::string::npos;
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

}  // namespace mirrorproof::reports
