#pragma once
// Invariant follower-truncation: a follower's truncation removes only records its leader lacks, each never
// committed in that cluster, or removed from the leader by alignment or by a justified mirror truncation, or
// killed by a ULE (or after a power loss) of that cluster.

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

/// For cuts that neither a mirror nor a power loss made; `removed` is what is gone.
void check_follower_truncation(const Replay& replay, Findings& findings, const Event& event,
                               const Truncated& cut, const std::vector<LogEntry>& removed);

/// A follower that goes along with a cut of a mirror's leader gives up what its own log cleaner had taken for
/// the sake of what is cut: the cut has that on its conscience, and the mirror copies it again. `removed` is
/// what went, gaps as well.
void give_up_gaps(Replay& replay, const Event& event, const std::vector<LogEntry>& removed);

}  // namespace mirrorproof::checker
