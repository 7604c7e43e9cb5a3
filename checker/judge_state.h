#pragma once
// JudgeState: what the judge's future verdicts depend on, as bytes; for exhaustive search, where a state of
// the search is the world and this.
//
// Event ids have no meaning of their own. Three things are asked of them, and kept:
// - which of them are the same: numbered by first occurrence;
// - whether a *landmark* (an election, a take-over, a truncation that killed something) lies in the causal
//   past of an event that may still be a cause: a set of landmarks per such event;
// - a few comparisons of age: what a replica's log got before its last power loss, or before it answered; an
//   alignment before or after the look-up of another: places in that log, and counts.
// Ids that only serve as evidence are dropped: a counterexample is judged again from its trace.

#include <span>
#include <vector>

#include "checker/committed_stability.h"
#include "checker/epoch_identity.h"
#include "checker/epoch_order.h"
#include "checker/provenance.h"
#include "checker/replay.h"
#include "checker/version_safety.h"
#include "model/byte_codec.h"

namespace mirrorproof::checker {

/// An event that the world remembers, and may name as a cause.
struct WorldGhost {
  enum class Kind : std::uint8_t {
    cause,
    answer,         ///< a RequestHandled whose answer is under way
    position_read,  ///< a MirrorPositionRead that an alignment will name as its first cause
  };
  EventId event = 0;  ///< 0: none
  Kind kind = Kind::cause;
  PartitionId partition = kNoPartition;  ///< answer: which one it is about
};

/// The parts of a judge that outlive a step.
struct JudgeParts {
  Replay& replay;
  Provenance& provenance;
  EpochOrder& epoch_order;
  EpochIdentity& epoch_identity;
  VersionSafety& version_safety;
  RestartedLogs& restarted_logs;
};

struct JudgeState {
  /// Preconditions: the judge is forgetful, no step is under way, nothing was found, no topic was created
  /// again, and there are no readers and groups.
  static void save(JudgeParts parts, std::span<const WorldGhost> ghosts, ByteWriter& out);
  /// The ghosts get new ids, in the order in which they were saved. Returns the largest id in use. The parts
  /// must be those of a judge with the same header.
  static EventId load(JudgeParts parts, std::span<WorldGhost> ghosts, ByteReader& in);

 private:
  class Saver;
  class Loader;
};

}  // namespace mirrorproof::checker
