#include <gtest/gtest.h>

#include "cluster_row.h"
#include "epoch_cache_ops.h"
#include "fetcher_row.h"

namespace mirrorproof::vectors {
namespace {

void run_epoch_cache_row(const Json& row) {
  if (text_field(field(row, "setup"), "cache") != "empty") {
    throw VectorError("an epoch_cache row must start with an empty cache");
  }
  CheckpointedCache cache;
  for (const Json& op : list_field(row, "steps")) {
    run_epoch_cache_op(cache, op);
  }
  const Json& expect = field(row, "expect");
  require_known_keys(expect, {"final_entries"});
  EXPECT_EQ(entries_json(cache.cache().entries()), field(expect, "final_entries"));
}

/// Described in words about parts that this model does not have.
bool is_description(const std::string& kind) {
  return kind == "leader_endpoint" || kind == "fetch_session" || kind == "watermark_wakeup";
}

TEST(Fetcher, vectors_fetcher_behaviours) {
  std::map<std::string, int> ran;
  int described = 0;
  for_each_case(load("fetcher-behaviours.json"), "id", [&](const Json& row) {
    require_known_keys(row, {"id", "kind", "summary", "setup", "steps", "expect", "skip", "note"});
    const std::string kind = text_field(row, "kind");
    if (row.contains("skip") || is_description(kind)) {
      std::cout << "description only: " << text_field(row, "id") << " ("
                << (row.contains("skip") ? text_field(row, "skip") : kind) << ")\n";
      ++described;
      return;
    }
    if (kind == "fetcher") {
      run_fetcher_row(row);
    } else if (kind == "epoch_cache") {
      run_epoch_cache_row(row);
    } else if (kind == "leader_query") {
      run_leader_query_row(row);
    } else if (kind == "cluster") {
      run_cluster_row(row);
    } else {
      throw VectorError("unknown kind \"" + kind + "\"", &field(row, "kind"));
    }
    ++ran[kind];
  });
  int total = 0;
  std::cout << "fetcher-behaviours.json:";
  for (const auto& [kind, count] : ran) {
    std::cout << ' ' << count << ' ' << kind << ',';
    total += count;
  }
  std::cout << ' ' << described << " descriptions only\n";
  EXPECT_GT(total, 0);
}

}  // namespace
}  // namespace mirrorproof::vectors
