// The design matrix as one HTML file.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "reports/campaign.h"
#include "reports/judgement_report.h"
#include "reports/markup.h"
#include "reports/matrix_report.h"
#include "reports/matrix_search.h"
#include "reports/matrix_tables.h"

namespace mirrorproof::reports {
namespace {

using checker::Invariant;

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--fg:#1c1e21;--bg:#fff;--line:#d5d8dc;
  --good:#e3f4e6;--bad:#fbe3e1;--old:#f3f0e4;--dim:#5f6368}
@media (prefers-color-scheme:dark){:root{--fg:#e4e6e8;--bg:#17191c;
  --line:#3a3e43;--good:#1d3524;--bad:#47211f;--old:#35321f;--dim:#9aa0a6}}
body{font:15px/1.45 system-ui,sans-serif;color:var(--fg);background:var(--bg);margin:1.5rem;max-width:100rem}
p{max-width:50rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;margin:.5rem 0 1.5rem}
caption{text-align:left;max-width:50rem;padding-bottom:.4rem}
th,td{border:1px solid var(--line);padding:.2rem .5rem;text-align:left;vertical-align:top}
th[scope=row]{font:13px ui-monospace,monospace;font-weight:400;position:sticky;
  left:0;background:var(--bg);min-width:7rem;max-width:22rem;
  overflow-wrap:break-word}
thead th{font-weight:600;font-size:13px}td.good{background:var(--good)}td.bad{background:var(--bad)}
td.old{background:var(--old)}
td a{font:13px ui-monospace,monospace}a{color:inherit}a:target,li:target{outline:2px solid}
td small{display:block;color:var(--dim);white-space:nowrap}
code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}
.dim{color:var(--dim)}
dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem 1rem}
.codes{columns:13rem;max-width:60rem;list-style:none;padding:0}.codes li{margin:.1rem 0}
dt{font-weight:600}dd{margin:0}
li{margin:.4rem 0}
@media (max-width:500px){body{margin:.6rem}th[scope=row]{position:static}}
@media print{.scroll{overflow:visible}}
)";

std::string anchor(std::size_t row, std::size_t column, std::string_view code) {
  return fmt::format("b-{}-{}-{}", row, column, code);
}

/// Where the page's files are: for commands, and for links.
struct Places {
  std::string_view folder;
  std::string_view links;
};

/// A link to a file; only the text if there is none.
std::string file_link(std::string_view text, const Places& places, const std::string& file) {
  return file.empty() ? std::string(text)
                      : fmt::format("<a href=\"{}\">{}</a>",
                                    markup_text(url_path(fmt::format("{}{}", places.links, file))), text);
}

std::string html_cell(const Matrix& matrix, std::size_t row, std::size_t column, const Places& places) {
  const MatrixCell& cell = matrix.at(row, column);
  const auto marks = matrix_marks(matrix, row, column);
  const bool news = std::any_of(marks.begin(), marks.end(), [](const MatrixMark& mark) { return mark.news; });
  std::string out = fmt::format("<td class={}>", !marks.empty() ? (news ? "bad" : "old")
                                                 : cell.holds() ? "good"
                                                                : "dim");
  for (const MatrixMark& mark : marks) {
    out += fmt::format("<a href=\"#{}\" title=\"{}: {}{}\">{}</a> ", anchor(row, column, mark.code),
                       to_string(mark.invariant), mark.extent(cell), mark.news ? "" : ", as its preset does",
                       mark_text(mark.code, mark.news));
  }
  if (marks.empty()) {
    out += cell.holds() ? "holds" : "not run";
  }
  if (marks.empty() && cell.seeds > 0) {
    out += fmt::format("<small>{}</small>", counted(cell.seeds, "seed"));
  }
  if (cell.searched_whole()) {
    out += fmt::format("<small>{}</small>",
                       file_link(counted(cell.search->states, "state"), places, cell.search->file));
  }
  return out + "</td>";
}

std::string html_mark(const Matrix& matrix, std::size_t r, std::size_t c, const MatrixMark& mark,
                      const Places& places) {
  const std::string& kind = mark.seeds != nullptr ? mark.seeds->kind : mark.search->kind;
  const std::string& finding = mark.seeds != nullptr ? mark.seeds->finding : mark.search->finding;
  const std::string& message = mark.seeds != nullptr ? mark.seeds->message : mark.search->message;
  std::string out =
      fmt::format("<li id=\"{}\"><b>{}</b>, {}: {} ({})", anchor(r, c, mark.code), to_string(mark.invariant),
                  to_string(matrix.columns[c]), mark.extent(matrix.at(r, c)), markup_text(kind));
  out += finding.empty() ? "" : fmt::format("; known: {}", markup_text(finding));
  out += fmt::format("<br>{}", markup_text(message));
  if (!mark.report().empty()) {
    out += "<br>" + file_link("report", places, mark.report());
    out += ", " + file_link("scenario", places, mark.file());
  }
  if (!mark.file().empty()) {
    const std::string path = (std::filesystem::path(places.folder) / mark.file()).string();
    out += fmt::format("<br><code>mirrorproof replay {}</code>", markup_text(shell_word(path)));
  }
  return out + "</li>\n";
}

std::string html_details(const Matrix& matrix, const Places& places) {
  std::string out;
  for (std::size_t r = 0; r < matrix.rows.size(); ++r) {
    std::string items;
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
      for (const MatrixMark& mark : matrix_marks(matrix, r, c)) {
        items += html_mark(matrix, r, c, mark, places);
      }
    }
    if (!items.empty()) {
      out += fmt::format("<h3>{}</h3>\n<ul>\n{}</ul>\n", markup_text(matrix.rows[r].name), items);
    }
  }
  return out;
}

std::string html_legend(const Matrix& matrix) {
  std::string out = "<details open><summary>Codes</summary><ul class=codes>";
  for (const auto& [invariant, name] : EnumNames<Invariant>::entries) {
    out += fmt::format("<li><b>{}</b> {}</li>", invariant_code(invariant), name);
  }
  out += "</ul></details>\n<details><summary>Fault classes, and the worlds that are searched</summary><dl>";
  for (const sim::FaultClass faults : matrix.columns) {
    const MatrixWorld* world = world_of(faults);
    out +=
        fmt::format("<dt>{}</dt><dd>{}{}</dd>", to_string(faults), markup_text(sim::description_of(faults)),
                    world == nullptr ? "" : fmt::format(" <span class=dim>({})</span>", world->scope));
  }
  return out + "</dl></details>\n";
}

std::string html_costs(const Matrix& matrix, std::size_t begin, std::size_t end) {
  std::string out = fmt::format(
      "<h3>What it costs</h3>\n<div class=scroll tabindex=0><table><caption>{}</caption><thead><tr><td></td>",
      markup_text(kCostCaption));
  for (const std::string_view title : kCostTitles) {
    out += fmt::format("<th scope=col>{}</th>", title);
  }
  out += "</tr></thead><tbody>\n";
  for (std::size_t r = begin; r < end; ++r) {
    out += fmt::format("<tr><th scope=row>{}</th>", markup_text(matrix.rows[r].name));
    for (const std::string& cell : cost_cells(cost_line(matrix, r))) {
      out += fmt::format("<td>{}</td>", markup_text(cell));
    }
    out += "</tr>\n";
  }
  out +=
      "</tbody></table></div>\n<p>Ways through the fetcher that one of the two takes and the other does "
      "not:</p>\n<ul>\n";
  for (const WaysApart& ways : ways_apart(matrix, begin)) {
    out += fmt::format("<li>{}: {}; {}</li>\n", ways.source, ways.first, ways.second);
  }
  return out + "</ul>\n";
}

std::string html_block(const Matrix& matrix, std::size_t begin, std::size_t end, const Places& places) {
  std::string out = fmt::format("<h2>{}</h2>\n<div class=scroll tabindex=0><table><thead><tr><td></td>",
                                markup_text(matrix.rows[begin].block));
  for (const sim::FaultClass faults : matrix.columns) {
    out += fmt::format("<th scope=col title=\"{}\">{}</th>", markup_text(sim::description_of(faults)),
                       to_string(faults));
  }
  out += "</tr></thead><tbody>\n";
  for (std::size_t r = begin; r < end; ++r) {
    out += fmt::format("<tr><th scope=row>{}</th>", markup_text(matrix.rows[r].name));
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
      out += html_cell(matrix, r, c, places);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace

std::string matrix_html(const Matrix& matrix, std::string_view command, std::string_view folder,
                        std::string_view links) {
  const Places places{folder, links};
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
      "content='width=device-width'><title>Design matrix - "
      "Mirrorproof</title><style>{}</style></head><body>\n"
      "<h1>Design matrix</h1>\n<p>{} in {} cells, at least {} in each; {}. Made by <code>{}</code>, version "
      "{}.</p>\n<p>{} A green cell held in all its runs, which is evidence and not a proof, and in all "
      "states "
      "that it names, which is a proof for that small world; they link to the certificate.</p>\n",
      kStyle, counted(matrix.seeds(), "run"), matrix.cells.size(), matrix.least_seeds(),
      searched_text(matrix), markup_text(command), MIRRORPROOF_VERSION, markup_text(kHowToRead));
  out += html_legend(matrix);
  const std::vector<std::size_t> starts = block_starts(matrix);
  for (std::size_t b = 0; b + 1 < starts.size(); ++b) {
    out += html_block(matrix, starts[b], starts[b + 1], places);
    if (shows_cost(matrix, starts[b])) {
      out += html_costs(matrix, starts[b], starts[b + 1]);
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
  return out + "<h2>Violations</h2>\n" + html_details(matrix, places) + "</body></html>\n";
}

}  // namespace mirrorproof::reports
