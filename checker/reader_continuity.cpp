#include "checker/reader_continuity.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "checker/describe.h"
#include "checker/seen_transaction.h"

namespace mirrorproof::checker {
namespace {

/// When the partition's topic was created again in the cluster; 0: never.
EventId topic_recreated(const Replay& replay, PartitionId partition, ClusterId cluster) {
  return replay.replica(cluster, 0, partition).topic_recreated;
}

/// The cluster itself, or a mirror of it, perhaps over others: none of which stopped before the next one
/// began, or holds what is left of a topic that its source has deleted since.
bool mirrors(const Replay& replay, PartitionId partition, ClusterId cluster, ClusterId origin) {
  EventId until = std::numeric_limits<EventId>::max();
  for (std::size_t hops = 0; hops < replay.header().clusters.size() && cluster != kNoCluster; ++hops) {
    if (cluster == origin) {
      return true;
    }
    const MirrorSession& mirror = replay.mirror(cluster, partition);
    const bool continues = mirror.continues != kNoCluster && mirror.continues_since < until &&
                           topic_recreated(replay, partition, mirror.continues) <= mirror.continues_since;
    cluster = continues ? mirror.continues : kNoCluster;
    until = mirror.stopped_since == 0 ? until : std::min(until, mirror.stopped_since);
  }
  return false;
}

}  // namespace

void ReaderContinuity::moved(const Replay& replay, const Event& event, const ReaderMoved& moved) {
  Ledger& reader = ledger(event, moved.reader);
  // Going on exactly where it was, in the same cluster or in a mirror of it, it believes that it knows what
  // lies behind it. Not so where its group committed that offset in this cluster, about the log that is here.
  const auto committed = committed_here_.find({event.cluster, event.partition, moved.group});
  const bool of_this_log = committed != committed_here_.end() && committed->second.by_reader;
  // Nor where it had committed that offset before it was told of another history and came past it once more.
  const bool of_another_epoch = committed != committed_here_.end() &&
                                committed->second.epoch != kUndefinedEpoch &&
                                reader.epoch != kUndefinedEpoch && committed->second.epoch != reader.epoch;
  if (!moved.from_group || of_another_epoch || (of_this_log && event.cluster != reader.seen_in) ||
      moved.offset != reader.position || !mirrors(replay, event.partition, event.cluster, reader.seen_in)) {
    reader.seen.reset();
  }
  reader.started = true;
  reader.position = moved.offset;
}

void ReaderContinuity::check_told(const Replay& replay, Findings& findings, const Event& event,
                                  const ReaderTold& told) {
  Ledger& reader = ledger(event, told.reader);
  const Replica& server = replay.replica(event.cluster, event.broker, event.partition);
  if (told.news == ReaderNews::diverged && reader.seen && reader.epoch != kUndefinedEpoch) {
    // The two logs part no later than the server's first record of an epoch that the reader has not come to.
    const auto epochs = server.epoch_starts();
    const auto newer =
        std::upper_bound(epochs.begin(), epochs.end(), reader.epoch,
                         [](Epoch seen, const EpochEntry& entry) { return seen < entry.epoch; });
    const Offset newer_begins = newer == epochs.end() ? server.log.log_end() : newer->start_offset;
    const Offset parted = std::max(newer_begins, server.log.log_start());
    if (told.offset > parted) {
      findings.report(Invariant::reader_continuity, "moved-beyond-divergence", event, [&] {
        return fmt::format(
            "{}: reader {} had come to epoch {} and was told to go on at offset {}, but what it has not seen "
            "begins at {}",
            replica_name(replay.header(), event), told.reader, reader.epoch, told.offset, parted);
      });
    }
  }
  reader.started = true;
  reader.position = told.offset;
  reader.seen.reset();
}

void ReaderContinuity::check_fetched(const Replay& replay, const LateBatches& late, Findings& findings,
                                     const Event& event, const ReaderFetched& fetched) {
  const TraceHeader& header = replay.header();
  const Replica& server = replay.replica(event.cluster, event.broker, event.partition);
  const ReplicaLog& log = server.log;
  Ledger& reader = ledger(event, fetched.reader);
  const auto report = [&](std::string_view kind, const std::string& what) {
    findings.report(Invariant::reader_continuity, kind, event, [&] {
      return fmt::format("{}: reader {}, which asked for offset {}, {}", replica_name(header, event),
                         fetched.reader, fetched.from, what);
    });
  };
  if (reader.started && fetched.from != reader.position) {
    report("position-jumped", fmt::format("had come to offset {}", reader.position));
  }
  if (reader.seen && reader.seen->last_offset >= log.log_start()) {
    const Offset offset = reader.seen->last_offset;
    const LogEntry* there = log.find(offset);
    if (there != nullptr && there->batch.id_at(offset) != reader.seen->id_at(offset)) {
      report("removed-record-not-told", fmt::format("was not told that offset {} now holds {} instead of {}",
                                                    offset, record_name(header, there->batch.id_at(offset)),
                                                    record_name(header, reader.seen->id_at(offset))));
    }
  }
  std::size_t given = 0;
  for (ReplicaLog::Index index = log.index_at(fetched.from); index < log.end_index(); ++index) {
    const Batch& batch = log.at(index).batch;
    if (batch.base_offset >= fetched.next) {
      break;
    }
    if (!is_present(batch)) {
      continue;
    }
    reader.epoch = batch.epoch;
    if (!batch.has_records()) {
      continue;
    }
    const Offset first = std::max(batch.base_offset, fetched.from);
    const bool delivered = given < fetched.batches.size() && fetched.batches[given].base_offset == first;
    if (delivered && fetched.batches[given].first_id != batch.id_at(first)) {
      report("record-not-there", fmt::format("was given {} at offset {}, where the log has {}",
                                             record_name(header, fetched.batches[given].first_id), first,
                                             record_name(header, batch.id_at(first))));
    }
    const SeenTransaction transaction =
        fetched.read_committed ? transaction_of(log, index) : SeenTransaction{};
    const bool is_open = transaction.fate == SeenTransaction::Fate::open;
    const bool is_aborted = transaction.fate == SeenTransaction::Fate::aborted;
    if (delivered && (is_open || is_aborted)) {
      report(is_open ? "read-open-transaction" : "read-aborted-transaction",
             fmt::format("is read_committed and was given {} of {} transaction", batch_name(header, batch),
                         is_open ? "an open" : "an aborted"));
    }
    const bool is_committed = transaction.fate == SeenTransaction::Fate::committed;
    if (delivered && is_committed && transaction.marker != nullptr &&
        aborted.contain(event.cluster, event.partition, batch.first_id, transaction.marker->epoch)) {
      report("aborted-record-came-back",
             fmt::format("is read_committed and was given {}, whose transaction had been aborted; a later "
                         "commit of its producer has taken it along",
                         batch_name(header, batch)));
    }
    if (delivered && is_committed && late.committed(event.partition, batch.first_id)) {
      report("late-record-committed",
             fmt::format("is read_committed and was given {}, which came when its transaction was over; the "
                         "next one of its producer has committed it",
                         batch_name(header, batch)));
    }
    if (!delivered && batch.kind == BatchKind::data && !is_aborted) {
      report("record-skipped", fmt::format("was not given {}", batch_name(header, batch)));
    }
    const Lineage& lineage = replay.lineage(event.cluster, event.partition);
    if (delivered && !server.leads && lineage.reign() && server.leader_epoch == lineage.reign()->epoch &&
        batch.last_offset >= lineage.committed_end()) {
      report("read-uncommitted-record",
             fmt::format("was given {} by a follower, which the cluster has not committed",
                         batch_name(header, batch)));
    }
    if (delivered && server.leads && lineage.committed_end() > 0 &&
        batch.last_offset >= server.high_watermark) {
      report("read-above-high-watermark",
             fmt::format("was given {} by the leader, whose high watermark is {}", batch_name(header, batch),
                         server.high_watermark));
    }
    given += delivered ? 1 : 0;
  }
  if (given < fetched.batches.size()) {
    report("record-not-there", fmt::format("was given {}, which the log does not have there",
                                           batch_name(header, fetched.batches[given])));
  }
  reader.started = true;
  reader.position = fetched.next;
  if (!fetched.batches.empty()) {
    reader.seen = fetched.batches.back();
    reader.seen_in = event.cluster;
  }
}

}  // namespace mirrorproof::checker
