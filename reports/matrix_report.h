#pragma once
// The design matrix for people: text, Markdown, HTML. matrix_file.h has it for programs.

#include <optional>
#include <set>
#include <string>

#include "reports/matrix.h"
#include "reports/style.h"

namespace mirrorproof::reports {

/// "TP" for truncation-provenance: two capitals per invariant.
std::string_view invariant_code(checker::Invariant invariant);

/// One invariant that is broken in one cell. Points into the matrix.
struct MatrixMark {
  std::string_view code;
  checker::Invariant invariant = checker::Invariant::truncation_provenance;
  const MatrixBreak* seeds = nullptr;    ///< nullptr: by no seed
  const MatrixSearch* search = nullptr;  ///< nullptr: not by the search
  /// Broken here and not under the same faults in the row it is compared with, or by the search here and by
  /// none there.
  bool news = true;

  /// The scenario, else the failure file, that shows it; empty if nothing is saved.
  const std::string& file() const;
  /// Its page; empty if there is none.
  const std::string& report() const;
  /// "3 of 200 seeds, first 17; by the search after 5 moves"
  std::string extent(const MatrixCell& cell) const;
};
std::vector<MatrixMark> matrix_marks(const Matrix& matrix, std::size_t row, std::size_t column);

/// `folder` holds the files that the matrix names.
std::string matrix_text(const Matrix& matrix, std::string_view folder, const Style& style);

/// How the Markdown begins.
inline constexpr std::string_view kMatrixPageTitle = "# Design matrix\n";

/// What the Markdown links to: paths below `folder`, which is relative to the file.
struct MatrixLinks {
  std::string folder;                          ///< "", or "matrix/"
  std::optional<std::set<std::string>> files;  ///< only these; nothing: all that the matrix names
  bool has(const std::string& file) const { return !files || files->contains(file); }
};
/// `command` made it.
std::string matrix_markdown(const Matrix& matrix, std::string_view command, const MatrixLinks& links = {});
/// Loads nothing from anywhere; links to what is saved in `folder`, which is for commands, and which the page
/// finds under `links` ("": beside it; else a path that ends with a slash).
std::string matrix_html(const Matrix& matrix, std::string_view command, std::string_view folder,
                        std::string_view links = {});

}  // namespace mirrorproof::reports
