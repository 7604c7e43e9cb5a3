#pragma once
// Replay: everything the trace implies so far, which the invariants look at: replicas, lineages, mirrors, the
// causal order. Only event_judge.cpp and the files of this folder's replay change it; invariants read.

#include <string>
#include <vector>

#include "checker/answers.h"
#include "checker/causal_order.h"
#include "checker/checker.h"
#include "checker/lineage.h"
#include "checker/replica.h"
#include "model/check.h"

namespace mirrorproof::checker {

/// The mirror of one partition into one cluster, as its coordinator's records show it.
struct MirrorSession {
  MirrorState state = MirrorState::unknown;
  ClusterId source = kNoCluster;
  /// Of the last change of state.
  MirrorReason reason = MirrorReason::none;
  bool retryable = true;
  bool ever_started = false;
  /// Between an operator's delete and the next start the state may read UNKNOWN again.
  bool deleted = false;
  /// The last mirror position became durable since STOPPING began (or nobody saw it begin).
  bool position_stored = true;
  /// Whose history the log goes on with since the last LOG_ALIGNMENT ended; kNoCluster during the next one.
  ClusterId continues = kNoCluster;
  /// When it began to, and when it was told to stop; 0 while it was not.
  EventId continues_since = 0;
  EventId stopped_since = 0;
  /// It has mirrored since it was started last: only then is there a position to store.
  bool has_mirrored = false;
  /// What its operator wants of it, as far as the order was taken.
  OperatorAction last_order = OperatorAction::start_mirror;
};

class Replay {
 public:
  explicit Replay(TraceHeader header, bool forgetful = false);

  const TraceHeader& header() const { return header_; }
  bool known(ClusterId cluster, BrokerId broker) const;

  // Who gets a replica or a lineage that is not const counts as having changed it (judge_state.h).
  Replica& replica(ClusterId cluster, BrokerId broker, PartitionId partition) {
    const std::size_t index = replica_index(cluster, broker, partition);
    touched_replicas_[index] = true;
    return replicas_[index];
  }
  const Replica& replica(ClusterId cluster, BrokerId broker, PartitionId partition) const {
    return replicas_[replica_index(cluster, broker, partition)];
  }
  Lineage& lineage(ClusterId cluster, PartitionId partition) {
    const std::size_t index = partition_index(cluster, partition);
    touched_lineages_[index] = true;
    return lineages_[index];
  }
  const Lineage& lineage(ClusterId cluster, PartitionId partition) const {
    return lineages_[partition_index(cluster, partition)];
  }
  /// Of the topic of that name that was deleted last: answers of its leaders are still under way.
  Lineage& deleted_lineage(ClusterId cluster, PartitionId partition) {
    deleted_lineages_.resize(lineages_.size());
    return deleted_lineages_[partition_index(cluster, partition)];
  }
  MirrorSession& mirror(ClusterId cluster, PartitionId partition) {
    return mirrors_[partition_index(cluster, partition)];
  }
  const MirrorSession& mirror(ClusterId cluster, PartitionId partition) const {
    return mirrors_[partition_index(cluster, partition)];
  }
  /// The replica of the current reign's leader; nullptr before the first reign.
  const Replica* leader(ClusterId cluster, PartitionId partition) const;

  /// The replicas of the partition now: those of the header, until a ReplicasChanged.
  BrokerSet hosts(ClusterId cluster, PartitionId partition) const {
    return hosts_[partition_index(cluster, partition)];
  }
  /// Those of them that a reassignment is adding: not in the ISR yet.
  BrokerSet joining(ClusterId cluster, PartitionId partition) const {
    return joining_[partition_index(cluster, partition)];
  }
  void set_hosts(ClusterId cluster, PartitionId partition, BrokerSet hosts, BrokerSet joining) {
    hosts_[partition_index(cluster, partition)] = hosts;
    joining_[partition_index(cluster, partition)] = joining;
  }

  int partitions() const { return static_cast<int>(header_.partitions.size()); }
  int brokers(ClusterId cluster) const { return header_.clusters[static_cast<std::size_t>(cluster)].brokers; }

  CausalOrder order;
  AnswersUnderWay answers;
  /// One per judged mirror truncation, in trace order.
  std::vector<MirrorTruncation> mirror_truncations;

 private:
  friend struct JudgeState;
  friend class JudgeMemory;

  std::size_t replica_index(ClusterId cluster, BrokerId broker, PartitionId partition) const {
    MP_CHECK(broker >= 0 && partition >= 0, "an event of a replica names its broker and its partition");
    return (first_broker_[static_cast<std::size_t>(cluster)] + static_cast<std::size_t>(broker)) *
               header_.partitions.size() +
           static_cast<std::size_t>(partition);
  }
  std::size_t partition_index(ClusterId cluster, PartitionId partition) const {
    MP_CHECK(partition >= 0, "an event of a partition names it");
    return static_cast<std::size_t>(cluster) * header_.partitions.size() +
           static_cast<std::size_t>(partition);
  }

  TraceHeader header_;
  std::vector<std::size_t> first_broker_;
  std::vector<Replica> replicas_;
  std::vector<Lineage> lineages_;
  std::vector<Lineage> deleted_lineages_;  ///< empty while no topic was deleted
  std::vector<MirrorSession> mirrors_;
  std::vector<BrokerSet> hosts_;
  std::vector<BrokerSet> joining_;
  std::vector<std::uint8_t> touched_replicas_;  ///< since a JudgeMemory looked
  std::vector<std::uint8_t> touched_lineages_;
};

}  // namespace mirrorproof::checker
