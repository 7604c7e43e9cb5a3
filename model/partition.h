#pragma once
// Partition: one replica with its role, and all that a broker decides when it serves it (protocol.md section
// 3; Kafka: Partition, Replica, ReplicaManager).

#include <array>
#include <optional>

#include "model/api_versions.h"
#include "model/controller.h"
#include "model/log.h"
#include "model/messages.h"
#include "model/protocol_options.h"
#include "model/types.h"

namespace mirrorproof {

enum class Role : std::uint8_t {
  offline,  ///< not hosted, or the broker has not applied any metadata since it started
  follower,
  leader,
};

/// Who sends a fetch, and what the serving broker knows about it.
struct FetchContext {
  BrokerId replica = kNoBroker;  ///< kNoBroker: a consumer or a mirror (replica id -1)
  ApiVersion version = 0;
  KafkaVersion broker_version;
  int max_batches = 0;  ///< 0 = no limit
  /// P24: the high watermark stands still while the ISR is smaller than min.insync.replicas.
  bool guard_min_isr = true;
  MirrorIsrJoin mirror_isr_join = MirrorIsrJoin::latest_epoch;
  bool replica_unfenced = true;     ///< a fenced follower is not proposed for the ISR (P25)
  std::uint32_t replica_epoch = 0;  ///< broker epoch of the requester: how often it has registered (P21)
};

/// Rules of leaders that have been wrong in public (protocol_options.h).
struct LeaderRules {
  bool registers_epoch_on_election = true;       ///< P28
  bool isr_join_needs_epoch_start = true;        ///< P25
  bool diverging_fetch_is_no_progress = true;    ///< P12
  bool checks_range_before_divergence = true;    ///< P11
  bool unknown_epochs_diverge = false;           ///< not P10, nor "undefined" for such an epoch (P17)
  bool epochless_leaders_enter_no_epoch = true;  ///< L2
  bool keeps_followers_over_epochs = true;       ///< P28: also over epochs it has not led in
  bool reads_take_racing_writes = false;         ///< not L24: racing_writes
  bool high_watermark_read_twice = false;        ///< not L20: stable_bound
  friend bool operator==(const LeaderRules&, const LeaderRules&) = default;
};

/// What AlterPartition carries. Each member is named with the broker epoch in which the leader had heard of
/// it when it made the proposal (KIP-903); 0 = not heard of, which the controller does not compare.
struct IsrProposal {
  BrokerSet members;
  std::array<std::uint32_t, kMaxBrokers> broker_epochs{};
  friend bool operator==(const IsrProposal&, const IsrProposal&) = default;
};

/// A value. Role changes, serving and leader bookkeeping; the log is public because replication writes to it.
struct Partition {
  Log log;
  LeaderRules rules;
  Role role = Role::offline;
  bool hosted = false;
  /// Durable: which of the broker's assignments the log was begun for (PartitionRegistration::assignments).
  std::uint16_t assignment = 0;
  /// The topic is under a mirror that has not reached STOPPED: client writes are refused (M4).
  bool read_only = false;
  /// The mirror's desired state is not STOPPED: a new leader does not register its epoch (M2), and the ISR
  /// join rule is M3's.
  bool mirror_leader = false;
  BrokerId leader = kNoBroker;
  Epoch leader_epoch = kUndefinedEpoch;
  std::int32_t partition_epoch = -1;
  TopicId topic_id = 0;
  bool epochless = false;  ///< the topic's message format is older than v2: leaders write no epochs (R2)
  BrokerSet replicas;
  BrokerSet isr;
  std::optional<IsrProposal> pending_isr;  ///< proposed to the controller, not decided yet
  std::int16_t min_insync_replicas = 1;
  /// Leader only: log end when the epoch was taken over (P28).
  Offset leader_epoch_start_offset = kUndefinedOffset;
  /// Leader only: what each follower is known to hold; -1 = not heard of in this epoch.
  std::array<Offset, kMaxBrokers> follower_end_offset{};
  /// Leader only: the broker epoch in which each follower was heard of last; 0 = not heard of.
  std::array<std::uint32_t, kMaxBrokers> follower_broker_epoch{};

  // --- role changes (P28, P29) ---
  /// True if the leader epoch is newer than before. `registration.leader` must be `self`.
  bool become_leader(BrokerId self, const PartitionRegistration& registration);
  bool become_follower(const PartitionRegistration& registration);
  /// What a leader stamps its batches with (L1).
  Epoch epoch_to_stamp() const { return epochless ? kUndefinedEpoch : leader_epoch; }
  /// After the process starts, before any metadata is applied: only the log is left.
  void forget_role();

  // --- serving (sections 3.1-3.4) ---
  FetchPartitionResponse handle_fetch(BrokerId self, const FetchPartition& request,
                                      const FetchContext& context);
  EpochPartitionResponse handle_offset_for_leader_epoch(const EpochPartition& request,
                                                        ApiVersion version) const;
  /// `replica`: the requester is a replica (LATEST is the log end) or a consumer (LATEST is the high
  /// watermark).
  ListOffsetsPartitionResponse handle_list_offsets(const ListOffsetsPartition& request, bool replica) const;

  /// Where a consumer's read from `from` ends: the high watermark (L24), or the last stable offset (L20).
  Offset read_bound(Offset from, bool read_committed) const;

  // --- leader bookkeeping (section 3.5) ---
  /// Committed ISR plus a pending expansion; a pending shrink keeps the old members (P24, T9).
  BrokerSet maximal_isr() const;
  /// P24. True if the high watermark moved. `guard_min_isr`: brokers 3.7+.
  bool maybe_advance_high_watermark(BrokerId self, bool guard_min_isr);
  /// What is known of the members now goes with the proposal; what is heard later does not change it.
  void propose_isr(BrokerSet members);
  /// P25/M3: could this follower join the ISR by what the leader knows?
  bool may_join_isr(BrokerId follower, MirrorIsrJoin mirror_rule) const;
  /// A leader that cut its own log (mirrors only) forgets what its followers held before.
  void forget_followers();
  bool is_caught_up(BrokerId follower) const;
  /// What it knew of its followers, it knows no longer.
  void reset_followers();

  friend bool operator==(const Partition&, const Partition&) = default;

 private:
  /// P21, P25: what a replica's fetch at `fetch_offset` proves.
  void record_progress(BrokerId self, Offset fetch_offset, const FetchContext& context);
  ErrorCode check_epoch_and_leader(Epoch requested, bool leader_required) const;
};

}  // namespace mirrorproof
