#pragma once
// Which fields a step of a script has, by what it does. Reader and writer share this; the schema says the
// same in its own language (a test holds the two together).

#include "sim/action.h"

namespace mirrorproof::scenarios {

enum class StepShape : std::uint8_t {
  connection,        ///< client, server
  backoff,           ///< client, server, partition
  isr_shrink,        ///< cluster, broker (the leader), partition, follower
  at_leader,         ///< cluster, broker (the leader), partition
  produce,           ///< at_leader and records, producer, transactional, acks
  produce_again,     ///< at_leader and producer, acks; so has produce_late
  end_transaction,   ///< at_leader and producer, abort
  read,              ///< reader, broker
  at_reader,         ///< reader
  resume_reader,     ///< reader, cluster
  at_cluster,        ///< cluster
  metadata_apply,    ///< cluster, broker, records
  at_broker,         ///< cluster, broker
  at_partition,      ///< cluster, partition
  election,          ///< cluster, broker, partition
  change_version,    ///< cluster, broker, version
  between_clusters,  ///< clusters
  delete_records,    ///< cluster, partition, log_start
  min_isr,           ///< cluster, partition, min_insync_replicas
  compact,           ///< cluster, broker, partition, offset
  reassign,          ///< cluster, partition, replicas
  mirror_order,      ///< source, destination, partition
};

constexpr StepShape shape_of(sim::ActionClass action) {
  using enum sim::ActionClass;
  switch (action) {
    case fetcher_send:
    case server_handle:
    case fetcher_receive:
    case drop_connection:
    case late_read:
    case source_refresh:
      return StepShape::connection;
    case fetcher_backoff:
      return StepShape::backoff;
    case isr_shrink:
      return StepShape::isr_shrink;
    case alter_partition:
    case mirror_step:
      return StepShape::at_leader;
    case produce:
      return StepShape::produce;
    case produce_again:
    case produce_late:
      return StepShape::produce_again;
    case end_transaction:
      return StepShape::end_transaction;
    case read:
      return StepShape::read;
    case commit_group_offset:
      return StepShape::at_reader;
    case resume_reader:
      return StepShape::resume_reader;
    case coordinator_failover:
      return StepShape::at_cluster;
    case metadata_apply:
      return StepShape::metadata_apply;
    case fence:
    case unfence:
    case crash:
    case restart:
    case power_loss:
    case shut_down:
    case flush:
    case cut_controller:
    case heal_controller:
      return StepShape::at_broker;
    case epoch_bump:
    case position_write:
    case group_look_up:
    case group_write:
    case recreate_topic:
    case preferred_election:
    case cancel_reassignment:
      return StepShape::at_partition;
    case clean_election:
    case unclean_election:
      return StepShape::election;
    case change_version:
      return StepShape::change_version;
    case cut_clusters:
    case heal_clusters:
      return StepShape::between_clusters;
    case delete_records:
      return StepShape::delete_records;
    case set_min_insync_replicas:
      return StepShape::min_isr;
    case compact:
      return StepShape::compact;
    case reassign:
      return StepShape::reassign;
    case start_mirror:
    case stop_mirror:
    case pause_mirror:
    case resume_mirror:
    case delete_mirror:
    case recover_mirror:
      return StepShape::mirror_order;
  }
  return StepShape::at_broker;
}

}  // namespace mirrorproof::scenarios
