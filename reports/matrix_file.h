#pragma once
// A matrix as JSON, and read back to go on with it.

#include <string>

#include "reports/judgement_report.h"
#include "reports/matrix.h"

namespace mirrorproof::reports {

inline constexpr std::size_t kMaxMatrixFileBytes = std::size_t{64} << 20;

/// Read back by load_matrix. `command` made it.
Json matrix_json(const Matrix& matrix, std::string_view command);

/// Fills the cells of `matrix` from what matrix_json() wrote; rows and fault classes must be the same, in the
/// same order. Empty, or what is wrong with the text ("/rows/3/name: found ..., expected ..."); `matrix` is
/// then as it was. Never throws.
std::string load_matrix(std::string_view text, Matrix& matrix);

/// A matrix of whatever rows the text names, and the command that made it.
struct LoadedMatrix {
  Matrix matrix;
  std::string command;
  std::string problem;  ///< empty unless the text is not one of a matrix that this program makes
};
LoadedMatrix load_matrix(std::string_view text);

}  // namespace mirrorproof::reports
