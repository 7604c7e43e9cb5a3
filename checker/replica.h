#pragma once
// Replica: what the trace implies about one replica of one partition.

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <optional>
#include <span>
#include <vector>

#include "checker/answers.h"
#include "checker/fates.h"
#include "checker/replica_log.h"

namespace mirrorproof::checker {

/// Ids of the first records of batches; membership only, never iterated.
using BatchIds = boost::unordered_flat_set<std::uint64_t>;

class Replica {
 public:
  ReplicaLog log;
  Offset high_watermark = 0;
  /// The highest log start this replica ever had.
  Offset highest_log_start = 0;
  /// What this replica deleted at the front of the history it has now, and from which offset on: between that
  /// and the log start it had these batches and no others.
  BatchIds deleted;
  Offset deleted_from = 0;
  /// What the broker believes: the leader epoch it applied last, and whether it leads.
  Epoch leader_epoch = kUndefinedEpoch;
  bool leads = false;
  /// The topic was deleted and created again, and this broker has not heard of it.
  bool of_deleted_topic = false;
  EventId topic_recreated = 0;
  /// A role taken up because of `causes`: of the topic's new incarnation?
  template <class Causes>
  void took_role(const Causes& causes) {
    for (const EventId cause : causes) {
      of_deleted_topic = of_deleted_topic && cause < topic_recreated;
    }
  }
  /// Batches this replica lost in a power loss and did not get back.
  BatchIds power_lost;
  /// The broker's last power loss: what the log got before it is on a disk that has been seen to lose data.
  EventId last_power_loss = 0;
  /// Batches LOG_ALIGNMENT or a mirror truncation cut from this replica and it did not get back.
  BatchIds mirror_lost;
  /// Those of them that went by LOG_ALIGNMENT: an operator's order.
  BatchIds alignment_lost;
  /// What this replica's log cleaner had taken and it gave up with a cut that its mirror's leader told it of
  /// (give_up_gaps): what had overwritten that fell to this, whoever is elected since. By first id.
  boost::unordered_flat_map<std::uint64_t, Fate> gave_up;
  /// The epoch cache as last reported; nothing before the first report.
  std::optional<std::vector<EpochEntry>> epoch_cache;
  /// In the running step: the cache was reported, or the log's epochs may have changed.
  enum class EpochsTouched : std::uint8_t { no, log, cache } epochs_touched = EpochsTouched::no;
  /// The answers received last, for the appends and truncations they cause.
  ReceivedAnswers answers;
  /// What LOG_ALIGNMENT removed, from its Truncated to its MirrorAligned event.
  std::vector<LogEntry> aligned_away;

  /// Where each epoch of the log starts, as far as an epoch cache must know it: a batch without an epoch
  /// makes the cache forget all before it (protocol.md L2).
  std::span<const EpochEntry> epoch_starts() const {
    return {epoch_starts_.data() + epoch_starts_head_, epoch_starts_.size() - epoch_starts_head_};
  }

  void append(const Batch& batch, EventId event);
  /// As ReplicaLog::truncate; the high watermark is capped.
  void truncate(const Truncated& cut, std::vector<LogEntry>& removed);
  void move_log_start(Offset log_start);

 private:
  friend struct JudgeState;

  void forget_epochs();
  void forget_lost_epochs();

  std::vector<EpochEntry> epoch_starts_;
  std::size_t epoch_starts_head_ = 0;  // entries before it are forgotten
};

}  // namespace mirrorproof::checker
