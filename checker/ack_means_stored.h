#pragma once
// Invariant ack-means-stored: a produce answered with success names the offset where that very record is
// stored; with acks=all it lies below the high watermark.

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

void check_ack(const Replay& replay, Findings& findings, const Event& event, const ProduceAcked& acked);

}  // namespace mirrorproof::checker
