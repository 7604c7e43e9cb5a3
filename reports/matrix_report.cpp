#include "reports/matrix_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/markup.h"

namespace mirrorproof::reports {
namespace {

using checker::Invariant;

/// The first row of each block, and one past the last.
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

std::string cell_text(const Matrix& matrix, std::size_t row, std::size_t column) {
  const MatrixCell& cell = matrix.at(row, column);
  if (cell.seeds == 0) {
    return "?";
  }
  std::string text;
  for (const MatrixMark& mark : matrix_marks(matrix, row, column)) {
    std::string code(mark.code);
    if (!mark.news) {
      std::transform(code.begin(), code.end(), code.begin(),
                     [](char c) { return static_cast<char>(c + 32); });
    }
    text += (text.empty() ? "" : " ") + code;
  }
  return text.empty() ? (cell.holds() ? "." : "?") : text;
}

/// All cells of a row.
MatrixCell sum_of(const Matrix& matrix, std::size_t row) {
  MatrixCell sum;
  for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
    const MatrixCell& cell = matrix.at(row, c);
    sum.seeds += cell.seeds;
    sum.truncations += cell.truncations;
    sum.justified += cell.justified;
    sum.over_truncated += cell.over_truncated;
    sum.fetched_again += cell.fetched_again;
    sum.cost.records += cell.cost.records;
    sum.cost.fetches += cell.cost.fetches;
    sum.cost.epoch_lookups += cell.cost.epoch_lookups;
    sum.cost.offset_lookups += cell.cost.offset_lookups;
    sum.cost.unsupported += cell.cost.unsupported;
  }
  return sum;
}

std::string per_hundred(std::uint64_t count, std::uint64_t records) {
  return records == 0
             ? "-"
             : fmt::format("{:.1f}", 100.0 * static_cast<double>(count) / static_cast<double>(records));
}

struct CostLine {
  std::string name;
  std::string fetches, epoch_lookups, offset_lookups, unsupported, traced;
};

CostLine cost_line(const Matrix& matrix, std::size_t row) {
  const MatrixCell sum = sum_of(matrix, row);
  return {matrix.rows[row].name,
          per_hundred(sum.cost.fetches, sum.cost.records),
          per_hundred(sum.cost.epoch_lookups, sum.cost.records),
          per_hundred(sum.cost.offset_lookups, sum.cost.records),
          per_hundred(sum.cost.unsupported, sum.cost.records),
          fmt::format("{} of {}", sum.justified, sum.truncations)};
}

constexpr std::string_view kOverTruncation =
    "Over-truncation: records that mirrors cut although their source had the same ones there, and how many "
    "of them were fetched again by the end of the runs. Rows with one rule changed are named where they cut "
    "more than their preset.";

/// Presets and the rows about sources, and of the others those that are worse than what they change.
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

std::string legend_text(std::string_view line_start) {
  std::string out;
  for (const auto& [invariant, name] : EnumNames<Invariant>::entries) {
    out += fmt::format("{}{} {}\n", line_start, invariant_code(invariant), name);
  }
  return out;
}

constexpr std::string_view kHowToRead =
    "Each cell runs the same seeds. A code names an invariant that was the first to break in some run; what "
    "follows it in that run is not counted. Small letters: the preset whose rule was changed breaks it too, "
    "under the same faults.";

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--fg:#1c1e21;--bg:#fff;--line:#d5d8dc;
  --good:#e3f4e6;--bad:#fbe3e1;--old:#f3f0e4;--dim:#666}
@media (prefers-color-scheme:dark){:root{--fg:#e4e6e8;--bg:#17191c;
  --line:#3a3e43;--good:#1d3524;--bad:#47211f;--old:#35321f;--dim:#9aa0a6}}
body{font:15px/1.45 system-ui,sans-serif;color:var(--fg);background:var(--bg);margin:1.5rem;max-width:100rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;margin:.5rem 0 1.5rem}
th,td{border:1px solid var(--line);padding:.2rem .5rem;text-align:left;vertical-align:top}
th[scope=row]{font:13px ui-monospace,monospace;font-weight:400;position:sticky;
  left:0;background:var(--bg)}
thead th{font-weight:600;font-size:13px}td.good{background:var(--good)}td.bad{background:var(--bad)}
td.old{background:var(--old)}
td a{color:inherit;font:13px ui-monospace,monospace}
code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}
.dim{color:var(--dim)}
dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem 1rem}dt{font-weight:600}dd{margin:0}
li{margin:.4rem 0}@media (max-width:500px){body{margin:.6rem}th[scope=row]{position:static}}
@media print{.scroll{overflow:visible}}
)";

std::string anchor(std::size_t row, std::size_t column, std::string_view code) {
  return fmt::format("b-{}-{}-{}", row, column, code);
}

std::string html_cell(const Matrix& matrix, std::size_t row, std::size_t column) {
  const MatrixCell& cell = matrix.at(row, column);
  const auto marks = matrix_marks(matrix, row, column);
  if (marks.empty()) {
    return cell.holds() ? fmt::format("<td class=good>holds <span class=dim>{}</span></td>", cell.seeds)
                        : std::string("<td class=dim>not run</td>");
  }
  const bool news = std::any_of(marks.begin(), marks.end(), [](const MatrixMark& mark) { return mark.news; });
  std::string out = fmt::format("<td class={}>", news ? "bad" : "old");
  for (const MatrixMark& mark : marks) {
    const MatrixBreak& broken = cell.broken.at(mark.invariant);
    out += fmt::format("<a href=\"#{}\" title=\"{}: {} of {} seeds{}\">{}</a> ",
                       anchor(row, column, mark.code), to_string(mark.invariant), broken.seeds, cell.seeds,
                       mark.news ? "" : ", as its preset does", mark.code);
  }
  return out + "</td>";
}

std::string html_details(const Matrix& matrix) {
  std::string out;
  for (std::size_t r = 0; r < matrix.rows.size(); ++r) {
    std::string items;
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
      for (const MatrixMark& mark : matrix_marks(matrix, r, c)) {
        const MatrixBreak& broken = matrix.at(r, c).broken.at(mark.invariant);
        items +=
            fmt::format("<li id=\"{}\"><b>{}</b>, {}: {} of {} seeds, first {} ({})", anchor(r, c, mark.code),
                        to_string(mark.invariant), to_string(matrix.columns[c]), broken.seeds,
                        matrix.at(r, c).seeds, broken.first_seed, markup_text(broken.kind));
        items += broken.finding.empty() ? "" : fmt::format("; known: {}", markup_text(broken.finding));
        items += fmt::format("<br>{}", markup_text(broken.message));
        items += broken.file.empty()
                     ? "</li>\n"
                     : fmt::format("<br><code>mirrorproof replay {}</code></li>\n", markup_text(broken.file));
      }
    }
    if (!items.empty()) {
      out += fmt::format("<h3>{}</h3>\n<ul>\n{}</ul>\n", markup_text(matrix.rows[r].name), items);
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

std::vector<MatrixMark> matrix_marks(const Matrix& matrix, std::size_t row, std::size_t column) {
  std::vector<MatrixMark> marks;
  const auto base = base_row(matrix, row);
  for (const auto& [invariant, broken] : matrix.at(row, column).broken) {
    const bool news = !base || !matrix.at(*base, column).broken.contains(invariant);
    marks.push_back({invariant_code(invariant), invariant, news});
  }
  return marks;
}

std::string matrix_text(const Matrix& matrix, const Style& style) {
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
      out += "\n" + style.bold("What it costs: requests to the source per 100 records mirrored") + "\n";
      out += style.dim(fmt::format("{:{}}  {:>8}  {:>21}  {:>11}  {:>11}  {}", "", widths[0], "Fetch",
                                   "OffsetsForLeaderEpoch", "ListOffsets", "unsupported",
                                   "truncations traced to a ULE")) +
             "\n";
      for (std::size_t r = starts[b]; r < starts[b + 1]; ++r) {
        const CostLine line = cost_line(matrix, r);
        out += fmt::format("{:{}}  {:>8}  {:>21}  {:>11}  {:>11}  {}\n", line.name, widths[0], line.fetches,
                           line.epoch_lookups, line.offset_lookups, line.unsupported, line.traced);
      }
    }
    out += "\n";
  }
  out += fmt::format("{}\n", kOverTruncation);
  for (const auto& [name, sum] : over_truncating_rows(matrix)) {
    out +=
        fmt::format("{:>10} records, {:>8} fetched again  {}\n", sum.over_truncated, sum.fetched_again, name);
  }
  out +=
      fmt::format("\n{}\n. holds in all its runs, ? nothing could be run\n{}", kHowToRead, legend_text(""));
  out += fmt::format("\n{} in {} cells, at least {} in each.\n", counted(matrix.seeds(), "run"),
                     matrix.cells.size(), matrix.least_seeds());
  return out;
}

std::string matrix_markdown(const Matrix& matrix, std::string_view command) {
  std::string out = fmt::format(
      "# Design matrix\n\nMade by `{}`, program version {}: {} in {} cells, at least {} in each.\n\n{}\n"
      "A full stop: the invariants held in all runs of the cell. This is evidence from random runs, not a "
      "proof.\n\n",
      command, MIRRORPROOF_VERSION, counted(matrix.seeds(), "run"), matrix.cells.size(), matrix.least_seeds(),
      kHowToRead);
  out += legend_text("- ");
  out += "\nFault classes:\n\n";
  for (const sim::FaultClass faults : matrix.columns) {
    out += fmt::format("- `{}`: {}\n", to_string(faults), sim::description_of(faults));
  }
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
        out += fmt::format(" {} |", cell_text(matrix, r, c));
      }
      out += "\n";
    }
    if (shows_cost(matrix, starts[b])) {
      out +=
          "\nRequests to the source per 100 records mirrored, and mirror truncations traced to an unclean "
          "election:\n\n|  | Fetch | OffsetsForLeaderEpoch | ListOffsets | unsupported | traced |\n"
          "|---|---|---|---|---|---|\n";
      for (std::size_t r = starts[b]; r < starts[b + 1]; ++r) {
        const CostLine line = cost_line(matrix, r);
        out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", line.name, line.fetches, line.epoch_lookups,
                           line.offset_lookups, line.unsupported, line.traced);
      }
    }
  }
  out += fmt::format("\n## Over-truncation\n\n{}\n\n|  | records | fetched again |\n|---|---|---|\n",
                     kOverTruncation);
  for (const auto& [name, sum] : over_truncating_rows(matrix)) {
    out += fmt::format("| `{}` | {} | {} |\n", name, sum.over_truncated, sum.fetched_again);
  }
  return out;
}

std::string matrix_html(const Matrix& matrix, std::string_view command) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
      "content='width=device-width'><title>Design matrix - "
      "Mirrorproof</title><style>{}</style></head><body>\n"
      "<h1>Design matrix</h1>\n<p>{} in {} cells, at least {} in each. Made by <code>{}</code>, version "
      "{}.</p>"
      "\n<p>{} A green cell held in all its runs: evidence, not a proof.</p>\n",
      kStyle, counted(matrix.seeds(), "run"), matrix.cells.size(), matrix.least_seeds(), markup_text(command),
      MIRRORPROOF_VERSION, markup_text(kHowToRead));
  out += "<details open><summary>Codes</summary><dl>";
  for (const auto& [invariant, name] : EnumNames<Invariant>::entries) {
    out += fmt::format("<dt>{}</dt><dd>{}</dd>", invariant_code(invariant), name);
  }
  out += "</dl></details>\n";
  const std::vector<std::size_t> starts = block_starts(matrix);
  for (std::size_t b = 0; b + 1 < starts.size(); ++b) {
    out += fmt::format("<h2>{}</h2>\n<div class=scroll tabindex=0><table><thead><tr><td></td>",
                       markup_text(matrix.rows[starts[b]].block));
    for (const sim::FaultClass faults : matrix.columns) {
      out += fmt::format("<th scope=col title=\"{}\">{}</th>", markup_text(sim::description_of(faults)),
                         to_string(faults));
    }
    out += "</tr></thead><tbody>\n";
    for (std::size_t r = starts[b]; r < starts[b + 1]; ++r) {
      out += fmt::format("<tr><th scope=row>{}</th>", markup_text(matrix.rows[r].name));
      for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
        out += html_cell(matrix, r, c);
      }
      out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
    if (shows_cost(matrix, starts[b])) {
      out +=
          "<h3>What it costs</h3>\n<div class=scroll tabindex=0><table><caption>Requests to the source per "
          "100 "
          "records mirrored, and mirror truncations traced to an unclean "
          "election</caption><thead><tr><td></td>"
          "<th scope=col>Fetch</th><th scope=col>OffsetsForLeaderEpoch</th><th scope=col>ListOffsets</th>"
          "<th scope=col>unsupported</th><th scope=col>traced</th></tr></thead><tbody>\n";
      for (std::size_t r = starts[b]; r < starts[b + 1]; ++r) {
        const CostLine line = cost_line(matrix, r);
        out += fmt::format(
            "<tr><th scope=row>{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            markup_text(line.name), line.fetches, line.epoch_lookups, line.offset_lookups, line.unsupported,
            line.traced);
      }
      out += "</tbody></table></div>\n";
    }
  }
  out += fmt::format(
      "<h2>Over-truncation</h2>\n<p>{}</p>\n<div class=scroll tabindex=0><table><thead><tr><td></td>"
      "<th scope=col>records</th><th scope=col>fetched again</th></tr></thead><tbody>\n",
      markup_text(kOverTruncation));
  for (const auto& [name, sum] : over_truncating_rows(matrix)) {
    out += fmt::format("<tr><th scope=row>{}</th><td>{}</td><td>{}</td></tr>\n", markup_text(name),
                       sum.over_truncated, sum.fetched_again);
  }
  out += "</tbody></table></div>\n";
  return out + "<h2>First failures</h2>\n" + html_details(matrix) + "</body></html>\n";
}

Json matrix_json(const Matrix& matrix, std::string_view command) {
  Json out;
  out["mirrorproof_matrix"] = 1;
  out["program"] = MIRRORPROOF_VERSION;
  out["command"] = command;
  out["seeds"] = matrix.seeds();
  out["faults"] = Json::array();
  for (const sim::FaultClass faults : matrix.columns) {
    out["faults"].push_back(to_string(faults));
  }
  out["rows"] = Json::array();
  for (std::size_t r = 0; r < matrix.rows.size(); ++r) {
    Json row;
    row["block"] = matrix.rows[r].block;
    row["name"] = matrix.rows[r].name;
    row["cells"] = Json::array();
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
      const MatrixCell& cell = matrix.at(r, c);
      Json entry;
      entry["verdict"] = cell.holds() ? "holds" : cell.broken.empty() ? "inconclusive" : "violated";
      entry["seeds"] = cell.seeds;
      entry["inconclusive"] = cell.inconclusive;
      entry["truncations"] = cell.truncations;
      entry["justified"] = cell.justified;
      entry["over_truncated"] = cell.over_truncated;
      entry["fetched_again"] = cell.fetched_again;
      entry["broken"] = Json::array();
      for (const auto& [invariant, broken] : cell.broken) {
        Json item;
        item["invariant"] = to_string(invariant);
        item["kind"] = broken.kind;
        item["seeds"] = broken.seeds;
        item["first_seed"] = broken.first_seed;
        item["message"] = broken.message;
        item["finding"] = broken.finding;
        item["file"] = broken.file;
        entry["broken"].push_back(std::move(item));
      }
      if (matrix.rows[r].source) {
        entry["cost"] = Json{{"runs", cell.cost.runs},
                             {"records", cell.cost.records},
                             {"fetches", cell.cost.fetches},
                             {"epoch_lookups", cell.cost.epoch_lookups},
                             {"offset_lookups", cell.cost.offset_lookups},
                             {"unsupported", cell.cost.unsupported}};
      }
      row["cells"].push_back(std::move(entry));
    }
    out["rows"].push_back(std::move(row));
  }
  return out;
}

}  // namespace mirrorproof::reports
