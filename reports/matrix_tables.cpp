#include "reports/matrix_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/judgement_report.h"

namespace mirrorproof::reports {
namespace {

std::string per_hundred(std::uint64_t count, std::uint64_t records) {
  return records == 0
             ? "-"
             : fmt::format("{:.1f}", 100.0 * static_cast<double>(count) / static_cast<double>(records));
}

/// The versions that a mirror and its source agree on.
std::string speaks(KafkaVersion source) {
  const auto version = [&](ApiKey api) {
    const auto common = negotiate(supported_range(latest_kafka_version(), api), supported_range(source, api));
    return common ? fmt::format("v{}", *common) : std::string("none");
  };
  return fmt::format("Fetch {}, OffsetsForLeaderEpoch {}", version(ApiKey::fetch),
                     version(ApiKey::offset_for_leader_epoch));
}

std::size_t count_of(FetcherBranches branches) {
  return static_cast<std::size_t>(
      std::count_if(EnumNames<FetcherBranch>::entries.begin(), EnumNames<FetcherBranch>::entries.end(),
                    [&](const auto& entry) { return branches.has(entry.first); }));
}

std::string only_in(FetcherBranches some, FetcherBranches others) {
  std::string out;
  for (const auto& [branch, name] : EnumNames<FetcherBranch>::entries) {
    if (some.has(branch) && !others.has(branch)) {
      out += fmt::format("{}{}", out.empty() ? "" : ", ", name);
    }
  }
  return out.empty() ? "none" : out;
}

}  // namespace

std::vector<std::size_t> block_starts(const Matrix& matrix) {
  std::vector<std::size_t> starts;
  for (std::size_t r = 0; r < matrix.rows.size(); ++r) {
    if (r == 0 || matrix.rows[r].block != matrix.rows[r - 1].block) {
      starts.push_back(r);
    }
  }
  starts.push_back(matrix.rows.size());
  return starts;
}

bool shows_cost(const Matrix& matrix, std::size_t first_row) {
  return first_row < matrix.rows.size() && matrix.rows[first_row].source.has_value();
}

std::string mark_text(std::string_view code, bool news) {
  std::string text(code);
  if (!news) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) { return static_cast<char>(c + 32); });
  }
  return text;
}

MatrixCell sum_of(const Matrix& matrix, std::size_t row) {
  MatrixCell sum;
  for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
    const MatrixCell& cell = matrix.at(row, c);
    sum.seeds += cell.seeds;
    sum.truncations += cell.truncations;
    sum.justified += cell.justified;
    sum.over_truncated += cell.over_truncated;
    sum.fetched_again += cell.fetched_again;
    sum.cost.runs += cell.cost.runs;
    sum.cost.records += cell.cost.records;
    sum.cost.fetches += cell.cost.fetches;
    sum.cost.epoch_lookups += cell.cost.epoch_lookups;
    sum.cost.offset_lookups += cell.cost.offset_lookups;
    sum.cost.unsupported += cell.cost.unsupported;
    sum.cost.branches.note_all(cell.cost.branches);
  }
  return sum;
}

CostLine cost_line(const Matrix& matrix, std::size_t row) {
  const MatrixCell sum = sum_of(matrix, row);
  return {matrix.rows[row].name,
          matrix.rows[row].source ? speaks(*matrix.rows[row].source) : "",
          per_hundred(sum.cost.fetches, sum.cost.records),
          per_hundred(sum.cost.epoch_lookups, sum.cost.records),
          per_hundred(sum.cost.offset_lookups, sum.cost.records),
          per_hundred(sum.cost.unsupported, sum.cost.records),
          fmt::format("{} of {}", sum.justified, sum.truncations),
          fmt::format("{} of {}", count_of(sum.cost.branches), kFetcherBranchCount)};
}

std::vector<std::string> cost_cells(const CostLine& line) {
  return {line.speaks,      line.fetches, line.epoch_lookups, line.offset_lookups,
          line.unsupported, line.traced,  line.branches};
}

std::vector<WaysApart> ways_apart(const Matrix& matrix, std::size_t first_row) {
  std::vector<WaysApart> out;
  for (std::size_t r = first_row; r + 1 < matrix.rows.size(); ++r) {
    const MatrixRow& here = matrix.rows[r];
    const MatrixRow& next = matrix.rows[r + 1];
    if (here.block != matrix.rows[first_row].block || next.block != here.block ||
        here.source != next.source) {
      continue;
    }
    const FetcherBranches a = sum_of(matrix, r).cost.branches;
    const FetcherBranches b = sum_of(matrix, r + 1).cost.branches;
    const auto text = [](const MatrixRow& row, const std::string& ways) {
      return fmt::format("only {}: {}", to_string(row.protocol.divergence_detection), ways);
    };
    out.push_back({here.source ? fmt::format("source {}", kafka_version_name(*here.source)) : "",
                   text(here, only_in(a, b)), text(next, only_in(b, a))});
  }
  return out;
}

std::vector<std::pair<std::string, MatrixCell>> over_truncating_rows(const Matrix& matrix) {
  std::vector<std::pair<std::string, MatrixCell>> rows;
  for (std::size_t r = 0; r < matrix.rows.size(); ++r) {
    MatrixCell sum = sum_of(matrix, r);
    const std::optional<std::size_t> base = base_row(matrix, r);
    const bool worse = base && sum.over_truncated > sum_of(matrix, *base).over_truncated;
    if (sum.seeds > 0 && (!base || worse)) {
      rows.emplace_back(matrix.rows[r].name, std::move(sum));
    }
  }
  return rows;
}

SearchedCells searched_cells(const Matrix& matrix) {
  SearchedCells out;
  for (const MatrixCell& cell : matrix.cells) {
    out.searched += cell.search ? 1 : 0;
    out.whole += cell.searched_whole() ? 1 : 0;
    out.violated += cell.search_broke() ? 1 : 0;
    out.states += cell.searched_whole() ? cell.search->states : 0;
  }
  return out;
}

std::string searched_text(const Matrix& matrix) {
  const SearchedCells all = searched_cells(matrix);
  std::string out = fmt::format("{} searched: {} to the end, {} in all", counted(all.searched, "cell"),
                                all.whole, counted(all.states, "state"));
  out += all.violated > 0 ? fmt::format("; {} ended with a counterexample", all.violated) : "";
  const std::uint64_t rest = all.searched - all.whole - all.violated;
  return out + (rest > 0 ? fmt::format("; {} too large", rest) : "");
}

}  // namespace mirrorproof::reports
