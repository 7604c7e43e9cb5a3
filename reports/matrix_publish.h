#pragma once
// A design matrix for a repository: the Markdown, and a small folder of what it links to.

#include <string>
#include <string_view>
#include <vector>

#include "reports/matrix.h"

namespace mirrorproof::reports {

/// A scenario of more bytes is left out: nobody reads it.
inline constexpr std::size_t kMostPublishedBytes = 4096;

/// Why the matrix of the folder `from` cannot be published at `path`; empty if it can. What is there already
/// must have been published before: a page of a design matrix, and files it links to.
std::string publish_problem(const std::string& from, const std::string& path);

/// Writes `path` ("docs/matrix.md") and the folder beside it that has its name without the extension: the
/// scenarios of what is new in a row, and the certificates of presets, copied from `from`. What an earlier
/// call left there goes, and nothing else. What could not be done.
std::vector<std::string> publish_matrix(const Matrix& matrix, std::string_view command,
                                        const std::string& from, const std::string& path);

}  // namespace mirrorproof::reports
