#pragma once
// Design matrix: protocol variants against fault classes; each cell runs the same seeds and holds which
// invariants were broken first in a run, and by which seed. Filled in rounds, so that whenever it is stopped
// every cell has had its share; what comes out depends on the seeds run, not on the number of threads.
// Most cells are also searched: matrix_search.h. What shows a violation is saved by matrix_evidence.h.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker/checker.h"
#include "model/fetcher_branch.h"
#include "scenarios/scenario.h"
#include "sim/fault_class.h"

namespace mirrorproof::reports {

/// Seeds that a cell gets in a round.
inline constexpr std::uint64_t kMatrixSeedsPerRound = 20;

/// What one row runs.
struct MatrixRow {
  std::string block;  ///< rows of a block are shown together
  std::string name;   ///< "alignment=epoch_only"; unique
  ProtocolOptions protocol;
  /// The first source cluster has this version on every broker; nothing: as each seed draws it.
  std::optional<KafkaVersion> source;
};

struct MatrixBreak {
  std::uint64_t seeds = 0;
  std::uint64_t first_seed = 0;
  std::string kind;     ///< Violation::kind in the first seed
  std::string message;  ///< and its message
  std::string finding;  ///< the known finding it is there; empty = none
  /// Paths below the matrix's folder; empty until they are saved.
  std::string file;      ///< failure file of the first seed
  std::string scenario;  ///< the smallest scenario found that breaks it in the same way
  std::string report;    ///< page of that scenario
};

/// An exhaustive search of the small world that belongs to the cell's fault class.
struct MatrixSearch {
  /// inconclusive: too large for its share of memory.
  scenarios::Verdict verdict = scenarios::Verdict::inconclusive;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  int depth = 0;  ///< in moves; violated: those of the shortest counterexample
  /// Only if violated: what was broken first.
  checker::Invariant invariant = checker::Invariant::truncation_provenance;
  std::string kind;
  std::string message;
  std::string finding;
  /// Paths below the matrix's folder: holds: the certificate; violated: the counterexample and its page.
  std::string file;
  std::string report;
};

/// Requests of mirror fetchers to the source, over the first round's seeds of the cell.
struct MatrixCost {
  std::uint64_t runs = 0;
  std::uint64_t records = 0;  ///< appended by mirroring
  std::uint64_t fetches = 0;
  std::uint64_t epoch_lookups = 0;   ///< OffsetsForLeaderEpoch
  std::uint64_t offset_lookups = 0;  ///< ListOffsets
  std::uint64_t unsupported = 0;     ///< requests that the client could not put into the server's version
  /// Ways through the mirrors' fetchers that were taken.
  FetcherBranches branches;
};

struct MatrixCell {
  std::uint64_t seeds = 0;
  std::uint64_t inconclusive = 0;
  std::uint64_t truncations = 0;     ///< of mirrors, after alignment
  std::uint64_t justified = 0;       ///< of those, caused by an unclean election on the source
  std::uint64_t over_truncated = 0;  ///< records cut although source and mirror agreed on them
  std::uint64_t fetched_again = 0;   ///< of those, by the end of the run
  std::map<checker::Invariant, MatrixBreak> broken;
  std::optional<MatrixSearch> search;
  MatrixCost cost;

  bool searched_whole() const { return search && search->verdict == scenarios::Verdict::holds; }
  bool search_broke() const { return search && search->verdict == scenarios::Verdict::violated; }
  bool breaks(checker::Invariant invariant) const {
    return broken.contains(invariant) || (search_broke() && search->invariant == invariant);
  }
  /// Nothing is broken, and something could be run or searched to its end.
  bool holds() const {
    return broken.empty() && !search_broke() && (seeds > inconclusive || searched_whole());
  }
  /// inconclusive: nothing is broken, and nothing could be run or searched to its end.
  scenarios::Verdict verdict() const {
    if (holds()) {
      return scenarios::Verdict::holds;
    }
    return broken.empty() && !search_broke() ? scenarios::Verdict::inconclusive
                                             : scenarios::Verdict::violated;
  }
};

struct Matrix {
  std::vector<MatrixRow> rows;
  std::vector<sim::FaultClass> columns;
  std::vector<MatrixCell> cells;  ///< row by row

  const MatrixCell& at(std::size_t row, std::size_t column) const {
    return cells[row * columns.size() + column];
  }
  std::uint64_t seeds() const;
  /// Of the cell with the fewest.
  std::uint64_t least_seeds() const;
};

/// Called after each change of a matrix that several threads work on: from any of them, but by one at a time,
/// and nobody changes the matrix until it returns, so that it may be written down.
using MatrixChanged = std::function<void()>;

/// Every preset; the question of the review: sources of several ages, with truncation on fetch alone and with
/// the fallback; and every option of `as_proposed`, and of `hardened`, changed on its own to each of its
/// other values.
Matrix full_matrix();

/// The row of the preset that this one changes a rule of. Nothing for rows that are a base themselves.
std::optional<std::size_t> base_row(const Matrix& matrix, std::size_t row);

/// What a cell runs for a seed.
scenarios::Scenario matrix_scenario(const MatrixRow& row, sim::FaultClass faults, std::uint64_t seed);

/// Goes on until every cell has `seeds_per_cell` seeds (0: without end) or `stop` is set.
void fill_matrix(Matrix& matrix, std::uint64_t seeds_per_cell, int jobs, const std::atomic<bool>& stop,
                 const MatrixChanged& changed = {});

/// "hardened--alignment=none--power-loss": what the files of a cell are called.
std::string cell_file_name(const Matrix& matrix, std::size_t row, std::size_t column);

}  // namespace mirrorproof::reports
