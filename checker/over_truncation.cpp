#include "checker/over_truncation.h"

#include <algorithm>

namespace mirrorproof::checker {
namespace {

std::uint64_t bytes_of(const Batch& batch) {
  return kBatchOverheadBytes + kLeastRecordBytes * static_cast<std::uint64_t>(batch.record_count());
}

std::pair<std::uint64_t, std::uint64_t> key_of(const Event& event, const Batch& batch) {
  const auto cluster = static_cast<std::uint64_t>(event.cluster);
  return {batch.first_id.packed, cluster * kMaxPartitions + static_cast<std::uint64_t>(event.partition)};
}

/// Can the client's next act be a cut?
bool may_cut(const RequestHandled& request) {
  return request.api == ApiKey::fetch ? request.diverging || request.error == ErrorCode::offset_out_of_range
                                      : request.error == ErrorCode::none;
}

}  // namespace

OverTruncation::Agreement OverTruncation::agreement(const ReplicaLog& mirror, const ReplicaLog& source) {
  const CommonPrefix same = common_prefix(mirror, mirror.end_index(), source, source.end_index());
  const Offset begin = std::max(mirror.log_start(), source.log_start());
  const Offset end =
      same.count == 0 ? begin : mirror.at(same.left_begin + same.count - 1).batch.next_offset();
  return {begin, end};
}

void OverTruncation::answered(const Replay& replay, const Event& event, const RequestHandled& request) {
  if (!may_cut(request) || event.causes.empty()) {
    return;
  }
  const auto [cluster, broker] = replay.order.actor_at(replay.order.index_of(event.causes.front()));
  if (cluster == event.cluster || broker == kController) {
    return;
  }
  answers_[event.id] = agreement(replay.replica(cluster, broker, event.partition).log,
                                 replay.replica(event.cluster, event.broker, event.partition).log);
}

void OverTruncation::position_read(const Replay& replay, const Event& event, const MirrorPositionRead& read) {
  const Replica* leader = read.source == kNoCluster ? nullptr : replay.leader(read.source, event.partition);
  if (leader != nullptr) {
    answers_[event.id] =
        agreement(replay.replica(event.cluster, event.broker, event.partition).log, leader->log);
  }
}

std::optional<OverTruncation::Agreement> OverTruncation::take(EventId answer) {
  const auto found = answers_.find(answer);
  if (found == answers_.end()) {
    return std::nullopt;
  }
  const Agreement same = found->second;
  answers_.erase(found);
  return same;
}

OverTruncation::Agreement OverTruncation::agreement_behind(const Replay& replay, const Event& event,
                                                           const std::vector<LogEntry>& removed) {
  for (const EventId cause : event.causes) {
    if (const auto found = take(cause)) {
      return *found;
    }
  }
  const Replica& replica = replay.replica(event.cluster, event.broker, event.partition);
  if (const Answer* answer = replica.answers.caused_by(event.causes); answer != nullptr) {
    if (const auto found = take(answer->handled)) {
      return *found;
    }
  }
  // The trace names no answer: what the source's leader has now speaks for it. The log here was cut already.
  const ClusterId source = replay.mirror(event.cluster, event.partition).source;
  const Replica* leader = source == kNoCluster ? nullptr : replay.leader(source, event.partition);
  if (leader == nullptr) {
    return {};
  }
  Agreement same{leader->log.log_start(), leader->log.log_start()};
  if (!replica.log.empty()) {
    same = agreement(replica.log, leader->log);
    if (same.end < replica.log.at(replica.log.end_index() - 1).batch.next_offset()) {
      return same;
    }
  }
  for (const LogEntry& entry : removed) {
    if (entry.batch.last_offset < same.begin) {
      continue;
    }
    if (leader->log.find_same(entry.batch) == nullptr) {
      break;
    }
    same.end = entry.batch.next_offset();
  }
  return same;
}

void OverTruncation::truncated(const Replay& replay, const Event& event,
                               const std::vector<LogEntry>& removed) {
  const Agreement same = agreement_behind(replay, event, removed);
  bool any = false;
  for (const LogEntry& entry : removed) {
    const Batch& batch = entry.batch;
    if (batch.last_offset < same.begin || batch.last_offset >= same.end) {
      continue;
    }
    any = true;
    statistics_.records += static_cast<std::uint64_t>(batch.record_count());
    statistics_.bytes += bytes_of(batch);
    missing_.insert(key_of(event, batch));
  }
  statistics_.cuts += any ? 1 : 0;
}

void OverTruncation::mirrored(const Event& event, const Appended& append) {
  if (missing_.empty() || append.origin != AppendOrigin::mirror) {
    return;
  }
  for (const Batch& batch : append.batches) {
    if (missing_.erase(key_of(event, batch)) != 0) {
      statistics_.records_fetched_again += static_cast<std::uint64_t>(batch.record_count());
      statistics_.bytes_fetched_again += bytes_of(batch);
    }
  }
}

}  // namespace mirrorproof::checker
