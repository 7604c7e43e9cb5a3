// Coverage-guided search for runs that break an invariant: the bytes are choices. What it finds is saved as a
// failure file, which `mirrorproof replay` replays and `mirrorproof shrink` cuts down.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "model/protocol_presets.h"
#include "reports/atomic_file.h"
#include "reports/evaluation.h"
#include "reports/failure_file.h"
#include "reports/known_findings.h"
#include "tests/fuzz/choice_bytes.h"

namespace mirrorproof::fuzzing {
namespace {

void try_run(const ByteRun& run) {
  scenarios::Scenario scenario;
  scenario.setup = setup_of_run(run);
  scenario.description = "Found by coverage-guided fuzzing.";
  int& actions = scenario.setup.run.max_actions;
  actions = static_cast<int>(std::min(static_cast<std::size_t>(actions), run.choices.size()));
  const reports::Evaluation evaluation = reports::evaluate(scenario, {run.seed, run.choices});
  static const std::array known{reports::known_findings_of(preset_options(Preset::as_proposed)),
                                reports::known_findings_of(preset_options(Preset::hardened))};
  const reports::SortedViolations sorted = reports::sort_violations(
      evaluation.judgement.violations, known[run.preset == Preset::as_proposed ? 0 : 1]);
  if (sorted.unknown.empty()) {
    return;
  }
  const checker::Violation* violation = sorted.unknown.front();
  const std::string file = fmt::format("failure-{}.json", reports::digest_text(evaluation.digest));
  const std::string replay = fmt::format("mirrorproof replay {}", file);
  const std::string problem =
      reports::write_file(file, reports::failure_to_json(scenario, evaluation, replay));
  fmt::print(stderr, "{} ({}): {}\n", to_string(violation->invariant), violation->kind, violation->message);
  if (problem.empty()) {
    fmt::print(stderr, "saved: {}\nreplay: {}\n", file, replay);
  } else {
    fmt::print(stderr, "not saved: {}\n", problem);
  }
  std::abort();
}

}  // namespace
}  // namespace mirrorproof::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mirrorproof::fuzzing::try_run(mirrorproof::fuzzing::run_from_bytes({data, size}));
  return 0;
}
