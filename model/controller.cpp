#include "model/controller.h"

#include "model/check.h"

namespace mirrorproof {

BrokerSet PartitionRegistration::replica_set() const {
  BrokerSet set;
  for (const BrokerId replica : replicas) {
    set.insert(replica);
  }
  return set;
}

PartitionId Controller::add_partition(const PartitionRegistration& registration) {
  partitions_.push_back(registration);
  for (const BrokerId replica : registration.replicas) {
    unfenced_.insert(replica);
  }
  return static_cast<PartitionId>(partitions_.size() - 1);
}

MetadataRecord Controller::commit(PartitionId partition, MetadataRecord::Kind kind, ElectionKind election) {
  PartitionRegistration& registration = partitions_[partition];
  registration.partition_epoch += 1;
  if (kind == MetadataRecord::Kind::election) {
    registration.leader_epoch += 1;
  }
  MetadataRecord record;
  record.kind = kind;
  record.election = election;
  record.partition = partition;
  record.registration = registration;
  return record;
}

void Controller::choose_leader(PartitionRegistration& registration) const {
  for (const BrokerId candidate : registration.replicas) {
    if (registration.isr.contains(candidate) && unfenced_.contains(candidate)) {
      registration.leader = candidate;
      return;
    }
  }
  registration.leader = kNoBroker;
}

MetadataRecords Controller::fence(BrokerId broker) {
  MetadataRecords records;
  unfenced_.erase(broker);
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    PartitionRegistration& registration = partitions_[i];
    const auto partition = static_cast<PartitionId>(i);
    const bool was_leader = registration.leader == broker;
    bool shrunk = false;
    // C6: the last member stays in the ISR, so that it is electable again as soon as it returns.
    if (registration.isr.contains(broker) && registration.isr.size() > 1) {
      registration.isr.erase(broker);
      shrunk = true;
    }
    if (was_leader) {
      choose_leader(registration);
      const auto kind = registration.leader == kNoBroker ? ElectionKind::leaderless : ElectionKind::clean;
      records.push_back(commit(partition, MetadataRecord::Kind::election, kind));
    } else if (shrunk) {
      const auto kind =
          shrink_bumps_epoch_ ? MetadataRecord::Kind::election : MetadataRecord::Kind::isr_change;
      records.push_back(commit(partition, kind, ElectionKind::epoch_bump));
    }
  }
  return records;
}

MetadataRecords Controller::unfence(BrokerId broker) {
  MetadataRecords records;
  unfenced_.insert(broker);
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    PartitionRegistration& registration = partitions_[i];
    if (registration.leader != kNoBroker || !registration.isr.contains(broker)) {
      continue;
    }
    choose_leader(registration);
    if (registration.leader != kNoBroker) {
      records.push_back(
          commit(static_cast<PartitionId>(i), MetadataRecord::Kind::election, ElectionKind::clean));
    }
  }
  return records;
}

bool Controller::can_elect_cleanly(PartitionId partition, BrokerId broker) const {
  const PartitionRegistration& registration = partitions_[partition];
  return registration.leader != broker && registration.isr.contains(broker) && unfenced_.contains(broker);
}

MetadataRecords Controller::elect_cleanly(PartitionId partition, BrokerId broker) {
  MP_CHECK(can_elect_cleanly(partition, broker), "clean election of an ineligible replica");
  partitions_[partition].leader = broker;
  return {commit(partition, MetadataRecord::Kind::election, ElectionKind::clean)};
}

bool Controller::can_elect_uncleanly(PartitionId partition, BrokerId broker) const {
  const PartitionRegistration& registration = partitions_[partition];
  return registration.leader == kNoBroker && registration.replica_set().contains(broker) &&
         unfenced_.contains(broker) && !registration.isr.contains(broker);
}

MetadataRecords Controller::elect_uncleanly(PartitionId partition, BrokerId broker) {
  MP_CHECK(can_elect_uncleanly(partition, broker), "unclean election of an ineligible replica");
  PartitionRegistration& registration = partitions_[partition];
  registration.leader = broker;
  registration.isr = BrokerSet{};
  registration.isr.insert(broker);
  return {commit(partition, MetadataRecord::Kind::election, ElectionKind::unclean)};
}

MetadataRecords Controller::alter_isr(PartitionId partition, BrokerId leader, Epoch leader_epoch,
                                      std::int32_t partition_epoch, BrokerSet isr) {
  PartitionRegistration& registration = partitions_[partition];
  if (registration.leader != leader || registration.leader_epoch != leader_epoch ||
      registration.partition_epoch != partition_epoch || !isr.contains(leader) ||
      (isr.bits & ~unfenced_.bits) != 0 || (isr.bits & ~registration.replica_set().bits) != 0) {
    return {};
  }
  const bool shrinks = (registration.isr.bits & ~isr.bits) != 0;
  registration.isr = isr;
  const auto kind =
      shrinks && shrink_bumps_epoch_ ? MetadataRecord::Kind::election : MetadataRecord::Kind::isr_change;
  return {commit(partition, kind, ElectionKind::epoch_bump)};
}

MetadataRecords Controller::raise_leader_epoch(PartitionId partition, Epoch target) {
  PartitionRegistration& registration = partitions_[partition];
  if (registration.leader == kNoBroker || registration.leader_epoch > target) {
    return {};
  }
  registration.leader_epoch = target;  // commit adds one
  return {commit(partition, MetadataRecord::Kind::election, ElectionKind::epoch_bump)};
}

MetadataRecords Controller::set_mirror(PartitionId partition, ClusterId source, DesiredMirror desired) {
  PartitionRegistration& registration = partitions_[partition];
  registration.mirror_source = source;
  registration.desired_mirror = desired;
  return {commit(partition, MetadataRecord::Kind::mirror, ElectionKind::clean)};
}

}  // namespace mirrorproof
