#include "checker/recovery_barrier.h"

#include <fmt/format.h>

#include "checker/describe.h"

namespace mirrorproof::checker {

void check_recovery_barrier(const Replay& replay, Findings& findings, const Event& event,
                            const MirrorStateChanged& change) {
  if (change.from != MirrorState::ule_recovery || change.to != MirrorState::mirroring) {
    return;
  }
  const TraceHeader& header = replay.header();
  const Replica* leader = replay.leader(event.cluster, event.partition);
  if (leader == nullptr) {
    return;
  }
  const BrokerId leader_broker = replay.lineage(event.cluster, event.partition).leader();
  const BrokerSet hosts = replay.hosts(event.cluster, event.partition);
  const BrokerSet joining = replay.joining(event.cluster, event.partition);
  for (BrokerId broker = 0; broker < replay.brokers(event.cluster); ++broker) {
    // One that is being added takes no part before it is in the ISR.
    if (!hosts.contains(broker) || joining.contains(broker) || broker == leader_broker) {
      continue;
    }
    const ReplicaLog& log = replay.replica(event.cluster, broker, event.partition).log;
    const CommonPrefix same = common_prefix(log, log.end_index(), leader->log, leader->log.end_index());
    ReplicaLog::Index first_other = same.left_begin + same.count;
    while (first_other < log.end_index() && !log.at(first_other).batch.has_records()) {
      ++first_other;
    }
    if (first_other < log.end_index()) {
      findings.report(
          Invariant::recovery_barrier, "replica-still-diverges", event,
          [&] {
            return fmt::format(
                "{} on {}: ULE_RECOVERY was left for MIRRORING although {} still has {}, which the "
                "leader {} lacks",
                partition_name(header, event.partition), cluster_name(header, event.cluster),
                broker_name(header, event.cluster, broker), batch_name(header, log.at(first_other).batch),
                broker_name(header, event.cluster, leader_broker));
          },
          {log.at(first_other).appended});
    }
  }
}

}  // namespace mirrorproof::checker
