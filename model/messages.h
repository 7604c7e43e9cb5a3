#pragma once
// Requests and responses between clients (followers, mirror fetchers) and brokers, reduced to the fields that
// decide anything. One request may carry several partitions, as in Kafka.

#include <boost/container/small_vector.hpp>
#include <optional>
#include <variant>

#include "model/api_versions.h"
#include "model/batch.h"
#include "model/enum_names.h"
#include "model/types.h"

namespace mirrorproof {

enum class ErrorCode : std::uint8_t {
  none,
  offset_out_of_range,
  fenced_leader_epoch,
  unknown_leader_epoch,
  not_leader_or_follower,
  unknown_topic_or_partition,
  unknown_topic_id,
  inconsistent_topic_id,
  offset_not_available,
  kafka_storage_error,
  corrupt_message,
  offset_moved_to_tiered_storage,
  unknown_server_error,
};

template <>
struct EnumNames<ErrorCode> {
  static constexpr EnumTable<ErrorCode, 13> entries{{
      {ErrorCode::none, "none"},
      {ErrorCode::offset_out_of_range, "offset_out_of_range"},
      {ErrorCode::fenced_leader_epoch, "fenced_leader_epoch"},
      {ErrorCode::unknown_leader_epoch, "unknown_leader_epoch"},
      {ErrorCode::not_leader_or_follower, "not_leader_or_follower"},
      {ErrorCode::unknown_topic_or_partition, "unknown_topic_or_partition"},
      {ErrorCode::unknown_topic_id, "unknown_topic_id"},
      {ErrorCode::inconsistent_topic_id, "inconsistent_topic_id"},
      {ErrorCode::offset_not_available, "offset_not_available"},
      {ErrorCode::kafka_storage_error, "kafka_storage_error"},
      {ErrorCode::corrupt_message, "corrupt_message"},
      {ErrorCode::offset_moved_to_tiered_storage, "offset_moved_to_tiered_storage"},
      {ErrorCode::unknown_server_error, "unknown_server_error"},
  }};
};

template <>
struct EnumNames<ApiKey> {
  static constexpr EnumTable<ApiKey, 4> entries{{
      {ApiKey::fetch, "fetch"},
      {ApiKey::offset_for_leader_epoch, "offset_for_leader_epoch"},
      {ApiKey::list_offsets, "list_offsets"},
      {ApiKey::describe_cluster_mirrors, "describe_cluster_mirrors"},
  }};
};

/// Incarnation of a topic; a deleted and recreated topic gets another one. 0 = not known / not sent.
using TopicId = std::uint32_t;

/// Per partition. Absent epochs are kUndefinedEpoch on the wire.
struct FetchPartition {
  PartitionId partition = kNoPartition;
  TopicId topic_id = 0;
  Offset fetch_offset = 0;
  Offset log_start_offset = 0;
  Epoch current_leader_epoch = kUndefinedEpoch;
  Epoch last_fetched_epoch = kUndefinedEpoch;
  friend bool operator==(const FetchPartition&, const FetchPartition&) = default;
};

struct EpochPartition {
  PartitionId partition = kNoPartition;
  Epoch current_leader_epoch = kUndefinedEpoch;
  Epoch leader_epoch = kUndefinedEpoch;  ///< the epoch asked about
  friend bool operator==(const EpochPartition&, const EpochPartition&) = default;
};

enum class OffsetSpec : std::uint8_t { latest, earliest };

struct ListOffsetsPartition {
  PartitionId partition = kNoPartition;
  Epoch current_leader_epoch = kUndefinedEpoch;
  OffsetSpec spec = OffsetSpec::latest;
  friend bool operator==(const ListOffsetsPartition&, const ListOffsetsPartition&) = default;
};

template <class T>
using PartitionList = boost::container::small_vector<T, 1>;

struct FetchRequest {
  PartitionList<FetchPartition> partitions;
  friend bool operator==(const FetchRequest&, const FetchRequest&) = default;
};
struct OffsetsForLeaderEpochRequest {
  PartitionList<EpochPartition> partitions;
  friend bool operator==(const OffsetsForLeaderEpochRequest&, const OffsetsForLeaderEpochRequest&) = default;
};
struct ListOffsetsRequest {
  PartitionList<ListOffsetsPartition> partitions;
  friend bool operator==(const ListOffsetsRequest&, const ListOffsetsRequest&) = default;
};

using Request = std::variant<FetchRequest, OffsetsForLeaderEpochRequest, ListOffsetsRequest>;

struct FetchPartitionResponse {
  PartitionId partition = kNoPartition;
  ErrorCode error = ErrorCode::none;
  EpochEndOffset diverging_epoch;  ///< present iff its epoch is >= 0 (P14)
  Offset high_watermark = kUndefinedOffset;
  Offset log_start_offset = kUndefinedOffset;
  BrokerId current_leader = kNoBroker;  ///< P32
  Epoch current_leader_epoch = kUndefinedEpoch;
  bool corrupt = false;                         ///< the records fail their CRC
  Epoch mirror_leader_epoch = kUndefinedEpoch;  ///< of a mirror leader: its log's latest epoch (M27), v19
  /// How often LOG_ALIGNMENT had cut the serving log (a mirror itself); for positions_end_with_alignment.
  std::uint32_t alignments = 0;
  BatchSlice records;
  friend bool operator==(const FetchPartitionResponse&, const FetchPartitionResponse&) = default;
};

struct EpochPartitionResponse {
  PartitionId partition = kNoPartition;
  ErrorCode error = ErrorCode::none;
  EpochEndOffset answer;  ///< epoch is -1 in version 0 answers
  friend bool operator==(const EpochPartitionResponse&, const EpochPartitionResponse&) = default;
};

struct ListOffsetsPartitionResponse {
  PartitionId partition = kNoPartition;
  ErrorCode error = ErrorCode::none;
  OffsetSpec spec = OffsetSpec::latest;
  Offset offset = kUndefinedOffset;
  friend bool operator==(const ListOffsetsPartitionResponse&, const ListOffsetsPartitionResponse&) = default;
};

struct FetchResponse {
  PartitionList<FetchPartitionResponse> partitions;
  friend bool operator==(const FetchResponse&, const FetchResponse&) = default;
};
struct OffsetsForLeaderEpochResponse {
  PartitionList<EpochPartitionResponse> partitions;
  friend bool operator==(const OffsetsForLeaderEpochResponse&,
                         const OffsetsForLeaderEpochResponse&) = default;
};
struct ListOffsetsResponse {
  PartitionList<ListOffsetsPartitionResponse> partitions;
  friend bool operator==(const ListOffsetsResponse&, const ListOffsetsResponse&) = default;
};

using Response = std::variant<FetchResponse, OffsetsForLeaderEpochResponse, ListOffsetsResponse>;

}  // namespace mirrorproof
