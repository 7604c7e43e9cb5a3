#include "checker/log_matching.h"

#include <fmt/format.h>

#include <limits>

#include "checker/describe.h"

namespace mirrorproof::checker {

bool check_append_fits(const Replay& replay, Findings& findings, const Event& event, const Appended& append) {
  const TraceHeader& header = replay.header();
  Offset end = replay.replica(event.cluster, event.broker, event.partition).log.log_end();
  for (const Batch& batch : append.batches) {
    const bool sound = batch.base_offset >= 0 && batch.last_offset >= batch.base_offset &&
                       batch.last_offset < std::numeric_limits<Offset>::max();
    if (!sound || batch.base_offset < end) {
      findings.report(Invariant::log_matching, "append-below-log-end", event, [&] {
        return fmt::format("{}: a batch for offsets {}-{} was appended although the log ends at {}",
                           replica_name(header, event), batch.base_offset, batch.last_offset, end);
      });
      return false;
    }
    end = batch.next_offset();
  }
  return !append.batches.empty();
}

void check_copy(const Replay& replay, Findings& findings, const Event& event, const Appended& append) {
  const TraceHeader& header = replay.header();
  const Replica& copy = replay.replica(event.cluster, event.broker, event.partition);
  const Batch& first = append.batches.front();
  const Answer* answer = copy.answers.caused_by(event.causes);
  if (answer == nullptr) {
    findings.report(Invariant::log_matching, "copy-without-answer", event, [&] {
      return fmt::format("{}: {} was copied, but no cause of the append is an answer this replica received",
                         replica_name(header, event), batch_name(header, first));
    });
    return;
  }
  const auto server = [&] { return broker_name(header, answer->server_cluster, answer->server_broker); };
  const std::vector<EventId> evidence{answer->handled};
  if (answer->first_offset != first.base_offset) {
    findings.report(
        Invariant::log_matching, "copied-what-was-not-served", event,
        [&] {
          return fmt::format("{}: {} was appended as {}'s answer, but that answer begins at offset {}",
                             replica_name(header, event), batch_name(header, first), server(),
                             answer->first_offset);
        },
        evidence);
    return;
  }
  const Offset below = first.base_offset - 1;
  if (answer->before.kind != Neighbour::Kind::record || copy.log.log_start() > below) {
    return;
  }
  const LogEntry* mine = copy.log.find(below);
  if (mine == nullptr) {
    findings.report(
        Invariant::log_matching, "copy-has-hole", event,
        [&] {
          return fmt::format(
              "{}: {} was copied from {} right after a hole: {} had {} at offset {}, the copy has "
              "nothing there although its log starts at {}",
              replica_name(header, event), batch_name(header, first), server(), server(),
              record_name(header, answer->before.id), below, copy.log.log_start());
        },
        evidence);
    return;
  }
  if (mine->batch.id_at(below) != answer->before.id) {
    findings.report(Invariant::log_matching, "copy-diverged", event,
                    [&] {
                      return fmt::format(
                          "{}: {} was copied from {} on top of another history: at offset {} the copy has {} "
                          "(epoch {}), {} had {} (epoch {}). A truncation was missed",
                          replica_name(header, event), batch_name(header, first), server(), below,
                          record_name(header, mine->batch.id_at(below)), mine->batch.epoch, server(),
                          record_name(header, answer->before.id), answer->before.epoch);
                    },
                    {mine->appended, answer->handled});
  }
}

bool check_cut_fits(const Replay& replay, Findings& findings, const Event& event, const Truncated& cut) {
  const Offset log_end = replay.replica(event.cluster, event.broker, event.partition).log.log_end();
  const bool sound = cut.target >= 0 && cut.log_start >= 0 && cut.log_start <= cut.target;
  if (!sound || cut.log_end_before != log_end) {
    findings.report(Invariant::log_matching, "trace-disagrees-with-replay", event, [&] {
      return fmt::format(
          "{}: truncated to {} (log start {}) from log end {}, but the appends and truncations so far "
          "leave it at {}",
          replica_name(replay.header(), event), cut.target, cut.log_start, cut.log_end_before, log_end);
    });
  }
  return sound;
}

void check_cut_count(const Replay& replay, Findings& findings, const Event& event, const Truncated& cut,
                     const std::vector<LogEntry>& removed) {
  const std::int64_t records = record_count(removed);
  if (records != cut.removed_records) {
    findings.report(Invariant::log_matching, "trace-disagrees-with-replay", event, [&] {
      return fmt::format("{}: the truncation to {} is said to have removed {} records, but {} were there",
                         replica_name(replay.header(), event), cut.target, cut.removed_records, records);
    });
  }
}

std::int64_t record_count(const std::vector<LogEntry>& entries) {
  std::int64_t records = 0;
  for (const LogEntry& entry : entries) {
    records += entry.batch.stored_records();
  }
  return records;
}

}  // namespace mirrorproof::checker
