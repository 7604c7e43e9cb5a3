#include "model/controller.h"

#include <algorithm>

#include "model/check.h"
#include "model/mutant.h"

namespace mirrorproof {

BrokerSet PartitionRegistration::replica_set() const {
  BrokerSet set;
  for (const BrokerId replica : replicas) {
    set.insert(replica);
  }
  return set;
}

namespace {

/// The ISR of a leader out of the ELR is the leader alone.
void lead_from_elr(PartitionRegistration& registration, BrokerId broker) {
  registration.leader = broker;
  registration.elr.erase(broker);
  registration.isr.insert(broker);
}

/// What the record that completes a reassignment is as an election.
ElectionKind kind_of_change(const PartitionRegistration& registration, bool moved) {
  if (registration.leader == kNoBroker) {
    return ElectionKind::leaderless;
  }
  return moved ? ElectionKind::clean : ElectionKind::epoch_bump;
}

}  // namespace

PartitionId Controller::add_partition(const PartitionRegistration& registration) {
  partitions_.push_back(registration);
  for (const BrokerId replica : registration.replicas) {
    unfenced_.insert(replica);
  }
  return static_cast<PartitionId>(partitions_.size() - 1);
}

MetadataRecord Controller::commit(PartitionId partition, MetadataRecord::Kind kind, ElectionKind election,
                                  bool replicas_changed) {
  PartitionRegistration& registration = partitions_[partition];
  registration.partition_epoch += 1;
  if (kind == MetadataRecord::Kind::election) {
    if (!mutated(Mutant::clean_election_keeps_epoch) || election != ElectionKind::clean) {
      registration.leader_epoch += 1;
    }
    registration.recovering = registration.recovering || election == ElectionKind::unclean;
  }
  MetadataRecord record;
  record.kind = kind;
  record.election = election;
  record.partition = partition;
  record.replicas_changed = replicas_changed;
  record.registration = registration;
  return record;
}

void Controller::choose_leader(PartitionRegistration& registration) const {
  for (const BrokerId candidate : registration.replicas) {
    const bool in_sync =
        registration.isr.contains(candidate) || mutated(Mutant::any_live_replica_elected_as_clean);
    if (in_sync && unfenced_.contains(candidate)) {
      registration.leader = candidate;
      return;
    }
  }
  for (const BrokerId candidate : registration.replicas) {
    if (registration.elr.contains(candidate) && unfenced_.contains(candidate)) {
      lead_from_elr(registration, candidate);
      return;
    }
  }
  registration.leader = kNoBroker;
}

void Controller::keep_eligible(PartitionRegistration& registration, BrokerSet isr_before) const {
  if (!rules_.eligible_leader_replicas) {
    return;
  }
  const int effective_min_isr =
      std::min<int>(registration.min_insync_replicas, static_cast<int>(registration.replicas.size()));
  if (registration.isr.size() >= effective_min_isr) {
    if (!mutated(Mutant::elr_never_cleared)) {
      registration.elr = BrokerSet{};
    }
    registration.last_known_leader = kNoBroker;
  } else {
    registration.elr.bits |= isr_before.bits;
    registration.elr.bits &= ~registration.isr.bits;
  }
}

MetadataRecords Controller::fence(BrokerId broker) {
  MetadataRecords records;
  unfenced_.erase(broker);
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    PartitionRegistration& registration = partitions_[i];
    const auto partition = static_cast<PartitionId>(i);
    const bool was_leader = registration.leader == broker;
    bool shrunk = false;
    const BrokerSet isr_before = registration.isr;
    // C6: without ELR the last member stays in the ISR, so that it is electable again as soon as it returns.
    if (registration.isr.contains(broker) &&
        (registration.isr.size() > 1 || rules_.eligible_leader_replicas)) {
      registration.isr.erase(broker);
      keep_eligible(registration, isr_before);
      shrunk = true;
    }
    if (was_leader) {
      choose_leader(registration);
      const auto kind = registration.leader == kNoBroker ? ElectionKind::leaderless : ElectionKind::clean;
      if (registration.leader == kNoBroker) {
        registration.last_known_leader = broker;
      }
      records.push_back(commit(partition, MetadataRecord::Kind::election, kind));
    } else if (shrunk) {
      const auto kind =
          rules_.shrink_bumps_epoch ? MetadataRecord::Kind::election : MetadataRecord::Kind::isr_change;
      records.push_back(commit(partition, kind, ElectionKind::epoch_bump));
    }
  }
  return records;
}

MetadataRecords Controller::unfence(BrokerId broker, bool unclean) {
  MetadataRecords records;
  unfenced_.insert(broker);
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    PartitionRegistration& registration = partitions_[i];
    const auto partition = static_cast<PartitionId>(i);
    if (unclean && rules_.eligible_leader_replicas && !mutated(Mutant::unclean_restart_stays_eligible)) {
      registration.elr.erase(broker);
    }
    if (registration.leader != kNoBroker || !registration.hosted()) {
      continue;
    }
    choose_leader(registration);
    if (registration.leader != kNoBroker) {
      records.push_back(commit(partition, MetadataRecord::Kind::election, ElectionKind::clean));
    } else if (rules_.eligible_leader_replicas && registration.isr.empty() && registration.elr.empty() &&
               registration.last_known_leader == broker) {
      records.push_back(lead_uncleanly(partition, broker));
    }
  }
  return records;
}

MetadataRecord Controller::lead_uncleanly(PartitionId partition, BrokerId broker) {
  PartitionRegistration& registration = partitions_[partition];
  registration.leader = broker;
  registration.isr = BrokerSet{};
  registration.isr.insert(broker);
  registration.elr = BrokerSet{};
  registration.last_known_leader = kNoBroker;
  return commit(partition, MetadataRecord::Kind::election, ElectionKind::unclean);
}

bool Controller::can_elect_cleanly(PartitionId partition, BrokerId broker) const {
  const PartitionRegistration& registration = partitions_[partition];
  const bool eligible = registration.isr.contains(broker) || registration.elr.contains(broker);
  return registration.leader != broker && eligible && unfenced_.contains(broker);
}

MetadataRecords Controller::elect_cleanly(PartitionId partition, BrokerId broker) {
  MP_CHECK(can_elect_cleanly(partition, broker), "clean election of an ineligible replica");
  PartitionRegistration& registration = partitions_[partition];
  if (registration.isr.contains(broker)) {
    registration.leader = broker;
  } else {
    lead_from_elr(registration, broker);
  }
  return {commit(partition, MetadataRecord::Kind::election, ElectionKind::clean)};
}

bool Controller::can_elect_preferred(PartitionId partition) const {
  const PartitionRegistration& registration = partitions_[partition];
  return registration.hosted() && registration.leader != kNoBroker &&
         registration.isr.contains(registration.replicas.front()) &&
         can_elect_cleanly(partition, registration.replicas.front());
}

MetadataRecords Controller::elect_preferred(PartitionId partition) {
  MP_CHECK(can_elect_preferred(partition), "preferred election of an ineligible replica");
  return elect_cleanly(partition, partitions_[partition].replicas.front());
}

std::string Controller::reassignment_blocked(PartitionId partition, const ReplicaList& target) const {
  const PartitionRegistration& registration = partitions_[partition];
  if (!registration.hosted()) {
    return "the cluster does not host the partition";
  }
  if (target.empty()) {
    return "the new assignment has no replica";
  }
  if (target == registration.replicas && !registration.reassigning()) {
    return "the replicas are assigned so already";
  }
  return {};
}

MetadataRecords Controller::reassign(PartitionId partition, const ReplicaList& target) {
  MP_CHECK(reassignment_blocked(partition, target).empty(), "a reassignment that cannot begin");
  PartitionRegistration& registration = partitions_[partition];
  const BrokerId leader_before = registration.leader;
  const BrokerSet isr_before = registration.isr;
  const BrokerSet before = registration.replica_set();
  BrokerSet wanted;
  for (const BrokerId replica : target) {
    wanted.insert(replica);
  }
  BrokerSet adding;
  adding.bits = wanted.bits & ~before.bits;
  BrokerSet removing;
  removing.bits = before.bits & ~wanted.bits;
  // In the middle of another one, "before" is all that it has touched. What the new one leaves empty stays as
  // the old one had it, as in Kafka.
  ReplicaList all = target;
  for (const BrokerId replica : registration.replicas) {
    if (removing.contains(replica)) {
      all.push_back(replica);
    }
  }
  for (BrokerId broker = 0; rules_.counts_assignments && broker < kMaxBrokers; ++broker) {
    if (adding.contains(broker)) {
      ++registration.assignments[static_cast<std::size_t>(broker)];
    }
  }
  registration.adding = adding.empty() ? registration.adding : adding;
  registration.removing = removing.empty() ? registration.removing : removing;
  registration.replicas = all;
  const bool drops_replicas = !registration.removing.empty();
  // Where the ISR suits the new assignment already, there is nothing to wait for.
  if (!complete_reassignment(registration)) {
    return {commit(partition, MetadataRecord::Kind::reassignment, ElectionKind::clean, true)};
  }
  keep_eligible(registration, registration.isr);
  return {commit_replicas(partition, drops_replicas, leader_before, isr_before)};
}

MetadataRecord Controller::commit_replicas(PartitionId partition, bool lost_replicas, BrokerId leader_before,
                                           BrokerSet isr_before) {
  const PartitionRegistration& registration = partitions_[partition];
  const bool moved = registration.leader != leader_before;
  const auto kind = moved || lost_replicas           ? MetadataRecord::Kind::election
                    : registration.isr != isr_before ? MetadataRecord::Kind::isr_change
                                                     : MetadataRecord::Kind::reassignment;
  return commit(partition, kind, kind_of_change(registration, moved), true);
}

std::string Controller::cancellation_blocked(PartitionId partition) const {
  const PartitionRegistration& registration = partitions_[partition];
  if (!registration.reassigning()) {
    return "no reassignment is under way";
  }
  if ((registration.replica_set().bits & ~registration.adding.bits) == 0) {
    return "no replica would be left";
  }
  if ((registration.isr.bits & ~registration.adding.bits) == 0) {
    return "no replica of the old assignment is in the ISR";
  }
  return {};
}

MetadataRecords Controller::cancel_reassignment(PartitionId partition) {
  MP_CHECK(cancellation_blocked(partition).empty(), "a reassignment that cannot be cancelled");
  PartitionRegistration& registration = partitions_[partition];
  const BrokerId leader_before = registration.leader;
  const BrokerSet isr_before = registration.isr;
  const BrokerSet goes = registration.adding;
  registration.replicas.erase(std::remove_if(registration.replicas.begin(), registration.replicas.end(),
                                             [&](BrokerId replica) { return goes.contains(replica); }),
                              registration.replicas.end());
  registration.isr.bits &= ~goes.bits;
  registration.elr.bits &= ~goes.bits;
  registration.adding = BrokerSet{};
  registration.removing = BrokerSet{};
  if (goes.contains(registration.last_known_leader)) {
    registration.last_known_leader = kNoBroker;
  }
  if (registration.leader != kNoBroker && !registration.isr.contains(registration.leader)) {
    choose_leader(registration);
  }
  keep_eligible(registration, registration.isr);
  return {commit_replicas(partition, !goes.empty(), leader_before, isr_before)};
}

bool Controller::complete_reassignment(PartitionRegistration& registration) const {
  if (!registration.reassigning()) {
    return false;
  }
  BrokerSet isr;
  isr.bits = registration.isr.bits & ~registration.removing.bits;
  BrokerSet replicas;
  replicas.bits = registration.replica_set().bits & ~registration.removing.bits;
  if (isr.empty() || (replicas.bits & ~isr.bits) != 0) {
    return false;
  }
  registration.isr = isr;
  const auto goes = [&](BrokerId replica) { return registration.removing.contains(replica); };
  registration.replicas.erase(
      std::remove_if(registration.replicas.begin(), registration.replicas.end(), goes),
      registration.replicas.end());
  registration.elr.bits &= replicas.bits;
  registration.adding = BrokerSet{};
  registration.removing = BrokerSet{};
  if (!registration.isr.contains(registration.leader) || !unfenced_.contains(registration.leader)) {
    choose_leader(registration);
  }
  return true;
}

bool Controller::can_elect_uncleanly(PartitionId partition, BrokerId broker) const {
  const PartitionRegistration& registration = partitions_[partition];
  return registration.leader == kNoBroker && registration.replica_set().contains(broker) &&
         unfenced_.contains(broker) && !registration.isr.contains(broker) &&
         !registration.elr.contains(broker);
}

MetadataRecords Controller::elect_uncleanly(PartitionId partition, BrokerId broker) {
  MP_CHECK(can_elect_uncleanly(partition, broker), "unclean election of an ineligible replica");
  return {lead_uncleanly(partition, broker)};
}

MetadataRecords Controller::alter_isr(PartitionId partition, BrokerId leader, Epoch leader_epoch,
                                      std::int32_t partition_epoch, BrokerSet isr) {
  PartitionRegistration& registration = partitions_[partition];
  if (registration.leader != leader || registration.leader_epoch != leader_epoch ||
      registration.partition_epoch != partition_epoch || !isr.contains(leader) ||
      (rules_.refuses_fenced_members && (isr.bits & ~unfenced_.bits) != 0) ||
      (isr.bits & ~registration.replica_set().bits) != 0) {
    return {};
  }
  const BrokerSet isr_before = registration.isr;
  const bool shrinks = (isr_before.bits & ~isr.bits) != 0;
  const bool drops_replicas = !registration.removing.empty();
  registration.isr = isr;
  registration.recovering = false;
  if (complete_reassignment(registration)) {
    keep_eligible(registration, registration.isr);
    // C2: a new leader, or replicas that go, raise the leader epoch; new ones alone do not.
    const bool moved = registration.leader != leader;
    return {
        commit(partition,
               moved || drops_replicas ? MetadataRecord::Kind::election : MetadataRecord::Kind::isr_change,
               kind_of_change(registration, moved), true)};
  }
  keep_eligible(registration, isr_before);
  const auto kind = shrinks && rules_.shrink_bumps_epoch ? MetadataRecord::Kind::election
                                                         : MetadataRecord::Kind::isr_change;
  return {commit(partition, kind, ElectionKind::epoch_bump)};
}

MetadataRecords Controller::raise_leader_epoch(PartitionId partition, Epoch target) {
  PartitionRegistration& registration = partitions_[partition];
  const bool overtaken = registration.leader_epoch > target && !mutated(Mutant::epoch_bump_goes_back);
  if (registration.leader == kNoBroker || overtaken) {
    return {};
  }
  registration.leader_epoch =
      mutated(Mutant::epoch_raised_one_short) ? target - 1 : target;  // commit adds one
  return {commit(partition, MetadataRecord::Kind::election, ElectionKind::epoch_bump)};
}

MetadataRecords Controller::recreate(PartitionId partition) {
  PartitionRegistration& registration = partitions_[partition];
  registration.topic_id += mutated(Mutant::recreated_topic_keeps_id) ? 0 : 1;
  registration.isr = BrokerSet{};
  registration.elr = BrokerSet{};
  registration.adding = BrokerSet{};
  registration.removing = BrokerSet{};
  registration.last_known_leader = kNoBroker;
  registration.recovering = false;
  registration.mirror_source = kNoCluster;
  registration.desired_mirror = DesiredMirror::none;
  for (const BrokerId replica : registration.replicas) {
    if (unfenced_.contains(replica)) {
      registration.isr.insert(replica);
    }
  }
  choose_leader(registration);
  registration.leader_epoch = -1;  // commit makes it 0
  return {commit(partition, MetadataRecord::Kind::election, ElectionKind::clean)};
}

MetadataRecords Controller::set_min_insync_replicas(PartitionId partition, std::int16_t minimum) {
  PartitionRegistration& registration = partitions_[partition];
  registration.min_insync_replicas = minimum;
  if (rules_.min_isr_change_clears_elr) {
    registration.elr = BrokerSet{};
  }
  return {commit(partition, MetadataRecord::Kind::config, ElectionKind::clean)};
}

MetadataRecords Controller::set_mirror(PartitionId partition, ClusterId source, DesiredMirror desired) {
  PartitionRegistration& registration = partitions_[partition];
  registration.mirror_source = source;
  registration.desired_mirror = desired;
  return {commit(partition, MetadataRecord::Kind::mirror, ElectionKind::clean)};
}

}  // namespace mirrorproof
