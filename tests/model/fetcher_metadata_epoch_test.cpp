// M19: the prototype's OffsetsForLeaderEpoch questions carry the leader epoch of the source metadata; their
// answers are judged by the fetch state.

#include "fetcher_fixture.h"

namespace mirrorproof {
namespace {

class MetadataHost : public LogHost {
 public:
  std::optional<Epoch> told;
  std::optional<Epoch> metadata_leader_epoch(PartitionId) override { return told; }
};

struct Asked {
  Epoch epoch = kUndefinedEpoch;
  bool counts = false;
};

/// A truncating partition in leader epoch 4 asks.
Asked asked_with(bool by_metadata, std::optional<Epoch> told) {
  FetcherRules rules = ofle_rules();
  rules.epoch_question_by_metadata = by_metadata;
  MetadataHost host;
  host.told = told;
  host.logs[0] = make_log({{0, 4, 1}});
  Fetcher fetcher(rules);
  fetcher.add_partition(0, 1, 5, 4, host);
  const std::optional<Request> request = fetcher.next_request(host);
  EXPECT_TRUE(request.has_value());
  return {std::get<OffsetsForLeaderEpochRequest>(*request).partitions.at(0).current_leader_epoch,
          fetcher.answer_counts(0, *request)};
}

TEST(MetadataEpoch, IsAskedWithOnlyIfTheRuleSaysSo) {
  EXPECT_EQ(asked_with(false, 6).epoch, 4);
  EXPECT_TRUE(asked_with(false, 6).counts);
  EXPECT_EQ(asked_with(true, 6).epoch, 6);
  EXPECT_FALSE(asked_with(true, 6).counts) << "the fetch state has another epoch: dropped in silence (F10)";
  EXPECT_EQ(asked_with(true, std::nullopt).epoch, 4) << "the fetch state's, where metadata says nothing";
  EXPECT_TRUE(asked_with(true, 4).counts);
}

}  // namespace
}  // namespace mirrorproof
