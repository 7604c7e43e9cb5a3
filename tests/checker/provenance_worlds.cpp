#include "tests/checker/provenance_worlds.h"

namespace mirrorproof::checker::testing {

TraceBuilder mirrored_world() {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(B0, 20);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.write(A0);
  trace.write(A0);
  trace.high_watermark(A0, 3);
  trace.start_mirroring(B, A);
  trace.copy(A0, B0);
  trace.step();
  return trace;
}

EventId recover(TraceBuilder& trace, Place mirror, Place source, Offset target) {
  trace.step();
  const EventId received = trace.ask(mirror, source);
  trace.diverged(mirror, target, source.cluster);
  trace.state(mirror.cluster, MirrorState::ule_recovery, source.cluster);
  const EventId cut = trace.cut(mirror, target, TruncationReason::diverging_epoch, true, {received});
  trace.step();
  trace.state(mirror.cluster, MirrorState::mirroring, source.cluster);
  trace.step();
  return cut;
}

}  // namespace mirrorproof::checker::testing
