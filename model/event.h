#pragma once
// The event vocabulary: all that the checker ever sees of a run, ours or a real broker's. docs/traces.md
// shows each event as JSON.
//
// An event happens at one actor: a broker, or a cluster's controller (broker == kController; the controller
// also stands for the cluster's mirror coordinator). Events of one actor are in program order, in trace
// order. `causes` names the other events this one needs: the send for a handling, the handling for a receipt,
// the controller's record for its application at a broker, the receipt for an append or a truncation. Causes
// always have smaller ids.

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "model/api_versions.h"
#include "model/batch.h"
#include "model/messages.h"
#include "model/mirror_state.h"
#include "model/protocol_options.h"
#include "model/types.h"

namespace mirrorproof {

/// > 0, strictly increasing along a trace. 0 = none.
using EventId = std::uint64_t;

/// A broker process starts (also after a crash or an upgrade); its log is what it was before.
struct BrokerStarted {
  KafkaVersion version;
  ApiVersionRange fetch;
  ApiVersionRange offset_for_leader_epoch;
};

enum class StopKind : std::uint8_t { clean, crash, power_loss };

/// A broker process ends. After `power_loss` the lost tail follows as Truncated{power_loss} events.
struct BrokerStopped {
  StopKind kind = StopKind::clean;
};

enum class ElectionKind : std::uint8_t {
  clean,       ///< an in-sync (or eligible) replica
  unclean,     ///< a ULE: ISR membership and log length ignored
  leaderless,  ///< no replica can lead: leader is kNoBroker
  epoch_bump,  ///< same leader, larger epoch
};

/// Controller record that sets a partition's leader. Every one has a larger epoch than the one before.
struct Election {
  ElectionKind kind = ElectionKind::clean;
  BrokerId leader = kNoBroker;
  Epoch epoch = 0;
  BrokerSet isr;
};

/// Controller record that changes the ISR and nothing else.
struct IsrChanged {
  Epoch epoch = 0;
  BrokerSet isr;
};

/// Controller record that changes a partition's replica set. The Election or IsrChanged that comes of it in
/// the same record follows, caused by it. A broker that is no replica any more deletes its log once it hears
/// of it: Truncated{replica_removed}.
struct ReplicasChanged {
  BrokerSet replicas;              ///< including those that are to go when the others have caught up
  BrokerId preferred = kNoBroker;  ///< the first of them
  BrokerSet adding;
  BrokerSet removing;
};

/// A broker applies an Election that names it leader: it takes over with the log it has. Cause: the Election.
struct BecameLeader {
  Epoch epoch = 0;
};

/// A broker applies an Election that names another leader (or none). Cause: the Election.
struct BecameFollower {
  Epoch epoch = 0;
  BrokerId leader = kNoBroker;
};

enum class AppendOrigin : std::uint8_t {
  local,        ///< written by a client or by the leader itself (markers, PID_RESET)
  replication,  ///< copied from a replica of the same cluster
  mirror,       ///< copied from a replica of the mirrored source
  initial,      ///< part of the log the run starts with
};

/// Batches were appended to the broker's log. For copies: cause is the ResponseReceived, and
/// source_cluster/source_broker name the replica that served them.
struct Appended {
  AppendOrigin origin = AppendOrigin::local;
  ClusterId source_cluster = kNoCluster;
  BrokerId source_broker = kNoBroker;
  Epoch leader_epoch = 0;  ///< the partition leader epoch the appender believes in
  BatchSlice batches;
};

enum class TruncationReason : std::uint8_t {
  alignment,                ///< LOG_ALIGNMENT of a mirror
  diverging_epoch,          ///< a diverging fetch answer
  offset_for_leader_epoch,  ///< an OffsetsForLeaderEpoch answer
  out_of_range,             ///< the out-of-range procedure
  high_watermark,           ///< truncation to the own high watermark (no epochs known, or KIP-101 and before)
  power_loss,               ///< the unflushed tail
  open_transaction,         ///< a stopping mirror cut off transactions without a marker
  topic_deleted,            ///< the topic was deleted, and created again
  replica_removed,          ///< the broker is no replica of the partition any more
  log_restart,              ///< an empty log moved to the base of the first batch (L6)
};

/// The broker's log was cut. Everything at or above `target` is gone; `log_start` is the start afterwards (a
/// full restart has log_start == target). Emitted only if records were removed or log start moved.
struct Truncated {
  TruncationReason reason = TruncationReason::diverging_epoch;
  bool by_mirror = false;  ///< removed because of what the mirrored source said (or by alignment)
  Offset target = 0;
  Offset log_end_before = 0;
  Offset log_start = 0;
  std::int64_t removed_records = 0;
};

/// Log start moved up.
struct LogStartMoved {
  enum class Reason : std::uint8_t { retention, delete_records, replicated } reason = Reason::retention;
  Offset log_start = 0;
};

/// The log cleaner took the records of one batch (compaction): later ones have overwritten their keys.
/// Offsets and epochs of what is left stay. Each replica cleans by itself.
struct LogCleaned {
  Offset base_offset = 0;
  Offset last_offset = 0;
  bool batch_kept = false;  ///< the batch stays, without records: it holds its producer's sequence numbers
};

struct HighWatermarkMoved {
  Offset high_watermark = 0;
};

/// The epoch cache after a change, whole.
struct EpochCacheChanged {
  boost::container::small_vector<EpochEntry, 2> entries;
};

/// One event per partition of a request. broker -> server.
struct RequestSent {
  ApiKey api = ApiKey::fetch;
  ApiVersion version = 0;
  ClusterId server_cluster = kNoCluster;
  BrokerId server_broker = kNoBroker;
  Offset fetch_offset = kUndefinedOffset;
  Epoch current_leader_epoch = kUndefinedEpoch;
  Epoch epoch_offered =
      kUndefinedEpoch;  ///< lastFetchedEpoch put into the builder, or the epoch asked about (OFLE)
  Epoch epoch_carried = kUndefinedEpoch;  ///< what the version on the wire carried of it
};

/// The server evaluated one partition of a request. Cause: RequestSent (and the BecameLeader in force, if
/// any).
struct RequestHandled {
  ApiKey api = ApiKey::fetch;
  ApiVersion version = 0;
  ErrorCode error = ErrorCode::none;
  bool diverging = false;  ///< fetch: the answer carries a diverging epoch
  EpochEndOffset answer;   ///< diverging epoch, or the OFLE answer; ListOffsets: offset in end_offset
  Offset first_offset = kUndefinedOffset;  ///< fetch: base offset of the first batch returned, -1 if none
  Offset high_watermark = kUndefinedOffset;
};

/// The client got one partition's answer. Cause: RequestHandled. `ignored`: dropped by a guard (F10, F22,
/// F23).
struct ResponseReceived {
  ApiKey api = ApiKey::fetch;
  ErrorCode error = ErrorCode::none;
  bool ignored = false;
};

/// The client library refused to serialise a request at the server's version; nothing was sent.
struct UnsupportedVersion {
  ApiKey api = ApiKey::fetch;
  ClusterId server_cluster = kNoCluster;
  BrokerId server_broker = kNoBroker;
};

/// The client's connection was lost, with the request in flight if there was one.
struct Disconnected {
  ClusterId server_cluster = kNoCluster;
  BrokerId server_broker = kNoBroker;
};

enum class MirrorReason : std::uint8_t {
  none,
  operator_order,
  aligned,
  source_epoch_ahead,
  epoch_bumped,
  divergence,  ///< the source's answer removes records
  recovered,
  retry,
  source_unavailable,  ///< I/O error or no metadata
  source_metadata_stale,
  source_not_stopped,      ///< failback while the source still mirrors from here (M9)
  source_version_too_old,  ///< fetch_only below Fetch v12
  mirror_loop,
  topic_mismatch,  ///< topic deleted, recreated, or the cluster is another one
  fetch_failed,
  stop_failed,
  source_realigned,       ///< the source is a mirror itself and cut its log in LOG_ALIGNMENT
  source_retention,       ///< the source no longer retains the record after the mirror's last one
  source_without_epochs,  ///< its records carry no leader epoch
};

/// A mirror state was written at the coordinator (actor: the controller of the destination). Self-transitions
/// are not emitted. Cause: the broker event that asked for it.
struct MirrorStateChanged {
  MirrorState from = MirrorState::unknown;
  MirrorState to = MirrorState::unknown;
  MirrorReason reason = MirrorReason::none;
  bool retryable = true;          ///< for FAILED
  ClusterId source = kNoCluster;  ///< the cluster this mirror copies from
};

/// The destination leader starts to carry out a state (what "re-assert" and leader changes do again).
struct MirrorActionStarted {
  MirrorState state = MirrorState::unknown;
  ClusterId source = kNoCluster;
};

/// The last mirror position became durable at the coordinator.
struct MirrorPositionStored {
  MirrorPosition position;
};

/// The destination leader learned the last mirror position from the source. Cause: the source's
/// MirrorPositionStored.
struct MirrorPositionRead {
  MirrorPosition position;
  ClusterId source = kNoCluster;
};

/// LOG_ALIGNMENT cut the leader's log (or found nothing to cut): the log now ends at or below `target`.
struct MirrorAligned {
  MirrorPosition position;
  Offset target = 0;
  ClusterId source = kNoCluster;
};

/// The mirror noticed that the source's answer would remove records at or above `target`.
struct DivergenceDetected {
  TruncationReason how = TruncationReason::diverging_epoch;
  Offset target = 0;
  ClusterId source = kNoCluster;
};

enum class OperatorAction : std::uint8_t {
  start_mirror,
  stop_mirror,
  pause_mirror,
  resume_mirror,
  delete_mirror,
  recover_mirror
};

/// Actor: the controller of the destination.
struct OperatorOrdered {
  OperatorAction action = OperatorAction::start_mirror;
  ClusterId source = kNoCluster;
};

/// A producer was told success. Actor: the leader. Cause: the Appended (and the high watermark for acks=all).
struct ProduceAcked {
  Offset base_offset = 0;
  Offset last_offset = 0;
  RecordId first_id;
  bool acks_all = true;
};

/// A reader got an answer. Actor: the broker that served it. What it was not given of [from, next): control
/// batches and, for read_committed, aborted transactions.
struct ReaderFetched {
  std::int64_t reader = 0;
  bool read_committed = false;
  Offset from = 0;
  Offset next = 0;  ///< where it goes on
  BatchSlice batches;
};

enum class ReaderNews : std::uint8_t { diverged, out_of_range };

/// A reader was told that its position is no longer good; it goes on from `offset`. Actor: the broker.
struct ReaderTold {
  std::int64_t reader = 0;
  ReaderNews news = ReaderNews::diverged;
  Offset offset = 0;
};

/// A reader takes up a position by its own decision: it starts, or takes over what its group has committed.
/// Actor: the controller of the cluster it reads.
struct ReaderMoved {
  std::int64_t reader = 0;
  Offset offset = 0;
  bool from_group = false;  ///< false: a fresh start, nothing was read before
  std::int64_t group = -1;  ///< whose offset it took over; -1: the trace does not say
};

/// A group committed an offset. Actor: the controller (it stands for the group coordinator).
struct GroupOffsetCommitted {
  std::int64_t group = 0;
  Offset offset = 0;
  Epoch epoch = kUndefinedEpoch;
};

/// The mirror copied a group's offset. Actor: the controller of the destination.
struct GroupOffsetSynced {
  std::int64_t group = 0;
  Offset source_offset = 0;
  Offset log_start = 0;  ///< of the destination, as looked up in this cycle
  Offset log_end = 0;
  Offset offset = 0;              ///< what was committed
  Epoch epoch = kUndefinedEpoch;  ///< the source's, with the offset
};

enum class LossKind : std::uint8_t {
  discarded,     ///< records the mirror held are gone
  never_copied,  ///< records of the source that the mirror will never hold
};

/// What a mirror tells its operator. Actor: the destination leader. Cause: the Truncated it reports on.
struct LossReported {
  LossKind kind = LossKind::discarded;
  Offset first = 0;
  Offset end = 0;
  std::int64_t records = 0;
};

/// A topic was deleted and created again under the same name. Actor: the controller.
struct TopicRecreated {
  std::int64_t topic_id = 0;
};

/// Faults have stopped, everything was healed, and a fair scheduler ran until nothing changed any more, or
/// found that this never happens. Actor: any controller.
struct WorldRested {
  bool rested = true;
  std::int64_t rounds = 0;
  std::int64_t cycle = 0;  ///< not rested: after so many rounds the same state comes back; 0 = not seen
};

/// A fault or an operator's act without an event of its own, for readers of the trace; never judged.
struct Note {
  std::string text;
};

using EventPayload =
    std::variant<BrokerStarted, BrokerStopped, Election, IsrChanged, ReplicasChanged, BecameLeader,
                 BecameFollower, Appended, Truncated, LogStartMoved, HighWatermarkMoved, EpochCacheChanged,
                 RequestSent, RequestHandled, ResponseReceived, UnsupportedVersion, Disconnected,
                 MirrorStateChanged, MirrorActionStarted, MirrorPositionStored, MirrorPositionRead,
                 MirrorAligned, DivergenceDetected, OperatorOrdered, ProduceAcked, ReaderFetched, ReaderTold,
                 ReaderMoved, GroupOffsetCommitted, GroupOffsetSynced, LossReported, TopicRecreated,
                 WorldRested, Note, LogCleaned>;

struct Event {
  EventId id = 0;
  ClusterId cluster = kNoCluster;
  BrokerId broker = kController;
  PartitionId partition = kNoPartition;  ///< kNoPartition: concerns the whole broker
  /// Number of the action (0-based) of the run that emitted it; events of one action are consecutive.
  std::uint32_t step = 0;
  boost::container::small_vector<EventId, 2> causes;
  EventPayload payload;
};

/// What is known before the first event.
struct TraceCluster {
  std::string name;
  int brokers = 0;
};
struct TracePartition {
  std::string name;  ///< "topic-0"
  /// Replicas by cluster; empty where the cluster does not host the partition.
  std::vector<BrokerSet> replicas;
};
struct TraceHeader {
  std::string scenario;
  std::uint64_t seed = 0;
  ProtocolOptions protocol;
  std::vector<TraceCluster> clusters;
  std::vector<TracePartition> partitions;
  /// The trace has a LossReported for every loss that a mirror reports.
  bool reports_losses = false;
};

struct Trace {
  TraceHeader header;
  std::vector<Event> events;
};

}  // namespace mirrorproof
