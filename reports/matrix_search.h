#pragma once
// Exhaustive searches of a design matrix: most fault classes have a small bounded world, which every row
// searches with its protocol. A search finds what no seed drew, and says how much there is to find nothing
// in.

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/matrix.h"

namespace mirrorproof::reports {

/// Bytes that a search may use; what needs more is inconclusive.
inline constexpr std::size_t kMatrixSearchMemory = std::size_t{64} << 20;

/// A fault class with a world, in the order in which they are searched.
struct MatrixWorld {
  sim::FaultClass faults = sim::FaultClass::none;
  std::string_view name;   ///< "unclean-election"
  std::string_view scope;  ///< for people: "2 + 1 brokers, a record, an unclean election"
};
const std::vector<MatrixWorld>& matrix_worlds();
/// nullptr: the class has none.
const MatrixWorld* world_of(sim::FaultClass faults);

/// What a search of the world with the row's protocol goes through; expects to find nothing. Nothing: the
/// row's source does not know what happens in that world.
std::optional<scenarios::Scenario> world_scenario(const MatrixWorld& world, const MatrixRow& row);

struct MatrixSearchOptions {
  /// Only these worlds.
  std::vector<MatrixWorld> worlds = matrix_worlds();
  /// Certificates and counterexamples go below it.
  std::string folder;
  int jobs = 1;
};

/// Searches every cell that has a world and was not searched, world by world, until `stop` is set, and writes
/// what comes out at once. The result does not depend on `jobs`. What could not be written.
std::vector<std::string> search_matrix(Matrix& matrix, const MatrixSearchOptions& options,
                                       const std::atomic<bool>& stop, const MatrixChanged& changed = {});

}  // namespace mirrorproof::reports
