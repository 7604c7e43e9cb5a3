#pragma once
// Evaluation: one run of a scenario, simulated and judged, and compared with what the scenario expects.
// Nothing of the run is kept but the verdict; whoever wants to see its events has it walked again (a run is a
// pure function of scenario and choices).

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checker/checker.h"
#include "reports/reachability.h"
#include "scenarios/scenario.h"
#include "sim/runner.h"

namespace mirrorproof::reports {

/// Which run of a scenario: that of a seed, or one whose choices were recorded (the seed is then only its
/// name).
struct RunKey {
  std::uint64_t seed = 1;
  std::optional<std::vector<std::uint32_t>> choices;
};

struct Evaluation {
  std::uint64_t seed = 0;
  /// violated: an invariant is broken. inconclusive: none is, but the run could not be carried out to its
  /// end.
  scenarios::Verdict verdict = scenarios::Verdict::holds;
  bool as_expected = true;
  std::vector<std::string> not_met;  ///< every expectation that is not met, in words
  std::string problem;               ///< why the run ended early; empty if it did not
  checker::Judgement judgement;
  std::uint64_t digest = 0;  ///< of the whole trace, header included (checker/trace_digest.h)
  std::uint32_t actions = 0;
  std::vector<std::uint32_t> choices;  ///< everything drawn
  Reached reached;                     ///< what the run came to
  bool cancelled = false;              ///< given up by order of the caller: the rest means nothing
};

/// Gives the run up as soon as it is set; nullptr: never.
using CancelFlag = const std::atomic<bool>*;

/// Memory is bounded by the world and what the checker keeps, not by the length of the run.
Evaluation evaluate(const scenarios::Scenario& scenario, const RunKey& key, CancelFlag cancel = nullptr);
Evaluation evaluate(const scenarios::Scenario& scenario, std::uint64_t seed);

/// 16 lower-case hexadecimal digits.
std::string digest_text(std::uint64_t digest);

using EventSink = std::function<void(const Event&)>;

/// Carries the run out again and shows every event, in order.
void walk_events(const scenarios::Scenario& scenario, const RunKey& key, const EventSink& sink);

/// Called after the start and after each action, with the events of it. The runner tells where the run is.
using ActionSink = std::function<void(const std::vector<Event>& events, const sim::Runner& runner)>;

sim::RunOutcome walk_actions(const scenarios::Scenario& scenario, const RunKey& key, const ActionSink& sink);

/// All seeds of a scenario.
struct SeedsEvaluation {
  scenarios::Verdict verdict =
      scenarios::Verdict::holds;  ///< violated if any seed is, else inconclusive if any is
  /// For `violated`: some seed meets the expectations. Otherwise: every seed does.
  bool as_expected = true;
  std::uint64_t first_seed = 0;
  std::uint64_t seeds = 0;
  std::uint64_t holding = 0;
  std::uint64_t violated = 0;
  std::uint64_t inconclusive = 0;
  std::uint64_t as_expected_seeds = 0;
  /// The seed worth showing: the first that decides `as_expected`, else the first with a mirror truncation,
  /// else the first.
  Evaluation shown;
};

/// `after_seed` is told how many seeds are done; it may be empty.
SeedsEvaluation evaluate_seeds(const scenarios::Scenario& scenario, std::uint64_t first_seed,
                               std::uint64_t seeds,
                               const std::function<void(std::uint64_t)>& after_seed = {});
/// One run, as if it were all seeds.
SeedsEvaluation evaluate_single(const scenarios::Scenario& scenario, const RunKey& key);

/// 0 as expected, 3 inconclusive, 1 otherwise.
int exit_code_of(scenarios::Verdict verdict, bool as_expected);

}  // namespace mirrorproof::reports
