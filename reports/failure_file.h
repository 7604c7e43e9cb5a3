#pragma once
// Failure files: one failing run, self-contained. The whole scenario and every choice are inside, so that the
// run can be replayed after the generator, the seed's meaning or the scenario have changed.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/evaluation.h"
#include "scenarios/scenario.h"

namespace mirrorproof::reports {

/// What a file may contain at most.
inline constexpr std::size_t kMaxFailureFileBytes = std::size_t{64} << 20;
/// Longer lists of choices are left out: such a run is replayed from its seed.
inline constexpr std::size_t kMaxStoredChoices = 4'000'000;

/// A violation that the run had when it was saved.
struct RecordedViolation {
  checker::Invariant invariant = checker::Invariant::truncation_provenance;
  std::string kind;
};

struct FailureFile {
  scenarios::Scenario scenario;
  RunKey key;
  std::uint64_t digest = 0;                 ///< that the replay must have
  std::vector<RecordedViolation> recorded;  ///< in the order of the run
};

/// The text of a failure file. `replay` is the command that replays it.
std::string failure_to_json(const scenarios::Scenario& scenario, const Evaluation& evaluation,
                            std::string_view replay);

struct LoadFailureResult {
  std::optional<FailureFile> failure;
  std::vector<scenarios::Problem> problems;
};

/// Does the text start as a failure file does? A few hundred bytes are enough.
bool is_failure_text(std::string_view beginning);
/// Never throws, whatever the text.
LoadFailureResult load_failure(std::string_view text, std::string_view file_name);
LoadFailureResult load_failure_file(const std::string& path);

/// Whatever `run`, `replay` and `explain` accept: a scenario, or a failure file.
struct RunInput {
  std::optional<scenarios::Scenario> scenario;
  std::optional<FailureFile> failure;  ///< then `scenario` is the one inside
  std::vector<scenarios::Problem> problems;
  bool ok() const { return problems.empty(); }
};
RunInput load_run_input(const std::string& path);

}  // namespace mirrorproof::reports
