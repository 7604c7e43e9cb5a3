#include "checker/epoch_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "checker/describe.h"

namespace mirrorproof::checker {
namespace {

std::string cache_text(std::span<const EpochEntry> entries) {
  std::string text = "{";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i == 8 && entries.size() > 9) {
      text += fmt::format(", ... {} more", entries.size() - i);
      break;
    }
    text += fmt::format("{}{}@{}", i == 0 ? "" : ", ", entries[i].epoch, entries[i].start_offset);
  }
  return text + "}";
}

/// The first way in which a cache contradicts the log; an empty kind when it does not.
struct CacheFault {
  std::string_view kind;
  std::string reason;
};

/// An epoch whose records before the log start are gone begins at the log start (E8), or where the batch
/// begins that the log start lies in and that is kept whole, also when that batch is gone since. It also may
/// begin at a log start below a gap.
bool starts_where_the_log_does(const Replica& replica, Offset epoch_start, Offset entry_start) {
  const Offset log_start = replica.log.log_start();
  if (replica.log.was_cleaned() && entry_start <= log_start && epoch_start > log_start &&
      !replica.log.has_records_in(log_start, epoch_start)) {
    return true;
  }
  if (replica.log.empty() || epoch_start >= log_start) {
    return false;
  }
  const Offset first_batch = replica.log.at(replica.log.first_index()).batch.base_offset;
  return entry_start == std::max(epoch_start, std::min(first_batch, log_start));
}

CacheFault find_cache_fault(const Replica& replica, const std::vector<EpochEntry>& cache) {
  const std::span<const EpochEntry> starts = replica.epoch_starts();
  for (std::size_t i = 1; i < cache.size(); ++i) {
    if (cache[i].epoch <= cache[i - 1].epoch || cache[i].start_offset <= cache[i - 1].start_offset) {
      return {"cache-not-increasing",
              fmt::format("entry {}@{} does not follow {}@{}", cache[i].epoch, cache[i].start_offset,
                          cache[i - 1].epoch, cache[i - 1].start_offset)};
    }
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < cache.size(); ++i) {
    const EpochEntry& entry = cache[i];
    if (next < starts.size() && entry.epoch == starts[next].epoch) {
      const Offset start = std::max(starts[next].start_offset, replica.log.log_start());
      if (entry.start_offset != start &&
          !starts_where_the_log_does(replica, starts[next].start_offset, entry.start_offset)) {
        return {"cache-entry-misplaced",
                fmt::format("epoch {} starts at offset {} in the log, at {} in the cache", entry.epoch, start,
                            entry.start_offset)};
      }
      ++next;
      continue;
    }
    const auto later = std::find_if(starts.begin() + static_cast<std::ptrdiff_t>(next), starts.end(),
                                    [&](const EpochEntry& start) { return start.epoch == entry.epoch; });
    if (later != starts.end()) {
      break;
    }
    const Offset end = i + 1 < cache.size() ? cache[i + 1].start_offset : std::numeric_limits<Offset>::max();
    const Offset from = std::max(entry.start_offset, replica.log.log_start());
    if (from < end && replica.log.has_records_in(from, end)) {
      return {"cache-entry-without-records",
              fmt::format("entry {}@{} covers records of other epochs", entry.epoch, entry.start_offset)};
    }
  }
  if (next < starts.size()) {
    return {"cache-entry-missing", fmt::format("epoch {}, which starts at offset {}, has no entry",
                                               starts[next].epoch, starts[next].start_offset)};
  }
  return {};
}

/// The first and the last epoch of the log have their entries.
CacheFault find_fault_at_the_ends(const Replica& replica, const std::vector<EpochEntry>& cache) {
  const std::span<const EpochEntry> starts = replica.epoch_starts();
  if (starts.empty()) {
    return {};
  }
  for (const EpochEntry& start : {starts.front(), starts.back()}) {
    const Offset wanted = std::max(start.start_offset, replica.log.log_start());
    const auto entry =
        std::lower_bound(cache.begin(), cache.end(), start.epoch,
                         [](const EpochEntry& candidate, Epoch epoch) { return candidate.epoch < epoch; });
    if (entry == cache.end() || entry->epoch != start.epoch) {
      return {"cache-entry-missing",
              fmt::format("epoch {}, which starts at offset {}, has no entry", start.epoch, wanted)};
    }
    if (entry->start_offset != wanted &&
        !starts_where_the_log_does(replica, start.start_offset, entry->start_offset)) {
      return {"cache-entry-misplaced",
              fmt::format("epoch {} starts at offset {} in the log, at {} in the cache", start.epoch, wanted,
                          entry->start_offset)};
    }
  }
  return {};
}

}  // namespace

EpochOrder::EpochOrder(const Replay& replay)
    : largest_mirrored_(replay.header().clusters.size() * replay.header().partitions.size(), kUndefinedEpoch),
      partitions_(replay.header().partitions.size()) {}

bool EpochOrder::check_election(const Replay& replay, Findings& findings, const Event& event,
                                const Election& election) const {
  const Epoch latest = replay.lineage(event.cluster, event.partition).latest_epoch();
  if (election.epoch > latest) {
    return true;
  }
  findings.report(Invariant::epoch_order, "election-epoch-not-larger", event, [&] {
    return fmt::format("{} of {}: an election for epoch {} after one for epoch {}",
                       partition_name(replay.header(), event.partition),
                       cluster_name(replay.header(), event.cluster), election.epoch, latest);
  });
  return false;
}

void EpochOrder::check_append(const Replay& replay, Findings& findings, const Event& event,
                              const Appended& append) {
  const TraceHeader& header = replay.header();
  const ReplicaLog& log = replay.replica(event.cluster, event.broker, event.partition).log;
  const Lineage& lineage = replay.lineage(event.cluster, event.partition);
  Epoch& largest_mirrored = largest_mirrored_[static_cast<std::size_t>(event.cluster) * partitions_ +
                                              static_cast<std::size_t>(event.partition)];
  Epoch previous = log.empty() ? kUndefinedEpoch : log.back().batch.epoch;
  for (const Batch& batch : append.batches) {
    if (batch.epoch == kUndefinedEpoch) {
      previous = kUndefinedEpoch;
      continue;
    }
    if (batch.epoch < previous) {
      findings.report(Invariant::epoch_order, "epoch-decreases-along-log", event, [&] {
        return fmt::format("{}: {} follows a record of epoch {}", replica_name(header, event),
                           batch_name(header, batch), previous);
      });
    }
    previous = batch.epoch;
    const Epoch latest = lineage.latest_epoch();
    if (append.origin != AppendOrigin::initial && latest != kUndefinedEpoch && batch.epoch > latest) {
      findings.report(Invariant::epoch_order, "epoch-above-leader-epoch", event, [&] {
        return fmt::format("{}: {} was appended, but {}'s leader epoch is only {}",
                           replica_name(header, event), batch_name(header, batch),
                           cluster_name(header, event.cluster), latest);
      });
    }
    if (append.origin == AppendOrigin::mirror) {
      largest_mirrored = std::max(largest_mirrored, batch.epoch);
    } else if (append.origin == AppendOrigin::local && batch.epoch <= largest_mirrored &&
               lineage.in_office(event.broker)) {
      findings.report(Invariant::epoch_order, "local-epoch-not-above-mirrored", event, [&] {
        return fmt::format(
            "{}: {} was written locally although epoch {} was mirrored into this partition before",
            replica_name(header, event), batch_name(header, batch), largest_mirrored);
      });
    }
  }
}

void EpochOrder::touched(const Event& event, Replica& replica, Replica::EpochsTouched what) {
  if (replica.epochs_touched == Replica::EpochsTouched::no) {
    Event& place = touched_.emplace_back();
    place.id = event.id;
    place.cluster = event.cluster;
    place.broker = event.broker;
    place.partition = event.partition;
    place.step = event.step;
  }
  replica.epochs_touched = std::max(replica.epochs_touched, what);
}

void EpochOrder::end_step(Replay& replay, Findings& findings) {
  for (const Event& event : touched_) {
    Replica& replica = replay.replica(event.cluster, event.broker, event.partition);
    const bool reported = replica.epochs_touched == Replica::EpochsTouched::cache;
    replica.epochs_touched = Replica::EpochsTouched::no;
    if (!replica.epoch_cache) {
      continue;
    }
    const CacheFault fault = reported ? find_cache_fault(replica, *replica.epoch_cache)
                                      : find_fault_at_the_ends(replica, *replica.epoch_cache);
    if (!fault.kind.empty()) {
      findings.report(Invariant::epoch_order, fault.kind, event, [&] {
        return fmt::format("{}: the epoch cache {} contradicts the log, whose epochs are {}: {}",
                           replica_name(replay.header(), event), cache_text(*replica.epoch_cache),
                           cache_text(replica.epoch_starts()), fault.reason);
      });
    }
  }
  touched_.clear();
}

}  // namespace mirrorproof::checker
