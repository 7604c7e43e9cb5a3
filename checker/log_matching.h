#pragma once
// Invariant log-matching: when records copied from a replica are appended at offset o, the copy's record at
// o-1 is the one the serving replica had at o-1 when it evaluated the fetch. Catches a missed truncation at
// once.
//
// Here as well: does the trace describe a log at all? (Batches that overlap, cuts that do not fit.)

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

/// Before the append is replayed. False: the batches do not fit the log, leave them out.
bool check_append_fits(const Replay& replay, Findings& findings, const Event& event, const Appended& append);
/// Before the append is replayed; for copies.
void check_copy(const Replay& replay, Findings& findings, const Event& event, const Appended& append);

/// Before the cut is replayed. False: it makes no sense, leave it out.
bool check_cut_fits(const Replay& replay, Findings& findings, const Event& event, const Truncated& cut);
/// After the cut was replayed: it removed as many records as it says.
void check_cut_count(const Replay& replay, Findings& findings, const Event& event, const Truncated& cut,
                     const std::vector<LogEntry>& removed);

/// Records in a list of batches.
std::int64_t record_count(const std::vector<LogEntry>& entries);

}  // namespace mirrorproof::checker
