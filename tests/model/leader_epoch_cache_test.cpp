// The tables of protocol.md section 1, and a naive cache for comparison.

#include "model/leader_epoch_cache.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "naive_epoch_cache.h"

namespace mirrorproof {

inline void PrintTo(const EpochEntry& entry, std::ostream* out) {
  *out << entry.epoch << '@' << entry.start_offset;
}
inline void PrintTo(const EpochEndOffset& answer, std::ostream* out) {
  *out << '(' << answer.epoch << ',' << answer.end_offset << ')';
}

namespace {

using Entries = std::vector<EpochEntry>;

LeaderEpochCache cache_of(const Entries& entries) {
  LeaderEpochCache cache;
  for (const EpochEntry& entry : entries) {
    EXPECT_TRUE(cache.assign(entry.epoch, entry.start_offset));
  }
  EXPECT_TRUE(std::ranges::equal(cache.entries(), entries));
  return cache;
}

Entries entries_of(const LeaderEpochCache& cache) {
  return {cache.entries().begin(), cache.entries().end()};
}

TEST(LeaderEpochCache, assign_follows_its_table) {
  const struct {
    Entries before;
    EpochEntry assigned;
    Entries after;
  } rows[] = {
      {{}, {0, 0}, {{0, 0}}},
      {{{2, 0}}, {2, 10}, {{2, 0}}},
      {{{2, 4}}, {2, 1}, {{2, 1}}},
      {{{1, 0}, {3, 5}}, {5, 9}, {{1, 0}, {3, 5}, {5, 9}}},
      {{{1, 0}, {3, 5}}, {4, 5}, {{1, 0}, {4, 5}}},
      {{{1, 0}, {3, 5}}, {2, 9}, {{1, 0}, {2, 9}}},
      {{{1, 0}, {3, 5}}, {6, 0}, {{6, 0}}},
  };
  for (const auto& row : rows) {
    LeaderEpochCache cache = cache_of(row.before);
    EXPECT_TRUE(cache.assign(row.assigned.epoch, row.assigned.start_offset));
    EXPECT_EQ(entries_of(cache), row.after);
  }
}

TEST(LeaderEpochCache, negative_assigns_change_nothing) {
  LeaderEpochCache cache = cache_of({{1, 0}});
  EXPECT_FALSE(cache.assign(-1, 5));
  EXPECT_FALSE(cache.assign(2, -1));
  EXPECT_EQ(entries_of(cache), (Entries{{1, 0}}));
}

TEST(LeaderEpochCache, truncate_from_start_keeps_the_covering_epoch) {
  const std::pair<Offset, Entries> rows[] = {
      {0, {{2, 0}, {4, 4}, {6, 9}}}, {4, {{4, 4}, {6, 9}}}, {7, {{4, 7}, {6, 9}}}, {20, {{6, 20}}}};
  for (const auto& [offset, after] : rows) {
    LeaderEpochCache cache = cache_of({{2, 0}, {4, 4}, {6, 9}});
    cache.truncate_from_start(offset);
    EXPECT_EQ(entries_of(cache), after) << offset;
  }
  LeaderEpochCache late = cache_of({{2, 5}});
  late.truncate_from_start(4);
  EXPECT_EQ(entries_of(late), (Entries{{2, 5}}));
}

TEST(LeaderEpochCache, truncate_from_end_drops_what_starts_there) {
  const std::pair<Offset, Entries> rows[] = {
      {-1, {{2, 0}, {4, 4}}}, {5, {{2, 0}, {4, 4}}}, {4, {{2, 0}}}, {1, {{2, 0}}}, {0, {}}};
  for (const auto& [offset, after] : rows) {
    LeaderEpochCache cache = cache_of({{2, 0}, {4, 4}});
    cache.truncate_from_end(offset);
    EXPECT_EQ(entries_of(cache), after) << offset;
  }
}

TEST(LeaderEpochCache, end_offsets_follow_their_table) {
  const LeaderEpochCache cache = cache_of({{2, 3}, {4, 7}, {8, 12}});
  const std::pair<Epoch, EpochEndOffset> rows[] = {{-1, {-1, -1}}, {8, {8, 20}}, {9, {-1, -1}}, {0, {0, 3}},
                                                   {1, {1, 3}},    {2, {2, 7}},  {3, {2, 7}},   {4, {4, 12}},
                                                   {7, {4, 12}},   {-2, {-2, 3}}};
  for (const auto& [epoch, answer] : rows) {
    EXPECT_EQ(cache.end_offset_for(epoch, 20), answer) << epoch;
  }
  EXPECT_EQ(LeaderEpochCache{}.end_offset_for(0, 20), EpochEndOffset{});
}

TEST(LeaderEpochCache, property_agrees_with_a_naive_map) {
  EXPECT_TRUE(rc::check([] {
    LeaderEpochCache cache;
    NaiveCache naive;
    const auto steps = *rc::gen::inRange(0, 40);
    for (int i = 0; i < steps; ++i) {
      const auto epoch = *rc::gen::inRange<Epoch>(-2, 12);
      const auto offset = *rc::gen::inRange<Offset>(-2, 30);
      switch (*rc::gen::inRange(0, 6)) {
        case 0:
          cache.truncate_from_end(offset);
          naive.truncate_from_end(offset);
          break;
        case 1:
          cache.truncate_from_start(offset);
          naive.truncate_from_start(offset);
          break;
        default:
          RC_ASSERT(cache.assign(epoch, offset) == (epoch >= 0 && offset >= 0));
          naive.assign(epoch, offset);
      }
      RC_ASSERT(entries_of(cache) == naive.entries());
      for (std::size_t k = 1; k < cache.entries().size(); ++k) {
        RC_ASSERT(cache.entries()[k - 1].epoch < cache.entries()[k].epoch);
        RC_ASSERT(cache.entries()[k - 1].start_offset < cache.entries()[k].start_offset);
      }
      for (Epoch asked = -2; asked < 13; ++asked) {
        RC_ASSERT(cache.end_offset_for(asked, offset) == naive.end_offset_for(asked, offset));
        RC_ASSERT(cache.previous_epoch(asked) == naive.previous_epoch(asked));
        RC_ASSERT(cache.next_epoch(asked) == naive.next_epoch(asked));
      }
      for (Offset asked = -1; asked < 31; ++asked) {
        RC_ASSERT(cache.epoch_for_offset(asked) == naive.epoch_for_offset(asked));
      }
    }
  }));
}

TEST(LeaderEpochCache, remove_forgets_one_epoch_and_no_other) {
  LeaderEpochCache cache = cache_of({{0, 0}, {2, 4}});
  cache.remove(1);
  EXPECT_EQ(entries_of(cache), (Entries{{0, 0}, {2, 4}}));
  cache.remove(0);
  EXPECT_EQ(entries_of(cache), (Entries{{2, 4}}));
}

}  // namespace
}  // namespace mirrorproof
