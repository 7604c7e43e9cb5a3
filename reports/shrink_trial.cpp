#include "reports/shrink_trial.h"

#include <algorithm>

#include "sim/convergence.h"
#include "sim/strategy.h"

namespace mirrorproof::reports {
namespace {

/// A world that does not come to rest costs the time of many that do: give up long before `run` would.
constexpr int kTrialRounds = 400;

/// `run` needs the same for a step that leaves the broker to "whoever leads".
bool name_leader(const sim::Simulator& simulator, sim::Action& action) {
  using C = sim::ActionClass;
  const bool leads = action.kind == C::produce || action.kind == C::produce_again ||
                     action.kind == C::end_transaction || action.kind == C::read ||
                     action.kind == C::alter_partition || action.kind == C::mirror_step ||
                     action.kind == C::isr_shrink;
  if (leads && action.broker == kNoBroker) {
    action.broker = simulator.leader_of(action.cluster, action.partition);
  }
  return !leads || action.broker != kNoBroker;
}

class LenientRun {
 public:
  LenientRun(const sim::Setup& setup, const ShrinkGoal& goal)
      : goal_(goal),
        protocol_(setup.protocol),
        checker_(sim::make_trace_header(setup, 0)),
        simulator_(setup, &events_) {
    simulator_.start();
    judge();
  }

  bool broken() const { return broken_; }
  bool restless() const { return restless_; }

  /// False: the step is not enabled.
  bool take(const sim::ScriptStep& step) {
    switch (step.kind) {
      case sim::StepKind::action: {
        sim::Action action = step.action;
        if (!name_leader(simulator_, action) || !simulator_.why_not_enabled(action).empty()) {
          return false;
        }
        simulator_.execute(action);
        judge();
        return true;
      }
      case sim::StepKind::settle:
        restless_ = !round_robin_.settle(simulator_, kTrialRounds, [this] {
          judge();
          return true;
        });
        return true;
      case sim::StepKind::converge:
        sim::converge(simulator_, round_robin_, kTrialRounds, [this] {
          judge();
          return true;
        });
        return true;
      case sim::StepKind::hold:
      case sim::StepKind::release: {
        std::uint8_t& held =
            simulator_.world().clusters[step.action.cluster].brokers[step.action.broker].held;
        const auto bit = static_cast<std::uint8_t>(1U << static_cast<int>(step.held));
        const std::uint8_t before = held;
        held = static_cast<std::uint8_t>(step.kind == sim::StepKind::hold ? held | bit : held & ~bit);
        return held != before;
      }
      case sim::StepKind::random:
      case sim::StepKind::mark:
        return false;
    }
    return false;
  }

  bool broken_in_the_end() { return goal_.reached_by(checker_.finish().violations, protocol_) != nullptr; }

 private:
  void judge() {
    for (const Event& event : events_) {
      checker_.observe(event);
    }
    events_.clear();
    if (checker_.violation_count() != violations_) {
      violations_ = checker_.violation_count();
      broken_ = checker_.found(goal_.target.invariant, goal_.target.kind) &&
                goal_.reached_by(checker_.violations_so_far(), protocol_) != nullptr;
    }
  }

  const ShrinkGoal& goal_;
  const ProtocolOptions& protocol_;
  checker::Checker checker_;
  std::vector<Event> events_;
  sim::Simulator simulator_;
  sim::RoundRobinStrategy round_robin_;
  std::size_t violations_ = 0;
  bool broken_ = false;
  bool restless_ = false;
};

}  // namespace

const checker::Violation* ShrinkGoal::reached_by(std::span<const checker::Violation> violations,
                                                 const ProtocolOptions& protocol) const {
  for (const Explained& each : explain_all(violations, protocol, target.invariant, target.kind)) {
    if (std::includes(findings.begin(), findings.end(), each.findings.begin(), each.findings.end())) {
      return each.violation;
    }
  }
  return nullptr;
}

std::optional<Script> run_leniently(const sim::Setup& setup, const Script& script, const ShrinkGoal& goal) {
  LenientRun run(setup, goal);
  Script kept;
  for (const sim::ScriptStep& step : script) {
    if (run.broken()) {
      return kept;
    }
    if (run.take(step)) {
      kept.push_back(step);
    }
    if (run.restless()) {
      return std::nullopt;
    }
  }
  if (run.broken() || run.broken_in_the_end()) {
    return kept;
  }
  return std::nullopt;
}

Script script_of_run(const scenarios::Scenario& scenario, const RunKey& key) {
  Script script;
  walk_actions(scenario, key, [&](const std::vector<Event>&, const sim::Runner& runner) {
    // What a run does to converge is one step of the script.
    if (runner.converging()) {
      if (script.empty() || script.back().kind != sim::StepKind::converge) {
        script.emplace_back().kind = sim::StepKind::converge;
      }
      return;
    }
    if (runner.simulator().steps() > 0) {
      sim::ScriptStep& step = script.emplace_back();
      step.action = runner.simulator().last_action();
    }
  });
  return script;
}

sim::ScriptStep settle_step() {
  sim::ScriptStep step;
  step.kind = sim::StepKind::settle;
  return step;
}

}  // namespace mirrorproof::reports
