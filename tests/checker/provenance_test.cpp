// truncation-provenance: which truncations of a mirror go back to an unclean leader election of its source.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checker/provenance_worlds.h"

namespace mirrorproof::checker::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

// Design, section 1: A's offset 2 was never mirrored, B wrote its own, and A starts to mirror from B.
TraceBuilder failback(Offset alignment_target) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 9);
  trace.write(A0, 2);
  trace.start_mirroring(B, A);
  trace.copy(A0, B0);
  trace.write(A0);
  trace.step();
  trace.state(B, MirrorState::stopping, A);
  trace.lead(B0, 10, ElectionKind::epoch_bump);
  trace.write(B0, 1, BatchKind::pid_reset);
  trace.state(B, MirrorState::stopped, A);
  trace.step();
  trace.state(A, MirrorState::log_alignment, B);
  trace.lead(A0, 21, ElectionKind::epoch_bump);
  trace.read_position(A0, {0, 2}, B);
  if (alignment_target < trace.log_end(A0)) {
    trace.cut(A0, alignment_target, TruncationReason::alignment, true);
  }
  trace.aligned(A0, alignment_target, {0, 2}, B);
  trace.state(A, MirrorState::mirroring, B);
  return trace;
}

TEST(Provenance, FailbackIsCleanWhenAlignmentRemovesTheRecordThatWasNeverMirrored) {
  TraceBuilder trace = failback(2);
  trace.copy(B0, A0);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), IsEmpty());
  EXPECT_THAT(judgement.mirror_truncations, IsEmpty());
  EXPECT_EQ(judgement.statistics.alignment_truncations, 1U);
}

TEST(Provenance, FailbackThatLeavesTheRecordToAFetchHasNoElectionToBlame) {
  TraceBuilder trace = failback(3);
  const EventId cut = recover(trace, A0, B0, 2);
  trace.copy(B0, A0);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), ElementsAre("alignment-exactness/kept-foreign-record",
                                               "truncation-provenance/never-in-source-lineage"));
  ASSERT_EQ(judgement.mirror_truncations.size(), 1U);
  EXPECT_FALSE(judgement.mirror_truncations[0].justified);
  EXPECT_EQ(judgement.mirror_truncations[0].event, cut);
  EXPECT_EQ(judgement.mirror_truncations[0].source, B);
  EXPECT_EQ(judgement.mirror_truncations[0].records, 1);
  EXPECT_THAT(judgement.mirror_truncations[0].unclean_elections, IsEmpty());
  EXPECT_THAT(judgement.mirror_truncations[0].path, IsEmpty());
  EXPECT_THAT(judgement.violations[1].message, ::testing::HasSubstr("topic-0 on A0"));
  EXPECT_THAT(judgement.violations[1].message, ::testing::HasSubstr("no leader of B ever held it"));
}

// An unrelated ULE of the source justifies nothing: the record never belonged there.
TEST(Provenance, AnUnrelatedUncleanElectionExcusesNothing) {
  TraceBuilder trace = failback(3);
  trace.copy(B0, B1);
  trace.lead(B1, 30, ElectionKind::unclean);
  recover(trace, A0, B1, 2);
  EXPECT_THAT(trace.violations(), Contains("truncation-provenance/never-in-source-lineage"));
}

TEST(Provenance, NamesTheUncleanElectionAndTheShortestPathFromIt) {
  TraceBuilder trace = mirrored_world();
  const EventId election = trace.elect(A, 1, 1, ElectionKind::unclean);
  const EventId take_over = trace.take_over(A1, 1);
  trace.write(A1, 2);
  trace.high_watermark(A1, 3);
  trace.step();
  const EventId cut = recover(trace, B0, A1, 1);
  trace.copy(A1, B0);

  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), IsEmpty());
  ASSERT_EQ(judgement.mirror_truncations.size(), 1U);
  const MirrorTruncation& truncation = judgement.mirror_truncations[0];
  EXPECT_TRUE(truncation.justified);
  EXPECT_EQ(truncation.records, 2);
  EXPECT_EQ(truncation.offset, 1);
  ASSERT_EQ(truncation.removed.size(), 2U);
  EXPECT_EQ(truncation.removed[0].base_offset, 1);
  EXPECT_EQ(truncation.removed[0].killer, election);
  EXPECT_EQ(truncation.removed[1].killer, election);
  EXPECT_THAT(truncation.unclean_elections, ElementsAre(election));
  // Election, take-over, A1's append, its high watermark, its answer, the receipt at B0, DivergenceDetected,
  // the cut: the receipt is a cause of the cut, so the detour over the detection is not the shortest way.
  ASSERT_GE(truncation.path.size(), 2U);
  EXPECT_EQ(truncation.path.front(), election);
  EXPECT_EQ(truncation.path[1], take_over);
  EXPECT_EQ(truncation.path.back(), cut);
  EXPECT_EQ(truncation.path.size(), 7U);
}

TEST(Provenance, ACleanElectionThatLosesRecordsIsNoExcuse) {
  TraceBuilder trace = mirrored_world();
  trace.lead(A1, 1);
  recover(trace, B0, A1, 1);
  EXPECT_THAT(trace.violations(), ElementsAre("committed-stability/committed-record-lost-in-clean-election",
                                              "truncation-provenance/killed-by-clean-election"));
}

TEST(Provenance, RemovingWhatTheSourceStillHasIsNoExcuse) {
  TraceBuilder trace = mirrored_world();
  recover(trace, B0, A0, 2);
  EXPECT_THAT(trace.violations(), ElementsAre("truncation-provenance/not-killed"));
}

// The ULE happens, but the truncation acts on what an older leader said.
TEST(Provenance, AnElectionThatTheTruncationCannotKnowOfIsNotItsCause) {
  TraceBuilder trace = mirrored_world();
  const EventId received = trace.ask(B0, A0);
  trace.lead(A1, 1, ElectionKind::unclean);
  trace.step();
  trace.diverged(B0, 1, A);
  trace.state(B, MirrorState::ule_recovery, A);
  trace.cut(B0, 1, TruncationReason::diverging_epoch, true, {received});
  EXPECT_THAT(trace.violations(), ElementsAre("truncation-provenance/killer-not-in-causal-past"));
}

// The elected broker of the ULE never took over; the clean election after it did, with the ULE's ISR.
TEST(Provenance, AnUncleanElectionNeverTakenOverStillKillsWithTheNextReign) {
  TraceBuilder trace = mirrored_world();
  const EventId unclean = trace.elect(A, 1, 1, ElectionKind::unclean);
  trace.elect(A, kNoBroker, 2, ElectionKind::leaderless);
  trace.elect(A, 1, 3, ElectionKind::clean);
  trace.take_over(A1, 3);
  recover(trace, B0, A1, 1);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), IsEmpty());
  ASSERT_EQ(judgement.mirror_truncations.size(), 1U);
  EXPECT_THAT(judgement.mirror_truncations[0].unclean_elections, ElementsAre(unclean));
}

TEST(Provenance, AnUncleanElectionBeforeTheReignThatHadTheRecordIsNotItsKiller) {
  TraceBuilder trace;
  trace.lead(A1, 0);
  trace.lead(A0, 1, ElectionKind::unclean);
  trace.lead(B0, 20);
  trace.write(A0, 2);
  trace.start_mirroring(B, A);
  trace.copy(A0, B0);
  trace.lead(A1, 2);
  recover(trace, B0, A1, 0);
  EXPECT_THAT(trace.violations(), Contains("truncation-provenance/killed-by-clean-election"));
}

TEST(Provenance, ARecordThatAnotherElectionBroughtBackIsAlive) {
  TraceBuilder trace = mirrored_world();
  trace.lead(A1, 1, ElectionKind::unclean);
  trace.lead(A0, 2, ElectionKind::unclean);
  recover(trace, B0, A0, 1);
  EXPECT_THAT(trace.violations(), ElementsAre("truncation-provenance/not-killed"));
}

TEST(Provenance, ARevivalTheMirrorHasNotHeardOfDoesNotCount) {
  TraceBuilder trace = mirrored_world();
  trace.lead(A1, 1, ElectionKind::unclean);
  const EventId received = trace.ask(B0, A1);
  trace.lead(A0, 2, ElectionKind::unclean);
  trace.step();
  trace.diverged(B0, 1, A);
  trace.state(B, MirrorState::ule_recovery, A);
  trace.cut(B0, 1, TruncationReason::diverging_epoch, true, {received});
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(Provenance, ARecordKilledBroughtBackAndKilledAgainHasTheLastKiller) {
  TraceBuilder trace = mirrored_world();
  trace.lead(A1, 1, ElectionKind::unclean);
  trace.lead(A0, 2, ElectionKind::unclean);
  const EventId last = trace.elect(A, 1, 3, ElectionKind::unclean);
  trace.take_over(A1, 3);
  recover(trace, B0, A1, 1);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), IsEmpty());
  ASSERT_EQ(judgement.mirror_truncations.size(), 1U);
  EXPECT_THAT(judgement.mirror_truncations[0].unclean_elections, ElementsAre(last));
}

// A0 has been deposed, does not know it, writes on and serves the mirror.
TEST(Provenance, WhatAZombieWroteDiesWithTheElectionThatDeposedIt) {
  TraceBuilder trace = mirrored_world();
  const EventId election = trace.elect(A, 1, 1, ElectionKind::unclean);
  trace.take_over(A1, 1);
  trace.write_with_epoch(A0, 0);
  trace.copy(A0, B0);
  trace.step();
  recover(trace, B0, A1, 1);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), IsEmpty());
  ASSERT_EQ(judgement.mirror_truncations.size(), 1U);
  EXPECT_EQ(judgement.mirror_truncations[0].records, 3);
  EXPECT_EQ(judgement.mirror_truncations[0].removed[2].killer, election);
}

TEST(Provenance, WhatADeposedLeaderWritesBeforeTheNextTakesOverDiesWithIt) {
  TraceBuilder trace = mirrored_world();
  trace.elect(A, 1, 1, ElectionKind::unclean);
  trace.write_with_epoch(A0, 0);
  trace.copy(A0, B0);
  trace.take_over(A1, 1);
  recover(trace, B0, A1, 1);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(Provenance, AZombieOfACleanElectionIsNoExcuse) {
  TraceBuilder trace = mirrored_world();
  trace.copy(A0, A1);
  trace.lead(A1, 1);
  trace.write_with_epoch(A0, 0);
  trace.copy(A0, B0);
  recover(trace, B0, A1, 3);
  EXPECT_THAT(trace.violations(), ElementsAre("truncation-provenance/killed-by-clean-election"));
}

// Elections 1 (A1) and 2 (A2, unclean) are written; A2 takes over first, A1 hears of its own election
// afterwards.
TEST(Provenance, ALeaderThatTakesOverTooLateIsAZombieFromTheStart) {
  TraceBuilder trace = mirrored_world();
  trace.copy(A0, A1);
  trace.elect(A, 1, 1);
  const EventId unclean = trace.elect(A, 2, 2, ElectionKind::unclean);
  trace.take_over(A2, 2);
  trace.take_over(A1, 1);
  trace.write_with_epoch(A1, 1);
  trace.copy(A1, B0);
  recover(trace, B0, A2, 0);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), IsEmpty());
  ASSERT_EQ(judgement.mirror_truncations.size(), 1U);
  EXPECT_EQ(judgement.mirror_truncations[0].records, 4);
  EXPECT_THAT(judgement.mirror_truncations[0].unclean_elections, ElementsAre(unclean));
}

TEST(Provenance, APowerLossFollowedByACleanElectionIsNoUncleanElection) {
  TraceBuilder trace = mirrored_world();
  trace.lose_power(A0, 1);
  trace.start(A0);
  trace.lead(A0, 1);
  recover(trace, B0, A0, 1);
  EXPECT_THAT(trace.violations(), ElementsAre("truncation-provenance/killed-after-power-loss"));
}

TEST(Provenance, APowerLossFollowedByAnUncleanElectionIsOne) {
  TraceBuilder trace = mirrored_world();
  trace.lose_power(A0, 1);
  trace.start(A0);
  trace.lead(A0, 1, ElectionKind::unclean);
  recover(trace, B0, A0, 1);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(Provenance, RaisingTheEpochOfTheSameLeaderKillsNothing) {
  TraceBuilder trace = mirrored_world();
  trace.lead(A0, 1, ElectionKind::epoch_bump);
  recover(trace, B0, A0, 2);
  EXPECT_THAT(trace.violations(), ElementsAre("truncation-provenance/not-killed"));
}

TEST(Provenance, RetentionThatOvertakesAMirrorIsReportedAsSuch) {
  TraceBuilder trace = mirrored_world();
  trace.write(A0, 4);
  trace.high_watermark(A0, 7);
  trace.log_start(A0, 7);
  trace.step();
  const EventId received = trace.ask(B0, A0, ApiKey::list_offsets);
  trace.diverged(B0, 7, A, TruncationReason::out_of_range);
  trace.state(B, MirrorState::ule_recovery, A);
  trace.cut(B0, 7, TruncationReason::out_of_range, true, {received}, 7);
  trace.high_watermark(B0, 7);
  EXPECT_THAT(trace.violations(), ElementsAre("truncation-provenance/retention-overtook-mirror"));
}

// A0 has deleted what B copied, and A1, which never had it, is elected uncleanly and writes at those offsets.
TEST(Provenance, AnUncleanElectionAlsoKillsWhatTheLeaderBeforeItHadDeleted) {
  for (const ElectionKind kind : {ElectionKind::unclean, ElectionKind::clean}) {
    TraceBuilder trace = mirrored_world();
    trace.log_start(A0, 3);
    trace.step();
    trace.lead(A1, 1, kind);
    trace.write(A1);
    recover(trace, B0, A1, 1);
    const bool unclean = kind == ElectionKind::unclean;
    EXPECT_EQ(trace.judge().mirror_truncations.front().justified, unclean);
  }
}

TEST(Provenance, RetentionAloneKillsNothing) {
  TraceBuilder trace = mirrored_world();
  trace.copy(A0, A1);
  trace.high_watermark(A1, 3);
  trace.log_start(A0, 3);
  trace.log_start(A1, 3);
  trace.step();
  trace.lead(A1, 1, ElectionKind::unclean);
  recover(trace, B0, A1, 1);
  EXPECT_THAT(trace.violations(), ElementsAre("truncation-provenance/not-killed"));
}

/// B0 is told of a divergence in the answer that it received, and cuts its log.
void cut_by_answer(TraceBuilder& trace, EventId received) {
  trace.diverged(B0, 1, A);
  trace.state(B, MirrorState::ule_recovery, A);
  trace.cut(B0, 1, TruncationReason::diverging_epoch, true, {received});
  trace.step();
}

// The answer was given by the old topic's leader, and arrives after the deletion.
TEST(Provenance, AnAnswerOfADeletedTopicIsJudgedByThatTopicsHistory) {
  for (const bool unclean : {true, false}) {
    TraceBuilder trace = mirrored_world();
    trace.lead(A1, 1, unclean ? ElectionKind::unclean : ElectionKind::epoch_bump);
    trace.step();
    const EventId received = trace.ask(B0, A1);
    trace.emit(A, kController, TopicRecreated{2});
    trace.step();
    cut_by_answer(trace, received);
    const Judgement judgement = trace.judge();
    ASSERT_EQ(judgement.mirror_truncations.size(), 1U);
    EXPECT_EQ(judgement.mirror_truncations.front().justified, unclean);
  }
}

// A1 has not heard of the deletion yet. Nobody can tell any more what was lost in the old topic.
TEST(Provenance, AnAnswerAfterTheDeletionIsExcusedByName) {
  TraceBuilder trace = mirrored_world();
  trace.lead(A1, 1, ElectionKind::epoch_bump);
  trace.emit(A, kController, TopicRecreated{2});
  trace.step();
  const EventId received = trace.ask(B0, A1);
  cut_by_answer(trace, received);
  const Judgement judgement = trace.judge();
  ASSERT_EQ(judgement.mirror_truncations.size(), 1U);
  const MirrorTruncation& truncation = judgement.mirror_truncations.front();
  EXPECT_FALSE(truncation.justified);
  EXPECT_EQ(truncation.excuse, TruncationExcuse::source_topic_deleted);
  EXPECT_TRUE(truncation.licensed());
  EXPECT_THAT(trace.violations(), Not(Contains(::testing::StartsWith("truncation-provenance"))));
}

TEST(Provenance, WithoutAKnownSourceNothingIsJustified) {
  TraceBuilder trace;
  trace.lead(B0, 1);
  trace.write(B0);
  trace.cut(B0, 0, TruncationReason::diverging_epoch, true);
  EXPECT_THAT(trace.violations(), ElementsAre("truncation-provenance/no-source"));
}

// A1 is elected uncleanly and slow; A2, which has only the first record, serves the mirror in the new epoch
// before A1 takes over.
TraceBuilder served_before_the_take_over() {
  TraceBuilder trace = mirrored_world();
  trace.copy(A1, A2);
  trace.elect(A, 1, 1, ElectionKind::unclean);
  trace.follow(A2, 1, 1);
  recover(trace, B0, A2, 1);
  return trace;
}

TEST(Provenance, AnElectionHeardOfBeforeItsTakeOverIsWaitedFor) {
  TraceBuilder trace = served_before_the_take_over();
  trace.take_over(A1, 1);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), IsEmpty());
  ASSERT_EQ(judgement.mirror_truncations.size(), 1U);
  EXPECT_TRUE(judgement.mirror_truncations[0].justified);
  EXPECT_THAT(judgement.mirror_truncations[0].unclean_elections, ::testing::SizeIs(1));
}

TEST(Provenance, AnElectionWaitedForMayTurnOutToKillNothing) {
  TraceBuilder trace = served_before_the_take_over();
  trace.copy(A0, A1);
  trace.take_over(A1, 1);
  EXPECT_THAT(trace.violations(), ElementsAre("truncation-provenance/not-killed"));
}

TEST(Provenance, AtTheEndTheElectedBrokersLogDecides) {
  TraceBuilder shorter = served_before_the_take_over();
  EXPECT_THAT(shorter.violations(), IsEmpty());
  TraceBuilder longer = served_before_the_take_over();
  longer.copy(A0, A1);
  EXPECT_THAT(longer.violations(), ElementsAre("truncation-provenance/not-killed"));
}

// B0 truncated for a ULE of A; B1, which has not, is elected cleanly and truncates again.
TEST(Provenance, AReplicaThatStillHadTheRecordsTruncatesForTheSameElection) {
  TraceBuilder trace = mirrored_world();
  trace.copy(B0, B1);
  const EventId election = trace.elect(A, 1, 1, ElectionKind::unclean);
  trace.take_over(A1, 1);
  recover(trace, B0, A1, 1);
  trace.state(B, MirrorState::ule_recovery, A);
  trace.lead(B1, 21);
  trace.step();
  trace.cut_after_answer(B1, A1, 1);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(judgement.mirror_truncations, ::testing::SizeIs(2));
  EXPECT_TRUE(judgement.mirror_truncations.back().justified);
  EXPECT_THAT(judgement.mirror_truncations.back().unclean_elections, ElementsAre(election));
}

}  // namespace
}  // namespace mirrorproof::checker::testing
