#pragma once
// World: the whole state of a run as one value. Copying it forks the run; comparing it ignores ghosts (event
// ids that only the trace needs).

#include <array>
#include <boost/container/small_vector.hpp>
#include <optional>
#include <vector>

#include "model/controller.h"
#include "model/fetcher.h"
#include "model/mirror.h"
#include "model/partition.h"
#include "sim/setup.h"
#include "sim/tracked.h"

namespace mirrorproof::sim {

/// What a broker's metadata cache knows of a partition's leader. For source views: of the source's partition.
struct LeaderView {
  BrokerId broker = kNoBroker;
  Epoch epoch = kUndefinedEpoch;
  TopicId topic_id = 0;  ///< 0: whoever told of the leader knew no topic ids
  EventId event = 0;     ///< ghost: where this knowledge comes from
  friend bool operator==(const LeaderView& a, const LeaderView& b) {
    return a.broker == b.broker && a.epoch == b.epoch && a.topic_id == b.topic_id;
  }
};

/// One fetcher thread of a broker with its connection to one server. The thread has one request in flight at
/// most, so the connection is FIFO by construction.
struct FetcherSlot {
  enum class Stage : std::uint8_t {
    idle,
    requested,  ///< on its way to the server
    answered,   ///< on its way back
    lost,       ///< the connection broke with the request in flight; the client has not noticed yet
  };

  ClusterId server_cluster = kNoCluster;
  BrokerId server = kNoBroker;
  Fetcher fetcher;
  bool connected = false;
  KafkaVersion learned_version;  ///< of the server, when the connection was made (V8)
  Stage stage = Stage::idle;
  InFlightRequest sent;
  Request wire;
  Response response;
  /// Ghost: per partition of the request in flight, the last event of its exchange.
  boost::container::small_vector<EventId, 1> exchange;

  friend bool operator==(const FetcherSlot& a, const FetcherSlot& b) {
    const bool in_flight = a.stage == Stage::requested || a.stage == Stage::answered;
    return a.server_cluster == b.server_cluster && a.server == b.server && a.fetcher == b.fetcher &&
           a.connected == b.connected && a.learned_version == b.learned_version && a.stage == b.stage &&
           (!in_flight || (a.sent == b.sent && a.wire == b.wire)) &&
           (a.stage != Stage::answered || a.response == b.response);
  }
};

struct Broker {
  KafkaVersion version;
  bool alive = true;
  bool cut_from_controller = false;
  std::uint32_t broker_epoch = 1;  ///< how often it has registered with its controller
  bool unclean_stop = false;       ///< went down without a controlled shutdown, not unfenced since (KIP-966)
  std::uint8_t held = 0;           ///< bit set of Held
  std::uint64_t applied_records = 0;                        ///< position in the cluster's metadata log
  boost::container::small_vector<Partition, 1> partitions;  ///< by PartitionId
  boost::container::small_vector<LeaderView, 1> metadata;   ///< by PartitionId: this cluster's leaders
  boost::container::small_vector<LeaderView, 1>
      source_views;                                         ///< by PartitionId: the mirrored source's leaders
  boost::container::small_vector<MirrorTask, 1> tasks;      ///< by PartitionId
  boost::container::small_vector<FetcherSlot, 2> fetchers;  ///< sorted by (server cluster, server)
  /// Ghost: by PartitionId, the BecameLeader event in force.
  boost::container::small_vector<EventId, 1> leadership_events;

  bool holds(Held activity) const { return ((held >> static_cast<int>(activity)) & 1U) != 0; }
  friend bool operator==(const Broker& a, const Broker& b) {
    return a.version == b.version && a.alive == b.alive && a.cut_from_controller == b.cut_from_controller &&
           a.broker_epoch == b.broker_epoch && a.unclean_stop == b.unclean_stop && a.held == b.held &&
           a.applied_records == b.applied_records && a.partitions == b.partitions &&
           a.metadata == b.metadata && a.source_views == b.source_views && a.tasks == b.tasks &&
           a.fetchers == b.fetchers;
  }
};

/// The controller's ordered log; records that every broker has applied are dropped from the front.
struct MetadataLog {
  std::uint64_t first = 0;  ///< position of records.front()
  std::vector<MetadataRecord> records;

  std::uint64_t end() const { return first + records.size(); }
  const MetadataRecord& at(std::uint64_t position) const { return records[position - first]; }
  friend bool operator==(const MetadataLog&, const MetadataLog&) = default;
};

/// A producer client. Ids are handed out per cluster, so two clusters may use the same one.
struct Producer {
  ClusterId cluster = kNoCluster;
  PartitionId partition = kNoPartition;
  std::int16_t id = -1;
  std::int16_t epoch = 0;
  std::int32_t next_sequence = 0;
  /// The last batch sent, for a retry; its records are kept with their identity.
  std::int32_t last_sequence = -1;
  std::int32_t last_records = 0;
  /// As what the last batch was stored; once for each time a leader took it for a new one.
  boost::container::small_vector<RecordId, 1> last_ids;
  bool last_transactional = false;
  bool in_transaction = false;
  bool ending = false;  ///< the marker is written, and not replicated yet
  /// Its end is an abort: a batch was refused, or, while ending, the coordinator has decided so.
  bool aborting = false;
  /// markers_fenced_by_epoch: the largest leader epoch that has taken a batch of the open transaction.
  Epoch transaction_epoch = kUndefinedEpoch;
  friend bool operator==(const Producer&, const Producer&) = default;
};

/// A consumer (ReaderSetup) with its position.
struct Reader {
  ClusterId cluster = kNoCluster;
  Offset position = 0;
  Epoch last_epoch = kUndefinedEpoch;  ///< of the last record read
  bool started = false;
  /// reader_topic_ids: of the topic the position belongs to; 0 = it has no position yet.
  TopicId topic_id = 0;
  friend bool operator==(const Reader&, const Reader&) = default;
};

/// A write with acks=all whose leader waits for the high watermark.
struct PendingAck {
  BrokerId leader = kNoBroker;
  PartitionId partition = kNoPartition;
  Epoch leader_epoch = kUndefinedEpoch;
  Offset base_offset = 0;
  Offset last_offset = 0;
  RecordId first_id;
  std::int16_t ends_transaction_of =
      -1;             ///< a marker: nobody is told, but the producer's transaction is over
  EventId event = 0;  ///< ghost: the append
  friend bool operator==(const PendingAck& a, const PendingAck& b) {
    return a.leader == b.leader && a.partition == b.partition && a.leader_epoch == b.leader_epoch &&
           a.base_offset == b.base_offset && a.last_offset == b.last_offset && a.first_id == b.first_id &&
           a.ends_transaction_of == b.ends_transaction_of;
  }
};

/// What a group coordinator stores for one group and partition.
struct GroupOffset {
  std::int16_t group = -1;
  Offset offset = 0;
  Epoch epoch = kUndefinedEpoch;
  bool has_members = false;  ///< a reader of the group is at work in this cluster
  friend bool operator==(const GroupOffset&, const GroupOffset&) = default;
};

/// A sync cycle between its look-up and its writes.
struct GroupSync {
  Offset log_start = 0;
  Offset log_end = 0;
  friend bool operator==(const GroupSync&, const GroupSync&) = default;
};

/// What belongs to a cluster as a whole.
struct ClusterWide {
  Controller controller;
  MetadataLog metadata_log;
  boost::container::small_vector<MirrorRecord, 1> mirrors;  ///< by PartitionId; at the coordinator
  boost::container::small_vector<std::optional<Epoch>, 1>
      pending_bumps;              ///< by PartitionId: asked of the controller
  std::uint64_t next_serial = 1;  ///< ghost: of the next record first written here
  boost::container::small_vector<PendingAck, 1> pending_acks;
  /// By PartitionId; groups in the order in which they first committed.
  boost::container::small_vector<boost::container::small_vector<GroupOffset, 1>, 1> group_offsets;
  boost::container::small_vector<std::optional<GroupSync>, 1> group_syncs;  ///< by PartitionId
  /// Ghost: by PartitionId, the event of the latest record.
  boost::container::small_vector<EventId, 1> registration_events;

  friend bool operator==(const ClusterWide& a, const ClusterWide& b) {
    return a.controller == b.controller && a.metadata_log == b.metadata_log && a.mirrors == b.mirrors &&
           a.pending_bumps == b.pending_bumps && a.next_serial == b.next_serial &&
           a.pending_acks == b.pending_acks && a.group_offsets == b.group_offsets &&
           a.group_syncs == b.group_syncs;
  }
};

struct Cluster : ClusterWide {
  Tracked<Broker, 3> brokers;
  friend bool operator==(const Cluster&, const Cluster&) = default;
};

struct World {
  Tracked<Cluster, 2> clusters;                           ///< touched: more of one than its brokers
  boost::container::small_vector<Producer, 1> producers;  ///< in the order of their first batch
  boost::container::small_vector<Reader, 1> readers;      ///< by index in Setup::readers
  std::uint64_t cut_links = 0;  ///< bit (a * kMaxClusters + b), a < b: the clusters cannot reach each other
  std::array<std::int32_t, kActionClassCount> budgets_left{};  ///< -1 = no limit

  bool is_cut(ClusterId a, ClusterId b) const;
  void set_cut(ClusterId a, ClusterId b, bool cut);
  friend bool operator==(const World&, const World&) = default;
};

/// The oldest version any broker of the cluster may have in this setup: what its inter-broker protocol and
/// its metadata version must be.
KafkaVersion inter_broker_version(const Setup& setup, ClusterId cluster);

/// The state a setup starts from. Emits nothing; the initial events are the simulator's (Simulator::start).
World make_world(const Setup& setup);

}  // namespace mirrorproof::sim
