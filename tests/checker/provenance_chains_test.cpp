// truncation-provenance along chains of mirrors: what a truncation upstream justifies downstream.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checker/provenance_worlds.h"

namespace mirrorproof::checker::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A -> B -> C: three committed records of A0, copied all the way; A1 has only the first.
TraceBuilder chain() {
  TraceBuilder trace(3);
  trace.lead(A0, 0);
  trace.lead(B0, 20);
  trace.lead(C0, 40);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.write(A0, 2);
  trace.high_watermark(A0, 3);
  trace.start_mirroring(B, A);
  trace.start_mirroring(C, B);
  trace.copy(A0, B0);
  trace.high_watermark(B0, 3);
  trace.copy(B0, C0);
  trace.step();
  return trace;
}

TEST(Provenance, AChainGoesBackToTheElectionAtItsHead) {
  TraceBuilder trace = chain();
  const EventId election = trace.elect(A, 1, 1, ElectionKind::unclean);
  trace.take_over(A1, 1);
  const EventId first = recover(trace, B0, A1, 1);
  const EventId second = recover(trace, C0, B0, 1);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), IsEmpty());
  ASSERT_EQ(judgement.mirror_truncations.size(), 2U);
  EXPECT_TRUE(judgement.mirror_truncations[1].justified);
  EXPECT_EQ(judgement.mirror_truncations[1].removed[0].killer, first);
  EXPECT_THAT(judgement.mirror_truncations[1].unclean_elections, ElementsAre(election));
  EXPECT_EQ(judgement.mirror_truncations[1].path.front(), election);
  EXPECT_EQ(judgement.mirror_truncations[1].path.back(), second);
  EXPECT_THAT(judgement.mirror_truncations[1].path, Contains(first));
}

// B0's truncation waits for A1 to take over; C0's, which follows from it, waits with it.
TEST(Provenance, AChainWaitsForItsHead) {
  TraceBuilder trace = chain();
  trace.copy(A1, A2);
  const EventId election = trace.elect(A, 1, 1, ElectionKind::unclean);
  trace.follow(A2, 1, 1);
  recover(trace, B0, A2, 1);
  recover(trace, C0, B0, 1);
  const Judgement before = trace.judge();
  trace.take_over(A1, 1);
  for (const Judgement& judgement : {before, trace.judge()}) {
    EXPECT_THAT(names_of(judgement), IsEmpty());
    ASSERT_EQ(judgement.mirror_truncations.size(), 2U);
    EXPECT_THAT(judgement.mirror_truncations[1].unclean_elections, ElementsAre(election));
    EXPECT_EQ(judgement.mirror_truncations[1].path.front(), election);
  }
}

TEST(Provenance, AnUnjustifiedTruncationUpstreamJustifiesNothingDownstream) {
  TraceBuilder trace = chain();
  recover(trace, B0, A0, 1);
  recover(trace, C0, B0, 1);
  EXPECT_THAT(trace.violations(),
              ElementsAre("truncation-provenance/not-killed",
                          "truncation-provenance/killed-by-unjustified-upstream-truncation"));
}

TEST(Provenance, AnAlignmentUpstreamIsNoUncleanElection) {
  TraceBuilder trace(3);
  trace.lead(B0, 20);
  trace.lead(A0, 0);
  trace.lead(C0, 40);
  trace.write(B0, 2);
  trace.start_mirroring(C, B);
  trace.copy(B0, C0);
  trace.state(B, MirrorState::log_alignment, A);
  trace.cut(B0, 0, TruncationReason::alignment, true);
  trace.aligned(B0, 0, {}, A);
  recover(trace, C0, B0, 0);
  EXPECT_THAT(trace.violations(), ElementsAre("truncation-provenance/killed-by-upstream-alignment"));
}

}  // namespace
}  // namespace mirrorproof::checker::testing
