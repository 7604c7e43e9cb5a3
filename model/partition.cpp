#include "model/partition.h"

#include <algorithm>

#include "model/check.h"
#include "model/leader_epoch_check.h"
#include "model/mutant.h"
#include "model/producer_state.h"

namespace mirrorproof {

namespace {

/// P23: a partition with fewer replicas than min.insync.replicas asks for no more than it has.
std::int16_t min_isr_in_force(const PartitionRegistration& registration) {
  return std::min(registration.min_insync_replicas, static_cast<std::int16_t>(registration.replicas.size()));
}

}  // namespace

bool Partition::become_leader(BrokerId self, const PartitionRegistration& registration) {
  MP_CHECK(registration.leader == self, "becoming leader without being named");
  const bool newer = registration.leader_epoch > leader_epoch;
  const bool was_leader = role == Role::leader;
  mirror_leader =
      registration.mirror_source != kNoCluster && registration.desired_mirror != DesiredMirror::stopped;
  if (newer) {
    // P28: registering the epoch before the first write makes this log's latest epoch larger than any a
    // follower may hold. Mirror leaders must not (M2): their cache holds the source's epochs only.
    const bool writes_epochs = !registration.epochless || !rules.epochless_leaders_enter_no_epoch;
    const bool registers = !mirror_leader || mutated(Mutant::mirror_leader_registers_epoch);
    if (registers && writes_epochs && rules.registers_epoch_on_election) {
      log.assign_leader_epoch(registration.leader_epoch);
    }
    leader_epoch_start_offset = log.log_end_offset();
    // In an epoch that it has not heard of, another leader may have cut them.
    const bool skipped = registration.leader_epoch > leader_epoch + 1 && !rules.keeps_followers_over_epochs;
    if (!was_leader || skipped) {
      reset_followers();
    }
  }
  role = Role::leader;
  leader = self;
  leader_epoch = registration.leader_epoch;
  partition_epoch = registration.partition_epoch;
  topic_id = registration.topic_id;
  epochless = registration.epochless;
  replicas = registration.replica_set();
  for (BrokerId broker = 0; broker < kMaxBrokers; ++broker) {
    if (!replicas.contains(broker)) {
      follower_end_offset[static_cast<std::size_t>(broker)] = kUndefinedOffset;
    }
  }
  isr = registration.isr;
  min_insync_replicas = min_isr_in_force(registration);
  pending_isr.reset();
  return newer;
}

bool Partition::become_follower(const PartitionRegistration& registration) {
  const bool newer = registration.leader_epoch > leader_epoch || role == Role::offline;
  role = Role::follower;
  leader = registration.leader;
  leader_epoch = registration.leader_epoch;
  partition_epoch = registration.partition_epoch;
  topic_id = registration.topic_id;
  epochless = registration.epochless;
  replicas = registration.replica_set();
  min_insync_replicas = min_isr_in_force(registration);
  mirror_leader = false;
  isr = BrokerSet{};
  pending_isr.reset();
  leader_epoch_start_offset = kUndefinedOffset;
  reset_followers();
  return newer;
}

void Partition::forget_role() {
  role = Role::offline;
  leader = kNoBroker;
  leader_epoch = kUndefinedEpoch;
  partition_epoch = -1;
  isr = BrokerSet{};
  pending_isr.reset();
  mirror_leader = false;
  leader_epoch_start_offset = kUndefinedOffset;
  reset_followers();
}

ErrorCode Partition::check_epoch_and_leader(Epoch requested, bool leader_required) const {
  if (!hosted || role == Role::offline) {
    return ErrorCode::not_leader_or_follower;
  }
  // P4, P6: the epoch is looked at before the role.
  if (const ErrorCode error = check_leader_epoch(requested, leader_epoch); error != ErrorCode::none) {
    return error;
  }
  if (leader_required && role != Role::leader) {
    return ErrorCode::not_leader_or_follower;
  }
  return ErrorCode::none;
}

FetchPartitionResponse Partition::handle_fetch(BrokerId self, const FetchPartition& request,
                                               const FetchContext& context) {
  FetchPartitionResponse response;
  response.partition = request.partition;
  const bool from_replica = context.replica != kNoBroker;
  if (request.topic_id != 0 && topic_id != 0 && request.topic_id != topic_id) {
    response.error = ErrorCode::inconsistent_topic_id;
    return response;
  }
  const bool follower_may_serve = !from_replica && context.version >= kFetchServedByFollowers &&
                                  serves_consumers_from_followers(context.broker_version);
  response.error = check_epoch_and_leader(request.current_leader_epoch, !follower_may_serve);
  if (response.error == ErrorCode::none && from_replica && !replicas.contains(context.replica)) {
    response.error = request.current_leader_epoch != kUndefinedEpoch ? ErrorCode::unknown_leader_epoch
                                                                     : ErrorCode::not_leader_or_follower;
  }
  if (response.error != ErrorCode::none) {
    const bool names_leader = response.error == ErrorCode::not_leader_or_follower ||
                              response.error == ErrorCode::fenced_leader_epoch;
    if (names_leader && context.version >= kFetchWithNodeEndpoints &&
        fills_current_leader(context.broker_version) && role != Role::offline) {
      response.current_leader = leader;
      response.current_leader_epoch = leader_epoch;
    }
    return response;
  }
  response.high_watermark = log.high_watermark();
  response.log_start_offset = log.log_start_offset();
  if (from_replica && mirror_leader && context.version >= kFetchWithMirrorLeaderEpoch) {
    response.mirror_leader_epoch = log.latest_epoch().value_or(0);
  }
  const Epoch last_fetched_epoch =
      context.version >= kFetchWithLastFetchedEpoch ? request.last_fetched_epoch : kUndefinedEpoch;
  const FetchCheck check =
      check_fetch_epoch(log, request.fetch_offset, last_fetched_epoch, rules.checks_range_before_divergence,
                        rules.unknown_epochs_diverge);
  if (check.result == FetchCheck::Result::out_of_range) {
    response.error = ErrorCode::offset_out_of_range;
    return response;
  }
  if (check.result == FetchCheck::Result::diverging) {
    // P12: no records, and the follower's progress is not recorded.
    response.diverging_epoch = check.diverging;
    if (from_replica && !rules.diverging_fetch_is_no_progress) {
      record_progress(self, request.fetch_offset, context);
    }
    return response;
  }
  const bool reads_uncommitted = from_replica || mutated(Mutant::mirror_reads_uncommitted);
  const Offset upper_bound =
      reads_uncommitted ? log.log_end_offset() : read_bound(request.fetch_offset, false);
  if (request.fetch_offset < upper_bound) {
    for (const Batch& batch : log.read(request.fetch_offset, upper_bound, context.max_batches)) {
      response.records.push_back(batch);
    }
  }
  if (from_replica) {
    const bool sent_counts =
        mutated(Mutant::follower_credited_with_what_it_was_sent) && !response.records.empty();
    record_progress(self, sent_counts ? response.records.back().next_offset() : request.fetch_offset,
                    context);
  }
  return response;
}

Offset Partition::read_bound(Offset from, bool read_committed) const {
  const Offset high_watermark = log.high_watermark();
  const auto batches_in = [this](Offset begin, Offset end) {
    const auto batches = log.batches();
    return std::count_if(batches.begin(), batches.end(), [&](const Batch& batch) {
      return batch.last_offset >= begin && batch.base_offset < end;
    });
  };
  if (read_committed) {
    const Offset stable = last_stable_offset(log);
    // What one step of the high watermark has brought, and no more.
    const bool moved_over = rules.high_watermark_read_twice && batches_in(stable, high_watermark) == 1;
    return moved_over ? high_watermark : stable;
  }
  // The log ended at the high watermark when the read began, and one write came.
  const bool raced = rules.reads_take_racing_writes && from < high_watermark &&
                     batches_in(high_watermark, log.log_end_offset()) == 1;
  return raced ? log.log_end_offset() : high_watermark;
}

void Partition::record_progress(BrokerId self, Offset fetch_offset, const FetchContext& context) {
  if (role != Role::leader) {
    return;
  }
  follower_end_offset[static_cast<std::size_t>(context.replica)] = fetch_offset;
  follower_broker_epoch[static_cast<std::size_t>(context.replica)] = context.replica_epoch;
  if (!pending_isr && context.replica_unfenced && may_join_isr(context.replica, context.mirror_isr_join)) {
    BrokerSet members = isr;
    members.insert(context.replica);
    propose_isr(members);
  }
  maybe_advance_high_watermark(self, context.guard_min_isr);
}

EpochPartitionResponse Partition::handle_offset_for_leader_epoch(const EpochPartition& request,
                                                                 ApiVersion version) const {
  if (!hosted || role == Role::offline) {
    EpochPartitionResponse response;
    response.partition = request.partition;
    response.error = ErrorCode::not_leader_or_follower;
    return response;
  }
  EpochPartitionResponse response = answer_offset_for_leader_epoch(
      log, {leader_epoch, role == Role::leader}, request, version, rules.unknown_epochs_diverge);
  if (mutated(Mutant::epoch_answer_clamped_to_high_watermark)) {
    response.answer.end_offset = std::min(response.answer.end_offset, log.high_watermark());
  }
  return response;
}

ListOffsetsPartitionResponse Partition::handle_list_offsets(const ListOffsetsPartition& request,
                                                            bool replica) const {
  ListOffsetsPartitionResponse response;
  response.partition = request.partition;
  response.spec = request.spec;
  response.error = check_epoch_and_leader(request.current_leader_epoch, true);
  if (response.error != ErrorCode::none) {
    return response;
  }
  if (request.spec == OffsetSpec::earliest) {
    response.offset = log.log_start_offset();
  } else {
    const bool log_end = replica && !mutated(Mutant::list_offsets_latest_is_high_watermark);
    response.offset = log_end ? log.log_end_offset() : log.high_watermark();
  }
  return response;
}

void Partition::propose_isr(BrokerSet members) {
  IsrProposal proposal{members, {}};
  for (BrokerId broker = 0; broker < kMaxBrokers; ++broker) {
    if (members.contains(broker)) {
      const auto place = static_cast<std::size_t>(broker);
      proposal.broker_epochs[place] = follower_broker_epoch[place];
    }
  }
  pending_isr = proposal;
}

BrokerSet Partition::maximal_isr() const {
  BrokerSet maximal = isr;
  if (pending_isr) {
    maximal.bits |= pending_isr->members.bits;
  }
  return maximal;
}

bool Partition::maybe_advance_high_watermark(BrokerId self, bool guard_min_isr) {
  if (role != Role::leader) {
    return false;
  }
  const int effective_min_isr = std::min<int>(min_insync_replicas, replicas.size());
  if (guard_min_isr && isr.size() < effective_min_isr && !mutated(Mutant::high_watermark_ignores_min_isr)) {
    return false;
  }
  Offset candidate = log.log_end_offset();
  const BrokerSet members = mutated(Mutant::high_watermark_ignores_proposed_isr) ? isr : maximal_isr();
  for (BrokerId broker = 0; broker < kMaxBrokers; ++broker) {
    if (broker != self && members.contains(broker)) {
      const Offset follower_end = follower_end_offset[static_cast<std::size_t>(broker)];
      if (mutated(Mutant::high_watermark_skips_unheard_follower) && follower_end == kUndefinedOffset) {
        continue;
      }
      candidate = std::min(candidate, follower_end);
    }
  }
  return log.advance_high_watermark(candidate);
}

void Partition::reset_followers() {
  follower_end_offset.fill(kUndefinedOffset);
  follower_broker_epoch.fill(0);
}

void Partition::forget_followers() {
  reset_followers();
  // Or nobody who agrees with the shorter log could join the ISR again (T18).
  leader_epoch_start_offset = std::min(leader_epoch_start_offset, log.log_end_offset());
}

bool Partition::may_join_isr(BrokerId follower, MirrorIsrJoin mirror_rule) const {
  const Offset follower_end = follower_end_offset[static_cast<std::size_t>(follower)];
  if (isr.contains(follower) ||
      (follower_end < log.high_watermark() && !mutated(Mutant::isr_join_below_high_watermark))) {
    return false;
  }
  const bool reached_epoch_start = follower_end >= leader_epoch_start_offset;
  if (!mirror_leader || mirror_rule == MirrorIsrJoin::start_offset) {
    return reached_epoch_start || !rules.isr_join_needs_epoch_start;
  }
  // M3: inside the leader's latest epoch; both absent counts as equal.
  const bool in_latest_epoch =
      log.leader_epoch_cache().epoch_for_offset(follower_end).value_or(kUndefinedEpoch) ==
      log.latest_epoch().value_or(kUndefinedEpoch);
  return in_latest_epoch && (mirror_rule == MirrorIsrJoin::latest_epoch || reached_epoch_start);
}

bool Partition::is_caught_up(BrokerId follower) const {
  return follower_end_offset[static_cast<std::size_t>(follower)] == log.log_end_offset();
}

}  // namespace mirrorproof
