#pragma once
// What shows the violations of a design matrix: a failure file for the first seed of each, a small scenario
// that breaks the same in the same way, and its page. Everything goes below one folder, and the matrix names
// it relative to that folder.

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "reports/matrix.h"

namespace mirrorproof::reports {

/// Candidates that are run at most to make one scenario small.
inline constexpr std::uint64_t kMatrixShrinkRuns = 3'000;

struct MatrixEvidenceOptions {
  std::string folder;
  int jobs = 1;
  /// Small scenarios and their pages, for what a row's preset does not break too.
  bool shrink = true;
};

/// Writes what is missing. A scenario that shows the violation with fewer kinds of faults, or the
/// counterexample of a search, is taken for a cell too. Once `stop` is set nothing more is shrunk; the
/// failure files are written all the same. Does not depend on `jobs`. What could not be written.
std::vector<std::string> save_matrix_evidence(Matrix& matrix, const MatrixEvidenceOptions& options,
                                              const std::atomic<bool>& stop,
                                              const MatrixChanged& changed = {});

/// Of a matrix that was read back: forgets searches, scenarios and pages whose files are not there any more,
/// so that they are made again.
void forget_missing_evidence(Matrix& matrix, const std::string& folder);

}  // namespace mirrorproof::reports
