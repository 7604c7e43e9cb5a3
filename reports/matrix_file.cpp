#include "reports/matrix_file.h"

#include <fmt/format.h>

#include "reports/judgement_report.h"
#include "reports/limited_json.h"

namespace mirrorproof::reports {
namespace {

using nlohmann::json;

/// Counts in a matrix stay far below this.
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 52;
constexpr std::size_t kLongestText = 10'000;

class MatrixReader {
 public:
  std::string problem;

  const json* field(const json& object, const std::string& pointer, const char* name) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    if (!object.is_object() || found == object.end()) {
      fail(pointer + "/" + name, "nothing", "a field of this name");
      return nullptr;
    }
    return &*found;
  }

  std::uint64_t count(const json& object, const std::string& pointer, const char* name) {
    const json* value = field(object, pointer, name);
    if (value == nullptr) {
      return 0;
    }
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() > kMostCounted) {
      fail(pointer + "/" + name, value->dump().substr(0, 60),
           fmt::format("a whole number from 0 to {}", kMostCounted));
      return 0;
    }
    return value->get<std::uint64_t>();
  }

  std::string text(const json& object, const std::string& pointer, const char* name) {
    const json* value = field(object, pointer, name);
    if (value == nullptr) {
      return {};
    }
    if (!value->is_string() || value->get_ref<const std::string&>().size() > kLongestText) {
      fail(pointer + "/" + name, value->is_string() ? "a longer text" : value->type_name(),
           fmt::format("a text of at most {} bytes", kLongestText));
      return {};
    }
    return value->get<std::string>();
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

  void fail(std::string_view pointer, std::string_view found, std::string_view expected) {
    if (problem.empty()) {
      problem = fmt::format("{}: found {}, expected {}", pointer, found, expected);
    }
  }

  static constexpr std::size_t kAnySize = static_cast<std::size_t>(-1);
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
  if (broken.seeds == 0 || broken.first_seed == 0 || broken.first_seed > cell.seeds ||
      broken.seeds > cell.seeds) {
    reader.fail(pointer, "seeds beyond those of the cell", "seeds from 1 to those of the cell");
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
    for (std::size_t i = 0; i < list->size() && reader.problem.empty(); ++i) {
      read_broken(reader, (*list)[i], fmt::format("{}/broken/{}", pointer, i), cell);
    }
  }
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
  }
}

}  // namespace

std::string load_matrix(std::string_view text, Matrix& matrix) {
  const LimitedJson parsed = parse_limited_json(text);
  if (!parsed.ok()) {
    return fmt::format("found {}, expected {}", parsed.found, parsed.expected);
  }
  MatrixReader reader;
  if (reader.count(parsed.document, "", "mirrorproof_matrix") != 1) {
    reader.fail("/mirrorproof_matrix", "another format", "1");
  }
  reader.same("/program", reader.text(parsed.document, "", "program"), MIRRORPROOF_VERSION);
  if (const json* faults = reader.list(parsed.document, "", "faults", matrix.columns.size());
      faults != nullptr) {
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
      const json& name = (*faults)[c];
      reader.same(fmt::format("/faults/{}", c), name.is_string() ? name.get<std::string>() : name.type_name(),
                  to_string(matrix.columns[c]));
    }
  }
  std::vector<MatrixCell> cells(matrix.cells.size());
  const json* rows = reader.list(parsed.document, "", "rows", matrix.rows.size());
  for (std::size_t r = 0; rows != nullptr && r < matrix.rows.size() && reader.problem.empty(); ++r) {
    const std::string pointer = fmt::format("/rows/{}", r);
    reader.same(pointer + "/name", reader.text((*rows)[r], pointer, "name"), matrix.rows[r].name);
    const json* entries = reader.list((*rows)[r], pointer, "cells", matrix.columns.size());
    for (std::size_t c = 0; entries != nullptr && c < matrix.columns.size() && reader.problem.empty(); ++c) {
      read_cell(reader, (*entries)[c], fmt::format("{}/cells/{}", pointer, c),
                matrix.rows[r].source.has_value(), cells[r * matrix.columns.size() + c]);
    }
  }
  if (reader.problem.empty()) {
    matrix.cells = std::move(cells);
  }
  return reader.problem;
}

}  // namespace mirrorproof::reports
