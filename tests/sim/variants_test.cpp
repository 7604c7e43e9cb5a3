// Every wrong variant of the protocol is caught by the invariant that should catch it, in a bounded number of
// swarm seeds; the proposal itself is accused of nothing but its known findings.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "checker/checker.h"
#include "reports/known_findings.h"
#include "sim/runner.h"
#include "sim/swarm.h"

namespace mirrorproof::sim {
namespace {

using checker::Invariant;

std::vector<checker::Violation> violations_of(const SwarmOptions& options, std::uint64_t seed) {
  const sim::Setup setup = swarm_setup(options, seed);
  SeededChoices choices(seed);
  Runner runner(setup);
  checker::Checker judge(make_trace_header(setup, seed));
  runner.run(choices, [&judge](const std::vector<Event>& events, const Simulator&) {
    for (const Event& event : events) {
      judge.observe(event);
    }
    return true;
  });
  return judge.finish().violations;
}

struct WrongVariant {
  const char* name;
  void (*change)(ProtocolOptions&);
  Invariant invariant;
  /// The proposal breaks the invariant too; then this kind of violation must be new.
  const char* kind = nullptr;
};

const WrongVariant kWrongVariants[] = {
    {"alignment epoch_only", [](ProtocolOptions& p) { p.alignment = Alignment::epoch_only; },
     Invariant::truncation_provenance},
    {"alignment epoch_and_offset_inclusive",
     [](ProtocolOptions& p) { p.alignment = Alignment::epoch_and_offset_inclusive; },
     Invariant::truncation_provenance},
    {"alignment as_posted", [](ProtocolOptions& p) { p.alignment = Alignment::as_posted; },
     Invariant::alignment_exactness, "removed-shared-record"},
    {"alignment none", [](ProtocolOptions& p) { p.alignment = Alignment::none; },
     Invariant::alignment_exactness, "kept-foreign-record"},
    {"alignment_wait none", [](ProtocolOptions& p) { p.alignment_wait = AlignmentWait::none; },
     Invariant::log_matching},
    {"version_detection drop_field",
     [](ProtocolOptions& p) { p.version_detection = VersionDetection::drop_field; },
     Invariant::version_safety},
    {"mirror_epochs rewrite", [](ProtocolOptions& p) { p.mirror_epochs = MirrorEpochs::rewrite; },
     Invariant::truncation_provenance},
    {"recovery_wait none", [](ProtocolOptions& p) { p.recovery_wait = RecoveryWait::none; },
     Invariant::recovery_barrier},
    {"epoch_bump none", [](ProtocolOptions& p) { p.epoch_bump = EpochBump::none; }, Invariant::epoch_order},
    {"destination_high_watermark source",
     [](ProtocolOptions& p) { p.destination_high_watermark = DestinationHighWatermark::source; },
     Invariant::committed_stability},
    {"stale_response_guard false", [](ProtocolOptions& p) { p.stale_response_guard = false; },
     Invariant::state_machine},
    {"replication kip101", [](ProtocolOptions& p) { p.replication = Replication::kip101; },
     Invariant::log_matching},
    {"replication kip279", [](ProtocolOptions& p) { p.replication = Replication::kip279; },
     Invariant::committed_stability},
    {"replication kip320_first_try",
     [](ProtocolOptions& p) { p.replication = Replication::kip320_first_try; },
     Invariant::committed_stability},
    {"replication kip320_unfenced_truncation",
     [](ProtocolOptions& p) { p.replication = Replication::kip320_unfenced_truncation; },
     Invariant::committed_stability},
    {"stale_response_guard of replica fetchers false",
     [](ProtocolOptions& p) { p.stale_response_guard = false; }, Invariant::follower_truncation,
     "leader-cut-its-log"},
    {"epoch_registration on_append",
     [](ProtocolOptions& p) { p.epoch_registration = EpochRegistration::on_append; },
     Invariant::follower_truncation},
    {"isr_join high_watermark", [](ProtocolOptions& p) { p.isr_join = IsrJoin::high_watermark; },
     Invariant::committed_stability, "committed-record-lost-in-clean-election"},
    {"same_leader_new_epoch keep_fetching",
     [](ProtocolOptions& p) {
       p.replication = Replication::kip320_unfenced_truncation;
       p.same_leader_new_epoch = SameLeaderNewEpoch::keep_fetching;
     },
     Invariant::log_matching},
    {"diverging_fetch counted", [](ProtocolOptions& p) { p.diverging_fetch = DivergingFetch::counted; },
     Invariant::committed_stability, "committed-record-lost-in-clean-election"},
    {"diverging_answer offsets_first",
     [](ProtocolOptions& p) { p.diverging_answer = DivergingAnswer::offsets_first; },
     Invariant::committed_stability, "high-watermark-over-foreign-record"},
    {"log_restart keeps_high_watermark",
     [](ProtocolOptions& p) { p.log_restart = LogRestart::keeps_high_watermark; },
     Invariant::committed_stability, "high-watermark-below-log-start"},
    {"noop_truncation keeps_epochs",
     [](ProtocolOptions& p) { p.noop_truncation = NoopTruncation::keeps_epochs; }, Invariant::epoch_order,
     "cache-entry-misplaced"},
    {"stop_position_write fire_and_forget",
     [](ProtocolOptions& p) { p.stop_position_write = StopPositionWrite::fire_and_forget; },
     Invariant::state_machine, "stopped-without-position"},
    {"replication high_watermark", [](ProtocolOptions& p) { p.replication = Replication::high_watermark; },
     Invariant::follower_truncation},
};

class Variants : public testing::TestWithParam<WrongVariant> {};

TEST_P(Variants, IsCaughtByItsInvariant) {
  SwarmOptions options;
  GetParam().change(options.protocol);
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    for (const checker::Violation& violation : violations_of(options, seed)) {
      if (violation.invariant == GetParam().invariant &&
          (GetParam().kind == nullptr || violation.kind == GetParam().kind)) {
        return;
      }
    }
  }
  FAIL() << GetParam().name << " breaks " << to_string(GetParam().invariant) << " in none of 6000 seeds";
}

INSTANTIATE_TEST_SUITE_P(Wrong, Variants, testing::ValuesIn(kWrongVariants),
                         [](const testing::TestParamInfo<WrongVariant>& variant) {
                           std::string name = variant.param.name;
                           for (char& letter : name) {
                             letter = letter == ' ' ? '_' : letter;
                           }
                           return name;
                         });

TEST(AsProposed, IsAccusedOfNothingButItsKnownFindings) {
  const SwarmOptions options;
  const auto known = reports::known_findings_of(options.protocol);
  std::set<std::string> met;
  for (std::uint64_t seed = 1; seed <= 8000; ++seed) {
    for (const checker::Violation& violation : violations_of(options, seed)) {
      const auto finding =
          std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.matches(violation); });
      if (finding == known.end()) {
        ADD_FAILURE() << "seed " << seed << ": " << to_string(violation.invariant) << " (" << violation.kind
                      << "): " << violation.message;
        return;
      }
      met.emplace(finding->name);
      break;  // what follows a known finding in the same run is its consequence
    }
  }
  EXPECT_GE(met.size(), 3U) << "the swarm no longer reaches the known findings";
}

}  // namespace
}  // namespace mirrorproof::sim
