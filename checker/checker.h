#pragma once
// The judge: reads a trace, event by event, and says which invariants it breaks and which unclean leader
// election each mirror truncation goes back to. It knows the event vocabulary of model/event.h and nothing
// else of the simulator.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/enum_names.h"
#include "model/event.h"

namespace mirrorproof {
struct SectionView;
class StateSections;
}  // namespace mirrorproof

namespace mirrorproof::checker {

struct WorldFacts;
struct WorldGhost;

/// The invariants of design.md section 3 that are judged from traces; names are stable.
enum class Invariant : std::uint8_t {
  truncation_provenance,
  log_matching,
  alignment_exactness,
  follower_truncation,
  committed_stability,
  epoch_order,
  epoch_identity,
  state_machine,
  recovery_barrier,
  ule_policy,
  version_safety,
  group_offset_range,
  ack_means_stored,
  reader_continuity,
  loss_report,
  convergence,
};

/// What may have happened to a partition, in any cluster (checker/circumstances.h).
enum class Circumstance : std::uint8_t {
  unclean_election,
  power_loss,
  records_deleted,  ///< a log start moved
  topic_recreated,
  mirror_started,         ///< a mirror began to work, in whatever state
  aligned,                ///< a LOG_ALIGNMENT was carried out
  aligned_again,          ///< and another one
  alignment_cut,          ///< one of them removed records
  mirror_leader_changed,  ///< the leader of a mirror's destination took over
  mirror_truncated,       ///< a mirror removed records because of what its source answered
  mirror_failed,
  mirror_stopped,
  stopping_again,  ///< STOPPING began again before it was over
  epoch_skipped,   ///< a leader took over again, and another may have led in between
  log_cleaned,     ///< some replica's log cleaner took records
  mirror_deleted,
};
struct Circumstances {
  std::uint32_t bits = 0;
  constexpr void add(Circumstance what) { bits |= 1U << static_cast<unsigned>(what); }
  constexpr bool has(Circumstance what) const { return ((bits >> static_cast<unsigned>(what)) & 1U) != 0; }
  constexpr bool contain(Circumstances others) const { return (others.bits & ~bits) == 0; }
};

/// One broken invariant at one event.
struct Violation {
  Invariant invariant = Invariant::truncation_provenance;
  /// Stable kebab-case name of the way it broke ("removed-record-never-in-lineage"), for filing and known
  /// findings.
  std::string kind;
  std::string message;  ///< for a person: who, what, which offsets, why it is wrong
  EventId event = 0;
  ClusterId cluster = kNoCluster;
  PartitionId partition = kNoPartition;
  std::vector<EventId> evidence;  ///< further events, oldest first
  Circumstances circumstances;    ///< of its partition, when it was found
};

struct RemovedRecords {
  Offset base_offset = 0;
  Offset last_offset = 0;
  Epoch epoch = kUndefinedEpoch;
  RecordId first_id;
  EventId killer = 0;  ///< the Election (or upstream Truncated) that killed them; 0 = none
};

/// Why a mirror truncation that no unclean election explains is not charged with it.
enum class TruncationExcuse : std::uint8_t {
  none,
  only_gaps,            ///< it removed no record: what went had been emptied by a log cleaner
  source_topic_deleted  ///< a topic that was deleted answered; what was lost in it nobody can tell any more
};

/// A truncation of a destination leader's log after alignment, because of what the source answered.
struct MirrorTruncation {
  EventId event = 0;
  ClusterId cluster = kNoCluster;
  BrokerId broker = kNoBroker;
  PartitionId partition = kNoPartition;
  ClusterId source = kNoCluster;
  Offset offset = 0;
  std::int64_t records = 0;
  bool justified = false;  ///< every record it removed goes back to an unclean election
  TruncationExcuse excuse = TruncationExcuse::none;  ///< only where it is not justified
  std::vector<RemovedRecords> removed;
  std::vector<EventId> unclean_elections;  ///< the ULEs at the root, oldest first
  std::vector<EventId> path;               ///< one shortest causal path, from a ULE to the truncation

  /// What rests on it is not charged either: in a chain, for instance.
  bool licensed() const { return justified || excuse == TruncationExcuse::source_topic_deleted; }
};

/// What mirrors removed although they and their source agreed on it when the source answered.
struct OverTruncationStatistics {
  std::uint64_t cuts = 0;  ///< truncations of mirrors, in LOG_ALIGNMENT or after, that removed such records
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;                  ///< at least: traces hold no sizes (checker/over_truncation.h)
  std::uint64_t records_fetched_again = 0;  ///< by the same mirror, until the trace ends
  std::uint64_t bytes_fetched_again = 0;
};

struct Statistics {
  std::uint64_t events = 0;
  std::uint64_t appended_records = 0;
  std::uint64_t elections = 0;
  std::uint64_t unclean_elections = 0;
  std::uint64_t mirror_truncations = 0;
  std::uint64_t alignment_truncations = 0;
  std::uint64_t follower_truncations = 0;
  OverTruncationStatistics over_truncation;
};

struct Judgement {
  std::vector<Violation> violations;  ///< in trace order
  std::vector<MirrorTruncation> mirror_truncations;
  Statistics statistics;
  bool holds() const { return violations.empty(); }
};

/// Incremental: one pass, amortised constant work per event (plus the records an event moves).
/// Preconditions per event (checked for foreign traces by trace_reader): ids strictly increase, causes exist
/// and are smaller, indices lie inside the header.
class Checker {
 public:
  explicit Checker(TraceHeader header);
  /// For exhaustive search: between steps its state can be saved and loaded (judge_state.h). The verdicts are
  /// the same; paths and evidence are left out.
  static Checker forgetful(TraceHeader header);
  ~Checker();
  Checker(Checker&&) noexcept;
  Checker& operator=(Checker&&) noexcept;

  void observe(const Event& event);
  /// Once, after the last event.
  Judgement finish();

  /// Violations so far (cheap; lets a campaign stop early).
  std::size_t violation_count() const;
  /// Is the invariant broken in this way so far? What is judged at the end of the trace only is not counted.
  bool found(Invariant invariant, std::string_view kind) const;
  /// In the order in which they were found; until finish().
  std::span<const Violation> violations_so_far() const;

  /// All events of one step: what is judged once it is over is judged as well.
  void observe_step(std::span<const Event> events);
  /// Forgetful judges: a truncation waits for a take-over, so that finish() may find more.
  bool has_undecided() const;
  /// Forgetful judges: see JudgeState.
  void save(std::span<const WorldGhost> ghosts, const WorldFacts& facts, StateSections& out);
  EventId load(std::span<WorldGhost> ghosts, std::span<const SectionView> sections);
  /// Loads a state to go on from more than once: save_changes() writes only the sections that may differ from
  /// it, go_back() returns to it. Sections that are as in the state loaded in this way before are not read.
  EventId load_and_remember(std::span<WorldGhost> ghosts, std::span<const SectionView> sections);
  void save_changes(std::span<const WorldGhost> ghosts, const WorldFacts& facts, StateSections& out);
  void go_back();
  /// Before it is saved: the cluster's brokers get other names, names[old] is the new one.
  void rename_brokers(ClusterId cluster, std::span<const BrokerId> names);

 private:
  class Impl;
  explicit Checker(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The whole trace at once.
Judgement judge(const Trace& trace);

}  // namespace mirrorproof::checker

namespace mirrorproof {
template <>
struct EnumNames<checker::TruncationExcuse> {
  static constexpr EnumTable<checker::TruncationExcuse, 3> entries{{
      {checker::TruncationExcuse::none, "none"},
      {checker::TruncationExcuse::only_gaps, "only-gaps"},
      {checker::TruncationExcuse::source_topic_deleted, "source-topic-deleted"},
  }};
};
template <>
struct EnumNames<checker::Invariant> {
  static constexpr EnumTable<checker::Invariant, 16> entries{{
      {checker::Invariant::truncation_provenance, "truncation-provenance"},
      {checker::Invariant::log_matching, "log-matching"},
      {checker::Invariant::alignment_exactness, "alignment-exactness"},
      {checker::Invariant::follower_truncation, "follower-truncation"},
      {checker::Invariant::committed_stability, "committed-stability"},
      {checker::Invariant::epoch_order, "epoch-order"},
      {checker::Invariant::epoch_identity, "epoch-identity"},
      {checker::Invariant::state_machine, "state-machine"},
      {checker::Invariant::recovery_barrier, "recovery-barrier"},
      {checker::Invariant::ule_policy, "ule-policy"},
      {checker::Invariant::version_safety, "version-safety"},
      {checker::Invariant::group_offset_range, "group-offset-range"},
      {checker::Invariant::ack_means_stored, "ack-means-stored"},
      {checker::Invariant::reader_continuity, "reader-continuity"},
      {checker::Invariant::loss_report, "loss-report"},
      {checker::Invariant::convergence, "convergence"},
  }};
};
}  // namespace mirrorproof
