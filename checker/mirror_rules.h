#pragma once
// Invariant state-machine: only allowed mirror state transitions (protocol.md M7); a mirrored partition
// accepts client writes only when STOPPED; fetching only in MIRRORING; a stopped mirror does nothing by
// itself.
//
// Only the leader in office is judged: a zombie cannot know.

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

/// Before the session hears of it.
void check_transition(const Replay& replay, Findings& findings, const Event& event,
                      const MirrorStateChanged& change);
void check_mirrored_append(const Replay& replay, Findings& findings, const Event& event,
                           const Appended& append);
void check_mirror_request(const Replay& replay, Findings& findings, const Event& event,
                          const RequestSent& request);

/// The checker's own table of M7: it does not ask the model what is right.
bool transition_allowed(MirrorState from, MirrorState to);

}  // namespace mirrorproof::checker
