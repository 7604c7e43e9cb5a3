// How many states per second an exhaustive search goes through, on worlds of scenarios/proofs/, with one
// thread and with two. Beside it a loop that does nothing but copy, change and hash small states: a machine
// that is slower than yesterday is slower there as well.

#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string>

#include "explore/explore.h"
#include "explore/state_codec.h"

namespace mirrorproof {
namespace {

void BM_CalibrateCopyAndHash(benchmark::State& state) {
  std::array<std::uint8_t, 256> bytes{};
  std::uint64_t sum = 0;
  std::uint64_t states = 0;
  for ([[maybe_unused]] auto _ : state) {
    std::array<std::uint8_t, 256> next = bytes;
    std::memcpy(next.data() + sum % 240, &sum, sizeof(sum));
    sum += explore::fingerprint(next.data(), next.size());
    bytes = next;
    states += 1;
  }
  benchmark::DoNotOptimize(sum);
  state.counters["states/s"] = benchmark::Counter(static_cast<double>(states), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_CalibrateCopyAndHash);

void search(benchmark::State& state, const std::string& proof) {
  const scenarios::LoadResult loaded =
      scenarios::load_scenario_file(MIRRORPROOF_SOURCE_DIR "/scenarios/proofs/" + proof + ".json");
  if (!loaded.scenario) {
    state.SkipWithError("no such proof");
    return;
  }
  explore::ExploreOptions options;
  options.jobs = static_cast<int>(state.range(0));
  const std::atomic<bool> stop{false};
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    const explore::ExploreResult result = explore::explore(*loaded.scenario, options, {}, stop);
    if (result.end != explore::ExploreEnd::complete) {
      state.SkipWithError("the search is not complete");
      return;
    }
    states += result.states;
    transitions += result.transitions;
    bytes += result.frontier_bytes;
  }
  const auto rate = [](std::uint64_t count) {
    return benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsRate);
  };
  state.counters["states/s"] = rate(states);
  state.counters["transitions/s"] = rate(transitions);
  state.counters["bytes/state"] = static_cast<double>(bytes) / static_cast<double>(states);
}

void BM_ExploreUle(benchmark::State& state) {
  search(state, "ule-truncate-on-fetch");
}
BENCHMARK(BM_ExploreUle)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_ExploreFailback(benchmark::State& state) {
  search(state, "failover-failback");
}
BENCHMARK(BM_ExploreFailback)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_ExploreTwoReplicas(benchmark::State& state) {
  search(state, "failover-failback-two-replicas");
}
BENCHMARK(BM_ExploreTwoReplicas)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_ExploreAfterUle(benchmark::State& state) {
  search(state, "failback-after-ule");
}
BENCHMARK(BM_ExploreAfterUle)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mirrorproof
