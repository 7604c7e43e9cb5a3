#pragma once
// Part of the invariant ack-means-stored: what an idempotent producer sends is stored once and in its order,
// or its acknowledgements say nothing (Kafka: ProducerStateManager, ProducerAppendInfo).

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

/// A leader's own writes, before they are replayed. Looks at the newest batches of its log only, as a broker
/// remembers only the last few of a producer; what precedes a PID_RESET is forgotten.
void check_sequences(const Replay& replay, Findings& findings, const Event& event, const Appended& append);

}  // namespace mirrorproof::checker
