#pragma once
// Invariant alignment-exactness: LOG_ALIGNMENT removes no record that the source leader's log holds at that
// offset, and keeps none that it lacks, unless a ULE on the source killed it or brought it back.

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

/// At MirrorAligned; the replica remembers what the cut before it removed.
void check_alignment(const Replay& replay, Findings& findings, const Event& event,
                     const MirrorAligned& aligned);

}  // namespace mirrorproof::checker
