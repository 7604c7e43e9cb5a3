#pragma once
// Controller: the registered state of a cluster's partitions and the records that change it (protocol.md
// section 4; Kafka: ReplicationControlManager, PartitionRegistration, PartitionChangeBuilder).

#include <array>
#include <boost/container/small_vector.hpp>
#include <boost/container/static_vector.hpp>
#include <string>

#include "model/event.h"
#include "model/types.h"

namespace mirrorproof {

enum class DesiredMirror : std::uint8_t { none, running, paused, stopped };

using ReplicaList = boost::container::static_vector<BrokerId, kMaxBrokers>;

struct PartitionRegistration {
  ReplicaList replicas;  ///< assignment order
  /// A reassignment under way: replicas that have yet to join the ISR, and those that go then.
  BrokerSet adding;
  BrokerSet removing;
  BrokerSet isr;
  /// KIP-966: replicas outside the ISR that hold everything below the high watermark.
  BrokerSet elr;
  /// KIP-966: who led when ISR and ELR ran empty, or kNoBroker.
  BrokerId last_known_leader = kNoBroker;
  BrokerId leader = kNoBroker;
  Epoch leader_epoch = 0;
  std::int32_t partition_epoch = 0;
  std::int16_t min_insync_replicas = 1;
  TopicId topic_id = 1;
  /// KIP-704: a leader was elected uncleanly, and no leader has said since that it recovered. It does so with
  /// its next ISR change; clean elections in between leave the mark.
  bool recovering = false;
  bool epochless = false;  ///< topic configuration: a message format without epochs
  /// How often each broker has been made a replica anew (reassigned_replica: starts_empty; else all are 0).
  std::array<std::uint16_t, kMaxBrokers> assignments{};
  ClusterId mirror_source = kNoCluster;
  DesiredMirror desired_mirror = DesiredMirror::none;

  bool hosted() const { return !replicas.empty(); }
  bool reassigning() const { return !adding.empty() || !removing.empty(); }
  BrokerSet replica_set() const;
  friend bool operator==(const PartitionRegistration&, const PartitionRegistration&) = default;
};

/// One entry of the metadata log: a partition's registration after the change.
struct MetadataRecord {
  enum class Kind : std::uint8_t { election, isr_change, reassignment, mirror, config } kind = Kind::election;
  ElectionKind election = ElectionKind::clean;  ///< for Kind::election
  PartitionId partition = kNoPartition;
  bool replicas_changed = false;  ///< the replica set, or what a reassignment still has to do
  PartitionRegistration registration;
  EventId event = 0;  ///< ghost: the controller's event, cause of what brokers do when they apply this

  /// The ghost does not count.
  friend bool operator==(const MetadataRecord& a, const MetadataRecord& b) {
    return a.kind == b.kind && a.election == b.election && a.partition == b.partition &&
           a.replicas_changed == b.replicas_changed && a.registration == b.registration;
  }
};

using MetadataRecords = boost::container::small_vector<MetadataRecord, 2>;

struct ControllerRules {
  /// Metadata versions before 3.6 raise the leader epoch with every ISR shrink (C2).
  bool shrink_bumps_epoch = false;
  /// KIP-966 (C7): keeps the eligible leader replicas, and an ISR may run empty.
  bool eligible_leader_replicas = false;
  bool refuses_fenced_members = true;     ///< KIP-841
  bool min_isr_change_clears_elr = true;  ///< the ELR was safe by the old min.insync.replicas
  bool counts_assignments = false;        ///< ReassignedReplica::starts_empty
  friend bool operator==(const ControllerRules&, const ControllerRules&) = default;
};

/// A value. Every method that changes a partition returns the records it wrote, in order; empty = nothing
/// changed.
class Controller {
 public:
  explicit Controller(ControllerRules rules = {}) : rules_(rules) {}

  PartitionId add_partition(const PartitionRegistration& registration);
  const PartitionRegistration& partition(PartitionId partition) const { return partitions_[partition]; }
  std::size_t partition_count() const { return partitions_.size(); }

  const ControllerRules& rules() const { return rules_; }
  bool is_unfenced(BrokerId broker) const { return unfenced_.contains(broker); }
  BrokerSet unfenced() const { return unfenced_; }

  /// C3-C6: the broker leaves every ISR but the last, and every leadership.
  MetadataRecords fence(BrokerId broker);
  /// C3: leaderless partitions are reconsidered. `unclean`: the broker did not shut down in order; with
  /// eligible leader replicas it leaves every ISR and ELR first, and a partition that nobody is eligible for
  /// goes to the leader known last, by an unclean election.
  MetadataRecords unfence(BrokerId broker, bool unclean);
  /// Moves leadership to an in-sync, unfenced replica (preferred or administrative election).
  bool can_elect_cleanly(PartitionId partition, BrokerId broker) const;
  MetadataRecords elect_cleanly(PartitionId partition, BrokerId broker);
  /// Leadership goes to the first replica of the assignment, if it is in the ISR and unfenced.
  bool can_elect_preferred(PartitionId partition) const;
  MetadataRecords elect_preferred(PartitionId partition);
  /// Kafka: changePartitionReassignment. `target` is the new assignment in order. New replicas are added
  /// first; once all of `target` are in the ISR the others go. Empty: may begin now.
  /// Another one may be under way: what it was to add or remove is judged by the new target.
  std::string reassignment_blocked(PartitionId partition, const ReplicaList& target) const;
  MetadataRecords reassign(PartitionId partition, const ReplicaList& target);
  /// Kafka: cancelPartitionReassignment. What was being added goes, what was to go stays. Only where the ISR
  /// keeps a member: the other case is an unclean election. Empty: may be cancelled now.
  std::string cancellation_blocked(PartitionId partition) const;
  MetadataRecords cancel_reassignment(PartitionId partition);
  /// C5: only without a leader; the ISR becomes {broker}.
  bool can_elect_uncleanly(PartitionId partition, BrokerId broker) const;
  MetadataRecords elect_uncleanly(PartitionId partition, BrokerId broker);
  /// P26, P27: a leader's proposal. Empty if refused (stale epochs, fenced members).
  MetadataRecords alter_isr(PartitionId partition, BrokerId leader, Epoch leader_epoch,
                            std::int32_t partition_epoch, BrokerSet isr);
  /// M32: leader epoch := target + 1 if it is not above `target` already. Same leader; nothing without one.
  MetadataRecords raise_leader_epoch(PartitionId partition, Epoch target);
  /// The topic is deleted and created again: another topic id, every epoch begins anew, all live replicas in
  /// sync.
  MetadataRecords recreate(PartitionId partition);
  MetadataRecords set_mirror(PartitionId partition, ClusterId source, DesiredMirror desired);
  MetadataRecords set_min_insync_replicas(PartitionId partition, std::int16_t minimum);

  friend bool operator==(const Controller&, const Controller&) = default;

 private:
  friend struct StateFields;

  MetadataRecord commit(PartitionId partition, MetadataRecord::Kind kind, ElectionKind election,
                        bool replicas_changed = false);
  /// C4 and C6. The ISR in the registration is the target ISR already.
  void choose_leader(PartitionRegistration& registration) const;
  MetadataRecord lead_uncleanly(PartitionId partition, BrokerId broker);
  /// Kafka: completeReassignmentIfNeeded. True if it is complete with this ISR: those to go are gone, and a
  /// leader among them was replaced.
  bool complete_reassignment(PartitionRegistration& registration) const;
  /// The replica set was changed: the record that says so. `lost_replicas`: one of the old set is gone.
  MetadataRecord commit_replicas(PartitionId partition, bool lost_replicas, BrokerId leader_before,
                                 BrokerSet isr_before);
  /// C7: who left the ISR stays eligible while the ISR is smaller than min.insync.replicas.
  void keep_eligible(PartitionRegistration& registration, BrokerSet isr_before) const;

  boost::container::small_vector<PartitionRegistration, 1> partitions_;
  BrokerSet unfenced_;
  ControllerRules rules_;
};

}  // namespace mirrorproof
