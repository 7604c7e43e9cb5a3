#pragma once
// Where the tests of truncation-provenance begin, and the recovery that they judge.

#include "tests/checker/trace_builder.h"

namespace mirrorproof::checker::testing {

/// A0 leads A at epoch 0 and has three committed records, which B0 mirrored. A1 has only the first.
TraceBuilder mirrored_world();

/// The mirror leader notices, enters ULE_RECOVERY and cuts.
EventId recover(TraceBuilder& trace, Place mirror, Place source, Offset target);

}  // namespace mirrorproof::checker::testing
