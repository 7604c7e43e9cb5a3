#include "model/mirror.h"

#include <algorithm>
#include <limits>

#include "model/mutant.h"

namespace mirrorproof {

Offset MirrorRecord::lowest_cut_since(std::uint32_t known) const {
  Offset lowest = std::numeric_limits<Offset>::max();
  for (std::size_t i = known; i < alignment_cuts.size(); ++i) {
    lowest = std::min(lowest, alignment_cuts[i]);
  }
  return lowest;
}

const MirrorRecord::StoredPosition* MirrorRecord::position_for(ClusterId source_cluster) const {
  for (const StoredPosition& stored : positions) {
    if (stored.source == source_cluster) {
      return &stored;
    }
  }
  return nullptr;
}

void MirrorRecord::store_position(ClusterId source_cluster, MirrorPosition position, EventId event) {
  for (StoredPosition& stored : positions) {
    if (stored.source == source_cluster) {
      if (mutated(Mutant::position_never_replaced)) {
        return;
      }
      stored.position = position;
      stored.source_cuts = source_cuts;
      stored.source_topic_id = source_topic_id;
      stored.source_epoch = source_epoch;
      stored.event = event;
      return;
    }
  }
  positions.push_back({source_cluster, position, source_cuts, source_topic_id, source_epoch, event});
}

void MirrorRecord::clamp_positions(Offset end) {
  for (StoredPosition& stored : positions) {
    stored.position.offset = std::min(stored.position.offset, end);
  }
}

MirrorState retry_target(const MirrorRecord& record, const ProtocolOptions& protocol) {
  // M7 knows no way from FAILED to these; the mend goes through MIRRORING, which leads to all of them.
  const MirrorState before = record.state_before_failing;
  if (mutated(Mutant::retry_skips_alignment)) {
    return MirrorState::mirroring;
  }
  if (before == MirrorState::unknown) {
    return MirrorState::log_alignment;
  }
  return protocol.orders_while_failed && !is_valid_transition(MirrorState::failed, before)
             ? MirrorState::mirroring
             : before;
}

MirrorTask::Step first_step(MirrorState state) {
  switch (state) {
    case MirrorState::log_alignment:
      return MirrorTask::Step::align_look_up;
    case MirrorState::epoch_fencing:
      return MirrorTask::Step::fence_bump;
    case MirrorState::mirroring:
      return MirrorTask::Step::start_fetcher;
    case MirrorState::ule_recovery:
      return MirrorTask::Step::recovery_wait;
    case MirrorState::pausing:
      return MirrorTask::Step::pause;
    case MirrorState::stopping:
      return MirrorTask::Step::stop_remove_fetcher;
    case MirrorState::failed:
      return MirrorTask::Step::retry;
    case MirrorState::paused:
    case MirrorState::stopped:
    case MirrorState::unknown:
      return MirrorTask::Step::idle;
  }
  return MirrorTask::Step::idle;
}

namespace {

/// Base offset of the first batch that `remove` selects, or the log end.
template <class Predicate>
Offset first_removed(const Log& log, Predicate remove) {
  for (const Batch& batch : log.batches()) {
    if (const std::optional<Offset> offset = remove(batch)) {
      return *offset;
    }
  }
  return log.log_end_offset();
}

/// First offset at which the log holds an epoch above `epoch`.
Offset end_of_epochs_up_to(const Log& log, Epoch epoch) {
  return first_removed(log, [epoch](const Batch& batch) -> std::optional<Offset> {
    const bool above =
        mutated(Mutant::alignment_epoch_off_by_one) ? batch.epoch >= epoch : batch.epoch > epoch;
    return above ? std::optional(batch.base_offset) : std::nullopt;
  });
}

}  // namespace

Offset alignment_target(const Log& log, MirrorPosition position, Alignment alignment) {
  if (alignment == Alignment::none) {
    return log.log_end_offset();
  }
  if (position == MirrorPosition{}) {
    return 0;  // M11: from scratch
  }
  switch (alignment) {
    case Alignment::epoch_and_offset:
      return std::min(position.offset, end_of_epochs_up_to(log, position.epoch));
    case Alignment::epoch_only:
      return end_of_epochs_up_to(log, position.epoch);
    case Alignment::offset_only:
      return position.offset;
    case Alignment::epoch_and_offset_inclusive:
      return std::min(position.offset + 1, end_of_epochs_up_to(log, position.epoch));
    case Alignment::as_posted:
      // "Truncates only records where offset <= last offset and epoch <= last epoch": a log can only lose a
      // suffix, so everything from the first such record on goes.
      return first_removed(log, [&position](const Batch& batch) -> std::optional<Offset> {
        const bool selected = batch.base_offset <= position.offset && batch.epoch <= position.epoch;
        return selected ? std::optional(batch.base_offset) : std::nullopt;
      });
    case Alignment::end_offset_lookup: {
      // M12: an epoch the local cache cannot place means 0.
      const EpochEndOffset end = log.end_offset_for_epoch(position.epoch);
      return std::min(position.offset, end.end_offset == kUndefinedOffset ? 0 : end.end_offset);
    }
    case Alignment::none:
      break;
  }
  return log.log_end_offset();
}

namespace {

/// Does the source tell where `epoch` ends because it knows it? One below all that it knows is echoed, with
/// the start of the lowest (E9). Two more questions tell: one epoch higher, nothing is known above the
/// latest; one epoch lower, an epoch with records ends later than the one before it.
bool knows_epoch(const Log& source, Epoch epoch) {
  const EpochEndOffset end = source.end_offset_for_epoch(epoch);
  const Offset before =
      epoch > 0 ? source.end_offset_for_epoch(epoch - 1).end_offset : source.log_start_offset();
  return end.epoch == epoch && (source.latest_epoch() == epoch || end.end_offset > before);
}

}  // namespace

Offset agreed_end(const Log& local, const Log& source, Offset target) {
  const auto epochs = local.leader_epoch_cache().entries();
  for (std::size_t i = epochs.size(); i > 0; --i) {
    const EpochEntry& entry = epochs[i - 1];
    // What was deleted below the log start was of the first epoch, or of those before it.
    const bool of_what_was_deleted = entry.start_offset == local.log_start_offset();
    if (entry.start_offset >= target && !of_what_was_deleted) {
      continue;
    }
    const EpochEndOffset theirs = source.end_offset_for_epoch(entry.epoch);
    const bool shared =
        theirs.end_offset > entry.start_offset ||
        (of_what_was_deleted && theirs.end_offset == entry.start_offset && theirs.end_offset > 0);
    if (knows_epoch(source, entry.epoch) && shared) {
      return std::min(target, theirs.end_offset);
    }
    target = std::min(target, entry.start_offset);
  }
  // What precedes the first known epoch cannot be told from another history. Neither can what was deleted
  // below the log start, which a follower may still have: the log begins anew.
  return 0;
}

Offset first_difference(const Log& local, const Log& source) {
  for (const Batch& batch : local.batches()) {
    const Batch* theirs = source.batch_at_or_after(batch.base_offset);
    if (theirs == nullptr) {
      break;
    }
    const bool comparable =
        batch.has_records() && theirs->has_records() && theirs->base_offset <= batch.last_offset;
    const bool same = theirs->base_offset == batch.base_offset && theirs->last_offset == batch.last_offset &&
                      theirs->first_id == batch.first_id;
    if (comparable && !same) {
      return batch.base_offset;
    }
  }
  return local.log_end_offset();
}

MirrorPosition stop_position(const Log& log) {
  if (!log.latest_epoch() && log.log_end_offset() == 0) {
    return {};
  }
  return {log.latest_epoch().value_or(kUndefinedEpoch), log.log_end_offset()};
}

MirrorPosition stop_position_before(const Log& log, Epoch epoch) {
  const Offset end = end_of_epochs_up_to(log, epoch);
  Epoch latest = kUndefinedEpoch;
  for (const Batch& batch : log.batches()) {
    if (batch.base_offset < end) {
      latest = batch.epoch;
    }
  }
  if (latest == kUndefinedEpoch && end == 0) {
    return {};
  }
  if (mutated(Mutant::position_is_high_watermark)) {
    return {latest, std::min(end, log.high_watermark())};
  }
  return {latest, end - (mutated(Mutant::position_is_last_offset) ? 1 : 0)};
}

bool followers_have_followed(const Partition& partition, BrokerId self, FollowerWait wait, bool ule_support) {
  if (wait == FollowerWait::none || partition.replicas.size() <= 1) {
    return true;
  }
  const bool every_replica_in_sync = partition.isr.size() >= partition.replicas.size();
  const bool everyone = wait == FollowerWait::all || wait == FollowerWait::all_heard;
  if ((everyone || (wait == FollowerWait::relevant && ule_support)) && !every_replica_in_sync) {
    return false;
  }
  const int effective_min_isr = std::min<int>(partition.min_insync_replicas, partition.replicas.size());
  if (partition.isr.size() < effective_min_isr) {
    return false;
  }
  const BrokerSet relevant = everyone ? partition.replicas : partition.maximal_isr();
  for (BrokerId broker = 0; broker < kMaxBrokers; ++broker) {
    if (broker == self || !relevant.contains(broker)) {
      continue;
    }
    // A shorter follower does not block; one not heard of in this epoch reads as -1 and does not either
    // (M13).
    const Offset follower_end = partition.follower_end_offset[static_cast<std::size_t>(broker)];
    if (follower_end > partition.log.log_end_offset() ||
        (wait == FollowerWait::all_heard && follower_end == kUndefinedOffset)) {
      return false;
    }
  }
  return true;
}

std::optional<Epoch> epoch_bump_target(EpochBump rule, Epoch source_epoch, Epoch leader_epoch) {
  switch (rule) {
    case EpochBump::by_10_threshold_3:
      return source_epoch > leader_epoch - 3 ? std::optional(source_epoch + 10) : std::nullopt;
    case EpochBump::exact:
      return source_epoch > leader_epoch ? std::optional(source_epoch - 1) : std::nullopt;
    case EpochBump::none:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Epoch> stop_bump_target(EpochBump rule, const Log& log, Epoch leader_epoch) {
  // Records count, not the empty epoch a new leader registers while STOPPING (P28): rising above that one
  // would register the next, for ever.
  if (rule == EpochBump::none || log.batches().empty()) {
    return std::nullopt;
  }
  const Epoch latest = log.batches().back().epoch;
  if (leader_epoch > latest || (mutated(Mutant::stop_bump_accepts_equal_epoch) && leader_epoch == latest)) {
    return std::nullopt;
  }
  // "exact" keeps the destination level with the source and forgets that a level epoch is not a larger one.
  return rule == EpochBump::exact ? latest - 1 : latest;
}

std::optional<Epoch> block_stop_bump_target(ClusterId self, Epoch source_epoch, Epoch began_in_epoch,
                                            Epoch leader_epoch) {
  const auto own = [self](Epoch epoch) { return epoch / kEpochBlock % kMaxClusters == self; };
  const bool moved_on = leader_epoch > began_in_epoch || mutated(Mutant::stop_bump_ignores_beginning);
  if (moved_on && leader_epoch > source_epoch && own(leader_epoch)) {
    return std::nullopt;
  }
  // A bump that MIRRORING still had asked for may have left the block: epochs only rise.
  const Epoch foreign = own(leader_epoch) ? kUndefinedEpoch : leader_epoch;
  const Epoch known = std::max({began_in_epoch, source_epoch, foreign, Epoch{0}});
  if (own(known + 1) && known == began_in_epoch && known >= kEpochBlock) {
    return known;
  }
  constexpr Epoch kLastBlock = std::numeric_limits<Epoch>::max() / kEpochBlock;
  Epoch block = known / kEpochBlock + 1;
  while (block % kMaxClusters != self) {
    ++block;
  }
  if (block <= kLastBlock) {
    return block * kEpochBlock - 1;
  }
  // All blocks are used up; what is left is to rise above what is known.
  return moved_on && leader_epoch > source_epoch ? std::nullopt : std::optional(known);
}

boost::container::small_vector<std::int16_t, 4> open_transactions(const Log& log) {
  boost::container::small_vector<std::int16_t, 4> open;
  for (const Batch& batch : log.batches()) {
    const auto found = std::find(open.begin(), open.end(), batch.producer_id);
    if (batch.kind == BatchKind::data && batch.transactional && batch.producer_id >= 0 &&
        found == open.end()) {
      open.push_back(batch.producer_id);
    } else if (batch.is_marker() && found != open.end()) {
      open.erase(found);
    }
  }
  return open;
}

}  // namespace mirrorproof
