#pragma once
// Reachability: what runs came to - actions, events, mirror states and the ways between them, error codes,
// branches of the fetcher. A hunt that never saw a state says nothing about it; this tells which those are.

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/enum_names.h"
#include "model/event.h"
#include "model/fetcher_branch.h"
#include "sim/simulator.h"

namespace mirrorproof::reports {

enum class ReachGroup : std::uint8_t {
  action,             ///< a class of actions was taken
  event,              ///< a kind of event happened
  election,           ///< clean, unclean, leaderless, epoch_bump
  mirror_state,       ///< a mirror entered the state
  mirror_transition,  ///< "MIRRORING->FAILED"
  mirror_reason,      ///< why a mirror changed its state
  in_state,           ///< "unclean_election@MIRRORING": it befell the destination of a mirror in that state
  truncation,         ///< why a log was cut; "mirror:" by what the source said
  request,            ///< "fetch:v11": a request went out at that version
  error,              ///< "fetch:fenced_leader_epoch": a broker answered so
  fetcher_branch,     ///< "replica:..." inside a cluster, "mirror:..." from the source
  kafka_version,      ///< a broker ran that release
};

inline constexpr int kReachGroupCount = 12;

/// One thing that a run may come to.
struct ReachPoint {
  ReachGroup group = ReachGroup::action;
  std::string name;
  /// A mirror state transition that the protocol does not have: reaching it is a violation.
  bool forbidden = false;

  std::string full_name() const;  ///< "mirror_transition/MIRRORING->FAILED"
};

/// All there are, group by group; the index of a point is its number everywhere below.
const std::vector<ReachPoint>& reach_points();

/// Those of them that are not forbidden.
std::size_t allowed_reach_points();

inline constexpr std::size_t kMaxReachPoints = 448;
using Reached = std::bitset<kMaxReachPoints>;

/// The ways through the fetchers of mirrors among them.
FetcherBranches mirror_branches(const Reached& reached);

/// Watches one run.
class ReachObserver {
 public:
  ReachObserver();
  /// An action that was taken, before its events are shown.
  void act(const sim::Action& action);
  void observe(const Event& event);
  /// At the end of the run.
  void finish(const sim::Simulator& simulator);
  const Reached& reached() const { return reached_; }

 private:
  void reach(ReachGroup group, std::size_t offset);
  /// Something befell a destination; its mirror is in some state.
  void befell(ClusterId cluster, PartitionId partition, std::size_t what);
  MirrorState& state_of(ClusterId cluster, PartitionId partition);

  Reached reached_;
  std::vector<MirrorState> states_;  ///< by cluster and partition
};

/// Over many runs, by point.
struct ReachCount {
  std::uint64_t seeds = 0;
  std::uint64_t first_seed = 0;
};

class Reachability {
 public:
  Reachability() : counts_(reach_points().size()) {}
  void add(std::uint64_t seed, const Reached& reached);
  /// What other seeds came to.
  void add(std::size_t point, const ReachCount& count);
  const ReachCount& of(std::size_t point) const { return counts_[point]; }
  bool reached(std::size_t point) const { return counts_[point].seeds > 0; }
  /// Of the allowed_reach_points().
  std::size_t points_reached() const;

 private:
  std::vector<ReachCount> counts_;
};

}  // namespace mirrorproof::reports

template <>
struct mirrorproof::EnumNames<mirrorproof::reports::ReachGroup> {
  using G = mirrorproof::reports::ReachGroup;
  static constexpr EnumTable<G, mirrorproof::reports::kReachGroupCount> entries{{
      {G::action, "action"},
      {G::event, "event"},
      {G::election, "election"},
      {G::mirror_state, "mirror_state"},
      {G::mirror_transition, "mirror_transition"},
      {G::mirror_reason, "mirror_reason"},
      {G::in_state, "in_state"},
      {G::truncation, "truncation"},
      {G::request, "request"},
      {G::error, "error"},
      {G::fetcher_branch, "fetcher_branch"},
      {G::kafka_version, "kafka_version"},
  }};
};
