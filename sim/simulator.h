#pragma once
// Simulator: carries out actions on a world and records what happened. Which action comes next is the
// strategies' business; what it does to a protocol state is model/'s.

#include <array>
#include <string>
#include <vector>

#include "sim/action.h"
#include "sim/recorder.h"
#include "sim/setup.h"
#include "sim/world.h"

namespace mirrorproof::sim {

using Actions = boost::container::small_vector<Action, 16>;

class Simulator {
 public:
  /// `setup` must outlive the simulator. `buffer` receives the events (nullptr: no trace).
  Simulator(const Setup& setup, std::vector<Event>* buffer);

  /// Emits the initial state (brokers, logs, first elections) and orders the mirrors that start by
  /// themselves.
  void start();

  /// All instances of the class that are enabled now, in a fixed order; `produce`, `change_version` and
  /// `delete_records` carry default parameters. Empty once the class's budget is used up; a script may go
  /// beyond it.
  void enumerate(ActionClass action_class, Actions& out) const;
  /// Empty if the action can be taken now, else the condition that fails and what was found.
  std::string why_not_enabled(const Action& action) const;
  /// The action must be enabled.
  void execute(const Action& action);

  /// Which marker the coordinator of the producer's transaction writes: the one it has decided on, or, while
  /// it has not, as the caller wants.
  bool aborts_transaction(const Action& action, bool undecided) const;

  const World& world() const { return world_; }
  World& world() { return world_; }
  const Setup& setup() const { return *setup_; }
  Recorder& recorder() { return recorder_; }
  /// Grows whenever something happened that is more than an empty exchange: how `settle` sees that the world
  /// rests.
  std::uint64_t progress() const { return progress_; }
  std::uint32_t steps() const { return step_; }
  /// The action carried out last; of no meaning while steps() is 0.
  const Action& last_action() const { return last_action_; }

  /// Ways that the fetchers of mirrors, or those inside clusters, have taken in this run.
  FetcherBranches branches_taken(bool mirrors) const;

  /// Metadata records the broker has not applied yet.
  int records_to_apply(ClusterId cluster, BrokerId broker) const;
  /// Partition leader as the controller has it, or kNoBroker.
  BrokerId leader_of(ClusterId cluster, PartitionId partition) const;
  std::string broker_name(ClusterId cluster, BrokerId broker) const;
  /// Of the fetchers of `cluster` that ask brokers of `server_cluster`.
  FetcherRules fetcher_rules(ClusterId cluster, ClusterId server_cluster) const;

 private:
  friend class ReplicaHost;
  friend class MirrorHost;

  // --- enabled.cpp
  /// why_not_enabled() of the actions that name a fetcher.
  std::string fetcher_action_blocked(const Action& action) const;

  // --- enumerate.cpp
  void enumerate_in(ClusterId id, ActionClass kind, Actions& out) const;
  bool partition_action_enabled(ClusterId id, PartitionId p, ActionClass kind) const;
  bool broker_action_enabled(ClusterId id, BrokerId b, ActionClass kind) const;
  void enumerate_fetchers(ClusterId id, ActionClass kind, Actions& out) const;
  void enumerate_leader_actions(ClusterId id, BrokerId b, PartitionId p, ActionClass kind,
                                Actions& out) const;
  void enumerate_refreshes(ClusterId id, Actions& out) const;
  void enumerate_orders(ClusterId destination, ActionClass kind, Actions& out) const;
  /// Does the cluster's inter-broker protocol know cluster mirroring?
  bool may_mirror(ClusterId destination) const;
  bool may_run(ClusterId cluster, KafkaVersion version) const;
  /// P24; eligible leader replicas rely on it, whatever the release.
  bool guards_high_watermark(ClusterId cluster, BrokerId broker) const {
    return guards_high_watermark_under_min_isr(broker_at(cluster, broker).version) ||
           world_.clusters[cluster].controller.rules().eligible_leader_replicas;
  }

  // --- fetching.cpp
  void fetcher_send(ClusterId cluster, BrokerId broker, FetcherSlot& slot);
  void server_handle(ClusterId cluster, BrokerId broker, FetcherSlot& slot);
  void fetcher_receive(ClusterId cluster, BrokerId broker, FetcherSlot& slot);
  bool reachable(ClusterId client_cluster, BrokerId client, const FetcherSlot& slot) const;
  const FetcherSlot* find_slot(ClusterId cluster, BrokerId broker, ClusterId server_cluster,
                               BrokerId server) const;
  FetcherSlot* find_slot(ClusterId cluster, BrokerId broker, ClusterId server_cluster, BrokerId server);
  FetcherSlot& slot_for(ClusterId cluster, BrokerId broker, ClusterId server_cluster, BrokerId server);
  void drop_idle_slots(Broker& broker);
  void break_connection(FetcherSlot& slot);
  /// The records of the fetch answer under way, as the server's log has them now; empty: they cannot be read
  /// any more.
  BatchSlice read_again(const FetcherSlot& slot, const FetchPartitionResponse& answer) const;
  bool reads_differently_now(const FetcherSlot& slot) const;
  void late_read(FetcherSlot& slot);
  /// cuts_drop_answers: connections on which records from `from` on have yet to leave.
  void drop_answers_of(ClusterId cluster, BrokerId broker, PartitionId partition, Offset from);

  // --- metadata.cpp
  void publish(ClusterId cluster, const MetadataRecords& records, EventId cause);
  /// The broker's next `count` records, as one delta: of each partition only the last state is acted on.
  void apply_records(ClusterId cluster, BrokerId broker, int count);
  void apply_registration(ClusterId cluster, BrokerId broker, PartitionId partition,
                          const PartitionRegistration& registration, EventId event);
  bool proposes_restarted_broker(ClusterId cluster, BrokerId leader, PartitionId partition) const;
  void recover_from_unclean_election(ClusterId cluster, BrokerId broker, PartitionId partition,
                                     EventId cause);
  void trim_metadata_log(Cluster& cluster);
  void start_replica_fetcher(ClusterId cluster, BrokerId broker, PartitionId partition);
  void remove_from_fetchers(ClusterId cluster, BrokerId broker, PartitionId partition, bool mirrors_only);

  // --- brokers.cpp
  void stop_broker(ClusterId cluster, BrokerId broker, StopKind kind);
  void start_broker(ClusterId cluster, BrokerId broker);
  void break_connections_to(ClusterId cluster, BrokerId broker);
  void execute_fetcher(const Action& action);
  void execute_fault(const Action& action);

  // --- compaction.cpp
  std::string compact_blocked(const Action& action) const;
  void enumerate_compactions(ClusterId cluster, Actions& out) const;
  void compact(const Action& action);

  // --- mirror_transitions.cpp
  void mirror_metadata_changed(ClusterId cluster, BrokerId broker, PartitionId partition, EventId cause);
  bool mirror_transition(ClusterId cluster, BrokerId broker, PartitionId partition, MirrorState to,
                         MirrorReason reason, bool retryable, EventId cause);
  void reassert_mirror_state(ClusterId cluster, BrokerId broker, PartitionId partition, EventId cause);
  bool end_mirror_work(ClusterId cluster, BrokerId broker, PartitionId partition, MirrorState to,
                       MirrorReason reason);
  void fail_mirror(ClusterId cluster, BrokerId broker, PartitionId partition, MirrorReason reason,
                   bool retryable, bool needs_news, EventId cause);

  // --- mirror_work.cpp
  void mirror_step(ClusterId cluster, BrokerId broker, PartitionId partition);
  /// Empty if the task's next step can be taken.
  std::string mirror_step_blocked(ClusterId cluster, BrokerId broker, PartitionId partition) const;
  bool leads_in_epoch(ClusterId source, PartitionId partition, const LeaderView& view) const;
  bool topic_changed(ClusterId cluster, BrokerId broker, PartitionId partition) const;
  void start_mirror_fetcher(ClusterId cluster, BrokerId broker, PartitionId partition);
  void request_epoch_bump(ClusterId cluster, PartitionId partition, std::optional<Epoch> target);
  /// The leader epoch the current step of EPOCH_FENCING or STOPPING needs raised above, or nothing.
  std::optional<Epoch> wanted_bump(ClusterId cluster, BrokerId broker, PartitionId partition) const;

  // --- mirror_alignment.cpp
  bool mirrors_back(ClusterId cluster, ClusterId from, PartitionId partition) const;
  /// `topic`: the id of the cluster's own topic.
  MirrorRecord::Origin origin_of(ClusterId cluster, PartitionId partition, TopicId topic) const;
  /// alignment_by_origin: does the cluster's log go back to the same topic as the source's?
  enum class SameOrigin : std::uint8_t {
    no,
    perhaps,  ///< to a topic of the same cluster, which told no topic id
    yes,
  };
  SameOrigin same_origin(ClusterId cluster, PartitionId partition, TopicId topic) const;
  void align_look_up(ClusterId cluster, BrokerId broker, PartitionId partition);
  void align_truncate(ClusterId cluster, BrokerId broker, PartitionId partition);

  // --- mirror_stopping.cpp
  Batch new_control_batch(ClusterId cluster, BatchKind kind, std::int16_t producer);
  void end_open_transactions(ClusterId cluster, BrokerId broker, PartitionId partition);
  void stop_step(ClusterId cluster, BrokerId broker, PartitionId partition);

  // --- source_metadata.cpp
  bool refresh_would_change(ClusterId cluster, BrokerId broker, ClusterId source,
                            BrokerId source_broker) const;
  void refresh_source(ClusterId cluster, BrokerId broker, ClusterId source, BrokerId source_broker);
  void source_view_changed(ClusterId cluster, BrokerId broker, PartitionId partition, LeaderView before);

  // --- operator_orders.cpp
  std::string order_blocked(const Action& action) const;
  std::string recovery_blocked(const Action& action) const;
  void order(const Action& action);

  // --- producers.cpp
  std::string produce_blocked(const Action& action) const;
  /// Why a broker that is not the leader is not.
  std::string not_leading(ClusterId cluster, BrokerId broker, PartitionId partition) const;
  Producer& producer_for(const Action& action);
  void produce(const Action& action);
  void produce_again(const Action& action);
  void produce_late(const Action& action);
  bool verifies_transactions_at(ClusterId cluster, BrokerId broker) const;
  void write_batch(const Action& action, Batch batch);
  void await_replication(ClusterId cluster, BrokerId leader, PartitionId partition, const Batch& batch,
                         std::int16_t ends_transaction_of);
  void acknowledge(ClusterId cluster, BrokerId broker, PartitionId partition, EventId moved);
  void forget_pending_acks(ClusterId cluster, BrokerId broker, PartitionId partition);
  void end_transaction(const Action& action);
  void enumerate_producers(ClusterId cluster, ActionClass kind, Actions& out) const;

  // --- readers.cpp
  bool reader_sends_epochs(std::int16_t reader) const;
  bool reads_another_topic(std::int16_t reader, BrokerId broker) const;
  std::string read_blocked(const Action& action) const;
  void read(const Action& action);
  const GroupOffset* group_offset(ClusterId cluster, PartitionId partition, int group) const;
  GroupOffset* group_offset(ClusterId cluster, PartitionId partition, int group);
  std::string commit_blocked(const Action& action) const;
  void commit_group_offset(const Action& action);
  std::string resume_blocked(const Action& action) const;
  void resume_reader(const Action& action);
  void enumerate_readers(ClusterId cluster, ActionClass kind, Actions& out) const;

  // --- group_sync.cpp
  bool syncs_groups(ClusterId cluster, PartitionId partition) const;
  bool may_sync_group(ClusterId cluster, PartitionId partition, const GroupOffset& theirs) const;
  std::string group_look_up_blocked(ClusterId cluster, PartitionId partition) const;
  void group_look_up(ClusterId cluster, PartitionId partition);
  void group_write(ClusterId cluster, PartitionId partition);
  void clamp_group_offsets(ClusterId cluster, BrokerId leader, PartitionId partition, EventId cause);

  // --- reassignment.cpp
  std::string reassign_blocked(const Action& action) const;
  void enumerate_reassignments(ClusterId cluster, Actions& out) const;
  void begin_hosting(ClusterId cluster, BrokerId broker, PartitionId partition);
  void delete_replica(ClusterId cluster, BrokerId broker, PartitionId partition,
                      const PartitionRegistration& registration, EventId event);
  void stop_hosting(ClusterId cluster, BrokerId broker, PartitionId partition,
                    const PartitionRegistration& registration, EventId event);

  // --- topics.cpp
  std::string recreate_blocked(const Action& action) const;
  void recreate_topic(const Action& action);
  std::string min_insync_replicas_blocked(const Action& action) const;
  void set_min_insync_replicas(const Action& action);
  /// Mirror state is kept by topic id: a replica of a deleted topic says nothing of the one created again.
  bool leads_deleted_topic(ClusterId cluster, BrokerId broker, PartitionId partition) const;
  bool coordinates_mirrors(ClusterId cluster) const;
  void coordinator_failover(ClusterId cluster);

  // --- log_events.cpp: log operations with their events
  struct LogSnapshot;
  LogSnapshot snapshot(const Log& log) const;
  void emit_log_changes(ClusterId cluster, BrokerId broker, PartitionId partition, const LogSnapshot& before,
                        EventId cause);
  EventId truncate_log(ClusterId cluster, BrokerId broker, PartitionId partition, Offset target,
                       TruncationReason reason, bool by_mirror, bool fully,
                       std::initializer_list<EventId> causes);
  void report_losses(ClusterId cluster, BrokerId broker, PartitionId partition, const Truncated& truncated,
                     const LossReported& discarded, EventId event);
  EventId append_as_leader(ClusterId cluster, BrokerId broker, PartitionId partition, const Batch& batch,
                           EventId cause);

  const Cluster& view_of(ClusterId cluster) const { return world_.clusters[cluster]; }
  Broker& broker_at(ClusterId cluster, BrokerId broker) {
    return world_.clusters.untouched(cluster).brokers[broker];
  }
  const Broker& broker_at(ClusterId cluster, BrokerId broker) const {
    return world_.clusters[cluster].brokers[broker];
  }
  Partition& partition_at(ClusterId cluster, BrokerId broker, PartitionId partition) {
    return broker_at(cluster, broker).partitions[partition];
  }
  const Partition& partition_at(ClusterId cluster, BrokerId broker, PartitionId partition) const {
    return broker_at(cluster, broker).partitions[partition];
  }
  void note_progress() { ++progress_; }

  const Setup* setup_;
  World world_;
  Recorder recorder_;
  std::uint64_t progress_ = 0;
  std::uint32_t step_ = 0;
  Action last_action_;
  std::array<FetcherBranches, 2> branches_{};  ///< of fetchers that are gone: inside clusters, of mirrors
  /// Inter-broker protocol per cluster: the oldest version any of its brokers may have in this setup.
  boost::container::small_vector<KafkaVersion, 4> inter_broker_version_;
};

}  // namespace mirrorproof::sim
