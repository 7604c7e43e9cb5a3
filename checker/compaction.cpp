#include "checker/compaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "checker/describe.h"
#include "checker/seen_transaction.h"

namespace mirrorproof::checker {
namespace {

/// Has a batch above `index` and below `end` that may have overwritten it.
bool overwritten(const ReplicaLog& log, ReplicaLog::Index index, Offset end) {
  for (++index; index < log.end_index() && log.at(index).batch.last_offset < end; ++index) {
    const Batch& later = log.at(index).batch;
    if (later.kind == BatchKind::data && later.has_records()) {
      return true;
    }
  }
  return false;
}

}  // namespace

void clean_log(Replay& replay, Findings& findings, const Event& event, const LogCleaned& cleaned) {
  const TraceHeader& header = replay.header();
  Replica& replica = replay.replica(event.cluster, event.broker, event.partition);
  const ReplicaLog::Index index = replica.log.index_at(cleaned.base_offset);
  const Batch* batch = index == replica.log.end_index() ? nullptr : &replica.log.at(index).batch;
  const bool whole = batch != nullptr && batch->base_offset == cleaned.base_offset &&
                     batch->last_offset == cleaned.last_offset && is_present(*batch) &&
                     (batch->has_records() || !cleaned.batch_kept);
  // Some of the records of a batch that keeps its offsets and epoch: to all others it is the batch it was.
  const bool inside = batch != nullptr && !whole && cleaned.batch_kept && batch->has_records() &&
                      batch->base_offset <= cleaned.base_offset && cleaned.last_offset <= batch->last_offset;
  if (!whole && !inside) {
    findings.report(Invariant::log_matching, "trace-disagrees-with-replay", event, [&] {
      return fmt::format(
          "{}: the log cleaner is said to have taken a batch of offsets {} to {}, which is not there",
          replica_name(header, event), cleaned.base_offset, cleaned.last_offset);
    });
    return;
  }
  const auto report = [&](std::string_view kind, const std::string& why) {
    findings.report(Invariant::committed_stability, kind, event, [&] {
      return fmt::format("{}: the log cleaner took {}, {}", replica_name(header, event),
                         batch_name(header, *batch), why);
    });
  };
  if (!replica.of_deleted_topic) {
    // A trace may leave high watermarks out altogether.
    const bool knows_watermark = replica.high_watermark > replica.log.log_start();
    const Offset bound = knows_watermark ? replica.high_watermark : replica.log.log_end();
    const bool by_its_own = inside && cleaned.last_offset < batch->last_offset;
    if (batch->last_offset >= bound) {
      report("cleaned-above-high-watermark", fmt::format("although its high watermark is {}", bound));
    } else if (batch->kind != BatchKind::data) {
      report("cleaned-control-batch", "which is a control batch");
    } else if (transaction_of(replica.log, index).fate == SeenTransaction::Fate::open) {
      report("cleaned-open-transaction", "whose transaction is open");
    } else if (batch->has_records() && !by_its_own && !overwritten(replica.log, index, bound)) {
      report("cleaned-latest-record", "which no later committed record can have overwritten");
    }
  }
  if (whole) {
    replica.log.clean(index, cleaned.batch_kept ? BatchContent::emptied : BatchContent::gone);
  }
}

InheritedGaps::InheritedGaps(Replay& replay, Findings& findings, const Event& event, const Appended& append) {
  const Replica& copy = replay.replica(event.cluster, event.broker, event.partition);
  const Answer* answer = copy.answers.caused_by(event.causes);
  if (answer == nullptr) {
    return;
  }
  gone_ = replay.answers.take_gone(answer->handled);
  const ReplicaLog& server =
      replay.replica(answer->server_cluster, answer->server_broker, event.partition).log;
  if (server.was_cleaned() && server.find_same(append.batches.back()) != nullptr) {
    // The records may have left late, after the cleaner had been there once more.
    const std::vector<Batch> now = gone_around(server, append.batches.front().base_offset);
    std::vector<Batch> all;
    std::set_union(
        gone_.begin(), gone_.end(), now.begin(), now.end(), std::back_inserter(all),
        [](const Batch& left, const Batch& right) { return left.base_offset < right.base_offset; });
    gone_ = std::move(all);
  }
  const TraceHeader& header = replay.header();
  const Offset first = append.batches.front().base_offset;
  const auto below = std::find_if(gone_.begin(), gone_.end(), [&](const Batch& batch) {
    return batch.base_offset >= copy.log.log_end();
  });
  if (below != gone_.end() && below->base_offset > copy.log.log_end() && below->base_offset < first) {
    const LogEntry* theirs = server.find(below->base_offset - 1);
    if (theirs != nullptr && is_present(theirs->batch) && theirs->appended <= answer->handled) {
      findings.report(Invariant::log_matching, "copy-has-hole", event,
                      [&] {
                        return fmt::format(
                            "{}: {} was copied from {} right after a hole: {}, which {} has, was left out",
                            replica_name(header, event), batch_name(header, append.batches.front()),
                            broker_name(header, answer->server_cluster, answer->server_broker),
                            batch_name(header, theirs->batch),
                            broker_name(header, answer->server_cluster, answer->server_broker));
                      },
                      {answer->handled});
    }
  }
  // What retention took counts no longer, be it the front of a batch.
  const auto compared_at = [&](const Batch& batch) {
    return std::max(batch.base_offset, server.log_start());
  };
  const auto other = std::find_if(gone_.begin(), gone_.end(), [&](const Batch& batch) {
    const Offset offset = compared_at(batch);
    const LogEntry* mine = offset < std::min(copy.log.log_end(), first) && offset <= batch.last_offset
                               ? copy.log.find(offset)
                               : nullptr;
    return mine != nullptr && mine->batch.has_records() && mine->batch.id_at(offset) != batch.id_at(offset);
  });
  if (other != gone_.end()) {
    const Offset offset = compared_at(*other);
    const LogEntry* mine = copy.log.find(offset);
    findings.report(Invariant::log_matching, "copy-diverged", event,
                    [&] {
                      return fmt::format(
                          "{}: {} was copied from {} on top of another history: at offset {} the copy has {} "
                          "(epoch {}), where {} "
                          "had {} (epoch {}) until its log cleaner took it. A truncation was missed",
                          replica_name(header, event), batch_name(header, append.batches.front()),
                          broker_name(header, answer->server_cluster, answer->server_broker), offset,
                          record_name(header, mine->batch.id_at(offset)), mine->batch.epoch,
                          broker_name(header, answer->server_cluster, answer->server_broker),
                          record_name(header, other->id_at(offset)), other->epoch);
                    },
                    {mine->appended, answer->handled});
  }
}

void InheritedGaps::before(Replica& copy, const Batch& batch, EventId event) {
  for (; next_ < gone_.size() && gone_[next_].next_offset() <= batch.base_offset; ++next_) {
    const Batch& gone = gone_[next_];
    if (gone.base_offset >= copy.log.log_end()) {
      copy.log.append(gone, event);
    } else if (copy.log.empty() && gone.last_offset >= copy.log.log_end()) {
      copy.log.append_gap_across_start(gone, event);
    }
  }
}

const std::vector<LogEntry>& with_records(const std::vector<LogEntry>& entries,
                                          std::vector<LogEntry>& scratch) {
  const auto empty = [](const LogEntry& entry) { return !entry.batch.has_records(); };
  if (std::none_of(entries.begin(), entries.end(), empty)) {
    return entries;
  }
  scratch.clear();
  std::remove_copy_if(entries.begin(), entries.end(), std::back_inserter(scratch), empty);
  return scratch;
}

}  // namespace mirrorproof::checker
