#pragma once
// Provenance certificate: for each justified mirror truncation of a run, everything that its cause rests on,
// as JSON that a second checker can verify against the trace (provenance/verifier.h): the records, where they
// came from, the fetch that brought them, the answer that condemned them, the election that orphaned them,
// and a causal path. docs/causes.md explains every field.

#include "reports/judgement_report.h"

namespace mirrorproof::reports {

/// `source` is walked through once; `judgement` is that of the same events.
Json certificate_json(const TraceHeader& header, const EventSource& source,
                      const checker::Judgement& judgement);

}  // namespace mirrorproof::reports
