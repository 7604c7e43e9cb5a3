#pragma once
// The mirror of one partition in its destination cluster: what the coordinator stores, what the destination
// leader is doing about it, and the arithmetic of alignment, epoch bumps and waiting (protocol.md sections 7
// and 9; Kafka prototype: MirrorStateManager, ClusterMirrorCoordinator).

#include <boost/container/small_vector.hpp>
#include <optional>

#include "model/controller.h"
#include "model/event.h"
#include "model/mirror_state.h"
#include "model/partition.h"
#include "model/protocol_options.h"
#include "model/types.h"

namespace mirrorproof {

/// M31: attempts after which FAILED becomes final.
inline constexpr int kMaxRetryAttempts = 100;

/// What the destination's coordinator stores for a partition (section 7.2). A value, durable.
struct MirrorRecord {
  MirrorState state = MirrorState::unknown;
  MirrorState state_before_failing = MirrorState::unknown;
  MirrorReason reason = MirrorReason::none;
  bool retryable = true;
  std::int16_t attempts = 0;
  ClusterId source = kNoCluster;
  /// Leader epoch of the last writer; a lower one is fenced (M6).
  Epoch writer_epoch = kUndefinedEpoch;

  struct StoredPosition {
    ClusterId source = kNoCluster;
    MirrorPosition position;
    std::uint32_t source_cuts = 0;  ///< followed_cuts of the source at that time
    TopicId source_topic_id = 0;    ///< positions_name_topics: the topic that was mirrored; 0 = not known
    Epoch source_epoch = kUndefinedEpoch;  ///< source_epoch_stored: the largest one mirrored from until then
    EventId event = 0;                     ///< ghost
    friend bool operator==(const StoredPosition& a, const StoredPosition& b) {
      return a.source == b.source && a.position == b.position && a.source_cuts == b.source_cuts &&
             a.source_topic_id == b.source_topic_id && a.source_epoch == b.source_epoch;
    }
  };
  /// The last mirror position per source ever mirrored from.
  boost::container::small_vector<StoredPosition, 1> positions;
  /// Sent to the coordinator, not stored yet.
  struct PendingPosition {
    ClusterId source = kNoCluster;
    MirrorPosition position;
    BrokerId sender = kNoBroker;
    EventId event = 0;  ///< ghost
    friend bool operator==(const PendingPosition& a, const PendingPosition& b) {
      return a.source == b.source && a.position == b.position && a.sender == b.sender;
    }
  };
  std::optional<PendingPosition> pending_position;
  /// The session has been through LOG_ALIGNMENT: the log is a prefix of the source's, and its end a position.
  bool aligned = false;
  /// Where each LOG_ALIGNMENT so far has cut this log, and how many the source's own had when this session
  /// began: above a later one, what is shared with the source is not what it was.
  boost::container::small_vector<Offset, 1> alignment_cuts;
  std::uint32_t source_cuts = 0;
  /// The first so many alignment_cuts: a LOG_ALIGNMENT has ended since. Before that, a replica may lead next
  /// that has yet to follow the cut.
  std::uint32_t followed_cuts = 0;
  /// Where the history in this log was first written. kNoCluster: here, nothing was ever mirrored.
  struct Origin {
    ClusterId cluster = kNoCluster;
    TopicId topic_id = 0;  ///< 0 = nobody could tell
    friend bool operator==(const Origin&, const Origin&) = default;
  };
  Origin origin;
  Origin
      source_origin;  ///< the source's, when it was asked for the position; the log's own once it is aligned
  /// Id of the source's topic when this session began; 0 = the source tells no topic ids.
  TopicId source_topic_id = 0;
  /// The largest source leader epoch that this session has mirrored from, or an earlier one with this source.
  Epoch source_epoch = kUndefinedEpoch;
  /// Leader epoch in which the STOPPING under way began; records written after it must have a larger one.
  Epoch stop_began_in_epoch = kUndefinedEpoch;

  /// The lowest of the alignment_cuts after the first `known`, or the largest offset there is.
  Offset lowest_cut_since(std::uint32_t known) const;
  const StoredPosition* position_for(ClusterId source_cluster) const;
  void store_position(ClusterId source_cluster, MirrorPosition position, EventId event);
  /// The log is about to be cut at `end`: what was stored describes it no further than that.
  void clamp_positions(Offset end);
  friend bool operator==(const MirrorRecord&, const MirrorRecord&) = default;
};

/// Where the destination leader is in the work of the current state. Volatile: lost with the leader.
struct MirrorTask {
  enum class Step : std::uint8_t {
    idle,  ///< nothing to do (no mirror, PAUSED, STOPPED, or fetching)
    align_look_up,
    align_truncate,
    align_wait,
    fence_bump,
    start_fetcher,
    recovery_wait,
    pause,
    stop_remove_fetcher,
    stop_send_position,
    stop_await_position,
    stop_bump,
    stop_abort_transactions,
    stop_append_pid_reset,
    stop_await_pid_reset,
    retry,
  };
  Step step = Step::idle;
  /// The operator's order this broker acted on last, to see that a new one arrived.
  DesiredMirror applied_order = DesiredMirror::none;
  MirrorPosition position;              ///< align: what the look-up found
  Epoch fence_epoch = kUndefinedEpoch;  ///< EPOCH_FENCING: the batch epoch that was ahead
  Offset pid_reset_offset = kUndefinedOffset;
  Offset resume_offset = kUndefinedOffset;  ///< where the fetcher of this leader began
  /// What this leader knows of MirrorRecord::source_cuts; a deposed one does not learn from its successor.
  std::uint32_t source_cuts = 0;
  /// FAILED: retry only once the source's (leader, epoch) differs from what failed (metadata was stale).
  bool retry_needs_news = false;
  BrokerId failed_broker = kNoBroker;
  Epoch failed_epoch = kUndefinedEpoch;
  EventId cause = 0;  ///< ghost: the event that put the task where it is

  friend bool operator==(const MirrorTask& a, const MirrorTask& b) {
    return a.step == b.step && a.applied_order == b.applied_order && a.position == b.position &&
           a.fence_epoch == b.fence_epoch && a.pid_reset_offset == b.pid_reset_offset &&
           a.resume_offset == b.resume_offset && a.source_cuts == b.source_cuts &&
           a.retry_needs_news == b.retry_needs_news && a.failed_broker == b.failed_broker &&
           a.failed_epoch == b.failed_epoch;
  }
};

/// M31: where a retry, or the operator, takes a FAILED mirror: the state before failing, or LOG_ALIGNMENT if
/// there was none.
MirrorState retry_target(const MirrorRecord& record, const ProtocolOptions& protocol);

/// First step of a state's work (M8: what a transition, or a new leader's re-assertion, starts).
MirrorTask::Step first_step(MirrorState state);

/// N4/M12: the offset LOG_ALIGNMENT cuts the local log to; >= log end means nothing to cut.
Offset alignment_target(const Log& log, MirrorPosition position, Alignment alignment);

/// alignment_verifies_epochs: the end of what both logs agree on by their epochs, at most `target`. Asks the
/// source about each local epoch, newest first, as a follower's truncation rounds do (5.4).
Offset agreed_end(const Log& local, const Log& source, Offset target);

/// The first offset at which both logs have records, but not the same ones, or the end of the local log. As
/// batches are mirrored byte for byte, their checksums tell. What a log cleaner took cannot be compared.
Offset first_difference(const Log& local, const Log& source);

/// M30: what STOPPING records.
MirrorPosition stop_position(const Log& log);

/// stop_position_excludes_stop_writes: as above, but of the log as the stop that began in `epoch` found it.
/// What it wrote since has larger epochs, and no mirrored record has (M1).
MirrorPosition stop_position_before(const Log& log, Epoch epoch);

/// M13: may LOG_ALIGNMENT or ULE_RECOVERY end, by what the leader knows of its followers?
enum class FollowerWait : std::uint8_t {
  none,
  isr,        ///< the in-sync replicas
  relevant,   ///< M13: with ULE support every replica must be in the ISR
  all,        ///< every replica in the ISR, by M13's arithmetic (M28)
  all_heard,  ///< and every one has fetched from this leader in its epoch, so that "not longer" is knowledge
};
bool followers_have_followed(const Partition& partition, BrokerId self, FollowerWait wait, bool ule_support);

/// M32: the target to ask the controller for, or nothing if the leader epoch is far enough above the
/// source's.
std::optional<Epoch> epoch_bump_target(EpochBump rule, Epoch source_epoch, Epoch leader_epoch);
/// M33: the target that STOPPING asks for (leader epoch strictly above the log's latest), or nothing.
std::optional<Epoch> stop_bump_target(EpochBump rule, const Log& log, Epoch leader_epoch);

/// epoch_blocks_at_failover: the target that STOPPING asks for so that what `self` writes afterwards has
/// epochs no other cluster issues, larger than the source's and than the one the stop began in (an earlier
/// session may have written in that one and lost it to alignment); nothing once that is so.
std::optional<Epoch> block_stop_bump_target(ClusterId self, Epoch source_epoch, Epoch began_in_epoch,
                                            Epoch leader_epoch);

/// Producers with an open transaction in the log, in order of their first record (M30 step 4).
boost::container::small_vector<std::int16_t, 4> open_transactions(const Log& log);

}  // namespace mirrorproof
