#pragma once
// Strategies: which enabled action comes next.

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/choices.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {

/// Draws the action class by weight, then an instance of it: 34 times better than uniform on the hardest
/// known bug.
class RandomStrategy {
 public:
  explicit RandomStrategy(const Setup& setup);
  /// Takes one action; false if nothing with a positive weight is enabled.
  bool step(Simulator& simulator, Choices& choices);

 private:
  std::array<std::uint32_t, kActionClassCount> weights_{};
  std::uint32_t total_ = 0;
  Actions instances_;
};

/// Draws one of all enabled actions, whatever their class; weights only switch classes off.
class UniformStrategy {
 public:
  explicit UniformStrategy(const Setup& setup);
  bool step(Simulator& simulator, Choices& choices);

 private:
  std::vector<ActionClass> classes_;
  Actions instances_;
  Actions enabled_;
};

/// Probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010), for a world in which most activities
/// never end. An activity is a class of actions of one broker, or of one controller. The activity with the
/// best priority acts; it keeps its turn while what it does moves the protocol on, and then gets a new random
/// priority, the worse the smaller its weight. At each of d change points, drawn beforehand, the activity
/// whose turn it is is starved, until the next change point gives it the first turn again: that is how a bug
/// of depth d + 1 is hit.
class PctStrategy {
 public:
  explicit PctStrategy(const Setup& setup);
  bool step(Simulator& simulator, Choices& choices);

 private:
  struct Activity {
    std::uint32_t name = 0;  ///< class, cluster and broker
    std::uint64_t turn = 0;  ///< the smallest acts
    friend bool operator==(const Activity&, const Activity&) = default;
  };

  void draw_change_points(Choices& choices);
  std::uint64_t next_turn(ActionClass kind, Choices& choices);
  Activity& activity_of(const Action& action, Choices& choices);

  std::vector<ActionClass> classes_;
  std::array<std::uint32_t, kActionClassCount> weights_{};
  std::uint32_t total_ = 0;
  std::uint32_t horizon_ = 0;  ///< actions that the run may take
  int depth_ = 0;
  bool begun_ = false;
  std::vector<std::uint32_t> change_points_;  ///< ascending
  std::vector<Activity> activities_;          ///< by name
  std::optional<std::uint32_t> starved_;
  std::uint32_t step_ = 0;
  std::uint64_t now_ = 0;
  Actions instances_;
  Actions enabled_;
};

/// The strategy that a setup asks for; class first where it asks for none that draws.
class DrawingStrategy {
 public:
  explicit DrawingStrategy(const Setup& setup);
  bool step(Simulator& simulator, Choices& choices) {
    return std::visit([&](auto& strategy) { return strategy.step(simulator, choices); }, strategy_);
  }

 private:
  std::variant<RandomStrategy, UniformStrategy, PctStrategy> strategy_;
};

/// Does the strategy draw actions after the script?
constexpr bool draws(Strategy strategy) {
  return strategy == Strategy::random || strategy == Strategy::uniform || strategy == Strategy::pct;
}

/// Called after each action; false ends the round.
using AfterAction = std::function<bool()>;

/// Rounds in which every protocol action enabled at its turn is taken once: fair, draws nothing.
class RoundRobinStrategy {
 public:
  /// One round; false if nothing was enabled.
  bool round(Simulator& simulator, const AfterAction& after_action = {});
  /// Rounds until the world rests (two rounds without progress), `max_rounds` at most. True if it rests, or
  /// was told to end.
  bool settle(Simulator& simulator, int max_rounds, const AfterAction& after_action = {});

 private:
  Actions instances_;
  bool ended_ = false;
};

/// Rounds `settle` takes before it gives up.
inline constexpr int kDefaultSettleRounds = 2000;

}  // namespace mirrorproof::sim
