// The client library's part of a request: choose the version, drop or refuse what it cannot carry
// (protocol.md 6.3).

#include <algorithm>

#include "model/fetcher.h"

namespace mirrorproof {
namespace {

/// Fetch v13 names topics by id only.
constexpr ApiVersion kFetchByTopicName = 12;
constexpr ApiVersion kFetchWithLogStartOffset = 5;

std::optional<SerializedRequest> serialize_fetch(FetchRequest request, const FetcherRules& rules,
                                                 ApiVersionRange node) {
  ApiVersionRange client = rules.fetch_versions;
  // M17: one topic without a known id keeps the whole request on names.
  if (std::ranges::any_of(request.partitions,
                          [](const FetchPartition& part) { return part.topic_id == 0; })) {
    client.max = std::min(client.max, kFetchByTopicName);
  }
  const std::optional<ApiVersion> version = negotiate(client, node);
  if (!version) {
    return std::nullopt;
  }
  for (FetchPartition& part : request.partitions) {
    if (*version < kFetchWithLastFetchedEpoch && part.last_fetched_epoch != kUndefinedEpoch) {
      // V2: not ignorable, so the client refuses, unless the builder was told to leave the field out (V6).
      if (rules.version_detection != VersionDetection::drop_field) {
        return std::nullopt;
      }
      part.last_fetched_epoch = kUndefinedEpoch;
    }
    if (*version < kFetchWithCurrentLeaderEpoch) {
      part.current_leader_epoch = kUndefinedEpoch;
    }
    if (*version < kFetchWithLogStartOffset) {
      part.log_start_offset = kUndefinedOffset;
    }
    if (*version <= kFetchByTopicName) {
      part.topic_id = 0;
    }
  }
  return SerializedRequest{*version, std::move(request)};
}

/// V4, V5: the only field that these two lose on old versions is the epoch that fences them, and it is
/// ignorable.
template <class RequestType>
std::optional<SerializedRequest> serialize_with_epoch(RequestType request, ApiVersionRange client,
                                                      ApiVersionRange node, ApiVersion first_with_epoch) {
  const std::optional<ApiVersion> version = negotiate(client, node);
  if (!version) {
    return std::nullopt;
  }
  if (*version < first_with_epoch) {
    for (auto& part : request.partitions) {
      part.current_leader_epoch = kUndefinedEpoch;
    }
  }
  return SerializedRequest{*version, std::move(request)};
}

}  // namespace

std::optional<SerializedRequest> serialize(const Request& request, const FetcherRules& rules,
                                           ApiVersionRange node_fetch,
                                           ApiVersionRange node_offset_for_leader_epoch,
                                           ApiVersionRange node_list_offsets) {
  if (const auto* fetch = std::get_if<FetchRequest>(&request)) {
    return serialize_fetch(*fetch, rules, node_fetch);
  }
  if (const auto* epochs = std::get_if<OffsetsForLeaderEpochRequest>(&request)) {
    return serialize_with_epoch(*epochs, rules.offset_for_leader_epoch_versions, node_offset_for_leader_epoch,
                                kOfleWithCurrentLeaderEpoch);
  }
  return serialize_with_epoch(std::get<ListOffsetsRequest>(request), rules.list_offsets_versions,
                              node_list_offsets, kListOffsetsWithCurrentLeaderEpoch);
}

ApiKey api_of(const Request& request) {
  if (std::holds_alternative<FetchRequest>(request)) {
    return ApiKey::fetch;
  }
  if (std::holds_alternative<OffsetsForLeaderEpochRequest>(request)) {
    return ApiKey::offset_for_leader_epoch;
  }
  return ApiKey::list_offsets;
}

}  // namespace mirrorproof
