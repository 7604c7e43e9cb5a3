// Inputs that coverage-guided fuzzing starts from: runs of the first seeds, as bytes and as traces.
//
//   fuzz_inputs choices|traces FOLDER SEEDS

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "checker/trace_writer.h"
#include "model/protocol_presets.h"
#include "reports/atomic_file.h"
#include "sim/runner.h"
#include "tests/fuzz/choice_bytes.h"

namespace mirrorproof::fuzzing {
namespace {

/// Longer traces take too long to try many.
constexpr std::size_t kTraceEvents = 60;

std::string input(std::string_view kind, std::uint32_t seed) {
  ByteRun run;
  run.preset = seed % 2 == 0 ? Preset::hardened : Preset::as_proposed;
  run.seed = seed;
  const sim::Setup setup = setup_of_run(run);
  sim::RunResult result = sim::run_seed(setup, seed);
  if (kind == "choices") {
    run.choices = std::move(result.outcome.choices);
    const auto bytes = bytes_of_run(run);
    return {bytes.begin(), bytes.end()};
  }
  if (result.trace.events.size() > kTraceEvents) {
    result.trace.events.resize(kTraceEvents);
  }
  return checker::trace_to_text(result.trace);
}

int write_inputs(std::string_view kind, const std::string& folder, std::uint32_t seeds) {
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    const std::string problem =
        reports::write_file(fmt::format("{}/seed-{}", folder, seed), input(kind, seed));
    if (!problem.empty()) {
      fmt::print(stderr, "{}\n", problem);
      return EXIT_FAILURE;
    }
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace mirrorproof::fuzzing

int main(int argc, char** argv) {
  const std::string_view kind = argc == 4 ? argv[1] : "";
  const long seeds = argc == 4 ? std::strtol(argv[3], nullptr, 10) : 0;
  if ((kind != "choices" && kind != "traces") || seeds < 1 || seeds > 100'000) {
    fmt::print(stderr, "usage: fuzz_inputs choices|traces FOLDER SEEDS (1 to 100000)\n");
    return 2;
  }
  return mirrorproof::fuzzing::write_inputs(kind, argv[2], static_cast<std::uint32_t>(seeds));
}
