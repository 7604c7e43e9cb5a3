#pragma once
// Actions: the atomic transitions of the world. The scheduler first draws a class, then an instance of it.

#include <cstdint>

#include "model/controller.h"
#include "model/enum_names.h"
#include "model/types.h"

namespace mirrorproof::sim {

enum class ActionClass : std::uint8_t {
  // The protocol's own actions: never switched off, no budget.
  fetcher_send,     ///< a broker's fetcher sends its next request (or cuts a log that has no epochs)
  server_handle,    ///< the server evaluates the request in flight
  fetcher_receive,  ///< the client gets the answer
  fetcher_backoff,  ///< the back-off of a delayed partition has passed
  isr_shrink,       ///< a leader proposes to drop a follower that is not caught up
  alter_partition,  ///< the controller decides on a leader's proposed ISR
  metadata_apply,   ///< a broker applies its next metadata record, or several as one delta
  fence,            ///< the controller fences a broker that is down or cut off
  unfence,          ///< a fenced broker that is up and caught up is let back in
  mirror_step,      ///< the destination leader's next step of its mirror state's work
  epoch_bump,       ///< the controller carries out an epoch bump asked for by a mirror
  position_write,   ///< the coordinator stores a last mirror position sent to it
  source_refresh,   ///< a destination broker refreshes its source metadata from one source broker
  group_look_up,    ///< a cycle of group offset syncing begins: destination log start and end are looked up
  group_write,      ///< and ends: every group's offset is committed on the destination
  // Clients.
  produce,
  produce_again,        ///< an idempotent producer sends its last batch once more
  produce_late,         ///< a batch of a transaction arrives when the transaction is over (KIP-890)
  end_transaction,      ///< a producer commits or aborts its open transaction
  read,                 ///< a reader asks for what comes next
  commit_group_offset,  ///< a reader commits its position for its group
  resume_reader,        ///< a reader goes on from its group's offset, perhaps in another cluster
  // Elections that nobody needs.
  clean_election,
  unclean_election,    ///< a ULE: only while the partition has no leader
  preferred_election,  ///< leadership goes back to the first replica of the assignment
  // Faults.
  crash,
  restart,
  power_loss,
  shut_down,  ///< in order: leadership is handed over, everything flushed
  flush,
  change_version,
  drop_connection,
  late_read,  ///< the bytes of a fetch answer leave only now, read from a log that has changed (zero copy)
  cut_clusters,
  heal_clusters,
  cut_controller,
  heal_controller,
  delete_records,
  compact,  ///< a replica's log cleaner takes the records of a batch that later ones have overwritten
  recreate_topic,
  set_min_insync_replicas,
  reassign,              ///< another replica set, also while another reassignment is under way
  cancel_reassignment,   ///< the replica set goes back to what it was
  coordinator_failover,  ///< what is on its way to the mirror coordinator is lost
  // The operator.
  start_mirror,
  stop_mirror,
  pause_mirror,
  resume_mirror,
  delete_mirror,
  recover_mirror,  ///< a FAILED one goes back to the state before, whatever its retries say (M31)
};

inline constexpr int kActionClassCount = 50;
inline constexpr int kProtocolClassCount = 15;

constexpr bool is_protocol_class(ActionClass action_class) {
  return static_cast<int>(action_class) < kProtocolClassCount;
}

enum class ActionFlag : std::uint8_t {
  acks_all = 1,       ///< produce; without: acks=1
  acks_none = 2,      ///< produce: acks=0, nothing is ever acknowledged
  transactional = 4,  ///< produce: part of the producer's transaction
  abort = 8,          ///< end_transaction; without: commit
};

/// One instance. Which fields count depends on the class; unused ones keep their defaults.
/// - fetcher_send, server_handle, fetcher_receive, fetcher_backoff, drop_connection, late_read: (cluster,
///   broker) is the client, (other_cluster, other_broker) the server; fetcher_backoff: partition too
/// - isr_shrink: (cluster, broker) leads the partition, other_broker is the follower
/// - alter_partition, mirror_step: (cluster, broker, partition); produce: number = records, 1..1000, too
/// - metadata_apply: (cluster, broker), number = records, 0 and 1 alike
/// - fence, unfence, crash, restart, power_loss, shut_down, flush, cut_controller, heal_controller: (cluster,
///   broker)
/// - epoch_bump, position_write, group_look_up, group_write, recreate_topic: (cluster, partition)
/// - source_refresh: (cluster, broker) asks (other_cluster, other_broker)
/// - clean_election, unclean_election: (cluster, partition), broker becomes leader
/// - preferred_election, cancel_reassignment: (cluster, partition)
/// - set_min_insync_replicas: (cluster, partition), number = the new value
/// - reassign: (cluster, partition), number = packed_replicas of the new assignment
/// - change_version: (cluster, broker), number = KafkaVersion index
/// - cut_clusters, heal_clusters: cluster, other_cluster; coordinator_failover: cluster
/// - delete_records: (cluster, partition), number = new log start
/// - compact: (cluster, broker, partition), number = base offset of the batch
/// - produce_again, end_transaction: (cluster, broker, partition), producer
/// - read: (cluster, broker), producer = the reader; commit_group_offset, resume_reader: without broker
/// - start_mirror ...: cluster = destination, other_cluster = source, partition
struct Action {
  ActionClass kind = ActionClass::fetcher_send;
  ClusterId cluster = kNoCluster;
  BrokerId broker = kNoBroker;
  PartitionId partition = kNoPartition;
  ClusterId other_cluster = kNoCluster;
  BrokerId other_broker = kNoBroker;
  std::int64_t number = 0;
  std::int16_t producer = -1;  ///< produce...: producer id, -1 = none; read...: index of the reader
  std::uint8_t flags = 0;      ///< bit set of ActionFlag
  bool has(ActionFlag flag) const { return (flags & static_cast<std::uint8_t>(flag)) != 0; }
  friend bool operator==(const Action&, const Action&) = default;
};

/// An assignment as one number: three bits a replica in order, from the lowest, and how many above them.
std::int64_t packed_replicas(const ReplicaList& replicas);
ReplicaList unpacked_replicas(std::int64_t packed);

}  // namespace mirrorproof::sim

namespace mirrorproof {
template <>
struct EnumNames<sim::ActionClass> {
  using C = sim::ActionClass;
  static constexpr EnumTable<C, sim::kActionClassCount> entries{{
      {C::fetcher_send, "fetcher_send"},
      {C::server_handle, "server_handle"},
      {C::fetcher_receive, "fetcher_receive"},
      {C::fetcher_backoff, "fetcher_backoff"},
      {C::isr_shrink, "isr_shrink"},
      {C::alter_partition, "alter_partition"},
      {C::metadata_apply, "metadata_apply"},
      {C::fence, "fence"},
      {C::unfence, "unfence"},
      {C::mirror_step, "mirror_step"},
      {C::epoch_bump, "epoch_bump"},
      {C::position_write, "position_write"},
      {C::source_refresh, "source_refresh"},
      {C::group_look_up, "group_look_up"},
      {C::group_write, "group_write"},
      {C::produce, "produce"},
      {C::produce_again, "produce_again"},
      {C::produce_late, "produce_late"},
      {C::end_transaction, "end_transaction"},
      {C::read, "read"},
      {C::commit_group_offset, "commit_group_offset"},
      {C::resume_reader, "resume_reader"},
      {C::clean_election, "clean_election"},
      {C::unclean_election, "unclean_election"},
      {C::preferred_election, "preferred_election"},
      {C::crash, "crash"},
      {C::restart, "restart"},
      {C::power_loss, "power_loss"},
      {C::shut_down, "shut_down"},
      {C::flush, "flush"},
      {C::change_version, "change_version"},
      {C::drop_connection, "drop_connection"},
      {C::late_read, "late_read"},
      {C::cut_clusters, "cut_clusters"},
      {C::heal_clusters, "heal_clusters"},
      {C::cut_controller, "cut_controller"},
      {C::heal_controller, "heal_controller"},
      {C::delete_records, "delete_records"},
      {C::compact, "compact"},
      {C::recreate_topic, "recreate_topic"},
      {C::set_min_insync_replicas, "set_min_insync_replicas"},
      {C::reassign, "reassign"},
      {C::cancel_reassignment, "cancel_reassignment"},
      {C::coordinator_failover, "coordinator_failover"},
      {C::start_mirror, "start_mirror"},
      {C::stop_mirror, "stop_mirror"},
      {C::pause_mirror, "pause_mirror"},
      {C::resume_mirror, "resume_mirror"},
      {C::delete_mirror, "delete_mirror"},
      {C::recover_mirror, "recover_mirror"},
  }};
};
}  // namespace mirrorproof
