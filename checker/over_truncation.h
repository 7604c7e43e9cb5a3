#pragma once
// Over-truncation: what mirrors removed although their source had the very same records at the same offsets
// when it answered. No invariant: it is what a careful protocol costs, and comparing final logs cannot see
// it, since the records are fetched again.

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "checker/checker.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

/// Least size of a batch in Kafka's message format v2: DefaultRecordBatch.RECORD_BATCH_OVERHEAD, and a record
/// without key, value and headers. Traces hold no sizes.
inline constexpr std::uint64_t kBatchOverheadBytes = 61;
inline constexpr std::uint64_t kLeastRecordBytes = 7;

class OverTruncation {
 public:
  /// A source evaluated a request of a mirror: how far do the two logs agree? Only answers that may make the
  /// mirror cut its log are looked at.
  void answered(const Replay& replay, const Event& event, const RequestHandled& request);
  /// LOG_ALIGNMENT learned the last mirror position: that is the source's answer.
  void position_read(const Replay& replay, const Event& event, const MirrorPositionRead& read);
  /// A mirror cut records off its log.
  void truncated(const Replay& replay, const Event& event, const std::vector<LogEntry>& removed);
  void mirrored(const Event& event, const Appended& append);

  const OverTruncationStatistics& statistics() const { return statistics_; }

 private:
  /// Both logs hold the same records in [begin, end). What lies behind a difference had to go anyway: a log
  /// is cut at its end only.
  struct Agreement {
    Offset begin = 0;
    Offset end = 0;
  };
  static Agreement agreement(const ReplicaLog& mirror, const ReplicaLog& source);
  /// Takes the answer that led to the cut.
  Agreement agreement_behind(const Replay& replay, const Event& event, const std::vector<LogEntry>& removed);
  std::optional<Agreement> take(EventId answer);

  /// By the RequestHandled or MirrorPositionRead. Only answers that no cut followed stay: linear in those.
  boost::unordered_flat_map<EventId, Agreement> answers_;
  /// (first record id, cluster and partition) of batches that were cut for nothing and did not come back.
  boost::unordered_flat_set<std::pair<std::uint64_t, std::uint64_t>> missing_;
  OverTruncationStatistics statistics_;
};

}  // namespace mirrorproof::checker
