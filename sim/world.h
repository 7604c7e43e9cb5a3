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
  bool unclean_stop = false;  ///< went down without a controlled shutdown, not unfenced since (KIP-966)
  std::uint8_t held = 0;      ///< bit set of Held
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
           a.unclean_stop == b.unclean_stop && a.held == b.held && a.applied_records == b.applied_records &&
           a.partitions == b.partitions && a.metadata == b.metadata && a.source_views == b.source_views &&
           a.tasks == b.tasks && a.fetchers == b.fetchers;
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

struct Cluster {
  Controller controller;
  MetadataLog metadata_log;
  boost::container::small_vector<Broker, 3> brokers;
  boost::container::small_vector<MirrorRecord, 1> mirrors;  ///< by PartitionId; at the coordinator
  boost::container::small_vector<std::optional<Epoch>, 1>
      pending_bumps;              ///< by PartitionId: asked of the controller
  std::uint64_t next_serial = 1;  ///< ghost: of the next record first written here
  /// Ghost: by PartitionId, the event of the latest record.
  boost::container::small_vector<EventId, 1> registration_events;

  friend bool operator==(const Cluster& a, const Cluster& b) {
    return a.controller == b.controller && a.metadata_log == b.metadata_log && a.brokers == b.brokers &&
           a.mirrors == b.mirrors && a.pending_bumps == b.pending_bumps && a.next_serial == b.next_serial;
  }
};

struct World {
  boost::container::small_vector<Cluster, 2> clusters;
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
