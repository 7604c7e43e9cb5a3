// STOPPING (M30): remove the fetcher, record the position, raise the epoch, end transactions, append
// PID_RESET.

#include <algorithm>

#include "model/check.h"
#include "model/mutant.h"
#include "model/producer_state.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {

using Step = MirrorTask::Step;

Batch Simulator::new_control_batch(ClusterId cluster, BatchKind kind, std::int16_t producer) {
  Batch batch;
  batch.kind = kind;
  batch.producer_id = producer;
  batch.first_id = RecordId::make(cluster, world_.clusters[cluster].next_serial++);
  return batch;
}

/// M30 step 4.
void Simulator::end_open_transactions(ClusterId cluster, BrokerId broker, PartitionId id) {
  MirrorTask& task = broker_at(cluster, broker).tasks[id];
  const Log& log = partition_at(cluster, broker, id).log;
  switch (setup_->protocol.open_transactions_at_stop) {
    case OpenTransactionsAtStop::keep:
      return;
    case OpenTransactionsAtStop::truncate:
      if (const std::optional<Offset> unstable = first_unstable_offset(log)) {
        truncate_log(cluster, broker, id, *unstable, TruncationReason::open_transaction, false, false,
                     {task.cause});
      }
      return;
    case OpenTransactionsAtStop::abort:
      for (const std::int16_t producer : open_transactions(log)) {
        if (mutated(Mutant::transactions_left_open_at_stop)) {
          break;
        }
        task.cause = append_as_leader(
            cluster, broker, id, new_control_batch(cluster, BatchKind::abort_marker, producer), task.cause);
      }
  }
}

/// M30: remove the fetcher, record the position, raise the epoch, abort transactions, append PID_RESET, open
/// up.
void Simulator::stop_step(ClusterId cluster, BrokerId broker, PartitionId id) {
  Broker& leader = broker_at(cluster, broker);
  Partition& partition = leader.partitions[id];
  MirrorTask& task = leader.tasks[id];
  MirrorRecord& record = world_.clusters[cluster].mirrors[id];
  const auto control_batch = [&](BatchKind kind, std::int16_t producer) {
    return new_control_batch(cluster, kind, producer);
  };
  switch (task.step) {
    case Step::stop_remove_fetcher:
      if (!mutated(Mutant::stop_keeps_fetcher)) {
        remove_from_fetchers(cluster, broker, id, true);
      }
      task.step = Step::stop_send_position;
      break;
    case Step::stop_send_position:
      // Stopped out of FAILED, the session may never have aligned: its log end says nothing of the source.
      if (setup_->protocol.orders_while_failed && !record.aligned) {
        task.step = Step::stop_bump;
        break;
      }
      // M6: a deposed leader's write does not get past its successor's.
      if (record.pending_position && record.pending_position->sender != broker &&
          partition_at(cluster, record.pending_position->sender, id).leader_epoch > partition.leader_epoch) {
        task.step = Step::stop_await_position;
        break;
      }
      record.source_cuts = std::max(record.source_cuts, task.source_cuts);  // the position is of this log
      record.pending_position =
          MirrorRecord::PendingPosition{record.source,
                                        setup_->protocol.stop_position_excludes_stop_writes
                                            ? stop_position_before(partition.log, record.stop_began_in_epoch)
                                            : stop_position(partition.log),
                                        broker, task.cause};
      task.step = setup_->protocol.stop_position_write == StopPositionWrite::awaited
                      ? Step::stop_await_position
                      : Step::stop_bump;
      break;
    case Step::stop_await_position:
      task.step = Step::stop_bump;
      break;
    case Step::stop_bump:
      if (const auto target = wanted_bump(cluster, broker, id)) {
        request_epoch_bump(cluster, id, target);
      } else {
        task.step = Step::stop_abort_transactions;
      }
      break;
    case Step::stop_abort_transactions:
      end_open_transactions(cluster, broker, id);
      task.step = Step::stop_append_pid_reset;
      break;
    case Step::stop_append_pid_reset:
      task.pid_reset_offset = partition.log.log_end_offset() - 1;
      if (setup_->protocol.pid_reset) {
        task.pid_reset_offset = partition.log.log_end_offset();
        task.cause =
            append_as_leader(cluster, broker, id, control_batch(BatchKind::pid_reset, -1), task.cause);
      }
      task.step = Step::stop_await_pid_reset;
      break;
    case Step::stop_await_pid_reset:
      if (end_mirror_work(cluster, broker, id, MirrorState::stopped, MirrorReason::operator_order)) {
        partition.read_only = false;
        partition.mirror_leader = false;
      }
      break;
    default:
      MP_CHECK(false, "not a step of stopping");
  }
}

}  // namespace mirrorproof::sim
