#pragma once
// The design matrix for people and programs: text, Markdown, HTML, JSON.

#include <string>

#include "reports/judgement_report.h"
#include "reports/matrix.h"
#include "reports/style.h"

namespace mirrorproof::reports {

/// "TP" for truncation-provenance: two capitals per invariant.
std::string_view invariant_code(checker::Invariant invariant);

/// One invariant in one cell.
struct MatrixMark {
  std::string_view code;
  checker::Invariant invariant = checker::Invariant::truncation_provenance;
  /// Broken here and not by the same seeds and faults in the row it is compared with.
  bool news = true;
};
std::vector<MatrixMark> matrix_marks(const Matrix& matrix, std::size_t row, std::size_t column);

std::string matrix_text(const Matrix& matrix, const Style& style);
/// `command` made it.
std::string matrix_markdown(const Matrix& matrix, std::string_view command);
/// One self-contained file, nothing loaded from anywhere.
std::string matrix_html(const Matrix& matrix, std::string_view command);
/// Read back by load_matrix (matrix_file.h).
Json matrix_json(const Matrix& matrix, std::string_view command);

}  // namespace mirrorproof::reports
