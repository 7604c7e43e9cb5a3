#include "reports/problem_report.h"

namespace mirrorproof::reports {

Json problem_json(const scenarios::Problem& problem) {
  return {{"file", problem.file},       {"line", problem.line},   {"column", problem.column},
          {"pointer", problem.pointer}, {"found", problem.found}, {"expected", problem.expected}};
}

Json problem_json(const checker::TraceProblem& problem, const std::string& file) {
  return {{"file", file},
          {"line", problem.line},
          {"column", problem.column},
          {"pointer", problem.pointer},
          {"found", problem.found},
          {"expected", problem.expected}};
}

Json bad_input_json(const std::string& error, Json problems) {
  return {{"error", error}, {"problems", std::move(problems)}};
}

}  // namespace mirrorproof::reports
