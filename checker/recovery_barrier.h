#pragma once
// Invariant recovery-barrier: ULE_RECOVERY is left for MIRRORING only when every replica of the partition
// agrees with the leader, whether its broker is up or not. A shorter replica agrees.

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

void check_recovery_barrier(const Replay& replay, Findings& findings, const Event& event,
                            const MirrorStateChanged& change);

}  // namespace mirrorproof::checker
