#include "model/leader_epoch_checkpoint.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace mirrorproof {
namespace {

TEST(LeaderEpochCheckpoint, text_is_version_count_and_entries) {
  const std::vector<EpochEntry> entries = {{1, 0}, {3, 5}};
  EXPECT_EQ(write_leader_epoch_checkpoint(entries), "0\n2\n1 0\n3 5\n");
  EXPECT_EQ(write_leader_epoch_checkpoint({}), "0\n0\n");
  EXPECT_EQ(parse_leader_epoch_checkpoint("0\n2\n1 0\n3 5\n").entries, entries);
}

TEST(LeaderEpochCheckpoint, an_untouched_file_has_no_entries) {
  EXPECT_EQ(parse_leader_epoch_checkpoint("").entries, std::vector<EpochEntry>{});
  EXPECT_EQ(parse_leader_epoch_checkpoint("0\n0\n").entries, std::vector<EpochEntry>{});
}

TEST(LeaderEpochCheckpoint, what_is_wrong_is_told_with_its_line) {
  const std::pair<const char*, const char*> broken[] = {
      {"1\n0\n", "line 1"},
      {"\n", "line 1"},
      {"zero\n0\n", "line 1"},
      {"0\n", "line 2"},
      {"0\n-1\n", "line 2"},
      {"0\n2\n1 0\n", "line 2"},
      {"0\n1\n1 0\n3 5\n", "line 2"},
      {"0\n1\n1\n", "line 3"},
      {"0\n1\n1  0\n", "line 3"},
      {"0\n1\n1 0 \n", "line 3"},
      {"0\n1\n-1 0\n", "line 3"},
      {"0\n1\n1 -4\n", "line 3"},
      {"0\n1\n99999999999 0\n", "line 3"},
      {"0\n1\n1 9223372036854775808\n", "line 3"},
      {"0\n2\n1 0\n1 5\n", "line 4"},
      {"0\n2\n3 5\n4 5\n", "line 4"},
      {"0\n2\n3 5\n2 9\n", "line 4"},
      {"0\n1\n\n1 0\n", "line 3"},
  };
  for (const auto& [text, place] : broken) {
    const CheckpointParseResult result = parse_leader_epoch_checkpoint(text);
    EXPECT_FALSE(result.entries.has_value()) << text;
    EXPECT_EQ(result.error.substr(0, 6), place) << text;
  }
}

TEST(LeaderEpochCheckpoint, property_what_is_written_is_read_back) {
  EXPECT_TRUE(rc::check([] {
    std::vector<EpochEntry> entries;
    EpochEntry entry{-1, -1};
    const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(1, 1000), rc::gen::inRange(1, 1000)));
    for (const auto& [epoch_step, offset_step] : steps) {
      entry = {entry.epoch + epoch_step, entry.start_offset + (static_cast<Offset>(offset_step) << 40)};
      entries.push_back(entry);
    }
    RC_ASSERT(parse_leader_epoch_checkpoint(write_leader_epoch_checkpoint(entries)).entries == entries);
  }));
}

TEST(LeaderEpochCheckpoint, property_no_text_is_too_hostile) {
  EXPECT_TRUE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0012 9-\n\n\t")));
    const CheckpointParseResult result = parse_leader_epoch_checkpoint(text);
    RC_ASSERT(result.entries.has_value() == result.error.empty());
    if (result.entries && !text.empty()) {
      RC_ASSERT(parse_leader_epoch_checkpoint(write_leader_epoch_checkpoint(*result.entries)).entries ==
                result.entries);
    }
  }));
}

}  // namespace
}  // namespace mirrorproof
