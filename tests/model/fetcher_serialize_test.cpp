// What the client library makes of a request at each version (protocol.md 6.2-6.4).

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "model/fetcher.h"

namespace mirrorproof {
namespace {

constexpr ApiVersionRange kAny{0, 30};

FetchRequest full_fetch(Epoch last_fetched_epoch = 3, TopicId topic_id = 7) {
  FetchRequest request;
  FetchPartition& part = request.partitions.emplace_back();
  part.partition = 2;
  part.topic_id = topic_id;
  part.fetch_offset = 40;
  part.log_start_offset = 10;
  part.current_leader_epoch = 5;
  part.last_fetched_epoch = last_fetched_epoch;
  return request;
}

std::optional<SerializedRequest> serialize_for(const Request& request, ApiVersionRange node,
                                               const FetcherRules& rules = {}) {
  return serialize(request, rules, node, node, node);
}

const FetchPartition& wire_fetch(const std::optional<SerializedRequest>& serialized) {
  return std::get<FetchRequest>(serialized.value().wire).partitions.at(0);
}

TEST(Serialize, last_fetched_epoch_is_refused_below_fetch_v12) {
  EXPECT_FALSE(serialize_for(full_fetch(), {0, 11}).has_value());
  const auto serialized = serialize_for(full_fetch(), {0, 12});
  ASSERT_TRUE(serialized.has_value());
  EXPECT_EQ(serialized->version, 12);
  EXPECT_EQ(wire_fetch(serialized).last_fetched_epoch, 3);
}

TEST(Serialize, without_last_fetched_epochs_an_old_version_does) {
  const auto serialized = serialize_for(full_fetch(kUndefinedEpoch), {0, 11});
  ASSERT_TRUE(serialized.has_value());
  EXPECT_EQ(serialized->version, 11);
  EXPECT_EQ(wire_fetch(serialized).current_leader_epoch, 5);
}

TEST(Serialize, one_partition_with_an_epoch_fails_the_whole_request) {
  FetchRequest request = full_fetch(kUndefinedEpoch);
  request.partitions.push_back(full_fetch(0).partitions.at(0));
  EXPECT_FALSE(serialize_for(request, {0, 11}).has_value());
}

TEST(Serialize, drop_field_leaves_the_epoch_out) {
  FetcherRules rules;
  rules.version_detection = VersionDetection::drop_field;
  const auto old_node = serialize_for(full_fetch(), {0, 11}, rules);
  ASSERT_TRUE(old_node.has_value());
  EXPECT_EQ(wire_fetch(old_node).last_fetched_epoch, kUndefinedEpoch);
  EXPECT_EQ(wire_fetch(serialize_for(full_fetch(), {0, 12}, rules)).last_fetched_epoch, 3);
}

TEST(Serialize, ignorable_fields_disappear_silently) {
  const Request request = full_fetch(kUndefinedEpoch);
  EXPECT_EQ(wire_fetch(serialize_for(request, {0, 8})).current_leader_epoch, kUndefinedEpoch);
  EXPECT_EQ(wire_fetch(serialize_for(request, {0, 9})).current_leader_epoch, 5);
  EXPECT_EQ(wire_fetch(serialize_for(request, {0, 4})).log_start_offset, kUndefinedOffset);
  EXPECT_EQ(wire_fetch(serialize_for(request, {0, 5})).log_start_offset, 10);
  EXPECT_EQ(wire_fetch(serialize_for(request, {0, 12})).topic_id, 0U);
  EXPECT_EQ(wire_fetch(serialize_for(request, {0, 13})).topic_id, 7U);
}

TEST(Serialize, an_unknown_topic_id_keeps_the_request_below_v13) {
  EXPECT_EQ(serialize_for(full_fetch(3, 0), {0, 17}).value().version, 12);
  EXPECT_EQ(serialize_for(full_fetch(3, 7), {0, 17}).value().version, 17);
  EXPECT_FALSE(serialize_for(full_fetch(3, 0), {13, 17}).has_value());
}

TEST(Serialize, the_version_is_the_highest_both_sides_know) {
  FetcherRules rules;
  rules.fetch_versions = {4, 15};
  EXPECT_EQ(serialize_for(full_fetch(), {0, 17}, rules).value().version, 15);
  EXPECT_EQ(serialize_for(full_fetch(), {0, 13}, rules).value().version, 13);
  EXPECT_FALSE(serialize_for(full_fetch(), {16, 17}, rules).has_value());
  rules.fetch_versions.min = 12;  // fetch_only
  EXPECT_FALSE(serialize_for(full_fetch(kUndefinedEpoch), {0, 11}, rules).has_value());
}

TEST(Serialize, epoch_requests_lose_their_fence_below_v2) {
  OffsetsForLeaderEpochRequest request;
  request.partitions.push_back({1, 5, 3});
  FetcherRules rules;
  const auto old_node = serialize(request, rules, kAny, {0, 1}, kAny);
  ASSERT_TRUE(old_node.has_value());
  EXPECT_EQ(old_node->version, 1);
  const EpochPartition expected_old{1, kUndefinedEpoch, 3};
  EXPECT_EQ(std::get<OffsetsForLeaderEpochRequest>(old_node->wire).partitions.at(0), expected_old);
  const auto node = serialize(request, rules, kAny, {0, 2}, kAny);
  EXPECT_EQ(node.value().wire, Request(request));
  rules.offset_for_leader_epoch_versions.min = 2;  // the mirror's builder
  EXPECT_FALSE(serialize(request, rules, kAny, {0, 1}, kAny).has_value());
  EXPECT_FALSE(serialize(request, rules, kAny, ApiVersionRange{}, kAny).has_value());
}

TEST(Serialize, offset_requests_lose_their_fence_below_v4) {
  ListOffsetsRequest request;
  request.partitions.push_back({1, 5, OffsetSpec::earliest});
  const auto old_node = serialize(request, {}, kAny, kAny, {0, 3});
  ASSERT_TRUE(old_node.has_value());
  const ListOffsetsPartition expected_old{1, kUndefinedEpoch, OffsetSpec::earliest};
  EXPECT_EQ(std::get<ListOffsetsRequest>(old_node->wire).partitions.at(0), expected_old);
  EXPECT_EQ(serialize(request, {}, kAny, kAny, {0, 4}).value().wire, Request(request));
}

TEST(Serialize, each_request_uses_its_own_api) {
  const FetcherRules rules;
  const ApiVersionRange none;
  EXPECT_EQ(api_of(full_fetch()), ApiKey::fetch);
  EXPECT_EQ(api_of(OffsetsForLeaderEpochRequest{}), ApiKey::offset_for_leader_epoch);
  EXPECT_EQ(api_of(ListOffsetsRequest{}), ApiKey::list_offsets);
  EXPECT_TRUE(serialize(full_fetch(), rules, {12, 12}, none, none).has_value());
  EXPECT_TRUE(serialize(OffsetsForLeaderEpochRequest{}, rules, none, {3, 3}, none).has_value());
  EXPECT_TRUE(serialize(ListOffsetsRequest{}, rules, none, none, {6, 6}).has_value());
}

/// version-safety: whatever the ranges, a request is served at a version both sides know and loses nothing
/// but ignorable fields, and is refused only for one of the two reasons.
TEST(Serialize, property_never_unsafe_and_never_needlessly_refused) {
  const bool held = rc::check([] {
    const auto version = [](int low, int high) {
      return static_cast<ApiVersion>(*rc::gen::inRange(low, high));
    };
    FetcherRules rules;
    rules.fetch_versions = {version(0, 14), version(8, 20)};
    rules.version_detection = *rc::gen::element(VersionDetection::every_fetch, VersionDetection::drop_field);
    const ApiVersionRange node{version(0, 14), version(0, 20)};
    FetchRequest request;
    const auto partitions = *rc::gen::inRange(1, 4);
    bool offers_epoch = false;
    bool lacks_topic_id = false;
    for (int i = 0; i < partitions; ++i) {
      const auto last_fetched_epoch = *rc::gen::inRange<Epoch>(-1, 2);
      const auto topic_id = *rc::gen::inRange<TopicId>(0, 4);
      FetchPartition part = full_fetch(last_fetched_epoch, topic_id).partitions.at(0);
      part.partition = static_cast<PartitionId>(i);
      request.partitions.push_back(part);
      offers_epoch = offers_epoch || last_fetched_epoch >= 0;
      lacks_topic_id = lacks_topic_id || topic_id == 0;
    }
    // The naive way: walk down from the highest version.
    std::optional<ApiVersion> expected;
    for (ApiVersion candidate = 30; candidate >= 0 && !expected; --candidate) {
      if (node.supports(candidate) && rules.fetch_versions.supports(candidate) &&
          !(lacks_topic_id && candidate > 12)) {
        expected = candidate;
      }
    }
    const bool refused_for_epoch = expected && *expected < 12 && offers_epoch &&
                                   rules.version_detection == VersionDetection::every_fetch;
    const auto serialized = serialize(request, rules, node, {}, {});
    RC_ASSERT(serialized.has_value() == (expected.has_value() && !refused_for_epoch));
    if (!serialized) {
      return;
    }
    RC_ASSERT(serialized->version == *expected);
    const auto& wire = std::get<FetchRequest>(serialized->wire).partitions;
    RC_ASSERT(wire.size() == request.partitions.size());
    for (std::size_t i = 0; i < wire.size(); ++i) {
      FetchPartition allowed = request.partitions[i];
      allowed.current_leader_epoch = *expected >= 9 ? allowed.current_leader_epoch : kUndefinedEpoch;
      allowed.log_start_offset = *expected >= 5 ? allowed.log_start_offset : kUndefinedOffset;
      allowed.topic_id = *expected >= 13 ? allowed.topic_id : 0;
      allowed.last_fetched_epoch = *expected >= 12 ? allowed.last_fetched_epoch : kUndefinedEpoch;
      RC_ASSERT(wire[i] == allowed);
    }
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace mirrorproof
