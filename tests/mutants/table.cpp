#include "tests/mutants/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace mirrorproof::mutants {
namespace {

constexpr std::string_view kIntroduction = R"(# Who watches the judge: mutants

A judge that accuses nobody proves little unless it is known to accuse. So small faults are put into the
protocol on purpose, one at a time, each where somebody might make it: a comparison off by one, a forgotten
truncation of the epoch cache, a guard left out, an epoch not raised, a state left too early. An invariant
must notice each of them in runs drawn at random, by a kind of failure that the protocol without the fault
shows at none of the same seeds.

The faults are listed in `model/mutant_list.inc` and stand in the code as `mutated(Mutant::...)`, which is
false at compile time: nothing of them is in the program. Only the test program `mirrorproof_mutants` has
objects of its own in which they can be switched on. `ctest -L mutants` demands that each is caught within
the seeds stated here; `mirrorproof_mutants --write docs/mutants.md` writes this page.

*seed*: the first that catches it, counted from 1. *within*: how many seeds the test allows. *rule*: of
Kafka's replication and of KIP-1279, as in the comments of the code.
)";

std::string caught_columns(const Outcome& outcome) {
  if (!outcome.caught) {
    return fmt::format("{} | | |", outcome.row.unhunted.empty() ? "**not caught**" : outcome.row.unhunted);
  }
  const Catch& caught = *outcome.caught;
  return fmt::format("`{}` ({}) | {} | {} |", to_string(caught.invariant), caught.kind, caught.seed,
                     seeds_allowed(caught.seed));
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t begin = 1; begin < line.size();) {
    const std::size_t end = std::min(line.find('|', begin), line.size());
    std::string_view cell = line.substr(begin, end - begin);
    while (cell.starts_with(' ')) {
      cell.remove_prefix(1);
    }
    while (cell.ends_with(' ')) {
      cell.remove_suffix(1);
    }
    cells.emplace_back(cell);
    begin = end + 1;
  }
  return cells;
}

std::uint64_t number_in(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::uint64_t seeds_allowed(std::uint64_t caught_at) {
  std::uint64_t allowed = 100;
  while (allowed < 5 * caught_at) {
    allowed *= 10;
  }
  return allowed;
}

std::string written_table(std::span<const Outcome> mutants, std::span<const Outcome> variants) {
  std::string text(kIntroduction);
  text += fmt::format("\n## {} faults\n\n", mutants.size());
  text += "| fault | rule | what goes wrong | caught by | seed | within |\n|---|---|---|---|---|---|\n";
  for (const Outcome& outcome : mutants) {
    const Row& row = outcome.row;
    const std::string into = row.base_name == "hardened" ? "" : fmt::format(" (in {})", row.base_name);
    text += fmt::format("| `{}` | {} | {}{} | {}\n", row.name, row.rule, row.fault, into,
                        caught_columns(outcome));
  }
  text += "\n## Wrong variants of the protocol\n\n";
  text += "Options of a scenario's `protocol` (docs/scenarios.md), each changed by itself.\n\n";
  text += "| option | changed in | caught by | seed | within |\n|---|---|---|---|---|\n";
  for (const Outcome& outcome : variants) {
    text +=
        fmt::format("| `{}` | {} | {}\n", outcome.row.name, outcome.row.base_name, caught_columns(outcome));
  }
  return text;
}

std::vector<Stated> read_table(const std::string& text) {
  std::vector<Stated> rows;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with("| `")) {
      continue;
    }
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() < 4 || cells[0].size() < 3) {
      continue;
    }
    Stated stated;
    stated.name = cells[0].substr(1, cells[0].size() - 2);
    stated.seed = number_in(cells[cells.size() - 2]);
    stated.allowed = number_in(cells.back());
    rows.push_back(stated);
  }
  return rows;
}

}  // namespace mirrorproof::mutants
