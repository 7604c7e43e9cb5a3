// Which known findings may be behind a violation, and what follows for shrinking.

#include "reports/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/protocol_presets.h"
#include "reports/finding_mends.h"
#include "reports/shrink.h"

namespace mirrorproof::cli_tests {
namespace {

using checker::Circumstance;
using checker::Invariant;
using reports::explain_all;
using testing::ElementsAre;
using testing::IsEmpty;

checker::Violation violation(Invariant invariant, std::string kind, EventId event, PartitionId partition = 0,
                             std::initializer_list<Circumstance> circumstances = {}) {
  checker::Violation out;
  out.invariant = invariant;
  out.kind = std::move(kind);
  out.event = event;
  out.partition = partition;
  for (const Circumstance each : circumstances) {
    out.circumstances.add(each);
  }
  return out;
}

checker::Violation power_loss_cut(EventId event, PartitionId partition = 0) {
  return violation(Invariant::truncation_provenance, "killed-after-power-loss", event, partition,
                   {Circumstance::power_loss});
}

checker::Violation divergence(EventId event, PartitionId partition = 0) {
  return violation(Invariant::log_matching, "copy-diverged", event, partition);
}

TEST(Explanation, AFindingExplainsWhatBearsItsSignWhereItIsNotMended) {
  const std::vector<checker::Violation> run{power_loss_cut(1)};
  ProtocolOptions protocol = preset_options(Preset::hardened);
  const auto explain = [&] {
    return explain_all(run, protocol, Invariant::truncation_provenance, "killed-after-power-loss");
  };
  EXPECT_THAT(explain().at(0).findings, IsEmpty());
  protocol.elr_on_every_release = false;
  EXPECT_THAT(explain().at(0).findings, ElementsAre("power-loss-without-an-unclean-election"));
}

TEST(Explanation, WhatBreaksLaterInThePartitionMayBeItsWork) {
  // Found in another order than that of the events.
  const std::vector<checker::Violation> run{divergence(5), divergence(1), divergence(6, 1),
                                            power_loss_cut(3)};
  const auto all = explain_all(run, ProtocolOptions{}, Invariant::log_matching, "copy-diverged");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].violation->event, 1U);
  EXPECT_THAT(all[0].findings, IsEmpty());
  EXPECT_EQ(all[1].violation->event, 5U);
  EXPECT_THAT(all[1].findings, ElementsAre("power-loss-without-an-unclean-election"));
  EXPECT_THAT(all[2].findings, IsEmpty());
}

TEST(Explanation, TheHardenedProtocolMendsWhatTheTableSays) {
  const ProtocolOptions hardened = preset_options(Preset::hardened);
  for (const reports::FindingMend& mend : reports::finding_mends()) {
    EXPECT_FALSE(reports::may_come_about(mend.finding, hardened)) << mend.finding;
  }
}

TEST(Explanation, WhatIsNoKnownFindingIsShrunkFirst) {
  reports::Evaluation run;
  run.judgement.violations = {power_loss_cut(1), divergence(2, 1)};
  EXPECT_EQ(reports::target_of(run, ProtocolOptions{})->kind, "copy-diverged");
  EXPECT_EQ(reports::target_of(run, ProtocolOptions{}, Invariant::truncation_provenance)->kind,
            "killed-after-power-loss");
  run.judgement.violations.pop_back();
  EXPECT_EQ(reports::target_of(run, ProtocolOptions{})->kind, "killed-after-power-loss");
}

}  // namespace
}  // namespace mirrorproof::cli_tests
