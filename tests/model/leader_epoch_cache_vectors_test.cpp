#include <gtest/gtest.h>

#include "epoch_cache_ops.h"

namespace mirrorproof::vectors {
namespace {

void run_sequence(const Json& sequence, int& operations) {
  require_known_keys(sequence, {"name", "ops", "final_entries"});
  CheckpointedCache cache;
  for (const Json& op : list_field(sequence, "ops")) {
    run_epoch_cache_op(cache, op);
    ++operations;
  }
  EXPECT_EQ(entries_json(cache.cache().entries()), field(sequence, "final_entries"));
}

void run_file(const std::string& file_name) {
  int operations = 0;
  const int sequences = for_each_case(
      load(file_name), "name", [&operations](const Json& sequence) { run_sequence(sequence, operations); });
  EXPECT_GT(sequences, 0);
  EXPECT_GT(operations, 0);
  std::cout << file_name << ": " << sequences << " sequences, " << operations << " operations\n";
}

TEST(LeaderEpochCache, vectors_epoch_cache) {
  run_file("epoch-cache.json");
}

TEST(LeaderEpochCache, vectors_epoch_cache_extended) {
  run_file("epoch-cache-extended.json");
}

}  // namespace
}  // namespace mirrorproof::vectors
