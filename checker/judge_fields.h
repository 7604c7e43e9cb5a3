#pragma once
// The plain fields of the judge's structs, for judge_state.cpp (see model/state_fields.h).

#include "checker/answers.h"
#include "checker/lineage.h"
#include "checker/replay.h"
#include "model/state_fields.h"

namespace mirrorproof::checker {

template <class A, Is<Neighbour> S>
void fields(A& archive, S& neighbour) {
  archive(neighbour.kind);
  if (neighbour.kind == Neighbour::Kind::record) {
    archive(neighbour.epoch, neighbour.id);
  }
}
/// Without `handled`.
template <class A, Is<Answer> S>
void fields(A& archive, S& answer) {
  archive(answer.server_cluster, answer.server_broker, answer.first_offset, answer.before);
}
/// Without what only `convergence` and readers ask for: searches do not wait for a world to rest.
template <class A, Is<MirrorSession> S>
void fields(A& archive, S& session) {
  archive(session.state, session.source, session.ever_started, session.deleted, session.position_stored,
          session.has_mirrored);
}
/// Without the event, the leader, and what follows from the elections before it.
template <class A, Is<ElectionRecord> S>
void fields(A& archive, S& record) {
  archive(record.epoch, record.kind);
}
/// Without the event and the leader.
template <class A, Is<Reign> S>
void fields(A& archive, S& reign) {
  archive(reign.epoch);
}
/// Without the event and the truncation.
template <class A, Is<Fate> S>
void fields(A& archive, S& fate) {
  archive(fate.kind, fate.after_power_loss, fate.after_mirror_cut, fate.committed, fate.unclean);
}

}  // namespace mirrorproof::checker
