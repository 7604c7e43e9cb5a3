#pragma once
// Which API versions each Kafka release serves, and what each version can carry (protocol.md section 6).

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "model/types.h"

namespace mirrorproof {

enum class ApiKey : std::uint8_t { fetch, offset_for_leader_epoch, list_offsets, describe_cluster_mirrors };

using ApiVersion = std::int16_t;

struct ApiVersionRange {
  ApiVersion min = 0;
  ApiVersion max = -1;  ///< max < min: the API is not served
  constexpr bool supports(ApiVersion version) const { return version >= min && version <= max; }
  constexpr bool empty() const { return max < min; }
  friend constexpr bool operator==(ApiVersionRange, ApiVersionRange) = default;
};

/// A Kafka release, as an index into the table of known releases; ordered by age.
struct KafkaVersion {
  std::int8_t index = 0;
  friend constexpr auto operator<=>(KafkaVersion, KafkaVersion) = default;
};

/// "2.1" ... "4.2", and "4.3", the first release with cluster mirroring in this model (PR1 ranges).
std::optional<KafkaVersion> parse_kafka_version(std::string_view text);
std::string_view kafka_version_name(KafkaVersion version);
/// All names, oldest first, for messages.
std::string known_kafka_versions();
int kafka_version_count();
KafkaVersion latest_kafka_version();

ApiVersionRange supported_range(KafkaVersion version, ApiKey api);

/// Highest version in the intersection of both ranges; nothing when it is empty (V7).
std::optional<ApiVersion> negotiate(ApiVersionRange client, ApiVersionRange server);

inline constexpr ApiVersion kFetchWithLastFetchedEpoch =
    12;  ///< request lastFetchedEpoch, response divergingEpoch
inline constexpr ApiVersion kFetchWithCurrentLeaderEpoch = 9;  ///< fencing
inline constexpr ApiVersion kFetchServedByFollowers = 11;      ///< for consumers, on brokers 2.4+ (P5)
inline constexpr ApiVersion kFetchWithTopicIds = 13;           ///< instead of topic names
inline constexpr ApiVersion kFetchWithNodeEndpoints = 16;      ///< brokers 3.7+ fill currentLeader (P32)
inline constexpr ApiVersion kFetchWithMirrorLeaderEpoch = 19;  ///< of mirror leaders, to followers
inline constexpr ApiVersion kOfleWithEpochInAnswer = 1;
inline constexpr ApiVersion kOfleWithCurrentLeaderEpoch = 2;
inline constexpr ApiVersion kListOffsetsWithCurrentLeaderEpoch = 4;

/// Brokers 2.4+ let a consumer at Fetch v11+ read from a follower (P5).
bool serves_consumers_from_followers(KafkaVersion version);
/// Brokers 3.7+ tell the current leader in NOT_LEADER and FENCED answers (P32).
bool fills_current_leader(KafkaVersion version);
/// Brokers 2.8+ (Metadata v10) tell topic ids; without one a mirror's Fetch stays at v12 (M17).
bool metadata_tells_topic_ids(KafkaVersion version);
/// Clusters before 3.0 still write message formats without epochs if the topic asks for one (R2).
bool writes_old_message_formats(KafkaVersion oldest_in_cluster);
/// Brokers 3.7+ do not advance the high watermark under min ISR (P24).
bool guards_high_watermark_under_min_isr(KafkaVersion version);

/// Clusters of release 4.0+ keep eligible leader replicas (C7).
bool keeps_eligible_leader_replicas(KafkaVersion oldest_in_cluster);
/// Brokers 3.6+ ask the coordinator before a batch begins a transaction in their log (KIP-890).
bool verifies_transactions(KafkaVersion version);
/// Brokers 3.5+ name broker epochs when they propose an ISR, and controllers look at them (KIP-903).
bool checks_broker_epochs(KafkaVersion oldest_in_cluster);
/// Metadata versions before 3.6 raise the leader epoch with every ISR shrink (C2).
bool shrinks_raise_leader_epoch(KafkaVersion oldest_in_cluster);

}  // namespace mirrorproof
