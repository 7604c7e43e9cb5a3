// mirrorproof_mutants: catches every fault of model/mutant_list.inc and every wrong variant, or says which
// not.

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <fstream>
#include <iterator>

#include "tests/determinism/same_traces.h"
#include "tests/mutants/table.h"

namespace mirrorproof::mutants {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Outcome> outcomes(std::vector<Row> rows) {
  std::vector<Outcome> made;
  for (Row& row : rows) {
    made.push_back({std::move(row), std::nullopt});
  }
  return made;
}

void report(const Outcome& outcome) {
  if (outcome.caught) {
    fmt::print("{}: {} ({}), seed {}\n", outcome.row.name, to_string(outcome.caught->invariant),
               outcome.caught->kind, outcome.caught->seed);
  } else {
    fmt::print("{}: NOT CAUGHT {}\n", outcome.row.name, outcome.row.unhunted);
  }
}

/// Every row from seed 1 on.
void hunt_all(std::vector<Outcome>& rows, Hunter& hunter, std::uint64_t seeds) {
  tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) {
    if (rows[i].row.unhunted.empty()) {
      rows[i].caught = hunter.hunt(rows[i].row, 1, seeds);
    }
  });
}

/// Each row begins where it was caught last, so that a table that is still right is confirmed at once.
bool verify(std::vector<Outcome>& rows, Hunter& hunter, const std::vector<Stated>& table) {
  std::atomic<bool> right = true;
  const auto wrong = [&right](const std::string& name, std::string_view what) {
    right = false;
    fmt::print("{}: {}\n", name, what);
  };
  tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) {
    const Row& row = rows[i].row;
    const auto stated =
        std::ranges::find_if(table, [&row](const Stated& each) { return each.name == row.name; });
    if (stated == table.end()) {
      wrong(row.name, "is not in the table; write it anew with --write");
    } else if (stated->seed == 0 && row.unhunted.empty()) {
      wrong(row.name, "is caught by nothing, as the table says without a reason");
    } else if (row.unhunted.empty()) {
      rows[i].caught = hunter.hunt(row, stated->seed, stated->allowed);
      if (!rows[i].caught) {
        wrong(row.name,
              fmt::format("is caught at none of the {} seeds from {} on", stated->allowed, stated->seed));
      }
    }
  });
  return right;
}

bool rows_exist(const std::vector<Stated>& table, const std::vector<Outcome>& mutants,
                const std::vector<Outcome>& variants) {
  bool all = true;
  for (const Stated& stated : table) {
    const auto same = [&stated](const Outcome& outcome) { return outcome.row.name == stated.name; };
    if (std::ranges::none_of(mutants, same) && std::ranges::none_of(variants, same)) {
      fmt::print("{}: is in the table, but there is no such fault\n", stated.name);
      all = false;
    }
  }
  return all;
}

/// The faults have a variable that says which is in force: a program without its name has none of them.
bool is_without_faults(const std::string& program) {
  constexpr std::string_view kSwitch = "active_mutant";
  if (content_of("/proc/self/exe").find(kSwitch) == std::string::npos) {
    fmt::print("this program has no `{}` either: the look into {} says nothing\n", kSwitch, program);
    return false;
  }
  const std::string bytes = content_of(program);
  if (bytes.empty() || bytes.find(kSwitch) != std::string::npos) {
    fmt::print("{}: {}\n", program, bytes.empty() ? "cannot be read" : "has the faults compiled in");
    return false;
  }
  return true;
}

int run(int argc, char** argv) {
  CLI::App app{"Catches every fault compiled into the protocol, and every wrong variant of it"};
  std::string table_path;
  std::string out_path;
  std::string program;
  std::string only;
  std::uint64_t seeds = 10'000;
  app.add_option("--verify", table_path, "Catch each within the seeds that this table states");
  app.add_option("--write", out_path, "Catch each, from seed 1 on, and write the table");
  app.add_option("--without", program,
                 "A program that must have none of the faults compiled in, and must give the same traces");
  app.add_option("--only", only, "One fault or variant, by name");
  app.add_option("--seeds", seeds, "How many seeds are tried at most");
  CLI11_PARSE(app, argc, argv);

  std::vector<Outcome> mutants = outcomes(mutant_rows());
  std::vector<Outcome> variants = outcomes(variant_rows());
  if (!only.empty()) {
    const auto other = [&only](const Outcome& outcome) { return outcome.row.name != only; };
    std::erase_if(mutants, other);
    std::erase_if(variants, other);
  }
  Hunter hunter;
  constexpr std::uint64_t kComparedSeeds = 100;
  bool right = program.empty() ||
               (is_without_faults(program) && determinism::gives_the_traces_of(program, kComparedSeeds));
  if (!table_path.empty()) {
    const std::vector<Stated> table = read_table(content_of(table_path));
    right = rows_exist(table, mutants, variants) && right;
    right = verify(mutants, hunter, table) && right;
    right = verify(variants, hunter, table) && right;
    fmt::print("{} faults and {} variants: {}\n", mutants.size(), variants.size(),
               right ? "every one is caught as the table says" : "see above");
    return right ? 0 : 1;
  }
  hunt_all(mutants, hunter, seeds);
  hunt_all(variants, hunter, seeds);
  for (const std::vector<Outcome>* rows : {&mutants, &variants}) {
    for (const Outcome& outcome : *rows) {
      report(outcome);
      right = right && (outcome.caught || !outcome.row.unhunted.empty());
    }
  }
  if (!out_path.empty()) {
    std::ofstream(out_path, std::ios::binary) << written_table(mutants, variants);
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace mirrorproof::mutants

int main(int argc, char** argv) {
  return mirrorproof::mutants::run(argc, argv);
}
