#include "checker/alignment_exactness.h"

#include <fmt/format.h>

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
    if (leader->log.find_same(entry.batch) == nullptr) {
      continue;
    }
    const Fates::History* fates = lineage.fates().of(entry.batch);
    const bool brought_back_by_ule =
        fates != nullptr && fates->back().kind == Fate::Kind::revival && fates->back().unclean;
    if (brought_back_by_ule) {
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

  const CommonPrefix same =
      common_prefix(local.log, local.log.end_index(), leader->log, leader->log.end_index());
  for (ReplicaLog::Index index = same.left_begin + same.count; index < local.log.end_index(); ++index) {
    const Batch& batch = local.log.at(index).batch;
    if (batch.last_offset < leader->log.log_start() || leader->log.find_same(batch) != nullptr) {
      continue;
    }
    const Fates::History* fates = lineage.fates().of(batch);
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
