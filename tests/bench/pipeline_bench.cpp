// What a run costs: simulating it, judging its trace, and both together as a campaign does.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "checker/checker.h"
#include "checker/trace_digest.h"
#include "checker/trace_reader.h"
#include "checker/trace_writer.h"
#include "reports/campaign.h"
#include "reports/evaluation.h"
#include "sim/runner.h"
#include "sim/swarm.h"

namespace mirrorproof {
namespace {

sim::ScriptStep act(sim::ActionClass kind, ClusterId cluster, ClusterId other = kNoCluster,
                    std::int64_t number = 0) {
  sim::ScriptStep step;
  step.action.kind = kind;
  step.action.cluster = cluster;
  step.action.partition = 0;
  step.action.other_cluster = other;
  step.action.number = number;
  return step;
}

sim::ScriptStep settle() {
  sim::ScriptStep step;
  step.kind = sim::StepKind::settle;
  return step;
}

/// B mirrors A, is failed over to, and A mirrors back; then anything happens, `random_actions` times.
scenarios::Scenario failback(int random_actions) {
  using C = sim::ActionClass;
  scenarios::Scenario scenario;
  sim::Setup& setup = scenario.setup;
  setup.name = "failback";
  for (const char* name : {"A", "B"}) {
    setup.clusters.push_back({name, std::vector<KafkaVersion>(2, latest_kafka_version())});
  }
  setup.partitions.push_back({"orders-0", {{{0, 1}, 1}, {{0, 1}, 1}}});
  setup.mirrors.push_back({0, 1, 0, true});
  setup.mirrors.push_back({1, 0, 0, false});
  setup.faults = sim::default_faults();
  setup.steps = {act(C::produce, 0, kNoCluster, 3), settle(), act(C::stop_mirror, 1, 0),  settle(),
                 act(C::produce, 1, kNoCluster, 2), settle(), act(C::start_mirror, 0, 1), settle()};
  setup.run.max_actions = random_actions;
  return scenario;
}

void count(benchmark::State& state, const char* name, std::uint64_t total) {
  state.counters[name] = benchmark::Counter(static_cast<double>(total), benchmark::Counter::kIsRate);
}

/// Simulation alone, with its events recorded and thrown away.
void BM_Simulate(benchmark::State& state) {
  const scenarios::Scenario scenario = failback(static_cast<int>(state.range(0)));
  std::uint64_t actions = 0;
  std::uint64_t seed = 0;
  for ([[maybe_unused]] auto _ : state) {
    sim::Runner runner(scenario.setup);
    sim::SeededChoices choices(++seed);
    actions += runner.run(choices, [](std::vector<Event>&, const sim::Simulator&) { return true; }).actions;
  }
  count(state, "actions/s", actions);
}
BENCHMARK(BM_Simulate)->Arg(500)->Arg(50'000)->Unit(benchmark::kMillisecond);

/// The checker alone, on a trace in memory. The rate must not fall with the length.
void BM_Judge(benchmark::State& state) {
  const sim::RunResult run = sim::run_seed(failback(static_cast<int>(state.range(0))).setup, 1);
  std::uint64_t events = 0;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(checker::judge(run.trace).violations.size());
    events += run.trace.events.size();
  }
  count(state, "events/s", events);
}
BENCHMARK(BM_Judge)->Arg(500)->Arg(50'000)->Unit(benchmark::kMillisecond);

void BM_Digest(benchmark::State& state) {
  const sim::RunResult run = sim::run_seed(failback(5'000).setup, 1);
  std::uint64_t events = 0;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(checker::trace_digest(run.trace));
    events += run.trace.events.size();
  }
  count(state, "events/s", events);
}
BENCHMARK(BM_Digest)->Unit(benchmark::kMillisecond);

/// A trace file, written and read back.
void BM_TraceFile(benchmark::State& state) {
  const sim::RunResult run = sim::run_seed(failback(5'000).setup, 1);
  std::uint64_t events = 0;
  for ([[maybe_unused]] auto _ : state) {
    std::stringstream file;
    checker::write_trace(file, run.trace);
    events += checker::stream_trace(
                  file, [](TraceHeader&&) {}, [](Event&&) {})
                  .events;
  }
  count(state, "events/s", events);
}
BENCHMARK(BM_TraceFile)->Unit(benchmark::kMillisecond);

/// One seed of a campaign on a scenario: 500 random actions, simulated and judged. Must take less than 1 ms.
void BM_OneSeed(benchmark::State& state) {
  const scenarios::Scenario scenario = failback(500);
  std::uint64_t seed = 0;
  std::uint64_t actions = 0;
  for ([[maybe_unused]] auto _ : state) {
    actions += reports::evaluate(scenario, ++seed).actions;
  }
  count(state, "actions/s", actions);
}
BENCHMARK(BM_OneSeed)->Unit(benchmark::kMicrosecond);

/// One seed of a campaign without a scenario: its setup is drawn, too.
void BM_OneSwarmSeed(benchmark::State& state) {
  const reports::CampaignPlan plan;
  std::uint64_t seed = 0;
  std::uint64_t actions = 0;
  for ([[maybe_unused]] auto _ : state) {
    ++seed;
    actions += reports::evaluate(reports::campaign_scenario(plan, seed), seed).actions;
  }
  count(state, "actions/s", actions);
}
BENCHMARK(BM_OneSwarmSeed)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace mirrorproof
