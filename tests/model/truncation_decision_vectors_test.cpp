#include <gtest/gtest.h>

#include "log_host.h"
#include "vector_file.h"

namespace mirrorproof::vectors {
namespace {

TEST(TruncationDecision, vectors_truncation_decisions) {
  const int decisions = for_each_case(load("truncation-decisions.json"), "name", [](const Json& entry) {
    require_known_keys(entry, {"name", "follower", "answer", "expect"});
    const Json& follower = field(entry, "follower");
    require_known_keys(follower, {"fetch_offset", "log_start_offset", "log_end_offset", "epochs"});
    require_known_keys(field(entry, "answer"), {"epoch", "end_offset"});
    const Offset fetch_offset = offset_field(follower, "fetch_offset");
    const Offset log_start = offset_field(follower, "log_start_offset");
    const Offset log_end = offset_field(follower, "log_end_offset");
    if (log_start < 0 || log_end < log_start || fetch_offset < 0) {
      throw VectorError("expected 0 <= log_start_offset <= log_end_offset and 0 <= fetch_offset", &follower);
    }
    LogHost host;
    host.logs[0] = Log::restore({}, to_cache(field(follower, "epochs")), log_start, log_end, log_start);
    const EpochEndOffset answer{epoch_field(field(entry, "answer"), "epoch"),
                                offset_field(field(entry, "answer"), "end_offset")};

    const TruncationDecision decision = truncation_decision(answer, fetch_offset, log_end, host, 0);
    if (decision.target < 0) {
      throw VectorError("this answer makes the follower truncate to a negative offset",
                        &field(entry, "answer"));
    }
    host.logs[0].truncate_to(decision.target);

    const Json result = {{"truncate_to", decision.target},
                         {"completed", decision.completed},
                         {"log_start_offset_after", host.logs[0].log_start_offset()},
                         {"log_end_offset_after", host.logs[0].log_end_offset()},
                         {"epochs_after", entries_json(host.logs[0].leader_epoch_cache().entries())}};
    EXPECT_EQ(result, field(entry, "expect"));
  });
  EXPECT_GT(decisions, 0);
  std::cout << "truncation-decisions.json: " << decisions << " decisions\n";
}

}  // namespace
}  // namespace mirrorproof::vectors
