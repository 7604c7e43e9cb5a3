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
// Ids that only serve as evidence are dropped: a counterexample is judged again from its trace. So are
// - what became of batches that nobody has any more, in a log, in an answer or in a truncation that waits for
//   its verdict: batches do not come back from nowhere;
// - as landmarks, the elections and take-overs that no fate names and none ever will: whose successor reigns,
//   and whose epoch every broker that is up has reached. A fate that is still to come is made by who takes
//   over next, or by a broker that writes in an epoch that is over, and names an election of a later epoch
//   than theirs;
// - where nobody is ever behind, these elections as a whole, and in which reign an offset was committed: that
//   is asked for followers of an earlier epoch only.

#include <optional>
#include <span>
#include <vector>

#include "checker/committed_stability.h"
#include "checker/epoch_identity.h"
#include "checker/epoch_order.h"
#include "checker/provenance.h"
#include "checker/replay.h"
#include "checker/version_safety.h"
#include "model/byte_codec.h"
#include "model/state_sections.h"

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

/// What the judge cannot know of the world, and what of its memory nobody will ask for again depends on.
struct WorldFacts {
  /// By cluster, then partition: the smallest leader epoch that a broker which is up may still act in.
  std::span<const Epoch> oldest_epochs;
  /// First ids of the batches in answers under way.
  std::span<const RecordId> batches_under_way;
  /// Now and from here on, brokers that are up have applied all metadata before anything else happens: then
  /// no follower is ever behind its leader's epoch.
  bool nobody_is_behind = false;
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

class JudgeMemory;

/// Beside one for each replica and one for each lineage: names of records, versions, the rest, causality.
inline constexpr std::size_t kJudgeSections = 4;

struct JudgeState {
  /// Preconditions: the judge is forgetful, no step is under way, nothing was found, no topic was created
  /// again, and there are no readers and groups. With a memory only the sections that may differ from what it
  /// remembers are written.
  static void save(JudgeParts parts, std::span<const WorldGhost> ghosts, const WorldFacts& facts,
                   const JudgeMemory* memory, StateSections& out);
  /// The ghosts get new ids, in the order in which they were saved. Returns the largest id in use. The parts
  /// must be those of a judge with the same header.
  /// With a memory, what was loaded is remembered, and sections that did not change are taken from it: the
  /// parts must be as it remembers them.
  static EventId load(JudgeParts parts, std::span<WorldGhost> ghosts, std::span<const SectionView> sections,
                      JudgeMemory* memory);
  /// What the judge remembers of the cluster's brokers, under other names: names[old] is the new one.
  /// Preconditions as for save(); it must be saved before it observes anything else.
  static void rename_brokers(JudgeParts parts, ClusterId cluster, std::span<const BrokerId> names);

 private:
  friend class JudgeMemory;
  class Saver;
  class Loader;
};

/// A state of the judge's parts to which they can go back, at the cost of what was touched since.
class JudgeMemory {
 public:
  explicit JudgeMemory(JudgeParts parts);
  /// Precondition: these parts were loaded with this memory.
  void go_back(JudgeParts parts) const;

 private:
  friend struct JudgeState;

  void remember(JudgeParts parts, std::span<const SectionView> sections, bool all_lineages, bool identities,
                bool versions);
  static void forget_touched(JudgeParts parts);

  std::vector<Replica> replicas_;
  std::vector<Lineage> lineages_;
  std::vector<std::uint32_t> landmarks_of_;  // by lineage: how many it names
  bool any_read_ = false;                    // an alignment has looked up its position, and not acted yet
  std::vector<MirrorSession> mirrors_;
  std::vector<BrokerSet> hosts_;
  std::vector<BrokerSet> joining_;
  AnswersUnderWay answers_;
  std::vector<MirrorTruncation> truncations_;
  std::optional<LandmarkSets> order_;
  Provenance provenance_;
  std::vector<Epoch> largest_mirrored_;
  bool told_any_ = false;
  EpochIdentity epoch_identity_;
  VersionSafety version_safety_;
};

}  // namespace mirrorproof::checker
