#include "reports/matrix_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "reports/judgement_report.h"
#include "reports/matrix_search.h"
#include "reports/matrix_tables.h"

namespace mirrorproof::reports {
namespace {

using checker::Invariant;

std::string cell_text(const Matrix& matrix, std::size_t row, std::size_t column) {
  const MatrixCell& cell = matrix.at(row, column);
  std::string text;
  for (const MatrixMark& mark : matrix_marks(matrix, row, column)) {
    text += (text.empty() ? "" : " ") + mark_text(mark.code, mark.news);
  }
  text = text.empty() ? (cell.holds() ? "." : "?") : text;
  return text + (cell.searched_whole() ? fmt::format(" {}", cell.search->states) : "");
}

std::string legend_text(std::string_view line_start) {
  std::string out;
  for (const auto& [invariant, name] : EnumNames<Invariant>::entries) {
    out += fmt::format("{}{} {}\n", line_start, invariant_code(invariant), name);
  }
  return out;
}

void add_text_costs(const Matrix& matrix, std::size_t begin, std::size_t end, std::size_t width,
                    const Style& style, std::string& out) {
  out += fmt::format("\n{}\n{}.\n", style.bold("What it costs"), kCostCaption);
  std::vector<std::size_t> widths;
  for (const std::string_view title : kCostTitles) {
    widths.push_back(title.size());
  }
  for (std::size_t r = begin; r < end; ++r) {
    const std::vector<std::string> cells = cost_cells(cost_line(matrix, r));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], cells[i].size());
    }
  }
  std::string head = std::string(width, ' ');
  for (std::size_t i = 0; i < widths.size(); ++i) {
    head += fmt::format("  {:{}}", kCostTitles[i], widths[i]);
  }
  out += style.dim(head) + "\n";
  for (std::size_t r = begin; r < end; ++r) {
    out += fmt::format("{:{}}", matrix.rows[r].name, width);
    const std::vector<std::string> cells = cost_cells(cost_line(matrix, r));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      out += fmt::format("  {:{}}", cells[i], widths[i]);
    }
    out += "\n";
  }
  for (const WaysApart& ways : ways_apart(matrix, begin)) {
    out += fmt::format("{}, ways {}; {}\n", ways.source, ways.first, ways.second);
  }
}

/// Where to look: the new violations of every row, with what shows them.
std::string violations_text(const Matrix& matrix, std::string_view folder) {
  std::string out;
  for (std::size_t r = 0; r < matrix.rows.size(); ++r) {
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
      for (const MatrixMark& mark : matrix_marks(matrix, r, c)) {
        if (mark.news && !mark.file().empty()) {
          out += fmt::format("  {} {} {}: {}; {}\n", matrix.rows[r].name, to_string(matrix.columns[c]),
                             mark.code, mark.extent(matrix.at(r, c)),
                             (std::filesystem::path(folder) / mark.file()).string());
        }
      }
    }
  }
  return out;
}

std::string link(std::string_view text, const std::string& folder, const std::string& file,
                 std::string_view title) {
  return file.empty() ? std::string(text) : fmt::format("[{}]({}{} \"{}\")", text, folder, file, title);
}

std::string markdown_cell(const Matrix& matrix, std::size_t row, std::size_t column,
                          const MatrixLinks& links) {
  const MatrixCell& cell = matrix.at(row, column);
  std::string text;
  for (const MatrixMark& mark : matrix_marks(matrix, row, column)) {
    const bool linked = mark.news && mark.file().starts_with("scenarios/") && links.has(mark.file());
    text += text.empty() ? "" : " ";
    text += link(mark_text(mark.code, mark.news), links.folder, linked ? mark.file() : "", mark.extent(cell));
  }
  text = text.empty() ? (cell.holds() ? "." : "?") : text;
  if (cell.searched_whole()) {
    text += " " + link(std::to_string(cell.search->states), links.folder,
                       links.has(cell.search->file) ? cell.search->file : "", "certificate");
  }
  return text;
}

void add_markdown_costs(const Matrix& matrix, std::size_t begin, std::size_t end, std::string& out) {
  out += fmt::format("\n{}:\n\n|  |", kCostCaption);
  std::string rule = "|---|";
  for (const std::string_view title : kCostTitles) {
    out += fmt::format(" {} |", title);
    rule += "---|";
  }
  out += "\n" + rule + "\n";
  for (std::size_t r = begin; r < end; ++r) {
    out += fmt::format("| `{}` |", matrix.rows[r].name);
    for (const std::string& cell : cost_cells(cost_line(matrix, r))) {
      out += fmt::format(" {} |", cell);
    }
    out += "\n";
  }
  out +=
      "\nWays through the fetcher (`model/fetcher_branch.h`) that one of the two takes and the other does "
      "not:\n\n";
  for (const WaysApart& ways : ways_apart(matrix, begin)) {
    out += fmt::format("- {}: {}; {}\n", ways.source, ways.first, ways.second);
  }
}

std::string worlds_markdown(const Matrix& matrix) {
  std::string out =
      "\nThe worlds that are searched (docs/explore.md, granularity coarse), one for each "
      "of these fault classes:\n\n";
  for (const sim::FaultClass faults : matrix.columns) {
    if (const MatrixWorld* world = world_of(faults); world != nullptr) {
      out += fmt::format("- `{}`: {}\n", to_string(faults), world->scope);
    }
  }
  return out;
}

}  // namespace

std::string_view invariant_code(Invariant invariant) {
  switch (invariant) {
    case Invariant::truncation_provenance:
      return "TP";
    case Invariant::log_matching:
      return "LM";
    case Invariant::alignment_exactness:
      return "AE";
    case Invariant::follower_truncation:
      return "FT";
    case Invariant::committed_stability:
      return "CS";
    case Invariant::epoch_order:
      return "EO";
    case Invariant::epoch_identity:
      return "EI";
    case Invariant::state_machine:
      return "SM";
    case Invariant::recovery_barrier:
      return "RB";
    case Invariant::ule_policy:
      return "UP";
    case Invariant::version_safety:
      return "VS";
    case Invariant::group_offset_range:
      return "GO";
    case Invariant::ack_means_stored:
      return "AS";
    case Invariant::reader_continuity:
      return "RC";
    case Invariant::loss_report:
      return "LR";
    case Invariant::convergence:
      return "CV";
  }
  return "??";
}

const std::string& MatrixMark::file() const {
  // A search's counterexample is the shortest there is.
  if (search != nullptr && !search->file.empty()) {
    return search->file;
  }
  static const std::string kNone;
  if (seeds == nullptr) {
    return kNone;
  }
  return seeds->scenario.empty() ? seeds->file : seeds->scenario;
}

const std::string& MatrixMark::report() const {
  static const std::string kNone;
  if (search != nullptr && !search->file.empty()) {
    return search->report;
  }
  return seeds != nullptr ? seeds->report : kNone;
}

std::string MatrixMark::extent(const MatrixCell& cell) const {
  std::string out;
  if (seeds != nullptr) {
    out = fmt::format("{} of {} seeds, first {}", seeds->seeds, cell.seeds, seeds->first_seed);
  }
  if (search != nullptr) {
    out += fmt::format("{}by the search after {}", out.empty() ? "" : "; ",
                       counted(static_cast<std::uint64_t>(search->depth), "move"));
  }
  return out;
}

std::vector<MatrixMark> matrix_marks(const Matrix& matrix, std::size_t row, std::size_t column) {
  std::vector<MatrixMark> marks;
  const auto base = base_row(matrix, row);
  const MatrixCell& cell = matrix.at(row, column);
  for (const auto& [invariant, name] : EnumNames<Invariant>::entries) {
    if (!cell.breaks(invariant)) {
      continue;
    }
    const auto seeds = cell.broken.find(invariant);
    const bool searched = cell.search_broke() && cell.search->invariant == invariant;
    marks.push_back({invariant_code(invariant), invariant,
                     seeds == cell.broken.end() ? nullptr : &seeds->second,
                     searched ? &*cell.search : nullptr,
                     !base || !matrix.at(*base, column).breaks(invariant) ||
                         (searched && matrix.at(*base, column).searched_whole())});
  }
  return marks;
}

std::string matrix_text(const Matrix& matrix, std::string_view folder, const Style& style) {
  std::string out;
  const std::vector<std::size_t> starts = block_starts(matrix);
  for (std::size_t b = 0; b + 1 < starts.size(); ++b) {
    std::vector<std::size_t> widths{0};
    for (std::size_t r = starts[b]; r < starts[b + 1]; ++r) {
      widths[0] = std::max(widths[0], matrix.rows[r].name.size());
    }
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
      std::size_t width = to_string(matrix.columns[c]).size();
      for (std::size_t r = starts[b]; r < starts[b + 1]; ++r) {
        width = std::max(width, cell_text(matrix, r, c).size());
      }
      widths.push_back(width);
    }
    out += style.bold(matrix.rows[starts[b]].block) + "\n";
    std::string head = std::string(widths[0], ' ');
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
      head += fmt::format("  {:{}}", to_string(matrix.columns[c]), widths[c + 1]);
    }
    out += style.dim(head) + "\n";
    for (std::size_t r = starts[b]; r < starts[b + 1]; ++r) {
      out += fmt::format("{:{}}", matrix.rows[r].name, widths[0]);
      for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
        out += fmt::format("  {:{}}", cell_text(matrix, r, c), widths[c + 1]);
      }
      out.erase(out.find_last_not_of(' ') + 1);
      out += "\n";
    }
    if (shows_cost(matrix, starts[b])) {
      add_text_costs(matrix, starts[b], starts[b + 1], widths[0], style, out);
    }
    out += "\n";
  }
  out += fmt::format("{}\n", kOverTruncation);
  for (const auto& [name, sum] : over_truncating_rows(matrix)) {
    out +=
        fmt::format("{:>10} records, {:>8} fetched again  {}\n", sum.over_truncated, sum.fetched_again, name);
  }
  if (const std::string violations = violations_text(matrix, folder); !violations.empty()) {
    out += "\n" + style.bold("What is new in a row, and what shows it") + "\n" + violations;
  }
  out +=
      fmt::format("\n{}\n. holds in all its runs, ? nothing could be run\n{}", kHowToRead, legend_text(""));
  out += fmt::format("\n{} in {} cells, at least {} in each; {}.\n", counted(matrix.seeds(), "run"),
                     matrix.cells.size(), matrix.least_seeds(), searched_text(matrix));
  return out;
}

std::string matrix_markdown(const Matrix& matrix, std::string_view command, const MatrixLinks& links) {
  std::string out = fmt::format(
      "{}\nMade by `{}`, program version {}: {} in {} cells, at least {} in each; {}.\n\n{}\n"
      "A full stop: the invariants held in all runs of the cell. Runs are evidence, not a proof; a search "
      "proves what it says of its small world. Capitals link to a small scenario that shows the "
      "violation, numbers to the certificate of the search{}.\n\n",
      kMatrixPageTitle, command, MIRRORPROOF_VERSION, counted(matrix.seeds(), "run"), matrix.cells.size(),
      matrix.least_seeds(), searched_text(matrix), kHowToRead,
      links.files ? "; of both only some are kept here, and the command above makes the rest" : "");
  out += legend_text("- ");
  out += "\nFault classes:\n\n";
  for (const sim::FaultClass faults : matrix.columns) {
    out += fmt::format("- `{}`: {}\n", to_string(faults), sim::description_of(faults));
  }
  out += worlds_markdown(matrix);
  const std::vector<std::size_t> starts = block_starts(matrix);
  for (std::size_t b = 0; b + 1 < starts.size(); ++b) {
    out += fmt::format("\n## {}\n\n|  |", matrix.rows[starts[b]].block);
    std::string rule = "|---|";
    for (const sim::FaultClass faults : matrix.columns) {
      out += fmt::format(" {} |", to_string(faults));
      rule += "---|";
    }
    out += "\n" + rule + "\n";
    for (std::size_t r = starts[b]; r < starts[b + 1]; ++r) {
      out += fmt::format("| `{}` |", matrix.rows[r].name);
      for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
        out += fmt::format(" {} |", markdown_cell(matrix, r, c, links));
      }
      out += "\n";
    }
    if (shows_cost(matrix, starts[b])) {
      add_markdown_costs(matrix, starts[b], starts[b + 1], out);
    }
  }
  out += fmt::format("\n## Over-truncation\n\n{}\n\n|  | records | fetched again |\n|---|---|---|\n",
                     kOverTruncation);
  for (const auto& [name, sum] : over_truncating_rows(matrix)) {
    out += fmt::format("| `{}` | {} | {} |\n", name, sum.over_truncated, sum.fetched_again);
  }
  return out;
}

}  // namespace mirrorproof::reports
