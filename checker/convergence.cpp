#include "checker/convergence.h"

#include <fmt/format.h>

#include <limits>

#include "checker/describe.h"
#include "checker/seen_transaction.h"

namespace mirrorproof::checker {
namespace {

/// Do both logs hold the same from the later of their starts up to `end`? Where they part otherwise.
bool agree(const ReplicaLog& left, const ReplicaLog& right, Offset end, Offset& apart) {
  const ReplicaLog::Index left_end = left.index_at(end);
  const ReplicaLog::Index right_end = right.index_at(end);
  const CommonPrefix same = common_prefix(left, left_end, right, right_end);
  const ReplicaLog::Index left_next = same.left_begin + same.count;
  const ReplicaLog::Index right_next = same.right_begin + same.count;
  if (left_next >= left_end && right_next >= right_end) {
    return true;
  }
  apart =
      left_next < left_end ? left.at(left_next).batch.base_offset : right.at(right_next).batch.base_offset;
  return false;
}

/// The last data below `end`; nullptr: none that readers are given, and nothing to miss.
const Batch* last_data(const ReplicaLog& log, Offset end) {
  for (ReplicaLog::Index index = log.index_at(end); index > log.first_index(); --index) {
    const Batch& batch = log.at(index - 1).batch;
    if (batch.base_offset < log.log_start() || batch.next_offset() > end) {
      continue;
    }
    if (batch.kind == BatchKind::data && batch.has_records()) {
      const auto fate = transaction_of(log, index - 1).fate;
      const bool readable = fate == SeenTransaction::Fate::none || fate == SeenTransaction::Fate::committed;
      return readable ? &batch : nullptr;
    }
  }
  return nullptr;
}

/// A log cleaner takes what later records have overwritten. Once these are cut off, what it took is missed.
bool lacks(const ReplicaLog& log, const Batch& last) {
  const LogEntry* there = log.find_same(last);
  if (last.base_offset < log.log_start() || (there != nullptr && there->batch.has_records())) {
    return false;
  }
  for (ReplicaLog::Index index = log.index_at(last.next_offset()); index < log.end_index(); ++index) {
    if (log.at(index).batch.kind == BatchKind::data && log.at(index).batch.has_records()) {
      return false;
    }
  }
  return true;
}

/// An unclean election that took what had overwritten a record brings it back in some logs and not in others.
bool any_unclean_election(const Replay& replay, PartitionId partition) {
  for (std::size_t c = 0; c < replay.header().clusters.size(); ++c) {
    if (replay.lineage(static_cast<ClusterId>(c), partition)
            .unclean_election_within(kUndefinedEpoch, std::numeric_limits<Epoch>::max())) {
      return true;
    }
  }
  return false;
}

}  // namespace

void Convergence::check_rested(const Replay& replay, const LateBatches& late, Findings& findings,
                               const Event& event, const WorldRested& world) const {
  if (!world.rested) {
    findings.report(Invariant::convergence, "never-rests", event, [&] {
      return world.cycle > 0
                 ? fmt::format("faults have stopped, and the same state comes back every {} rounds",
                               world.cycle)
                 : fmt::format("faults have stopped, and after {} rounds something still changes",
                               world.rounds);
    });
    return;
  }
  Event place;
  place.id = event.id;
  place.step = event.step;
  for (std::size_t c = 0; c < replay.header().clusters.size(); ++c) {
    place.cluster = static_cast<ClusterId>(c);
    for (PartitionId partition = 0; partition < replay.partitions(); ++partition) {
      place.partition = partition;
      check_cluster(replay, late, findings, place);
      check_mirror(replay, findings, place);
    }
  }
}

/// Every live replica has its leader's log, and nobody waits for a transaction that nobody will end.
void Convergence::check_cluster(const Replay& replay, const LateBatches& late, Findings& findings,
                                Event place) const {
  const TraceHeader& header = replay.header();
  const Lineage& lineage = replay.lineage(place.cluster, place.partition);
  const Replica* leader = replay.leader(place.cluster, place.partition);
  if (leader == nullptr || !lineage.in_office(lineage.leader())) {
    return;
  }
  const BrokerSet replicas = replay.hosts(place.cluster, place.partition);
  for (BrokerId broker = 0; broker < replay.brokers(place.cluster); ++broker) {
    if (!replicas.contains(broker) || broker == lineage.leader() || down_.contains({place.cluster, broker})) {
      continue;
    }
    const Replica& follower = replay.replica(place.cluster, broker, place.partition);
    Offset apart = 0;
    if (follower.log.log_end() == leader->log.log_end() &&
        agree(follower.log, leader->log, leader->log.log_end(), apart)) {
      if (lineage.committed_end() > 0 && follower.high_watermark != leader->high_watermark) {
        findings.report(Invariant::convergence, "replica-high-watermark-differs", place, [&] {
          return fmt::format("{} on {} has come to rest with its high watermark at {}; its leader {} has {}",
                             partition_name(header, place.partition),
                             broker_name(header, place.cluster, broker), follower.high_watermark,
                             broker_name(header, place.cluster, lineage.leader()), leader->high_watermark);
        });
      }
      continue;
    }
    findings.report(Invariant::convergence, "replica-differs", place, [&] {
      return fmt::format(
          "{} on {} has come to rest with a log that ends at {}; its leader {} ends at {}{}",
          partition_name(header, place.partition), broker_name(header, place.cluster, broker),
          follower.log.log_end(), broker_name(header, place.cluster, lineage.leader()), leader->log.log_end(),
          follower.log.log_end() == leader->log.log_end() ? fmt::format(", and they differ at {}", apart)
                                                          : "");
    });
  }
  const MirrorState state = replay.mirror(place.cluster, place.partition).state;
  const bool writable = state == MirrorState::unknown || state == MirrorState::stopped;
  for (ReplicaLog::Index index = leader->log.first_index(); writable && index < leader->log.end_index();
       ++index) {
    if (transaction_of(leader->log, index).fate != SeenTransaction::Fate::open) {
      continue;
    }
    findings.report(Invariant::convergence, "readers-blocked", place, [&] {
      return fmt::format(
          "{} on {}: the transaction of {} has no marker and nobody left to write one{}; read_committed "
          "readers wait there for ever",
          partition_name(header, place.partition), broker_name(header, place.cluster, lineage.leader()),
          batch_name(header, leader->log.at(index).batch),
          late.opened_anew(place.partition, leader->log.at(index).batch)
              ? ", since it came when the transaction that it was sent in was over"
              : "");
    });
    break;
  }
}

void Convergence::check_mirror(const Replay& replay, Findings& findings, Event place) const {
  const TraceHeader& header = replay.header();
  const MirrorSession& mirror = replay.mirror(place.cluster, place.partition);
  if (!mirror.ever_started || mirror.deleted || mirror.source == kNoCluster) {
    return;
  }
  const auto stuck = [&](std::string_view why) {
    findings.report(Invariant::convergence, "mirror-stuck", place, [&] {
      return fmt::format("{}'s mirror of {} ({}) has come to rest in {}{}",
                         cluster_name(header, place.cluster), cluster_name(header, mirror.source),
                         partition_name(header, place.partition), to_string(mirror.state), why);
    });
  };
  const bool stop_lost =
      mirror.last_order == OperatorAction::stop_mirror && mirror.state != MirrorState::stopped;
  const bool pause_lost =
      mirror.last_order == OperatorAction::pause_mirror && mirror.state == MirrorState::mirroring;
  if (stop_lost || pause_lost) {
    findings.report(Invariant::convergence, "order-not-carried-out", place, [&] {
      return fmt::format("{}'s mirror of {} ({}) took the order to {}, and has come to rest in {}",
                         cluster_name(header, place.cluster), cluster_name(header, mirror.source),
                         partition_name(header, place.partition), stop_lost ? "stop" : "pause",
                         to_string(mirror.state));
    });
  }
  switch (mirror.state) {
    case MirrorState::stopped:
    case MirrorState::paused:
    case MirrorState::unknown:
      return;
    case MirrorState::failed: {
      const bool told_why = !mirror.retryable || mirror.reason == MirrorReason::source_not_stopped ||
                            mirror.reason == MirrorReason::source_version_too_old;
      if (!told_why) {
        stuck(" without trying again");
      }
      return;
    }
    case MirrorState::mirroring:
      break;
    default:
      stuck("");
      return;
  }
  const Replica* source = replay.leader(mirror.source, place.partition);
  const Replica* own = replay.leader(place.cluster, place.partition);
  if (source == nullptr || own == nullptr) {
    return;
  }
  Offset apart = 0;
  if (own->log.log_end() == source->high_watermark &&
      agree(own->log, source->log, source->high_watermark, apart)) {
    const Batch* last = last_data(source->log, source->high_watermark);
    if (last != nullptr && lacks(own->log, *last) && !any_unclean_election(replay, place.partition)) {
      findings.report(Invariant::convergence, "mirror-lacks-cleaned-record", place, [&] {
        return fmt::format(
            "{}'s mirror of {} ({}) has come to rest without {}, the last record that the source has: "
            "the log cleaner took it, and what had overwritten it is gone since",
            cluster_name(header, place.cluster), cluster_name(header, mirror.source),
            partition_name(header, place.partition), batch_name(header, *last));
      });
    }
    return;
  }
  findings.report(Invariant::convergence, "mirror-differs", place, [&] {
    return fmt::format(
        "{}'s mirror of {} ({}) has come to rest with a log that ends at {}; the source's committed log "
        "ends at {}{}",
        cluster_name(header, place.cluster), cluster_name(header, mirror.source),
        partition_name(header, place.partition), own->log.log_end(), source->high_watermark,
        own->log.log_end() == source->high_watermark ? fmt::format(", and they differ at {}", apart) : "");
  });
}

}  // namespace mirrorproof::checker
