#pragma once
// Result files: what `mirrorproof run --json` printed, read back. The whole scenario is inside, so that a
// report can be made of it later, on another machine; the digest says whether the run is still the same one.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/evaluation.h"
#include "reports/judgement_report.h"
#include "scenarios/scenario.h"

namespace mirrorproof::reports {

inline constexpr std::string_view kResultMagic = "mirrorproof_result";
inline constexpr int kResultFormat = 1;

/// What makes a result self-contained: format, program, scenario and choices. The first fields of the
/// document.
void add_result_frame(Json& out, const scenarios::Scenario& scenario, const RunKey& key);

struct ResultFile {
  scenarios::Scenario scenario;
  RunKey key;
  std::uint64_t digest = 0;
  std::string program;  ///< that wrote it
  /// What it says of all seeds; `shown` is empty.
  SeedsEvaluation all;
};

struct LoadResultFile {
  std::optional<ResultFile> result;
  std::vector<scenarios::Problem> problems;
};

/// Never throws, whatever the text.
LoadResultFile load_result(std::string_view text, std::string_view file_name);

/// Carries the run out again and fills in `all.shown`. Empty, or why this is not the run that the file tells
/// of.
std::string run_result_again(ResultFile& result);

}  // namespace mirrorproof::reports
