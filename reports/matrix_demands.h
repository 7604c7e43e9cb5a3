#pragma once
// What a CI wants of a design matrix: rows that must hold in every cell, and what became of each.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/matrix.h"
#include "reports/style.h"

namespace mirrorproof::reports {

/// Indices of rows that must hold, ascending.
using MatrixDemands = std::vector<std::size_t>;

/// violated: some cell of these rows is broken; inconclusive: none is, and some cell was neither run nor
/// searched to its end; else holds.
scenarios::Verdict demands_verdict(const Matrix& matrix, const MatrixDemands& demands);

/// A line for each of these rows. Empty without any.
std::string matrix_demands_text(const Matrix& matrix, const MatrixDemands& demands, const Style& style);

/// JUnit XML: each cell of these rows a test case, called the same in every run. `folder` holds the files
/// that the matrix names.
std::string matrix_junit(const Matrix& matrix, const MatrixDemands& demands, std::string_view folder);

}  // namespace mirrorproof::reports
