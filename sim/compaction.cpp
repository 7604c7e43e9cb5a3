// The log cleaner: each replica of a compacted topic cleans by itself, at its own time.
//
// The world's records have no keys. The cleaner may take any record below the last stable offset that some
// later record below it could have overwritten: more than any choice of keys allows, and nothing in the
// protocol looks at keys.

#include <fmt/format.h>

#include "model/mutant.h"
#include "model/producer_state.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {
namespace {

Offset cleanable_end(const Log& log, CleanerBound bound) {
  if (bound == CleanerBound::log_end || mutated(Mutant::cleaner_passes_high_watermark)) {
    return log.log_end_offset();
  }
  return mutated(Mutant::cleaner_takes_open_transactions) ? log.high_watermark() : last_stable_offset(log);
}

}  // namespace

std::string Simulator::compact_blocked(const Action& action) const {
  const Broker& broker = broker_at(action.cluster, action.broker);
  const std::string name = broker_name(action.cluster, action.broker);
  if (!broker.alive) {
    return fmt::format("{} is down", name);
  }
  const Partition& partition = broker.partitions[action.partition];
  if (!partition.hosted) {
    return fmt::format("{} has no replica", name);
  }
  const Offset bound = cleanable_end(partition.log, setup_->protocol.cleaner_bound);
  return partition.log.can_clean(action.number, bound)
             ? std::string{}
             : fmt::format(
                   "{} has no batch at offset {} that the cleaner may take: one of data, below {} {}, with a "
                   "later "
                   "one below it",
                   name, action.number,
                   setup_->protocol.cleaner_bound == CleanerBound::log_end ? "the log end"
                                                                           : "the last stable offset",
                   bound);
}

void Simulator::enumerate_compactions(ClusterId cluster, Actions& out) const {
  const auto& brokers = world_.clusters[cluster].brokers;
  for (std::size_t b = 0; b < brokers.size(); ++b) {
    const Broker& broker = brokers[b];
    if (!broker.alive) {
      continue;
    }
    for (std::size_t p = 0; p < broker.partitions.size(); ++p) {
      const Partition& partition = broker.partitions[p];
      if (!partition.hosted) {
        continue;
      }
      const Offset bound = cleanable_end(partition.log, setup_->protocol.cleaner_bound);
      for (const Batch& batch : partition.log.batches()) {
        if (batch.next_offset() > bound) {
          break;
        }
        if (partition.log.can_clean(batch.base_offset, bound)) {
          Action action;
          action.kind = ActionClass::compact;
          action.cluster = cluster;
          action.broker = static_cast<BrokerId>(b);
          action.partition = static_cast<PartitionId>(p);
          action.number = batch.base_offset;
          out.push_back(action);
        }
      }
    }
  }
}

void Simulator::compact(const Action& action) {
  Log& log = partition_at(action.cluster, action.broker, action.partition).log;
  LogCleaned cleaned;
  cleaned.base_offset = action.number;
  cleaned.last_offset = log.batch_at_or_after(action.number)->last_offset;
  cleaned.batch_kept =
      log.clean(action.number, cleanable_end(log, setup_->protocol.cleaner_bound)) == BatchContent::emptied;
  note_progress();
  recorder_.emit(action.cluster, action.broker, action.partition, cleaned);
}

}  // namespace mirrorproof::sim
