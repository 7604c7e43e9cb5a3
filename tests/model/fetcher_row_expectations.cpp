// What a row of fetcher-behaviours.json expects of its fetcher.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "fetcher_row_run.h"

namespace mirrorproof::vectors {
namespace {

Json optional_epoch_json(Epoch epoch) {
  return epoch == kUndefinedEpoch ? Json(nullptr) : Json(epoch);
}

}  // namespace

bool FetcherRow::logs_match(PartitionId partition) {
  const Log& leader = leader_.broker.leaders.at(partition).log;
  const Log& follower = host_.log(partition);
  return leader.log_end_offset() == follower.log_end_offset() &&
         std::ranges::equal(leader.batches(), follower.batches());
}

bool FetcherRow::all_logs_match() {
  return std::ranges::all_of(leader_.broker.leaders,
                             [this](const auto& leader) { return logs_match(leader.first); });
}

Json FetcherRow::observed(PartitionId partition, const std::string& key) {
  const PartitionFetchState* state = fetcher_.find(partition);
  if (key == "tracked") {
    return state != nullptr;
  }
  if (key == "failed") {
    return fetcher_.failed(partition);
  }
  if (key == "truncated_to" || key == "truncation_completed") {
    Json list = Json::array();
    for (const Cut& cut : host_.cuts) {
      if (cut.partition == partition && !cut.fully) {
        list.push_back(key == "truncated_to" ? Json(cut.target) : Json(cut.completed));
      }
    }
    return list;
  }
  if (key == "logs_match") {
    return logs_match(partition);
  }
  if (key == "log_start_offset") {
    return host_.log_start_offset(partition);
  }
  if (key == "log_end_offset") {
    return host_.log_end_offset(partition);
  }
  if (key == "high_watermark") {
    return host_.log(partition).high_watermark();
  }
  if (key == "batch_count") {
    return host_.log(partition).batches().size();
  }
  if (key == "epochs") {
    return entries_json(host_.log(partition).leader_epoch_cache().entries());
  }
  static const std::set<std::string> kStateKeys = {
      "state", "ready",   "delayed", "fetch_offset", "last_fetched_epoch", "current_leader_epoch",
      "lag",   "topic_id"};
  if (!kStateKeys.contains(key)) {
    throw VectorError("the harness cannot check \"" + key + "\"");
  }
  if (state == nullptr) {
    return "not tracked";
  }
  if (key == "state") {
    return state->phase == FetchPhase::fetching ? "fetching" : "truncating";
  }
  if (key == "ready") {
    return state->ready_to_fetch();
  }
  if (key == "delayed") {
    return state->delayed;
  }
  if (key == "fetch_offset") {
    return state->fetch_offset;
  }
  if (key == "last_fetched_epoch") {
    return optional_epoch_json(state->last_fetched_epoch);
  }
  if (key == "current_leader_epoch") {
    return state->current_leader_epoch;
  }
  if (key == "lag") {
    return state->lag < 0 ? Json(nullptr) : Json(state->lag);
  }
  for (const auto& [name, topic_id] : topic_ids_) {
    if (topic_id == state->topic_id) {
      return name;
    }
  }
  return nullptr;
}

Json FetcherRow::appends_json(const Json& like) {
  int total = 0;
  for (const auto& [partition, count] : host_.appends) {
    total += count;
  }
  if (!like.is_object()) {
    return total;
  }
  Json counts = Json::object();
  for (const auto& [name, count] : like.items()) {
    counts[name] = host_.appends[id_of(name)];
  }
  return counts;
}

void FetcherRow::check(const Json& expect) {
  require_known_keys(expect, {"partitions", "requests", "appends", "throws", "blocks_at_least_ms"});
  if (expect.contains("partitions")) {
    for (const auto& [name, facts] : expect.at("partitions").items()) {
      for (const auto& [key, value] : facts.items()) {
        EXPECT_EQ(observed(id_of(name), key), value) << name << ": " << key;
      }
    }
  }
  if (expect.contains("requests")) {
    for (const auto& [api, sent] : expect.at("requests").items()) {
      if (api != kFetchApi && api != kEpochApi && api != kLatestApi && api != kEarliestApi) {
        throw VectorError("unknown api \"" + api + "\"");
      }
      EXPECT_EQ(Json(requests_[api]), sent) << "requests: " << api;
    }
  }
  if (expect.contains("appends")) {
    EXPECT_EQ(appends_json(expect.at("appends")), expect.at("appends"));
  }
  if (expect.contains("throws")) {
    EXPECT_EQ(thrown_, text_field(expect, "throws"));
  }
  if (expect.contains("blocks_at_least_ms")) {
    EXPECT_GE(blocked_ms_, to_integer(expect.at("blocks_at_least_ms")));
  }
}

}  // namespace mirrorproof::vectors
