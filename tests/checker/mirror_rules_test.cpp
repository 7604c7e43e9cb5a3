// state-machine, recovery-barrier, ule-policy, version-safety: what a mirror may do in which state.

#include "checker/mirror_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/mirror_state.h"
#include "tests/checker/trace_builder.h"

namespace mirrorproof::checker::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using enum MirrorState;

TEST(MirrorTransitions, AWholeLifeIsAllowed) {
  TraceBuilder trace;
  trace.lead(B0, 1);
  for (const MirrorState next : {log_alignment, mirroring, epoch_fencing, mirroring, pausing, paused,
                                 mirroring, ule_recovery, mirroring, failed, mirroring, stopping, stopped,
                                 log_alignment, failed, log_alignment, stopping, stopped}) {
    trace.state(B, next, A);
  }
  EXPECT_THAT(trace.violations(), IsEmpty());
}

// Two tables written apart must say the same; 10 x 10 pairs.
TEST(MirrorTransitions, TheCheckersTableAgreesWithTheModels) {
  const auto& states = EnumNames<MirrorState>::entries;
  int allowed = 0;
  for (const auto& [from, from_name] : states) {
    for (const auto& [to, to_name] : states) {
      EXPECT_EQ(transition_allowed(from, to), is_valid_transition(from, to))
          << from_name << " -> " << to_name;
      allowed += transition_allowed(from, to) ? 1 : 0;
    }
  }
  EXPECT_EQ(allowed, 39);
}

TEST(MirrorTransitions, AForbiddenOneIsNamed) {
  TraceBuilder trace;
  trace.lead(B0, 1);
  trace.state(B, log_alignment, A);
  trace.state(B, paused, A);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), ElementsAre("state-machine/forbidden-transition"));
  EXPECT_THAT(judgement.violations[0].message, HasSubstr("PAUSED must not follow LOG_ALIGNMENT"));
}

TEST(MirrorTransitions, ATransitionStartsFromTheStateThatIs) {
  TraceBuilder trace;
  trace.lead(B0, 1);
  trace.state(B, log_alignment, A);
  trace.state_from(B, stopped, log_alignment, A);
  EXPECT_THAT(trace.violations(), ElementsAre("state-machine/transition-from-another-state"));
}

TEST(MirrorTransitions, ADeletedMirrorStartsFromNothing) {
  TraceBuilder trace;
  trace.lead(B0, 1);
  trace.start_mirroring(B, A);
  trace.state(B, stopping, A);
  trace.state(B, stopped, A);
  trace.emit(B, kController, OperatorOrdered{OperatorAction::delete_mirror, A});
  trace.state_from(B, unknown, log_alignment, A);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(MirrorWrites, ClientsMayWriteBeforeAndAfterMirroring) {
  TraceBuilder trace;
  trace.lead(B0, 5);
  trace.write(B0);
  trace.start_mirroring(B, A);
  trace.state(B, stopping, A);
  trace.write(B0, 1, BatchKind::abort_marker);
  trace.write(B0, 1, BatchKind::pid_reset);
  trace.state(B, stopped, A);
  trace.write(B0);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(MirrorWrites, ClientsMayNotWriteIntoARunningMirror) {
  for (const MirrorState state :
       {log_alignment, mirroring, stopping, failed, paused, ule_recovery, epoch_fencing}) {
    TraceBuilder trace;
    trace.lead(B0, 5);
    trace.state_from(B, unknown, log_alignment, A);
    trace.state_from(B, log_alignment, state, A);
    trace.write(B0);
    EXPECT_THAT(trace.violations(), ::testing::Contains("state-machine/write-into-running-mirror"))
        << to_string(state);
  }
}

TEST(MirrorWrites, AZombieCannotKnow) {
  TraceBuilder trace;
  trace.lead(B0, 5);
  trace.lead(B1, 6);
  trace.start_mirroring(B, A);
  trace.write(B0);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(MirrorFetches, OnlyWhileMirroring) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 5);
  trace.write(A0);
  trace.state(B, log_alignment, A);
  trace.ask(B0, A0);
  EXPECT_THAT(trace.violations(), ElementsAre("state-machine/fetch-outside-mirroring"));
}

TEST(MirrorFetches, OtherRequestsBelongToOtherStates) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 5);
  trace.state(B, log_alignment, A);
  trace.ask(B0, A0, ApiKey::describe_cluster_mirrors);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(MirrorFetches, AStoppedMirrorDoesNothing) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 5);
  trace.write(A0);
  trace.start_mirroring(B, A);
  trace.state(B, stopping, A);
  trace.state(B, stopped, A);
  trace.copy(A0, B0);
  EXPECT_THAT(trace.violations(), ElementsAre("state-machine/stopped-mirror-sent-request",
                                              "state-machine/stopped-mirror-appended"));
}

TEST(MirrorFetches, AnAnswerThatComesTooLateIsNotUsed) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 5);
  const Batch batch = trace.write(A0);
  trace.start_mirroring(B, A);
  const EventId received = trace.ask(B0, A0, ApiKey::fetch, 0);
  trace.state(B, pausing, A);
  trace.state(B, paused, A);
  trace.append(B0, AppendOrigin::mirror, batch, {received});
  EXPECT_THAT(trace.violations(), ElementsAre("state-machine/appended-outside-mirroring"));
}

// protocol.md M29: the fetcher is removed in PAUSING.
TEST(MirrorFetches, MayGoOnUntilPausingIsDone) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 5);
  trace.write(A0);
  trace.start_mirroring(B, A);
  trace.state(B, pausing, A);
  trace.copy(A0, B0);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(MirrorFetches, TheFollowersOfAMirrorFetchInEveryState) {
  TraceBuilder trace;
  trace.lead(B0, 5);
  trace.write(B0);
  trace.state(B, log_alignment, A);
  trace.copy(B0, B1);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

// --- recovery-barrier ---

TraceBuilder recovering() {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 5);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.write(A0);
  trace.start_mirroring(B, A);
  trace.copy(A0, B0);
  trace.copy(B0, B1);
  trace.copy(B0, B2, 1);
  trace.lead(A1, 1, ElectionKind::unclean);
  trace.step();
  const EventId received = trace.ask(B0, A1);
  trace.diverged(B0, 1, A);
  trace.state(B, ule_recovery, A);
  trace.cut(B0, 1, TruncationReason::diverging_epoch, true, {received});
  trace.step();
  return trace;
}

TEST(RecoveryBarrier, IsLeftWhenEveryReplicaAgrees) {
  TraceBuilder trace = recovering();
  trace.cut_after_answer(B1, B0, 1);
  trace.state(B, mirroring, A);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(RecoveryBarrier, IsNotLeftBefore) {
  TraceBuilder trace = recovering();
  trace.state(B, mirroring, A);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), ElementsAre("recovery-barrier/replica-still-diverges"));
  EXPECT_THAT(judgement.violations[0].message, HasSubstr("B1 still has offset 1 (epoch 0, record A#1)"));
}

TEST(RecoveryBarrier, AReplicaThatIsDownCountsToo) {
  TraceBuilder trace = recovering();
  trace.stop(B1, StopKind::crash);
  trace.state(B, mirroring, A);
  EXPECT_THAT(trace.violations(), ElementsAre("recovery-barrier/replica-still-diverges"));
}

TEST(RecoveryBarrier, BrokersThatHostNoReplicaDoNotCount) {
  TraceBuilder trace = recovering();
  trace.trace.header.partitions[0].replicas[B].erase(1);
  trace.state(B, mirroring, A);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(RecoveryBarrier, AShorterReplicaAgrees) {
  TraceBuilder trace = recovering();
  trace.cut_after_answer(B1, B0, 1);
  trace.lose_power(B1, 0);
  trace.state(B, mirroring, A);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

// --- ule-policy ---

TraceBuilder diverging(bool ule_support) {
  TraceBuilder trace;
  trace.trace.header.protocol.ule_support = ule_support;
  trace.lead(A0, 0);
  trace.lead(B0, 5);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.write(A0);
  trace.start_mirroring(B, A);
  trace.copy(A0, B0);
  trace.lead(A1, 1, ElectionKind::unclean);
  trace.step();
  return trace;
}

TEST(UlePolicy, WithoutSupportADivergenceEndsInFailed) {
  TraceBuilder trace = diverging(false);
  trace.diverged(B0, 1, A);
  trace.state(B, failed, A, false);
  trace.step();
  trace.emit(B, 0, Note{});
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(UlePolicy, WithoutSupportFailedMustBeFinal) {
  TraceBuilder trace = diverging(false);
  trace.diverged(B0, 1, A);
  trace.state(B, failed, A, true);
  EXPECT_THAT(trace.violations(), ElementsAre("ule-policy/divergence-not-failed"));
}

TEST(UlePolicy, WithoutSupportADivergenceMayNotBePassedOver) {
  TraceBuilder trace = diverging(false);
  const EventId detected = trace.diverged(B0, 1, A);
  trace.step();
  trace.state(B, failed, A, false);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), ElementsAre("ule-policy/divergence-not-failed"));
  EXPECT_EQ(judgement.violations[0].event, detected);
}

TEST(UlePolicy, WithoutSupportNothingIsRemoved) {
  TraceBuilder trace = diverging(false);
  trace.cut_after_answer(B0, A1, 1);
  EXPECT_THAT(trace.violations(), ElementsAre("ule-policy/removed-without-ule-support"));
}

TEST(UlePolicy, WithSupportADivergenceEndsInRecovery) {
  TraceBuilder trace = diverging(true);
  const EventId received = trace.ask(B0, A1);
  trace.diverged(B0, 1, A);
  trace.state(B, ule_recovery, A);
  trace.cut(B0, 1, TruncationReason::diverging_epoch, true, {received});
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(UlePolicy, WithSupportADivergenceMayNotBePassedOver) {
  TraceBuilder trace = diverging(true);
  trace.diverged(B0, 1, A);
  trace.cut_after_answer(B0, A1, 1);
  EXPECT_THAT(trace.violations(), ElementsAre("ule-policy/divergence-not-recovered"));
}

TEST(UlePolicy, WithSupportADivergenceThatRemovesNothingIsNone) {
  TraceBuilder trace = diverging(true);
  trace.diverged(B0, 2, A);
  EXPECT_THAT(trace.violations(), IsEmpty());
}

// --- version-safety ---

RequestSent fetch_to(Place server, ApiVersion version, Epoch offered, Epoch carried) {
  RequestSent request;
  request.api = ApiKey::fetch;
  request.version = version;
  request.server_cluster = server.cluster;
  request.server_broker = server.broker;
  request.fetch_offset = 0;
  request.epoch_offered = offered;
  request.epoch_carried = carried;
  return request;
}

TEST(VersionSafety, AFieldTheVersionCarriesIsCarried) {
  TraceBuilder trace;
  trace.emit(B, 0, fetch_to(A0, 12, 3, 3));
  trace.emit(B, 0, fetch_to(A0, 11, kUndefinedEpoch, kUndefinedEpoch));
  EXPECT_THAT(trace.violations(), IsEmpty());
}

TEST(VersionSafety, AFieldDroppedSilentlyIsNamed) {
  TraceBuilder trace;
  trace.emit(B, 0, fetch_to(A0, 11, 3, kUndefinedEpoch));
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), ElementsAre("version-safety/field-dropped-silently"));
  EXPECT_THAT(judgement.violations[0].message, HasSubstr("lastFetchedEpoch 3 was left out of a fetch to A0"));
}

TEST(VersionSafety, ABrokerServesWhatItServes) {
  TraceBuilder trace;
  trace.start(A0, "2.1");
  RequestHandled handled;
  handled.version = 10;
  trace.emit(A, 0, handled);
  handled.api = ApiKey::offset_for_leader_epoch;
  handled.version = 2;
  trace.emit(A, 0, handled);
  EXPECT_THAT(trace.violations(), IsEmpty());
  handled.version = 3;
  trace.emit(A, 0, handled);
  EXPECT_THAT(trace.violations(), ElementsAre("version-safety/version-not-served"));
}

TEST(VersionSafety, AnUpgradeChangesWhatIsServed) {
  TraceBuilder trace;
  trace.start(A0, "2.6");
  trace.stop(A0);
  trace.start(A0, "2.7");
  RequestHandled handled;
  handled.version = 12;
  trace.emit(A, 0, handled);
  EXPECT_THAT(trace.violations(), IsEmpty());
  trace.stop(A0);
  trace.start(A0, "2.6");
  trace.emit(A, 0, handled);
  const Judgement judgement = trace.judge();
  EXPECT_THAT(names_of(judgement), ElementsAre("version-safety/version-not-served"));
  EXPECT_THAT(judgement.violations[0].message, HasSubstr("this broker serves 0-11"));
}

// --- the last position ---

TEST(StateMachine, AMirrorIsNotStoppedBeforeItsPositionIsStored) {
  for (const bool stored : {true, false}) {
    TraceBuilder trace;
    trace.start_mirroring(B, A);
    trace.emit(B, kController, MirrorPositionStored{});
    trace.state(B, stopping, A);
    if (stored) {
      trace.emit(B, kController, MirrorPositionStored{});
    }
    trace.state_from(B, stopping, stopped, A);
    EXPECT_EQ(trace.violations(), stored
                                      ? std::vector<std::string>{}
                                      : std::vector<std::string>{"state-machine/stopped-without-position"});
  }
}

}  // namespace
}  // namespace mirrorproof::checker::testing
