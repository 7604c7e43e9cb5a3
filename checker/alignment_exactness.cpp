#include "checker/alignment_exactness.h"

#include <fmt/format.h>

#include <algorithm>

#include "checker/describe.h"
#include "checker/provenance.h"

namespace mirrorproof::checker {
namespace {

std::string position_name(const MirrorPosition& position) {
  return position.epoch == kUndefinedEpoch && position.offset == kUndefinedOffset
             ? "no last mirror position"
             : fmt::format("last mirror position (epoch {}, offset {})", position.epoch, position.offset);
}

}  // namespace

void check_alignment(const Replay& replay, Findings& findings, const Event& event,
                     const MirrorAligned& aligned) {
  const TraceHeader& header = replay.header();
  const Replica* leader =
      aligned.source == kNoCluster ? nullptr : replay.leader(aligned.source, event.partition);
  if (leader == nullptr) {
    return;
  }
  const Replica& local = replay.replica(event.cluster, event.broker, event.partition);
  const Lineage& lineage = replay.lineage(aligned.source, event.partition);
  const auto place = [&] {
    return fmt::format("{}: LOG_ALIGNMENT to offset {} with {}", replica_name(header, event), aligned.target,
                       position_name(aligned.position));
  };
  const std::string source_leader = broker_name(header, aligned.source, lineage.leader());

  for (const LogEntry& entry : local.aligned_away) {
    const LogEntry* theirs = leader->log.find_same(entry.batch);
    if (theirs == nullptr || !theirs->batch.has_records()) {
      continue;
    }
    const Fates::History* fates = lineage.fates().of(entry.batch);
    const bool brought_back_by_ule =
        fates != nullptr && fates->back().kind == Fate::Kind::revival && fates->back().unclean;
    if (brought_back_by_ule) {
      continue;
    }
    // An unclean election of the destination itself brought it back, after the position was taken without it.
    const Fates::History* own = replay.lineage(event.cluster, event.partition).fates().of(entry.batch);
    const bool own_revival = own != nullptr && std::any_of(own->begin(), own->end(), [](const Fate& fate) {
                               return fate.kind == Fate::Kind::revival && fate.unclean;
                             });
    if (own_revival) {
      continue;
    }
    // Starting from scratch over records that both sides share is the same mistake, made knowingly.
    const bool scratch = aligned.position.offset == kUndefinedOffset;
    findings.report(Invariant::alignment_exactness,
                    scratch ? "scratch-removed-shared-record" : "removed-shared-record", event, [&] {
                      return fmt::format("{} removed {}, which the source leader {} holds at that offset",
                                         place(), batch_name(header, entry.batch), source_leader);
                    });
    break;
  }

  // What retention took from the source is no difference, even where a leader that had less starts lower
  // again.
  Offset deleted_below = 0;
  const BrokerSet sources = replay.hosts(aligned.source, event.partition);
  for (BrokerId broker = 0; broker < kMaxBrokers; ++broker) {
    if (sources.contains(broker) && replay.known(aligned.source, broker)) {
      deleted_below =
          std::max(deleted_below, replay.replica(aligned.source, broker, event.partition).highest_log_start);
    }
  }
  const CommonPrefix same =
      common_prefix(local.log, local.log.end_index(), leader->log, leader->log.end_index());
  for (ReplicaLog::Index index = same.left_begin + same.count; index < local.log.end_index(); ++index) {
    const Batch& batch = local.log.at(index).batch;
    if (!batch.has_records() || batch.last_offset < deleted_below ||
        leader->log.find_same(batch) != nullptr) {
      continue;
    }
    // Cut from the leader by a power loss: whether the source has lost it, the next election decides.
    if (lineage.alive(batch, *leader)) {
      continue;
    }
    const Fates::History* fates = lineage.fates().of(batch);
    // The source, a mirror itself, cut it after it was asked for the position.
    if (fates != nullptr && fates->back().kind == Fate::Kind::alignment && !event.causes.empty() &&
        fates->back().event > event.causes.front()) {
      continue;
    }
    if (fates != nullptr && killed_by_ule(replay, fates->back())) {
      continue;
    }
    const bool power_loss = fates != nullptr && fates->back().kills() && fates->back().after_power_loss;
    findings.report(Invariant::alignment_exactness,
                    power_loss ? "kept-record-lost-by-power-loss" : "kept-foreign-record", event, [&] {
                      return fmt::format(
                          "{} kept {}, which the source leader {} lacks, and no unclean election "
                          "there took it",
                          place(), batch_name(header, batch), source_leader);
                    });
    break;
  }
}

}  // namespace mirrorproof::checker
