#include <gtest/gtest.h>

#include "model/leader_epoch_check.h"
#include "vector_file.h"

namespace mirrorproof::vectors {
namespace {

struct Leader {
  LeaderEpochCache epochs;
  Epoch leader_epoch = 0;
  Offset log_start_offset = 0;
  Offset log_end_offset = 0;
};

Json fetch_answer(const Leader& leader, const Json& query) {
  require_known_keys(query, {"api", "fetch_offset", "last_fetched_epoch", "current_leader_epoch", "expect"});
  const ErrorCode error =
      check_leader_epoch(optional_epoch_field(query, "current_leader_epoch"), leader.leader_epoch);
  if (error != ErrorCode::none) {
    return {{"result", to_string(error)}};
  }
  const FetchCheck check = check_fetch_epoch(leader.epochs, leader.log_start_offset, leader.log_end_offset,
                                             offset_field(query, "fetch_offset"),
                                             optional_epoch_field(query, "last_fetched_epoch"));
  switch (check.result) {
    case FetchCheck::Result::ok:
      return {{"result", "ok"}};
    case FetchCheck::Result::out_of_range:
      return {{"result", "offset_out_of_range"}};
    case FetchCheck::Result::diverging:
      break;
  }
  return {
      {"result", "diverging"}, {"epoch", check.diverging.epoch}, {"end_offset", check.diverging.end_offset}};
}

Json epoch_answer(const Leader& leader, const Json& query) {
  require_known_keys(query, {"api", "epoch", "current_leader_epoch", "expect"});
  EpochPartition asked;
  asked.current_leader_epoch = optional_epoch_field(query, "current_leader_epoch");
  asked.leader_epoch = epoch_field(query, "epoch");
  const EpochPartitionResponse response = answer_offset_for_leader_epoch(
      leader.epochs, leader.log_end_offset, {leader.leader_epoch, true}, asked, kOfleWithCurrentLeaderEpoch);
  return {{"error", to_string(response.error)},
          {"epoch", response.answer.epoch},
          {"end_offset", response.answer.end_offset}};
}

TEST(LeaderEpochCheck, vectors_leader_answers) {
  int queries = 0;
  const int leaders = for_each_case(load("leader-answers.json"), "name", [&queries](const Json& entry) {
    require_known_keys(entry,
                       {"name", "leader_epoch", "log_start_offset", "log_end_offset", "epochs", "queries"});
    const Leader leader{to_cache(field(entry, "epochs")), epoch_field(entry, "leader_epoch"),
                        offset_field(entry, "log_start_offset"), offset_field(entry, "log_end_offset")};
    for (const Json& query : list_field(entry, "queries")) {
      const std::string api = text_field(query, "api");
      if (api == "fetch") {
        EXPECT_EQ(fetch_answer(leader, query), field(query, "expect")) << query.dump();
      } else if (api == "offset_for_leader_epoch") {
        EXPECT_EQ(epoch_answer(leader, query), field(query, "expect")) << query.dump();
      } else {
        throw VectorError("unknown api \"" + api + "\"", &field(query, "api"));
      }
      ++queries;
    }
  });
  EXPECT_GT(leaders, 0);
  EXPECT_GT(queries, 0);
  std::cout << "leader-answers.json: " << leaders << " leaders, " << queries << " queries\n";
}

}  // namespace
}  // namespace mirrorproof::vectors
