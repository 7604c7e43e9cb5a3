#include "reports/matrix_demands.h"

#include <fmt/format.h>

#include <filesystem>

#include "reports/campaign.h"
#include "reports/judgement_report.h"
#include "reports/junit_xml.h"
#include "reports/matrix_report.h"

namespace mirrorproof::reports {
namespace {

using scenarios::Verdict;

Verdict worse(Verdict a, Verdict b) {
  if (a == Verdict::violated || b == Verdict::violated) {
    return Verdict::violated;
  }
  return a == Verdict::inconclusive ? a : b;
}

Verdict verdict_of_row(const Matrix& matrix, std::size_t row) {
  Verdict verdict = Verdict::holds;
  for (std::size_t column = 0; column < matrix.columns.size(); ++column) {
    verdict = worse(verdict, matrix.at(row, column).verdict());
  }
  return verdict;
}

/// "convergence/cycle" and its message; of the search where no seed showed it.
struct Shown {
  std::string_view kind;
  std::string_view message;
  std::string_view finding;
};
Shown shown(const MatrixMark& mark) {
  return mark.seeds != nullptr ? Shown{mark.seeds->kind, mark.seeds->message, mark.seeds->finding}
                               : Shown{mark.search->kind, mark.search->message, mark.search->finding};
}

std::string break_text(const MatrixMark& mark, const MatrixCell& cell, std::string_view folder) {
  const Shown what = shown(mark);
  std::string text = fmt::format("{}/{}: {}\n{}\n", to_string(mark.invariant), what.kind, mark.extent(cell),
                                 safe_text(what.message));
  if (!what.finding.empty()) {
    text += fmt::format("Known finding: {}\n", what.finding);
  }
  if (!mark.file().empty()) {
    text += fmt::format("See it: mirrorproof run {}\n",
                        shell_word((std::filesystem::path(folder) / mark.file()).string()));
  }
  if (!mark.report().empty()) {
    text += fmt::format("Report: {}\n", (std::filesystem::path(folder) / mark.report()).string());
  }
  return text;
}

JunitCase case_of(const Matrix& matrix, std::size_t row, std::size_t column, std::string_view folder) {
  const MatrixCell& cell = matrix.at(row, column);
  JunitCase one;
  one.name = fmt::format("{}, faults: {}", matrix.rows[row].name, to_string(matrix.columns[column]));
  switch (cell.verdict()) {
    case Verdict::holds:
      one.output = fmt::format(
          "{}{}\n", counted(cell.seeds, "seed"),
          cell.searched_whole() ? fmt::format(", and every run of {}", counted(cell.search->states, "state"))
                                : "");
      break;
    case Verdict::inconclusive:
      one.outcome = JunitCase::Outcome::error;
      one.type = "inconclusive";
      one.message = cell.seeds == 0 ? "no seed was run" : "no seed came to its end";
      break;
    case Verdict::violated:
      one.outcome = JunitCase::Outcome::failed;
      for (const MatrixMark& mark : matrix_marks(matrix, row, column)) {
        if (one.type.empty()) {
          one.type = fmt::format("{}/{}", to_string(mark.invariant), shown(mark).kind);
          one.message = safe_text(shown(mark).message);
        }
        one.details += break_text(mark, cell, folder);
      }
  }
  return one;
}

}  // namespace

Verdict demands_verdict(const Matrix& matrix, const MatrixDemands& demands) {
  Verdict verdict = Verdict::holds;
  for (const std::size_t row : demands) {
    verdict = worse(verdict, verdict_of_row(matrix, row));
  }
  return verdict;
}

std::string matrix_demands_text(const Matrix& matrix, const MatrixDemands& demands, const Style& style) {
  std::string text;
  for (const std::size_t row : demands) {
    std::vector<std::string> broken;
    for (std::size_t column = 0; column < matrix.columns.size(); ++column) {
      if (matrix.at(row, column).verdict() == Verdict::violated) {
        broken.emplace_back(to_string(matrix.columns[column]));
      }
    }
    switch (verdict_of_row(matrix, row)) {
      case Verdict::holds:
        text += fmt::format("{} must hold, and does.\n", matrix.rows[row].name);
        break;
      case Verdict::inconclusive:
        text += fmt::format("{} must hold; not every cell of it could be run.\n", matrix.rows[row].name);
        break;
      case Verdict::violated:
        text += style.bad(fmt::format("{} must hold, and is broken: {}", matrix.rows[row].name,
                                      fmt::join(broken, ", "))) +
                "\n";
    }
  }
  return text;
}

std::string matrix_junit(const Matrix& matrix, const MatrixDemands& demands, std::string_view folder) {
  std::vector<JunitCase> cases;
  for (const std::size_t row : demands) {
    for (std::size_t column = 0; column < matrix.columns.size(); ++column) {
      cases.push_back(case_of(matrix, row, column, folder));
    }
  }
  return junit_suite("matrix", cases, 0);
}

}  // namespace mirrorproof::reports
