#pragma once
// Moves: what the search may do in a state, and how a move is carried out. With granularity `fine` a move is
// one action. With `coarse` some actions belong together, and some happen as soon as they can: see
// kCoarseRules, which is also what a certificate says. With `rounds` whole exchanges belong together; what
// happens to the clusters may fall between any two of them, but not into one: kRoundRules.

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "checker/checker.h"
#include "scenarios/scenario.h"
#include "sim/simulator.h"

namespace mirrorproof::explore {

using scenarios::Granularity;

/// What `coarse` and `rounds` have in common.
inline constexpr std::string_view kDecisionsAtOnce =
    "brokers apply metadata, and controllers decide on ISRs, fencing, epoch bumps and mirror positions, "
    "before anything else happens";
inline constexpr std::string_view kStepsAtOnce =
    "a mirror takes its steps, and a delayed partition goes on, before anything else happens; only a retry "
    "out of FAILED is a move of its own";

/// What `coarse` leaves out, for certificates and people.
inline constexpr std::array<std::string_view, 4> kCoarseRules{
    "a fetch inside a cluster (send, handle, receive) is one move: nothing happens in between",
    "a request to another cluster is handled as soon as it is sent; its answer is a move of its own",
    kDecisionsAtOnce, kStepsAtOnce};

/// What `rounds` leaves out.
inline constexpr std::array<std::string_view, 9> kRoundRules{
    "a mirror's exchange (send, handle, receive) is one move: nothing happens in between",
    "a follower fetches until nothing more comes, in one move",
    "a follower that has what its leader has, and knows it committed, does not fetch",
    "once no election, crash, power loss or version change is left, followers fetch before anything else "
    "happens",
    "a mirror hears of its source's leader when it is about to send or to retry, in one move with it, and "
    "from the answers it gets; a mirror that does neither hears nothing",
    "an unclean election may find a leader that has the ISR for itself: it crashes, the election takes place "
    "and it starts again, in one move that counts as the election alone",
    "ISR shrinks that do not raise the leader epoch are not counted, if there is a bound for them at all",
    kDecisionsAtOnce,
    kStepsAtOnce};

/// The rules of a granularity; none for `fine`.
std::span<const std::string_view> left_out_by(Granularity granularity);

/// The budgets a search starts with: the bounds, and nothing for what has none. The protocol's own actions
/// are not limited, but for the ISR shrinks, which stand for time that passes. `world` is the one it starts
/// with.
std::array<std::int32_t, sim::kActionClassCount> search_budgets(const scenarios::Bounds& bounds,
                                                                const sim::World& world);

/// A simulator and its judge, which sees the events of each action at once.
struct JudgedWorld {
  explicit JudgedWorld(const sim::Setup& setup);  ///< the judge is a forgetful one
  JudgedWorld(const sim::Setup& setup, checker::Checker judge);
  JudgedWorld(const JudgedWorld&) = delete;

  /// One action, judged.
  void take(const sim::Action& action);
  void observe();
  bool broken() const { return judge.violation_count() > 0; }

  std::vector<Event> events;
  sim::Simulator simulator;
  checker::Checker judge;
};

class Moves {
 public:
  explicit Moves(Granularity granularity) : granularity_(granularity) {}

  /// The moves of a state, in an order that depends on the state alone.
  void enumerate(const sim::Simulator& simulator, std::vector<sim::Action>& out);
  /// Ends early if the judge finds something. The actions taken are appended to `taken` (may be nullptr).
  void carry_out(const sim::Action& move, JudgedWorld& world, std::vector<sim::Action>* taken);
  /// Not fine: what must happen before the first move.
  void settle_start(JudgedWorld& world, std::vector<sim::Action>* taken);

 private:
  void take(const sim::Action& action, JudgedWorld& world, std::vector<sim::Action>* taken);
  void happen_at_once(JudgedWorld& world, std::vector<sim::Action>* taken);
  bool take_if_enabled(const sim::Action& action, JudgedWorld& world, std::vector<sim::Action>* taken);
  void finish_exchange(const sim::Action& sent, bool receive, JudgedWorld& world,
                       std::vector<sim::Action>* taken);
  void catch_up(const sim::Action& sent, JudgedWorld& world, std::vector<sim::Action>* taken);
  void all_catch_up(JudgedWorld& world, std::vector<sim::Action>* taken);
  void ask_after_news(const sim::Action& refresh, JudgedWorld& world, std::vector<sim::Action>* taken);
  void replace_leader(const sim::Action& election, JudgedWorld& world, std::vector<sim::Action>* taken);
  bool next_at_once(const sim::Simulator& simulator, sim::Action& out);

  Granularity granularity_;
  sim::Actions some_;
};

}  // namespace mirrorproof::explore
