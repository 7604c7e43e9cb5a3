#include "reports/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "checker/trace_digest.h"
#include "reports/atomic_file.h"
#include "reports/failure_file.h"
#include "sim/strategy.h"

namespace mirrorproof::reports {
namespace {

using scenarios::Scenario;
using scenarios::Verdict;

constexpr std::size_t kMaxWriteProblems = 5;

thread_local bool running_seed = false;
thread_local std::uint64_t current_seed = 0;

bool has_random_steps(const sim::Setup& setup) {
  return std::any_of(setup.steps.begin(), setup.steps.end(),
                     [](const sim::ScriptStep& step) { return step.kind == sim::StepKind::random; });
}

}  // namespace

Verdict CampaignResult::verdict() const {
  if (!failures.empty() || !goals_not_met.empty()) {
    return Verdict::violated;
  }
  return counts.seeds == inconclusive ? Verdict::inconclusive : Verdict::holds;
}

const std::pair<const FailureShape, FailureGroup>* shown_failure(const CampaignResult& result) {
  const auto order = [](const auto& failure) {
    return std::make_pair(failure.first.first != checker::Invariant::truncation_provenance,
                          failure.second.first_seed);
  };
  const auto first = std::min_element(result.failures.begin(), result.failures.end(),
                                      [&](const auto& a, const auto& b) { return order(a) < order(b); });
  return first == result.failures.end() ? nullptr : &*first;
}

Scenario campaign_scenario(const CampaignPlan& plan, std::uint64_t seed) {
  Scenario scenario;
  if (plan.scenario) {
    scenario = *plan.scenario;
  } else {
    scenario.setup = sim::swarm_setup(plan.swarm, seed);
    scenario.description = "Drawn by a campaign.";
  }
  sim::RunSetup& run = scenario.setup.run;
  run.strategy = plan.strategy.value_or(run.strategy);
  run.change_points = plan.change_points.value_or(run.change_points);
  return scenario;
}

Scenario made_random(Scenario scenario, std::optional<int> max_actions, int default_actions) {
  sim::RunSetup& run = scenario.setup.run;
  if (max_actions) {
    run.max_actions = *max_actions;
  } else if (run.max_actions == 0 && !has_random_steps(scenario.setup)) {
    run.max_actions = default_actions;
  }
  run.strategy = sim::draws(run.strategy) ? run.strategy : sim::Strategy::random;
  scenario.expect = scenarios::Expect{};
  return scenario;
}

bool cut_at_mark(Scenario& scenario) {
  std::vector<sim::ScriptStep>& steps = scenario.setup.steps;
  const auto mark = std::find_if(steps.begin(), steps.end(), [](const sim::ScriptStep& step) {
    return step.kind == sim::StepKind::mark;
  });
  const bool found = mark != steps.end();
  steps.erase(mark, steps.end());
  return found;
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) {
    return text;
  }
  std::string out = "'";
  for (const char c : text) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

Campaign::Campaign(CampaignPlan plan, CampaignState state)
    : plan_(std::move(plan)), state_(std::move(state)) {
  beyond_gaps_ = state_.result.digest_seeds;
  for (const auto& [index, digest] : state_.early_digests) {
    for (; beyond_gaps_ < index; ++beyond_gaps_) {
      gaps_.push_back(beyond_gaps_);
    }
    beyond_gaps_ = index + 1;
  }
  for (const auto& [shape, group] : state_.result.failures) {
    kept_[shape].insert(group.kept_seeds.begin(), group.kept_seeds.end());
  }
}

std::uint64_t Campaign::index_at(std::uint64_t turn) const {
  return turn < gaps_.size() ? gaps_[turn] : beyond_gaps_ + (turn - gaps_.size());
}

Campaign::~Campaign() {
  give_up();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void Campaign::start() {
  running_ = plan_.jobs;
  for (int i = 0; i < plan_.jobs; ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

void Campaign::work() {
  std::exception_ptr thrown;
  try {
    while (!stopping_.load(std::memory_order_relaxed)) {
      const std::uint64_t index = index_at(next_turn_.fetch_add(1, std::memory_order_relaxed));
      if (plan_.seeds != 0 && index >= plan_.seeds) {
        break;
      }
      run_seed(index);
    }
  } catch (...) {
    thrown = std::current_exception();
    stop();
  }
  const std::scoped_lock lock(mutex_);
  if (thrown) {
    thrown_ = thrown;
  }
  --running_;
  ended_.notify_all();
}

void Campaign::run_seed(std::uint64_t index) {
  const std::uint64_t seed = plan_.seed_at(index);
  current_seed = seed;
  running_seed = true;
  const Scenario scenario = campaign_scenario(plan_, seed);
  const Evaluation evaluation = evaluate(scenario, RunKey{seed, std::nullopt}, &cancelled_);
  running_seed = false;
  if (!evaluation.cancelled) {
    record(index, scenario, evaluation);
  }
}

std::pair<bool, std::uint64_t> Campaign::seed_under_way() {
  return {running_seed, current_seed};
}

void Campaign::record(std::uint64_t index, const Scenario& scenario, const Evaluation& evaluation) {
  const std::scoped_lock lock(mutex_);
  CampaignCounts& counts = state_.result.counts;
  counts.seeds += 1;
  counts.actions += evaluation.actions;
  counts.events += evaluation.judgement.statistics.events;
  state_.result.reachability.add(evaluation.seed, evaluation.reached);
  state_.result.unclean_elections += evaluation.judgement.statistics.unclean_elections;
  for (const checker::MirrorTruncation& truncation : evaluation.judgement.mirror_truncations) {
    state_.result.truncations += 1;
    state_.result.justified_truncations += truncation.justified ? 1 : 0;
    if (truncation.excuse != checker::TruncationExcuse::none) {
      state_.result.excused_truncations[truncation.excuse] += 1;
    }
  }
  record_digest(index, evaluation);
  if (index == 0) {
    state_.first_trace = evaluation.digest;
  }
  if (evaluation.verdict == Verdict::inconclusive) {
    state_.result.inconclusive += 1;
    if (!state_.first_inconclusive || index < *state_.first_inconclusive) {
      state_.first_inconclusive = index;
      state_.result.first_problem = evaluation.problem;
    }
  }

  const SortedViolations sorted = sort_violations(evaluation.judgement.violations, plan_.known);
  state_.result.consequences += sorted.consequences;
  std::map<FailureShape, const checker::Violation*> shapes;
  for (const checker::Violation* violation : sorted.unknown) {
    shapes.emplace(FailureShape{violation->invariant, violation->kind}, violation);
  }
  for (const std::string_view name : sorted.known) {
    KnownFindingMet& met = state_.result.known[std::string(name)];
    met.first_seed = met.seeds == 0 ? evaluation.seed : std::min(met.first_seed, evaluation.seed);
    met.seeds += 1;
  }
  counts.failing_seeds += shapes.empty() ? 0 : 1;
  for (const auto& [shape, violation] : shapes) {
    record_failure(shape, *violation, scenario, evaluation);
  }
}

void Campaign::record_digest(std::uint64_t index, const Evaluation& evaluation) {
  state_.early_digests.emplace(index, evaluation.digest);
  for (auto next = state_.early_digests.begin();
       next != state_.early_digests.end() && next->first == state_.result.digest_seeds;
       next = state_.early_digests.begin()) {
    const std::uint64_t seed = plan_.seed_at(next->first);
    state_.result.digest = checker::campaign_digest(state_.result.digest, seed, next->second);
    state_.result.digest_seeds += 1;
    state_.early_digests.erase(next);
  }
}

void Campaign::record_failure(const FailureShape& shape, const checker::Violation& violation,
                              const Scenario& scenario, const Evaluation& evaluation) {
  FailureGroup& group = state_.result.failures[shape];
  const bool first = group.seeds == 0 || evaluation.seed < group.first_seed;
  group.seeds += 1;
  const bool saved = save(shape, scenario, evaluation);
  if (saved) {
    found_.push_back({shape, evaluation.seed, replay_of(shape, evaluation.seed)});
  }
  if (first) {
    group.first_seed = evaluation.seed;
    group.message = violation.message;
    group.replay = saved ? replay_of(shape, evaluation.seed) : "";
  }
}

bool Campaign::save(const FailureShape& shape, const Scenario& scenario, const Evaluation& evaluation) {
  std::set<std::uint64_t>& seeds = kept_[shape];
  const bool full = seeds.size() >= kMaxFailureFiles;
  if (full && evaluation.seed > *seeds.rbegin()) {
    return false;
  }
  std::error_code error;
  std::filesystem::create_directories(folder_of(shape), error);
  const std::string problem =
      error ? fmt::format("cannot make the folder {}: {}", folder_of(shape), error.message())
            : write_file(file_of(shape, evaluation.seed),
                         failure_to_json(scenario, evaluation, replay_of(shape, evaluation.seed)));
  if (!problem.empty()) {
    if (state_.result.write_problems.size() < kMaxWriteProblems) {
      state_.result.write_problems.push_back(problem);
    }
    return false;
  }
  if (full) {
    std::filesystem::remove(file_of(shape, *seeds.rbegin()), error);
    seeds.erase(std::prev(seeds.end()));
  }
  seeds.insert(evaluation.seed);
  return true;
}

std::string Campaign::replay_of(const FailureShape& shape, std::uint64_t seed) const {
  return "mirrorproof replay " + shell_word(file_of(shape, seed));
}

std::string failure_folder(const std::string& out_dir, const FailureShape& shape) {
  return (std::filesystem::path(out_dir) / fmt::format("{}--{}", to_string(shape.first), shape.second))
      .string();
}

std::string failure_path(const std::string& out_dir, const FailureShape& shape, std::uint64_t seed) {
  return (std::filesystem::path(failure_folder(out_dir, shape)) / fmt::format("seed-{}.json", seed)).string();
}

std::string shrunk_path(const std::string& out_dir, const FailureShape& shape) {
  return (std::filesystem::path(failure_folder(out_dir, shape)) / "shrunk.json").string();
}

bool Campaign::wait_for(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, patience, [&] { return running_ == 0; });
}

CampaignCounts Campaign::counts() const {
  const std::scoped_lock lock(mutex_);
  return state_.result.counts;
}

std::size_t Campaign::points_reached() const {
  const std::scoped_lock lock(mutex_);
  return state_.result.reachability.points_reached();
}

std::vector<FoundFailure> Campaign::take_found() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(found_, {});
}

CampaignState Campaign::state() const {
  const std::scoped_lock lock(mutex_);
  CampaignState state = state_;
  for (auto& [shape, group] : state.result.failures) {
    const auto kept = kept_.find(shape);
    if (kept != kept_.end()) {
      group.kept_seeds.assign(kept->second.begin(), kept->second.end());
    }
  }
  return state;
}

CampaignState Campaign::finish() {
  for (std::thread& thread : threads_) {
    thread.join();
  }
  threads_.clear();
  if (thrown_) {
    std::rethrow_exception(thrown_);
  }
  state_.result.goals_not_met = goals_not_met(plan_.goals, state_.result.reachability);
  return state();
}

}  // namespace mirrorproof::reports
