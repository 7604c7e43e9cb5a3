#pragma once
// What the renderings of a design matrix share: its blocks, its marks, the block of the review's question.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/matrix.h"

namespace mirrorproof::reports {

/// The first row of each block, and one past the last.
std::vector<std::size_t> block_starts(const Matrix& matrix);

/// Whether the block shows what its rows cost.
bool shows_cost(const Matrix& matrix, std::size_t first_row);

/// Capitals for what is new in the row, small letters for what its preset breaks too.
std::string mark_text(std::string_view code, bool news);

/// What mirroring from one source costs, as text.
struct CostLine {
  std::string name;
  std::string speaks;  ///< "Fetch v11, OffsetsForLeaderEpoch v3"
  std::string fetches, epoch_lookups, offset_lookups, unsupported, traced;
  std::string branches;  ///< how many
};
CostLine cost_line(const Matrix& matrix, std::size_t row);
/// Column titles of what follows name in CostLine.
inline constexpr std::string_view kCostTitles[] = {
    "speaks", "Fetch", "OffsetsForLeaderEpoch", "ListOffsets", "unsupported", "traced", "ways"};
std::vector<std::string> cost_cells(const CostLine& line);
inline constexpr std::string_view kCostCaption =
    "Requests to the source per 100 records mirrored (each OffsetsForLeaderEpoch is a truncation round), "
    "requests that the client could not put into the source's version, mirror truncations traced to an "
    "unclean "
    "election, and how many ways through the fetcher were taken";

/// Ways through the fetcher that only one of two neighbours takes.
struct WaysApart {
  std::string source;  ///< "source 2.4"
  std::string first;   ///< "only fetch_then_ofle: fell_back, epoch_question"
  std::string second;
};
std::vector<WaysApart> ways_apart(const Matrix& matrix, std::size_t first_row);

/// All cells of a row.
MatrixCell sum_of(const Matrix& matrix, std::size_t row);

/// Presets and the rows about sources, and of the others those that are worse than what they change.
std::vector<std::pair<std::string, MatrixCell>> over_truncating_rows(const Matrix& matrix);

/// How many cells were searched, how many to the end without a violation, and the states of those.
struct SearchedCells {
  std::uint64_t searched = 0;
  std::uint64_t whole = 0;
  std::uint64_t violated = 0;
  std::uint64_t states = 0;
};
SearchedCells searched_cells(const Matrix& matrix);
/// "1203 searches: 1101 of them whole, with 2314533 states, 102 broken"
std::string searched_text(const Matrix& matrix);

inline constexpr std::string_view kOverTruncation =
    "Over-truncation: records that mirrors cut although their source had the same ones there, and how many "
    "of them were fetched again by the end of the runs. Rows with one rule changed are named where they cut "
    "more than their preset.";

inline constexpr std::string_view kHowToRead =
    "Each cell runs the same seeds. A code names an invariant that was the first to break in some run, or in "
    "the search; what follows it in that run is not counted. Small letters: the preset whose rule was "
    "changed "
    "breaks it too, under the same faults (unless the search breaks it here and not there). A number: the "
    "small world of that fault class was searched to its "
    "end, and no invariant is broken in that many states.";

}  // namespace mirrorproof::reports
