#include "reports/matrix_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "reports/field_reader.h"
#include "reports/limited_json.h"
#include "reports/matrix_search.h"

namespace mirrorproof::reports {
namespace {

using nlohmann::json;

/// 1 had no searches, and paths from where the program ran.
constexpr std::uint64_t kFormat = 2;
/// Counts in a matrix stay far below this.
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 52;
constexpr std::size_t kLongestText = 10'000;

class MatrixReader {
 public:
  bool sound() const { return problems_.empty(); }
  /// The first one; empty while sound().
  std::string problem() const {
    return sound() ? ""
                   : fmt::format("{}: found {}, expected {}", problems_[0].pointer, problems_[0].found,
                                 problems_[0].expected);
  }
  void fail(std::string pointer, std::string found, std::string expected) {
    fields_.complain(std::move(pointer), std::move(found), std::move(expected));
  }

  const json* field(const json& object, const std::string& pointer, const char* name) {
    return fields_.field(object, pointer, name, "a field of this name");
  }
  std::uint64_t count(const json& object, const std::string& pointer, const char* name) {
    return fields_.number(object, pointer, name, 0, kMostCounted);
  }
  std::string text(const json& object, const std::string& pointer, const char* name) {
    return fields_.text(object, pointer, name, kLongestText);
  }

  /// A file below the matrix's folder: "scenarios/name.json", or empty.
  std::string path(const json& object, const std::string& pointer, const char* name) {
    std::string path = text(object, pointer, name);
    const std::size_t slash = path.find('/');
    const bool plain = slash != std::string::npos && path.find('/', slash + 1) == std::string::npos;
    const std::string_view folder = std::string_view(path).substr(0, slash);
    const bool known = std::find(kFolders.begin(), kFolders.end(), folder) != kFolders.end();
    if (!path.empty() && (!plain || !known)) {
      fail(pointer + "/" + name, fmt::format("\"{}\"", path.substr(0, 60)),
           "nothing, or a file in failures/, scenarios/, certificates/ or reports/");
      path.clear();
    }
    return path;
  }

  const json* list(const json& object, const std::string& pointer, const char* name, std::size_t size) {
    const json* value = field(object, pointer, name);
    if (value != nullptr && (!value->is_array() || (size != kAnySize && value->size() != size))) {
      fail(pointer + "/" + name,
           value->is_array() ? fmt::format("a list of {}", value->size()) : value->type_name(),
           size == kAnySize ? "a list" : fmt::format("a list of {}, as this program's matrix has", size));
      return nullptr;
    }
    return value;
  }

  void same(const std::string& pointer, std::string_view found, std::string_view expected) {
    if (found != expected) {
      fail(pointer, fmt::format("\"{}\"", found), fmt::format("\"{}\"", expected));
    }
  }

  static constexpr std::array<std::string_view, 4> kFolders{"failures", "scenarios", "certificates",
                                                            "reports"};
  static constexpr std::size_t kAnySize = static_cast<std::size_t>(-1);

 private:
  std::vector<scenarios::Problem> problems_;
  FieldReader fields_{"", problems_};
};

void read_broken(MatrixReader& reader, const json& item, const std::string& pointer, MatrixCell& cell) {
  const std::string name = reader.text(item, pointer, "invariant");
  const auto invariant = parse_enum<checker::Invariant>(name);
  if (!invariant || cell.broken.contains(*invariant)) {
    reader.fail(pointer + "/invariant", fmt::format("\"{}\"", name), "an invariant, each one once");
    return;
  }
  MatrixBreak& broken = cell.broken[*invariant];
  broken.seeds = reader.count(item, pointer, "seeds");
  broken.first_seed = reader.count(item, pointer, "first_seed");
  broken.kind = reader.text(item, pointer, "kind");
  broken.message = reader.text(item, pointer, "message");
  broken.finding = reader.text(item, pointer, "finding");
  broken.file = reader.path(item, pointer, "file");
  broken.scenario = reader.path(item, pointer, "scenario");
  broken.report = reader.path(item, pointer, "report");
  if (broken.seeds == 0 || broken.first_seed == 0 || broken.first_seed > cell.seeds ||
      broken.seeds > cell.seeds) {
    reader.fail(pointer, "seeds beyond those of the cell", "seeds from 1 to those of the cell");
  }
}

void read_search(MatrixReader& reader, const json& entry, const std::string& pointer, MatrixCell& cell) {
  const auto found = entry.is_object() ? entry.find("search") : entry.end();
  if (!entry.is_object() || found == entry.end() || found->is_null()) {
    return;
  }
  const std::string below = pointer + "/search";
  MatrixSearch& search = cell.search.emplace(MatrixSearch{});
  const std::string verdict = reader.text(*found, below, "verdict");
  if (const auto known = parse_enum<scenarios::Verdict>(verdict); known) {
    search.verdict = *known;
  } else {
    reader.fail(below + "/verdict", fmt::format("\"{}\"", verdict), "holds, violated or inconclusive");
  }
  search.states = reader.count(*found, below, "states");
  search.transitions = reader.count(*found, below, "transitions");
  search.depth = static_cast<int>(std::min<std::uint64_t>(reader.count(*found, below, "depth"), INT32_MAX));
  search.file = reader.path(*found, below, "file");
  if (search.verdict != scenarios::Verdict::violated) {
    return;
  }
  const std::string name = reader.text(*found, below, "invariant");
  if (const auto invariant = parse_enum<checker::Invariant>(name); invariant) {
    search.invariant = *invariant;
  } else {
    reader.fail(below + "/invariant", fmt::format("\"{}\"", name), "an invariant");
  }
  search.kind = reader.text(*found, below, "kind");
  search.message = reader.text(*found, below, "message");
  search.finding = reader.text(*found, below, "finding");
  search.report = reader.path(*found, below, "report");
}

void read_branches(MatrixReader& reader, const json& cost, const std::string& pointer, MatrixCell& cell) {
  const json* list = reader.list(cost, pointer, "branches", MatrixReader::kAnySize);
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const json& name = (*list)[i];
    const auto branch = parse_enum<FetcherBranch>(name.is_string() ? name.get<std::string>() : "");
    if (branch) {
      cell.cost.branches.note(*branch);
    } else {
      reader.fail(fmt::format("{}/branches/{}", pointer, i), name.dump().substr(0, 60),
                  "a branch of the fetcher");
    }
  }
}

void read_cell(MatrixReader& reader, const json& entry, const std::string& pointer, bool with_cost,
               MatrixCell& cell) {
  cell.seeds = reader.count(entry, pointer, "seeds");
  cell.inconclusive = reader.count(entry, pointer, "inconclusive");
  cell.truncations = reader.count(entry, pointer, "truncations");
  cell.justified = reader.count(entry, pointer, "justified");
  cell.over_truncated = reader.count(entry, pointer, "over_truncated");
  cell.fetched_again = reader.count(entry, pointer, "fetched_again");
  if (const json* list = reader.list(entry, pointer, "broken", MatrixReader::kAnySize); list != nullptr) {
    for (std::size_t i = 0; i < list->size() && reader.sound(); ++i) {
      read_broken(reader, (*list)[i], fmt::format("{}/broken/{}", pointer, i), cell);
    }
  }
  read_search(reader, entry, pointer, cell);
  if (!with_cost) {
    return;
  }
  if (const json* cost = reader.field(entry, pointer, "cost"); cost != nullptr) {
    const std::string below = pointer + "/cost";
    cell.cost.runs = reader.count(*cost, below, "runs");
    cell.cost.records = reader.count(*cost, below, "records");
    cell.cost.fetches = reader.count(*cost, below, "fetches");
    cell.cost.epoch_lookups = reader.count(*cost, below, "epoch_lookups");
    cell.cost.offset_lookups = reader.count(*cost, below, "offset_lookups");
    cell.cost.unsupported = reader.count(*cost, below, "unsupported");
    read_branches(reader, *cost, below, cell);
  }
}

Json search_json(const MatrixSearch& search, sim::FaultClass faults) {
  Json out;
  const MatrixWorld* world = world_of(faults);
  out["world"] = world == nullptr ? "" : world->name;
  out["verdict"] = to_string(search.verdict);
  out["states"] = search.states;
  out["transitions"] = search.transitions;
  out["depth"] = search.depth;
  if (search.verdict == scenarios::Verdict::violated) {
    out["invariant"] = to_string(search.invariant);
    out["kind"] = search.kind;
    out["message"] = search.message;
    out["finding"] = search.finding;
  }
  out["file"] = search.file;
  if (search.verdict == scenarios::Verdict::violated) {
    out["report"] = search.report;
  }
  return out;
}

Json cell_json(const Matrix& matrix, std::size_t r, std::size_t c) {
  const MatrixCell& cell = matrix.at(r, c);
  Json entry;
  entry["verdict"] = to_string(cell.verdict());
  entry["seeds"] = cell.seeds;
  entry["inconclusive"] = cell.inconclusive;
  entry["truncations"] = cell.truncations;
  entry["justified"] = cell.justified;
  entry["over_truncated"] = cell.over_truncated;
  entry["fetched_again"] = cell.fetched_again;
  entry["broken"] = Json::array();
  for (const auto& [invariant, broken] : cell.broken) {
    entry["broken"].push_back({{"invariant", to_string(invariant)},
                               {"kind", broken.kind},
                               {"seeds", broken.seeds},
                               {"first_seed", broken.first_seed},
                               {"message", broken.message},
                               {"finding", broken.finding},
                               {"file", broken.file},
                               {"scenario", broken.scenario},
                               {"report", broken.report}});
  }
  entry["search"] = cell.search ? search_json(*cell.search, matrix.columns[c]) : Json(nullptr);
  if (matrix.rows[r].source) {
    Json branches = Json::array();
    for (const auto& [branch, name] : EnumNames<FetcherBranch>::entries) {
      if (cell.cost.branches.has(branch)) {
        branches.push_back(name);
      }
    }
    entry["cost"] = Json{{"runs", cell.cost.runs},
                         {"records", cell.cost.records},
                         {"fetches", cell.cost.fetches},
                         {"epoch_lookups", cell.cost.epoch_lookups},
                         {"offset_lookups", cell.cost.offset_lookups},
                         {"unsupported", cell.cost.unsupported},
                         {"branches", branches}};
  }
  return entry;
}

}  // namespace

Json matrix_json(const Matrix& matrix, std::string_view command) {
  Json out;
  out["mirrorproof_matrix"] = kFormat;
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
      row["cells"].push_back(cell_json(matrix, r, c));
    }
    out["rows"].push_back(std::move(row));
  }
  return out;
}

namespace {

std::string problem_of(const LimitedJson& parsed) {
  return parsed.ok() ? "" : fmt::format("found {}, expected {}", parsed.found, parsed.expected);
}

std::string read_matrix(const json& document, Matrix& matrix) {
  MatrixReader reader;
  if (reader.count(document, "", "mirrorproof_matrix") != kFormat) {
    reader.fail("/mirrorproof_matrix", "another format", fmt::format("{}", kFormat));
  }
  reader.same("/program", reader.text(document, "", "program"), MIRRORPROOF_VERSION);
  if (const json* faults = reader.list(document, "", "faults", matrix.columns.size()); faults != nullptr) {
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
      const json& name = (*faults)[c];
      reader.same(fmt::format("/faults/{}", c), name.is_string() ? name.get<std::string>() : name.type_name(),
                  to_string(matrix.columns[c]));
    }
  }
  std::vector<MatrixCell> cells(matrix.cells.size());
  const json* rows = reader.list(document, "", "rows", matrix.rows.size());
  for (std::size_t r = 0; rows != nullptr && r < matrix.rows.size() && reader.sound(); ++r) {
    const std::string pointer = fmt::format("/rows/{}", r);
    reader.same(pointer + "/name", reader.text((*rows)[r], pointer, "name"), matrix.rows[r].name);
    const json* entries = reader.list((*rows)[r], pointer, "cells", matrix.columns.size());
    for (std::size_t c = 0; entries != nullptr && c < matrix.columns.size() && reader.sound(); ++c) {
      read_cell(reader, (*entries)[c], fmt::format("{}/cells/{}", pointer, c),
                matrix.rows[r].source.has_value(), cells[r * matrix.columns.size() + c]);
    }
  }
  if (reader.sound()) {
    matrix.cells = std::move(cells);
  }
  return reader.problem();
}

/// The rows of full_matrix() that the document names.
void keep_named_rows(const json& document, Matrix& matrix) {
  std::set<std::string> names;
  MatrixReader reader;
  if (const json* rows = reader.field(document, "", "rows"); rows != nullptr && rows->is_array()) {
    for (std::size_t r = 0; r < rows->size(); ++r) {
      names.insert(reader.text((*rows)[r], fmt::format("/rows/{}", r), "name"));
    }
  }
  std::erase_if(matrix.rows, [&](const MatrixRow& row) { return !names.contains(row.name); });
  matrix.cells.assign(matrix.rows.size() * matrix.columns.size(), {});
}

}  // namespace

std::string load_matrix(std::string_view text, Matrix& matrix) {
  const LimitedJson parsed = parse_limited_json(text);
  return parsed.ok() ? read_matrix(parsed.document, matrix) : problem_of(parsed);
}

LoadedMatrix load_matrix(std::string_view text) {
  LoadedMatrix loaded{full_matrix(), {}, {}};
  const LimitedJson parsed = parse_limited_json(text);
  loaded.problem = problem_of(parsed);
  if (!loaded.problem.empty()) {
    return loaded;
  }
  keep_named_rows(parsed.document, loaded.matrix);
  loaded.problem = read_matrix(parsed.document, loaded.matrix);
  if (loaded.problem.empty()) {
    MatrixReader reader;
    loaded.command = reader.text(parsed.document, "", "command");
    loaded.problem = reader.problem();
  }
  return loaded;
}

}  // namespace mirrorproof::reports
