#include "reports/evaluation.h"

#include <fmt/format.h>

#include <memory>

#include "checker/trace_digest.h"
#include "reports/expectations.h"
#include "sim/choices.h"

namespace mirrorproof::reports {
namespace {

using scenarios::Scenario;
using scenarios::Verdict;

std::unique_ptr<sim::Choices> choices_of(const RunKey& key) {
  if (key.choices) {
    return std::make_unique<sim::RecordedChoices>(*key.choices);
  }
  return std::make_unique<sim::SeededChoices>(key.seed);
}

/// What a seed is worth as an example of all the others.
int interest(const Scenario& scenario, const Evaluation& evaluation) {
  const bool wants_violation = scenario.expect.verdict == Verdict::violated;
  if (evaluation.as_expected == wants_violation) {
    return 3;
  }
  if (evaluation.verdict == Verdict::violated) {
    return 2;
  }
  return evaluation.judgement.mirror_truncations.empty() ? 0 : 1;
}

void add(SeedsEvaluation& all, const Scenario& scenario, Evaluation&& one) {
  switch (one.verdict) {
    case Verdict::holds:
      ++all.holding;
      break;
    case Verdict::violated:
      ++all.violated;
      break;
    case Verdict::inconclusive:
      ++all.inconclusive;
      break;
  }
  all.as_expected_seeds += one.as_expected ? 1 : 0;
  if (all.seeds == 0 || interest(scenario, one) > interest(scenario, all.shown)) {
    all.shown = std::move(one);
  }
  ++all.seeds;
}

void conclude(SeedsEvaluation& all, const Scenario& scenario) {
  all.verdict = all.violated > 0       ? Verdict::violated
                : all.inconclusive > 0 ? Verdict::inconclusive
                                       : Verdict::holds;
  all.as_expected = scenario.expect.verdict == Verdict::violated ? all.as_expected_seeds > 0
                                                                 : all.as_expected_seeds == all.seeds;
}

}  // namespace

Evaluation evaluate(const Scenario& scenario, const RunKey& key, CancelFlag cancel) {
  Evaluation evaluation;
  evaluation.seed = key.seed;
  TraceHeader header = sim::make_trace_header(scenario.setup, key.seed);
  checker::TraceDigest digest;
  digest.add(header);
  checker::Checker checker(std::move(header));
  sim::Runner runner(scenario.setup);
  const std::unique_ptr<sim::Choices> choices = choices_of(key);
  ReachObserver reach;
  sim::RunOutcome outcome = runner.run(*choices, [&](std::vector<Event>& events, const sim::Simulator& now) {
    if (now.steps() > 0) {
      reach.act(now.last_action());
    }
    for (const Event& event : events) {
      digest.add(event);
      checker.observe(event);
      reach.observe(event);
    }
    evaluation.cancelled = cancel != nullptr && cancel->load(std::memory_order_relaxed);
    return !evaluation.cancelled;
  });
  reach.finish(runner.simulator());
  evaluation.reached = reach.reached();
  evaluation.judgement = checker.finish();
  evaluation.digest = digest.value();
  evaluation.actions = outcome.actions;
  evaluation.choices = std::move(outcome.choices);
  if (outcome.end != sim::RunEnd::complete) {
    evaluation.problem = std::move(outcome.problem);
  }
  evaluation.verdict = !evaluation.judgement.holds() ? Verdict::violated
                       : !evaluation.problem.empty() ? Verdict::inconclusive
                                                     : Verdict::holds;
  evaluation.not_met = unmet_expectations(scenario, evaluation, runner.simulator().world());
  evaluation.as_expected = evaluation.not_met.empty();
  return evaluation;
}

Evaluation evaluate(const Scenario& scenario, std::uint64_t seed) {
  return evaluate(scenario, RunKey{seed, std::nullopt});
}

std::string digest_text(std::uint64_t digest) {
  return fmt::format("{:016x}", digest);
}

void walk_events(const Scenario& scenario, const RunKey& key, const EventSink& sink) {
  walk_actions(scenario, key, [&](const std::vector<Event>& events, const sim::Runner&) {
    for (const Event& event : events) {
      sink(event);
    }
  });
}

sim::RunOutcome walk_actions(const Scenario& scenario, const RunKey& key, const ActionSink& sink) {
  sim::Runner runner(scenario.setup);
  const std::unique_ptr<sim::Choices> choices = choices_of(key);
  return runner.run(*choices, [&](std::vector<Event>& events, const sim::Simulator&) {
    sink(events, runner);
    return true;
  });
}

SeedsEvaluation evaluate_seeds(const Scenario& scenario, std::uint64_t first_seed, std::uint64_t seeds,
                               const std::function<void(std::uint64_t)>& after_seed) {
  SeedsEvaluation all;
  all.first_seed = first_seed;
  for (std::uint64_t i = 0; i < seeds; ++i) {
    // Seeds wrap around like the counter they are.
    add(all, scenario, evaluate(scenario, first_seed + i));
    if (after_seed) {
      after_seed(i + 1);
    }
  }
  conclude(all, scenario);
  return all;
}

SeedsEvaluation evaluate_single(const Scenario& scenario, const RunKey& key) {
  SeedsEvaluation all;
  all.first_seed = key.seed;
  add(all, scenario, evaluate(scenario, key));
  conclude(all, scenario);
  return all;
}

int exit_code_of(Verdict verdict, bool as_expected) {
  if (as_expected) {
    return 0;
  }
  return verdict == Verdict::inconclusive ? 3 : 1;
}

}  // namespace mirrorproof::reports
