#include "checker/committed_stability.h"

#include <fmt/format.h>

#include <algorithm>

#include "checker/describe.h"

namespace mirrorproof::checker {

void check_take_over(const Replay& replay, Findings& findings, const Event& event,
                     const TakeOver& take_over) {
  if (!take_over.previous || take_over.succession.unclean) {
    return;
  }
  // A power loss licenses the loss of what it left no safe copy of. While a replica that lost nothing since
  // it copied the batch still has it, electing one without it cleanly is the cluster's fault (KIP-966).
  const auto safe_copy = [&](const Batch& batch) {
    const BrokerSet replicas = replay.hosts(event.cluster, event.partition);
    for (BrokerId broker = 0; broker < kMaxBrokers; ++broker) {
      if (replicas.contains(broker) && replay.known(event.cluster, broker)) {
        const Replica& replica = replay.replica(event.cluster, broker, event.partition);
        const LogEntry* entry = replica.log.find_same(batch);
        if (entry != nullptr && entry->appended > replica.last_power_loss) {
          return true;
        }
      }
    }
    return false;
  };
  const auto unlicensed = [&](const TakeOver::Lost& lost) {
    return lost.committed && lost.batch.has_records() && !lost.by_mirror &&
           (!lost.after_power_loss || safe_copy(lost.batch));
  };
  const auto first = std::find_if(take_over.lost.begin(), take_over.lost.end(), unlicensed);
  if (first == take_over.lost.end()) {
    return;
  }
  const TraceHeader& header = replay.header();
  findings.report(
      Invariant::committed_stability,
      first->after_power_loss ? "committed-record-lost-after-power-loss"
                              : "committed-record-lost-in-clean-election",
      event,
      [&] {
        std::int64_t records = 0;
        for (const TakeOver::Lost& lost : take_over.lost) {
          records += unlicensed(lost) ? lost.batch.record_count() : 0;
        }
        return fmt::format(
            "{}: took over epoch {} without {} (committed records lost: {}), which {} had committed as "
            "leader of epoch {}; no election since is unclean, and no power loss took its last safe copy",
            replica_name(header, event), take_over.succession.epoch, batch_name(header, first->batch),
            records, broker_name(header, event.cluster, take_over.previous->leader),
            take_over.previous->epoch);
      },
      {take_over.previous->became_leader, take_over.succession.killer});
}

void check_stop_truncation(const Replay& replay, Findings& findings, const Event& event,
                           const std::vector<LogEntry>& removed) {
  const Offset committed = replay.lineage(event.cluster, event.partition).committed_end();
  if (removed.empty() || removed.front().batch.base_offset >= committed) {
    return;
  }
  findings.report(Invariant::committed_stability, "committed-record-cut-at-stop", event, [&] {
    return fmt::format(
        "{}: to end open transactions, the stopping mirror cut off {}, which was committed and readable",
        replica_name(replay.header(), event), batch_name(replay.header(), removed.front().batch));
  });
}

void check_high_watermark(const Replay& replay, Findings& findings, const Event& event,
                          const HighWatermarkMoved& moved) {
  const TraceHeader& header = replay.header();
  const Replica& replica = replay.replica(event.cluster, event.broker, event.partition);
  if (moved.high_watermark < replica.log.log_start() || moved.high_watermark > replica.log.log_end()) {
    findings.report(Invariant::committed_stability, "high-watermark-outside-log", event, [&] {
      return fmt::format("{}: high watermark {} lies outside the log [{}, {})", replica_name(header, event),
                         moved.high_watermark, replica.log.log_start(), replica.log.log_end());
    });
  }
  // A follower may only expose what the leader that told it the high watermark holds as well.
  const Answer* answer = replica.answers.caused_by(event.causes);
  const bool follows = answer != nullptr && answer->server_cluster == event.cluster;
  const Offset end = std::min(moved.high_watermark, replica.log.log_end());
  ReplicaLog::Index index = replica.log.index_at(replica.high_watermark);
  for (; follows && index < replica.log.end_index() && replica.log.at(index).batch.base_offset < end;
       ++index) {
    const LogEntry* mine = &replica.log.at(index);
    const Offset offset = std::min(mine->batch.last_offset, end - 1);
    const ReplicaLog& server =
        replay.replica(answer->server_cluster, answer->server_broker, event.partition).log;
    const LogEntry* theirs = offset < server.log_start() ? nullptr : server.find(offset);
    if (theirs != nullptr && mine->batch.has_records() && theirs->appended <= answer->handled &&
        mine->batch.id_at(offset) != theirs->batch.id_at(offset)) {
      findings.report(
          Invariant::committed_stability, "high-watermark-over-foreign-record", event,
          [&] {
            return fmt::format(
                "{}: the high watermark followed {} to {} and exposes {}, where {} holds {}",
                replica_name(header, event), broker_name(header, event.cluster, answer->server_broker),
                moved.high_watermark, batch_name(header, mine->batch),
                broker_name(header, event.cluster, answer->server_broker), batch_name(header, theirs->batch));
          },
          {mine->appended, answer->handled});
      break;
    }
  }
  const bool reigns =
      replica.leads && replay.lineage(event.cluster, event.partition).leader() == event.broker;
  if (reigns && moved.high_watermark < replica.high_watermark) {
    findings.report(Invariant::committed_stability, "leader-high-watermark-went-back", event, [&] {
      return fmt::format(
          "{}: the leader of epoch {} moved its high watermark back from {} to {} without a truncation",
          replica_name(header, event), replica.leader_epoch, replica.high_watermark, moved.high_watermark);
    });
  }
}

void RestartedLogs::truncated(const Replay& replay, const Event& event, const Truncated& cut) {
  const Replica& replica = replay.replica(event.cluster, event.broker, event.partition);
  // A trace may leave high watermarks out altogether.
  if (told_any_ && cut.log_start > replica.high_watermark) {
    Restart& restart = restarts_.emplace_back();
    restart.place.id = event.id;
    restart.place.cluster = event.cluster;
    restart.place.broker = event.broker;
    restart.place.partition = event.partition;
    restart.log_start = cut.log_start;
    restart.high_watermark = replica.high_watermark;
  }
}

void RestartedLogs::high_watermark_moved(const Event& event) {
  told_any_ = true;
  std::erase_if(restarts_, [&event](const Restart& restart) {
    return restart.place.cluster == event.cluster && restart.place.broker == event.broker &&
           restart.place.partition == event.partition;
  });
}

void RestartedLogs::end_step(const Replay& replay, Findings& findings) {
  for (const Restart& restart : restarts_) {
    findings.report(Invariant::committed_stability, "high-watermark-below-log-start", restart.place, [&] {
      return fmt::format("{}: the log was dropped and starts at {} now, its high watermark stayed at {}",
                         replica_name(replay.header(), restart.place), restart.log_start,
                         restart.high_watermark);
    });
  }
  restarts_.clear();
}

void check_log_start(const Replay& replay, Findings& findings, const Event& event,
                     const LogStartMoved& moved) {
  const TraceHeader& header = replay.header();
  const Replica& replica = replay.replica(event.cluster, event.broker, event.partition);
  if (moved.log_start < replica.log.log_start()) {
    findings.report(Invariant::committed_stability, "log-start-went-back", event, [&] {
      return fmt::format("{}: log start moved back from {} to {}", replica_name(header, event),
                         replica.log.log_start(), moved.log_start);
    });
  }
  if (moved.log_start > replica.high_watermark) {
    findings.report(Invariant::committed_stability, "log-start-above-high-watermark", event, [&] {
      return fmt::format("{}: log start {} passed the high watermark {}", replica_name(header, event),
                         moved.log_start, replica.high_watermark);
    });
  }
  if (moved.reason != LogStartMoved::Reason::replicated) {
    return;
  }
  const Answer* answer = replica.answers.caused_by(event.causes);
  if (answer == nullptr) {
    return;
  }
  const Replica& server = replay.replica(answer->server_cluster, answer->server_broker, event.partition);
  // A log that was copied from inside a gap may begin where its batches do.
  const bool drops_records = moved.log_start > replica.log.log_end() ||
                             replica.log.has_records_in(replica.log.log_start(), moved.log_start);
  if (moved.log_start > server.highest_log_start && drops_records) {
    findings.report(
        Invariant::committed_stability, "log-start-ahead-of-server", event,
        [&] {
          return fmt::format(
              "{}: log start followed {} to {}, but that log never started above {}: records were "
              "dropped that nobody ordered to drop",
              replica_name(header, event), broker_name(header, answer->server_cluster, answer->server_broker),
              moved.log_start, server.highest_log_start);
        },
        {answer->handled});
  }
}

}  // namespace mirrorproof::checker
