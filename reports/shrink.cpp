#include "reports/shrink.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/check.h"
#include "reports/shrink_script.h"
#include "reports/shrink_setup.h"
#include "reports/shrink_trial.h"

namespace mirrorproof::reports {
namespace {

using scenarios::Scenario;

/// Of the violations that may be meant, the one that the fewest known findings may be behind: what a campaign
/// files is not what it knows.
FindingNames least_explanation(const Evaluation& run, const ProtocolOptions& protocol,
                               const ShrinkTarget& target) {
  std::vector<Explained> all = explain_all(run.judgement.violations, protocol, target.invariant, target.kind);
  MP_CHECK(!all.empty(), "a run that is shrunk breaks the target");
  return std::min_element(all.begin(), all.end(),
                          [](const Explained& left, const Explained& right) {
                            return left.findings.size() < right.findings.size();
                          })
      ->findings;
}

/// A run of the whole file, as `run` does it, reaches the goal.
bool file_breaks(const Scenario& scenario, const ShrinkGoal& goal) {
  const scenarios::LoadResult loaded = scenarios::load_scenario(scenarios::to_json(scenario), "");
  if (!loaded.scenario) {
    return false;
  }
  const Evaluation run = evaluate(*loaded.scenario, RunKey{});
  return run.as_expected && goal.reached_by(run.judgement.violations, scenario.setup.protocol) != nullptr;
}

class Shrinker {
 public:
  Shrinker(const Scenario& scenario, const RunKey& key, const ShrinkTarget& target,
           const ShrinkLimits& limits, const ShrinkObserver& observer)
      : name_(scenario.setup.name), limits_(limits), observer_(observer) {
    goal_ = {target, least_explanation(evaluate(scenario, key), scenario.setup.protocol, target)};
    best_.setup = scenario.setup;
    best_.setup.steps.clear();
    best_.setup.run = sim::RunSetup{};
    best_.setup.run.strategy = sim::Strategy::scripted;
    best_.setup.run.fetch_max_batches = scenario.setup.run.fetch_max_batches;
    best_.script = script_of_run(scenario, key);
    actions_before_ = best_.script.size();
    auto kept = run_leniently(best_.setup, best_.script, goal_);
    MP_CHECK(kept.has_value(), "a run, taken again as a script, ends otherwise");
    best_.script = std::move(*kept);
  }

  ShrinkResult run() {
    const ScriptShrinker script{best_.setup, [this]() -> const Script& { return best_.script; },
                                [this](const Script& candidate) { return try_script(candidate); }};
    script.settle_stretches();
    script.drop_steps();
    for (bool smaller = true; smaller && !ended();) {
      const std::size_t steps = best_.script.size();
      bool setup_shrunk = false;
      while (shrink_setup()) {
        setup_shrunk = true;
        script.drop_steps();
      }
      script.settle_stretches();
      script.drop_steps();
      script.hold_and_settle();
      script.drop_steps();
      smaller = setup_shrunk || best_.script.size() < steps;
    }
    return finish();
  }

 private:
  bool ended() const {
    return runs_ >= limits_.max_runs ||
           (limits_.cancel != nullptr && limits_.cancel->load(std::memory_order_relaxed));
  }

  std::optional<Script> attempt(const sim::Setup& setup, const Script& script) {
    if (ended()) {
      return std::nullopt;
    }
    ++runs_;
    if (observer_ && runs_ % 64 == 0) {
      observer_({best_.script.size(), runs_});
    }
    return run_leniently(setup, script, goal_);
  }

  bool try_script(const Script& candidate) {
    auto kept = attempt(best_.setup, candidate);
    if (!kept || kept->size() >= best_.script.size()) {
      return false;
    }
    // A trial stops where the invariant breaks; the file runs to its end, which may never come.
    ShrinkCandidate smaller{best_.setup, std::move(*kept)};
    if (!file_breaks(scenario_of(smaller), goal_)) {
      return false;
    }
    best_ = std::move(smaller);
    return true;
  }

  bool shrink_setup() {
    bool any = false;
    for_each_smaller_setup(best_, [&](ShrinkCandidate&& smaller) {
      if (limits_.keep_protocol && smaller.setup.protocol != best_.setup.protocol) {
        return true;
      }
      auto kept = attempt(smaller.setup, smaller.script);
      if (!kept) {
        return !ended();
      }
      smaller.script = std::move(*kept);
      if (!file_breaks(scenario_of(smaller), goal_)) {
        return !ended();
      }
      best_ = std::move(smaller);
      any = true;
      return false;
    });
    return any;
  }

  Scenario scenario_of(const ShrinkCandidate& candidate) const {
    Scenario scenario;
    scenario.setup = candidate.setup;
    scenario.setup.steps = candidate.script;
    scenario.expect.verdict = scenarios::Verdict::violated;
    scenario.expect.invariants = {std::string(to_string(goal_.target.invariant))};
    return scenario;
  }

  ShrinkResult finish() {
    ShrinkResult result;
    result.target = goal_.target;
    result.actions_before = actions_before_;
    result.steps = best_.script.size();
    result.runs = runs_;
    result.finished = !ended();
    Scenario scenario = scenario_of(best_);
    scenario.setup.name = fmt::format("{}--{}", to_string(goal_.target.invariant), goal_.target.kind);
    const Evaluation run = evaluate(scenario, RunKey{});
    scenario.description = describe(run);
    result.json = scenarios::to_json(scenario);
    scenarios::LoadResult loaded = scenarios::load_scenario(result.json, "");
    MP_CHECK(loaded.scenario && file_breaks(scenario, goal_),
             "a shrunk scenario must break what it was made of");
    result.scenario = std::move(*loaded.scenario);
    return result;
  }

  std::string describe(const Evaluation& run) const {
    const checker::Violation* found = goal_.reached_by(run.judgement.violations, best_.setup.protocol);
    const std::string what = found == nullptr ? goal_.target.kind : found->message;
    return fmt::format("Breaks {} ({}): {}. Found by {} and shrunk from {} actions to {} steps.",
                       to_string(goal_.target.invariant), goal_.target.kind, what, name_, actions_before_,
                       best_.script.size());
  }

  std::string name_;
  ShrinkGoal goal_;
  const ShrinkLimits& limits_;
  const ShrinkObserver& observer_;
  ShrinkCandidate best_;
  std::size_t actions_before_ = 0;
  std::uint64_t runs_ = 0;
};

}  // namespace

std::optional<ShrinkTarget> target_of(const Evaluation& evaluation, const ProtocolOptions& protocol,
                                      std::optional<checker::Invariant> invariant, std::string_view kind) {
  const std::vector<checker::Violation>& all = evaluation.judgement.violations;
  const auto wanted = [&](const checker::Violation& violation) {
    return (!invariant || violation.invariant == *invariant) && (kind.empty() || violation.kind == kind);
  };
  for (const checker::Violation* unknown : sort_violations(all, known_findings_of(protocol)).unknown) {
    if (wanted(*unknown)) {
      return ShrinkTarget{unknown->invariant, unknown->kind};
    }
  }
  const auto first = std::find_if(all.begin(), all.end(), wanted);
  return first == all.end() ? std::nullopt : std::optional(ShrinkTarget{first->invariant, first->kind});
}

ShrinkResult shrink(const Scenario& scenario, const RunKey& key, const ShrinkTarget& target,
                    const ShrinkLimits& limits, const ShrinkObserver& observer) {
  return Shrinker(scenario, key, target, limits, observer).run();
}

}  // namespace mirrorproof::reports
