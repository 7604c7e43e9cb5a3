// Two bugs of Kafka that took years to be noticed are found by a default campaign within seconds, and nothing
// is found once they are mended. A core runs some 3,000 seeds a second.

#include <gtest/gtest.h>

#include "model/protocol_presets.h"
#include "sim/swarm.h"
#include "tests/sim/judged_seed.h"

namespace mirrorproof::sim {
namespace {

struct HistoricBug {
  const char* name;
  void (*bring_back)(ProtocolOptions&);
  /// Seeds of ten seconds on one core, at most.
  std::uint64_t seeds;
};
void PrintTo(const HistoricBug& bug, std::ostream* out) {
  *out << bug.name;
}

class HistoricBugs : public testing::TestWithParam<HistoricBug> {};

bool accused(const ProtocolOptions& protocol, std::uint64_t seed) {
  SwarmOptions options;
  options.protocol = protocol;
  return !violations_of(swarm_setup(options, seed), seed).empty();
}

TEST_P(HistoricBugs, AreFoundByADefaultCampaignAndOnlyWhileTheyAreThere) {
  const ProtocolOptions mended = preset_options(Preset::hardened);
  ProtocolOptions faulty = mended;
  GetParam().bring_back(faulty);
  for (std::uint64_t seed = 1; seed <= GetParam().seeds; ++seed) {
    if (accused(faulty, seed)) {
      EXPECT_FALSE(accused(mended, seed)) << "seed " << seed;
      return;
    }
  }
  FAIL() << GetParam().name << " is found in none of " << GetParam().seeds << " seeds";
}

// KAFKA-13207: an answer for a partition that was taken from the fetcher still cuts its log, a leader's by
// then. KAFKA-18723: a follower appends batches of a newer epoch than the one it asked in.
INSTANTIATE_TEST_SUITE_P(
    Kafka, HistoricBugs,
    testing::Values(HistoricBug{"KAFKA_13207", [](ProtocolOptions& p) { p.stale_response_guard = false; },
                                1000},
                    HistoricBug{"KAFKA_18723",
                                [](ProtocolOptions& p) {
                                  p.batch_epoch_guard = false;
                                  p.cuts_drop_answers = false;
                                },
                                20000}),
    [](const testing::TestParamInfo<HistoricBug>& bug) { return std::string(bug.param.name); });

}  // namespace
}  // namespace mirrorproof::sim
