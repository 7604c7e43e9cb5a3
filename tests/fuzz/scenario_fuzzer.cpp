// Whatever the text, the scenario loader answers with a scenario or with problems that can be printed. What
// it accepts is written and read again without a change, and a short one is run and judged.

#include <algorithm>
#include <string>
#include <string_view>

#include "model/check.h"
#include "reports/evaluation.h"
#include "scenarios/scenario.h"

namespace mirrorproof::fuzzing {
namespace {

constexpr std::size_t kMostSteps = 64;
constexpr int kMostRandomActions = 200;

/// Runs of larger ones take too long to try many.
bool is_short(const sim::Setup& setup) {
  int random = setup.run.max_actions;
  for (const sim::ScriptStep& step : setup.steps) {
    random += step.kind == sim::StepKind::random ? step.count : 0;
  }
  return setup.steps.size() <= kMostSteps && random <= kMostRandomActions;
}

void try_text(std::string_view text) {
  const scenarios::LoadResult loaded = scenarios::load_scenario(text, "input");
  MP_CHECK(loaded.scenario.has_value() == loaded.problems.empty(), "a scenario, or what is wrong with it");
  for (const scenarios::Problem& problem : loaded.problems) {
    const std::string line = scenarios::format_problem(problem);
    MP_CHECK(std::none_of(line.begin(), line.end(),
                          [](char letter) { return static_cast<unsigned char>(letter) < ' '; }),
             "a problem is one line of printable text");
  }
  if (!loaded.scenario) {
    return;
  }
  const std::string canonical = scenarios::to_json(*loaded.scenario);
  const scenarios::LoadResult again = scenarios::load_scenario(canonical, "canonical");
  MP_CHECK(again.scenario.has_value(), "the canonical text is accepted");
  MP_CHECK(scenarios::to_json(*again.scenario) == canonical, "the canonical text stays as it is");
  if (is_short(loaded.scenario->setup)) {
    reports::evaluate(*loaded.scenario, loaded.scenario->setup.run.first_seed);
  }
}

}  // namespace
}  // namespace mirrorproof::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mirrorproof::fuzzing::try_text({reinterpret_cast<const char*>(data), size});
  return 0;
}
