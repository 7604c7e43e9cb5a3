#pragma once
// Runner: one run of a setup, from its first event to its last action.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/event.h"
#include "sim/choices.h"
#include "sim/setup.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {

enum class RunEnd : std::uint8_t {
  complete,       ///< script and random actions done
  step_disabled,  ///< a script step was not enabled: `problem` says why
  never_rests,    ///< a settle step used up its rounds
};

struct RunOutcome {
  RunEnd end = RunEnd::complete;
  std::string problem;  ///< for a person; with the JSON pointer of the step
  std::uint32_t actions = 0;
  std::vector<std::uint32_t> choices;  ///< everything drawn
};

/// Called with the events of each action (or of the start), in order. The buffer is reused after the call.
/// Return false to end the run.
using EventObserver = std::function<bool(std::vector<Event>& events, const Simulator& simulator)>;

class Runner {
 public:
  explicit Runner(const Setup& setup);

  /// Runs script and random actions. `observer` may be empty (events are then kept in `events()`).
  RunOutcome run(Choices& choices, const EventObserver& observer = {});

  Simulator& simulator() { return *simulator_; }
  const Simulator& simulator() const { return *simulator_; }
  std::vector<Event>& events() { return events_; }
  /// Index of the script's step under way; the number of steps once the script is done.
  std::size_t script_position() const { return script_position_; }
  /// A `converge` step, or the end of a run that converges, is under way.
  bool converging() const { return converging_; }

 private:
  bool hand_over(const EventObserver& observer);

  const Setup* setup_;
  std::vector<Event> events_;
  std::optional<Simulator> simulator_;
  std::size_t script_position_ = 0;
  bool converging_ = false;
};

/// Cluster, partition and broker names for a trace's first line.
TraceHeader make_trace_header(const Setup& setup, std::uint64_t seed);

/// The whole trace of one seed, for tests and tools.
struct RunResult {
  Trace trace;
  RunOutcome outcome;
  World world;
};
RunResult run_seed(const Setup& setup, std::uint64_t seed);
RunResult run_choices(const Setup& setup, Choices& choices, std::uint64_t seed);

}  // namespace mirrorproof::sim
