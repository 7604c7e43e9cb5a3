// Producers: sequences, transactions, acknowledgements, and the leader's side of a produce request.

#include <fmt/format.h>

#include <algorithm>

#include "model/mutant.h"
#include "model/producer_state.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {
namespace {

const Producer* find_producer(const World& world, ClusterId cluster, PartitionId partition, std::int16_t id) {
  for (const Producer& producer : world.producers) {
    if (producer.cluster == cluster && producer.partition == partition && producer.id == id) {
      return &producer;
    }
  }
  return nullptr;
}

/// The coordinator will write no more markers for it.
void transaction_ended(Producer& producer) {
  producer.in_transaction = false;
  producer.ending = false;
  producer.aborting = false;
  producer.transaction_epoch = kUndefinedEpoch;
}

}  // namespace

std::string Simulator::not_leading(ClusterId cluster, BrokerId broker, PartitionId partition) const {
  const std::string name = broker_name(cluster, broker);
  const Broker& asked = broker_at(cluster, broker);
  if (!asked.alive) {
    return fmt::format("{} is down", name);
  }
  const bool elected = view_of(cluster).controller.partition(partition).leader == broker;
  const bool will_hear = elected && asked.applied_records < view_of(cluster).metadata_log.end();
  return name + (will_hear ? " has not heard yet that it leads the partition (metadata_apply, or settle)"
                           : " does not lead the partition");
}

std::string Simulator::produce_blocked(const Action& action) const {
  const Partition& partition = partition_at(action.cluster, action.broker, action.partition);
  const std::string name = broker_name(action.cluster, action.broker);
  if (!broker_at(action.cluster, action.broker).alive || partition.role != Role::leader) {
    return not_leading(action.cluster, action.broker, action.partition);
  }
  if (partition.read_only) {
    return fmt::format("the partition is a mirror that is not STOPPED; {} refuses client writes", name);
  }
  const Producer* producer = find_producer(world_, action.cluster, action.partition, action.producer);
  if (action.kind == ActionClass::produce_again && (producer == nullptr || producer->last_sequence < 0)) {
    return fmt::format("producer {} has sent nothing to send again", action.producer);
  }
  if (action.kind == ActionClass::produce_again && producer->last_transactional &&
      !producer->in_transaction) {
    return fmt::format(
        "the transaction of producer {}'s last batch is over (produce_late: a batch that comes too late)",
        action.producer);
  }
  if (action.kind == ActionClass::produce_late) {
    if (producer == nullptr || producer->last_sequence < 0 || !producer->last_transactional) {
      return fmt::format("producer {} has sent nothing in a transaction that a batch could come late for",
                         action.producer);
    }
    if (producer->in_transaction && !producer->ending) {
      return fmt::format(
          "the transaction of producer {} is open: nothing of it comes late before end_transaction",
          action.producer);
    }
  }
  if (action.kind == ActionClass::end_transaction && (producer == nullptr || !producer->in_transaction)) {
    return fmt::format("producer {} has no open transaction", action.producer);
  }
  const auto& pending = world_.clusters[action.cluster].pending_acks;
  const bool marker_written = std::any_of(pending.begin(), pending.end(), [&action](const PendingAck& ack) {
    return ack.partition == action.partition && ack.ends_transaction_of == action.producer;
  });
  if (action.kind == ActionClass::end_transaction && marker_written) {
    return fmt::format("the marker of producer {} is being replicated", action.producer);
  }
  if (action.kind == ActionClass::end_transaction && producer->ending &&
      producer->aborting != action.has(ActionFlag::abort)) {
    return fmt::format("the coordinator has decided to {} the transaction of producer {}",
                       producer->aborting ? "abort" : "commit", action.producer);
  }
  if (action.kind == ActionClass::end_transaction && producer->aborting && !action.has(ActionFlag::abort)) {
    return fmt::format("a batch of the transaction of producer {} was refused: it can only be aborted",
                       action.producer);
  }
  if (action.kind == ActionClass::end_transaction && setup_->protocol.markers_fenced_by_epoch &&
      partition.leader_epoch < producer->transaction_epoch) {
    return fmt::format("{} leads epoch {}, and a leader of epoch {} has taken a batch of the transaction",
                       name, partition.leader_epoch, producer->transaction_epoch);
  }
  if (action.kind == ActionClass::end_transaction && setup_->protocol.markers_fenced_by_epoch &&
      leads_deleted_topic(action.cluster, action.broker, action.partition)) {
    return fmt::format("{} leads a topic that was deleted, and the transaction is one of the new topic",
                       name);
  }
  const bool ignores_the_end =
      action.kind == ActionClass::end_transaction || action.kind == ActionClass::produce_late;
  if (!ignores_the_end && producer != nullptr && producer->ending) {
    return fmt::format("the transaction of producer {} is being completed", action.producer);
  }
  if (action.has(ActionFlag::transactional) && action.producer < 0) {
    return "a transaction needs a producer id";
  }
  const bool needs_isr = action.kind == ActionClass::end_transaction || action.has(ActionFlag::acks_all);
  if (needs_isr && partition.isr.size() < partition.min_insync_replicas) {
    return "the ISR is smaller than min.insync.replicas";
  }
  return {};
}

bool Simulator::aborts_transaction(const Action& action, bool undecided) const {
  const Producer* producer = find_producer(world_, action.cluster, action.partition, action.producer);
  if (producer == nullptr) {
    return undecided;
  }
  return producer->ending ? producer->aborting : producer->aborting || undecided;
}

Producer& Simulator::producer_for(const Action& action) {
  for (Producer& producer : world_.producers) {
    if (producer.cluster == action.cluster && producer.partition == action.partition &&
        producer.id == action.producer) {
      return producer;
    }
  }
  Producer producer;
  producer.cluster = action.cluster;
  producer.partition = action.partition;
  producer.id = action.producer;
  return world_.producers.emplace_back(producer);
}

void Simulator::produce(const Action& action) {
  Batch batch;
  batch.last_offset = action.number - 1;
  batch.first_id = RecordId::make(action.cluster, world_.clusters[action.cluster].next_serial);
  world_.clusters[action.cluster].next_serial += static_cast<std::uint64_t>(action.number);
  if (action.producer >= 0) {
    Producer& producer = producer_for(action);
    producer.last_sequence = producer.next_sequence;
    producer.last_records = static_cast<std::int32_t>(action.number);
    producer.last_ids.assign(1, batch.first_id);
    producer.last_transactional = action.has(ActionFlag::transactional);
    producer.in_transaction = producer.in_transaction || producer.last_transactional;
    batch.producer_id = producer.id;
    batch.producer_epoch = producer.epoch;
    batch.base_sequence = producer.next_sequence;
    batch.transactional = producer.last_transactional;
    producer.next_sequence += static_cast<std::int32_t>(action.number);
  }
  write_batch(action, batch);
}

void Simulator::produce_again(const Action& action) {
  const Producer& producer = producer_for(action);
  Batch batch;
  batch.last_offset = producer.last_records - 1;
  batch.first_id = producer.last_ids.back();
  batch.producer_id = producer.id;
  batch.producer_epoch = producer.epoch;
  batch.base_sequence = producer.last_sequence;
  batch.transactional = producer.last_transactional;
  write_batch(action, batch);
}

bool Simulator::verifies_transactions_at(ClusterId cluster, BrokerId broker) const {
  const TransactionGuard guard = setup_->protocol.transaction_guard;
  return guard == TransactionGuard::verified ||
         (guard == TransactionGuard::by_release && verifies_transactions(broker_at(cluster, broker).version));
}

/// A batch of the producer's last transaction, sent before its end and long on the way. The producer has
/// given it up: what it sends next has a larger producer epoch.
void Simulator::produce_late(const Action& action) {
  Producer& producer = producer_for(action);
  Batch batch;
  batch.first_id = RecordId::make(action.cluster, world_.clusters[action.cluster].next_serial++);
  batch.producer_id = producer.id;
  batch.producer_epoch = producer.epoch;
  batch.base_sequence = producer.last_sequence + producer.last_records;
  batch.transactional = true;
  if (setup_->protocol.transaction_guard == TransactionGuard::epoch_bump) {
    batch.producer_epoch = static_cast<std::int16_t>(producer.epoch - 1);  // raised by the end itself
  } else {
    producer.epoch = static_cast<std::int16_t>(producer.epoch + 1);
  }
  producer.next_sequence = 0;
  producer.last_sequence = -1;
  if (verifies_transactions_at(action.cluster, action.broker)) {
    note_progress();
    recorder_.emit(action.cluster, action.broker, action.partition,
                   Note{fmt::format("refused a batch of producer {}: its transaction is over", producer.id)});
    return;
  }
  write_batch(action, batch);
}

/// The leader's side of a produce request.
void Simulator::write_batch(const Action& action, Batch batch) {
  Partition& partition = partition_at(action.cluster, action.broker, action.partition);
  note_progress();
  SequenceCheck check;
  if (batch.producer_id >= 0) {
    check = check_sequence(partition.log, batch.producer_id, batch.producer_epoch, batch.base_sequence,
                           batch.record_count());
  }
  using Result = SequenceCheck::Result;
  if (check.result == Result::out_of_order || check.result == Result::stale_producer) {
    recorder_.emit(action.cluster, action.broker, action.partition,
                   Note{fmt::format("refused a batch of producer {}: its sequence {} does not follow",
                                    batch.producer_id, batch.base_sequence)});
    // The client begins anew under a larger producer epoch.
    Producer& producer = producer_for(action);
    producer.epoch = static_cast<std::int16_t>(producer.epoch + 1);
    producer.next_sequence = 0;
    producer.last_sequence = -1;
    // KIP-360: and gives up the transaction that it is in.
    producer.aborting = producer.aborting || (producer.in_transaction && !producer.ending);
    return;
  }
  EventId event = 0;
  if (check.result == Result::duplicate) {
    batch.base_offset = check.base_offset;
    batch.last_offset = check.last_offset;
    const auto& mine = producer_for(action).last_ids;
    const RecordId there = partition.log.batch_at_or_after(check.base_offset)->first_id;
    if (std::find(mine.begin(), mine.end(), there) != mine.end()) {
      batch.first_id = there;
    }
  } else {
    if (action.kind == ActionClass::produce_again) {
      // A ghost's doing: two copies of a record at two leaders must not look like one that was replicated.
      batch.first_id = RecordId::make(action.cluster, world_.clusters[action.cluster].next_serial);
      world_.clusters[action.cluster].next_serial += static_cast<std::uint64_t>(batch.record_count());
      producer_for(action).last_ids.push_back(batch.first_id);
    }
    if (batch.transactional && setup_->protocol.markers_fenced_by_epoch &&
        !leads_deleted_topic(action.cluster, action.broker, action.partition)) {
      Epoch& epoch = producer_for(action).transaction_epoch;
      epoch = std::max(epoch, partition.leader_epoch);
    }
    const Batch stored = batch;
    batch.base_offset = partition.log.log_end_offset();
    batch.last_offset = batch.base_offset + stored.last_offset;
    // Registered before the append: with a single in-sync replica the high watermark moves at once.
    if (action.has(ActionFlag::acks_all)) {
      await_replication(action.cluster, action.broker, action.partition, batch, -1);
    }
    event = append_as_leader(action.cluster, action.broker, action.partition, stored, 0);
  }
  if (action.has(ActionFlag::acks_none) ||
      (action.has(ActionFlag::acks_all) && check.result == Result::append)) {
    return;
  }
  if (action.has(ActionFlag::acks_all) && batch.last_offset >= partition.log.high_watermark()) {
    return;  // the retry waits as the first one did
  }
  recorder_.emit(
      action.cluster, action.broker, action.partition,
      ProduceAcked{batch.base_offset, batch.last_offset, batch.first_id, action.has(ActionFlag::acks_all)},
      {event});
}

/// P26: what the high watermark has passed is acknowledged.
void Simulator::acknowledge(ClusterId cluster, BrokerId broker, PartitionId id, EventId moved) {
  auto& pending = world_.clusters[cluster].pending_acks;
  const Partition& partition = partition_at(cluster, broker, id);
  for (auto ack = pending.begin(); ack != pending.end();) {
    const bool mine = ack->leader == broker && ack->partition == id;
    const Offset early = mutated(Mutant::acked_one_before_replicated) ? 1 : 0;
    if (!mine || partition.role != Role::leader ||
        ack->last_offset >= partition.log.high_watermark() + early) {
      ++ack;
      continue;
    }
    if (ack->ends_transaction_of >= 0) {
      for (Producer& producer : world_.producers) {
        if (producer.cluster == cluster && producer.partition == id &&
            producer.id == ack->ends_transaction_of) {
          transaction_ended(producer);
        }
      }
    } else {
      recorder_.emit(cluster, broker, id,
                     ProduceAcked{ack->base_offset, ack->last_offset, ack->first_id, true},
                     {ack->event, moved});
    }
    ack = pending.erase(ack);
  }
}

void Simulator::forget_pending_acks(ClusterId cluster, BrokerId broker, PartitionId id) {
  auto& pending = world_.clusters[cluster].pending_acks;
  pending.erase(std::remove_if(pending.begin(), pending.end(),
                               [broker, id](const PendingAck& ack) {
                                 return ack.leader == broker && (id == kNoPartition || ack.partition == id);
                               }),
                pending.end());
}

void Simulator::end_transaction(const Action& action) {
  Producer& producer = producer_for(action);
  if (setup_->protocol.transaction_guard == TransactionGuard::epoch_bump && !producer.ending) {
    producer.epoch = static_cast<std::int16_t>(producer.epoch + 1);
    producer.next_sequence = 0;
  }
  producer.ending = true;
  producer.aborting = action.has(ActionFlag::abort);
  Batch marker;
  marker.kind = action.has(ActionFlag::abort) ? BatchKind::abort_marker : BatchKind::commit_marker;
  marker.producer_id = producer.id;
  marker.producer_epoch = producer.epoch;
  marker.first_id = RecordId::make(action.cluster, world_.clusters[action.cluster].next_serial++);
  if (setup_->protocol.marker_acks == MarkerAcks::leader) {
    transaction_ended(producer);
  } else {
    // The coordinator writes it until it is replicated.
    Batch placed = marker;
    placed.base_offset = placed.last_offset =
        partition_at(action.cluster, action.broker, action.partition).log.log_end_offset();
    await_replication(action.cluster, action.broker, action.partition, placed, producer.id);
  }
  append_as_leader(action.cluster, action.broker, action.partition, marker, 0);
}

void Simulator::await_replication(ClusterId cluster, BrokerId leader, PartitionId partition,
                                  const Batch& batch, std::int16_t ends_transaction_of) {
  PendingAck ack;
  ack.leader = leader;
  ack.partition = partition;
  ack.leader_epoch = partition_at(cluster, leader, partition).leader_epoch;
  ack.base_offset = batch.base_offset;
  ack.last_offset = batch.last_offset;
  ack.first_id = batch.first_id;
  ack.ends_transaction_of = ends_transaction_of;
  world_.clusters[cluster].pending_acks.push_back(ack);
}

void Simulator::enumerate_producers(ClusterId id, ActionClass kind, Actions& out) const {
  Action action;
  action.kind = kind;
  action.cluster = id;
  for (const Producer& producer : world_.producers) {
    if (producer.cluster != id) {
      continue;
    }
    const auto brokers = static_cast<BrokerId>(world_.clusters[id].brokers.size());
    for (BrokerId b = 0; b < brokers; ++b) {
      action.broker = b;
      action.partition = producer.partition;
      action.producer = producer.id;
      action.flags = kind == ActionClass::end_transaction && aborts_transaction(action, false)
                         ? static_cast<std::uint8_t>(ActionFlag::abort)
                         : std::uint8_t{0};
      if (partition_at(id, b, producer.partition).role == Role::leader && produce_blocked(action).empty()) {
        out.push_back(action);
      }
    }
  }
}

}  // namespace mirrorproof::sim
