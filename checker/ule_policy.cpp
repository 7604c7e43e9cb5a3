#include "checker/ule_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "checker/describe.h"

namespace mirrorproof::checker {

void UlePolicy::check_truncation(const Replay& replay, Findings& findings, const Event& event,
                                 const Truncated& cut) {
  if (replay.header().protocol.ule_support) {
    return;
  }
  findings.report(Invariant::ule_policy, "removed-without-ule-support", event, [&] {
    return fmt::format(
        "{}: the mirror truncated to offset {} and removed {} records although mirror ULE support is off",
        replica_name(replay.header(), event), cut.target, cut.removed_records);
  });
}

void UlePolicy::detected(const Replay& replay, const Event& event, const DivergenceDetected& divergence) {
  const Replica& replica = replay.replica(event.cluster, event.broker, event.partition);
  const bool supported = replay.header().protocol.ule_support;
  const bool restart =
      divergence.how == TruncationReason::out_of_range && divergence.target > replica.log.log_end();
  const bool removes = replica.log.has_records_in(restart ? 0 : divergence.target, replica.log.log_end());
  // A zombie's wish is refused by the coordinator; and where nothing goes, nothing has to be recovered.
  if (!replay.lineage(event.cluster, event.partition).in_office(event.broker) || (supported && !removes)) {
    return;
  }
  const MirrorState state = replay.mirror(event.cluster, event.partition).state;
  if (supported && state == MirrorState::ule_recovery) {
    return;
  }
  const bool known = std::any_of(pending_.begin(), pending_.end(), [&](const Pending& other) {
    return other.place.cluster == event.cluster && other.place.partition == event.partition;
  });
  if (known) {
    return;
  }
  Pending& pending = pending_.emplace_back();
  pending.place.id = event.id;
  pending.place.cluster = event.cluster;
  pending.place.broker = event.broker;
  pending.place.partition = event.partition;
  pending.target = divergence.target;
}

void UlePolicy::state_changed(const Event& event, const MirrorStateChanged& change) {
  std::erase_if(pending_, [&](const Pending& pending) {
    const bool here = pending.place.cluster == event.cluster && pending.place.partition == event.partition;
    const bool failed_for_good = change.to == MirrorState::failed && !change.retryable;
    return here && (change.to == MirrorState::ule_recovery || failed_for_good);
  });
}

void UlePolicy::end_step(const Replay& replay, Findings& findings) {
  if (pending_.empty()) {
    return;
  }
  const TraceHeader& header = replay.header();
  for (const Pending& pending : pending_) {
    const bool supported = header.protocol.ule_support;
    const MirrorState state = replay.mirror(pending.place.cluster, pending.place.partition).state;
    findings.report(Invariant::ule_policy, supported ? "divergence-not-recovered" : "divergence-not-failed",
                    pending.place, [&] {
                      return fmt::format(
                          "{}: a divergence at offset {} was detected, but the mirror is {} instead of {}",
                          replica_name(header, pending.place), pending.target, to_string(state),
                          supported ? "ULE_RECOVERY" : "FAILED for good");
                    });
  }
  pending_.clear();
}

}  // namespace mirrorproof::checker
