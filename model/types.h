#pragma once
// The small vocabulary every layer shares: offsets, epochs, ids and the two sentinels of Kafka's protocol.

#include <compare>
#include <cstdint>
#include <optional>

namespace mirrorproof {

/// Position in a partition's log, >= 0. Log end offsets are exclusive.
using Offset = std::int64_t;
/// Leader epoch, >= 0.
using Epoch = std::int32_t;

/// Kafka's "undefined" on the wire.
inline constexpr Offset kUndefinedOffset = -1;
inline constexpr Epoch kUndefinedEpoch = -1;

/// Index of a cluster in the world (0-based, below kMaxClusters).
using ClusterId = std::int16_t;
/// Broker id inside its cluster (0-based index, below kMaxBrokers).
using BrokerId = std::int16_t;
/// Index of a topic-partition in the world's list; the same index names the partition in every cluster that
/// hosts it.
using PartitionId = std::int16_t;

inline constexpr BrokerId kNoBroker = -1;
/// The "broker" of events that belong to a cluster's controller (or its mirror coordinator).
inline constexpr BrokerId kController = -1;
inline constexpr ClusterId kNoCluster = -1;
inline constexpr PartitionId kNoPartition = -1;

inline constexpr int kMaxClusters = 8;
inline constexpr int kMaxBrokers = 8;
inline constexpr int kMaxPartitions = 64;

/// Set of brokers of one cluster, one bit per BrokerId.
struct BrokerSet {
  std::uint32_t bits = 0;

  constexpr bool contains(BrokerId broker) const { return broker >= 0 && ((bits >> broker) & 1U) != 0; }
  constexpr void insert(BrokerId broker) { bits |= 1U << broker; }
  constexpr void erase(BrokerId broker) { bits &= ~(1U << broker); }
  constexpr int size() const { return __builtin_popcount(bits); }
  constexpr bool empty() const { return bits == 0; }
  friend constexpr bool operator==(BrokerSet, BrokerSet) = default;
};

/// Ghost identity of a record: the cluster it was first written in and a serial number there. The protocol
/// never looks at it; only the checker does. Records of one batch have consecutive serials.
struct RecordId {
  std::uint64_t packed = 0;

  static constexpr RecordId make(ClusterId origin, std::uint64_t serial) {
    return RecordId{(static_cast<std::uint64_t>(static_cast<std::uint16_t>(origin + 1)) << 48) | serial};
  }
  constexpr ClusterId origin() const { return static_cast<ClusterId>(static_cast<int>(packed >> 48) - 1); }
  constexpr std::uint64_t serial() const { return packed & ((1ULL << 48) - 1); }
  friend constexpr auto operator<=>(RecordId, RecordId) = default;
};

/// Answer of an epoch look-up: the epoch and its exclusive end offset; {-1,-1} when undefined.
struct EpochEndOffset {
  Epoch epoch = kUndefinedEpoch;
  Offset end_offset = kUndefinedOffset;
  friend constexpr bool operator==(EpochEndOffset, EpochEndOffset) = default;
};

/// One entry of the leader-epoch cache.
struct EpochEntry {
  Epoch epoch = 0;
  Offset start_offset = 0;
  friend constexpr bool operator==(EpochEntry, EpochEntry) = default;
};

/// Last mirror position: (latest epoch, log end offset) of the destination when mirroring stopped; (-1,-1) =
/// none.
struct MirrorPosition {
  Epoch epoch = kUndefinedEpoch;
  Offset offset = kUndefinedOffset;
  friend constexpr bool operator==(MirrorPosition, MirrorPosition) = default;
};

}  // namespace mirrorproof
