#include "reports/matrix_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "explore/explore.h"
#include "model/check.h"
#include "reports/atomic_file.h"
#include "reports/explore_report.h"
#include "reports/known_findings.h"
#include "reports/parallel.h"
#include "reports/search_certificate.h"

namespace mirrorproof::reports {
namespace {

using sim::FaultClass;

constexpr std::string_view kSettle = R"({"do": "settle"})";

/// Two records more on A than its second replica has, a failover to B, records there; then an unclean
/// election on A, and records by a leader that never saw the first ones.
constexpr std::string_view kDivergence = R"(
    {"do": "produce", "cluster": "A"},
    {"do": "settle"},
    {"do": "hold", "cluster": "A", "broker": 1, "what": "fetch"},
    {"do": "produce", "cluster": "A", "records": 2},
    {"do": "isr_shrink", "cluster": "A", "follower": 1},
    {"do": "settle"},
    {"do": "stop_mirror", "source": "A", "destination": "B"},
    {"do": "settle"},
    {"do": "produce", "cluster": "B"},
    {"do": "settle"},
    {"do": "crash", "cluster": "A", "broker": 0},
    {"do": "release", "cluster": "A", "broker": 1, "what": "fetch"},
    {"do": "settle"},
    {"do": "unclean_election", "cluster": "A", "broker": 1},
    {"do": "settle"},
    {"do": "produce", "cluster": "A"},
    {"do": "produce", "cluster": "A"},
    {"do": "produce", "cluster": "A"},
    {"do": "restart", "cluster": "A", "broker": 0},
    {"do": "settle"})";

struct Shape {
  FaultClass faults;
  int source_brokers;
  int destination_brokers;
  std::string_view script;
  std::string_view bounds;
  bool mirrors_back = false;
};

const Shape& shape_of(FaultClass faults) {
  static const std::vector<Shape> kShapes{
      {FaultClass::none, 2, 1, kSettle, R"("records": 1, "clean_elections": 1, "isr_shrinks": 1)"},
      {FaultClass::crashes, 2, 1, kSettle, R"("records": 1, "crashes": 1, "isr_shrinks": 1)"},
      {FaultClass::unclean_elections, 2, 1, kSettle,
       R"("records": 1, "unclean_elections": 1, "crashes": 1, "isr_shrinks": 1)"},
      {FaultClass::power_loss, 2, 1, kSettle, R"("records": 1, "power_losses": 1, "isr_shrinks": 1)"},
      {FaultClass::versions, 1, 1, kSettle, R"("records": 2, "version_changes": 2)"},
      {FaultClass::network, 2, 1, kSettle, R"("records": 2, "link_drops": 1, "isr_shrinks": 1)"},
      {FaultClass::operations, 1, 1, kSettle, R"("records": 2, "failovers": 1, "failbacks": 1)", true},
      {FaultClass::failover_and_ule, 2, 2, kDivergence, R"("records": 1, "failbacks": 1, "isr_shrinks": 1)",
       true},
  };
  const auto found = std::find_if(kShapes.begin(), kShapes.end(),
                                  [&](const Shape& shape) { return shape.faults == faults; });
  MP_CHECK(found != kShapes.end(), "each world has a shape");
  return *found;
}

MatrixSearch result_of(const explore::ExploreResult& result, const ProtocolOptions& protocol) {
  MatrixSearch out;
  out.verdict = verdict_of(result);
  out.states = result.states;
  out.transitions = result.transitions;
  out.depth = result.depth;
  if (!result.violations.empty()) {
    const checker::Violation& first = result.violations.front();
    out.invariant = first.invariant;
    out.kind = first.kind;
    out.message = first.message;
    for (const KnownFinding& finding : known_findings_of(protocol)) {
      if (finding.matches(first)) {
        out.finding = finding.name;
        break;
      }
    }
  }
  return out;
}

struct SearchedCell {
  std::optional<MatrixSearch> search;
  std::string problem;  ///< what could not be written
};

SearchedCell search_cell(const Matrix& matrix, std::size_t row, std::size_t column, const MatrixWorld& world,
                         const std::string& folder, const std::atomic<bool>& stop) {
  const std::optional<scenarios::Scenario> scenario = world_scenario(world, matrix.rows[row]);
  if (!scenario || !explore::refusals(*scenario).empty()) {
    return {};
  }
  explore::ExploreOptions limits;
  limits.memory = kMatrixSearchMemory;
  const explore::ExploreResult result = explore::explore(*scenario, limits, {}, stop);
  if (result.end == explore::ExploreEnd::interrupted) {
    return {};
  }
  MatrixSearch search = result_of(result, matrix.rows[row].protocol);
  std::string text;
  if (search.verdict == scenarios::Verdict::holds) {
    search.file = fmt::format("certificates/{}.json", cell_file_name(matrix, row, column));
    text = search_certificate_json(*scenario, result).dump(1) + "\n";
  } else if (search.verdict == scenarios::Verdict::violated) {
    search.file = fmt::format("scenarios/{}--search.json", cell_file_name(matrix, row, column));
    text = scenarios::to_json(*make_explore_report(*scenario, result).counterexample);
  }
  std::string problem;
  if (!text.empty()) {
    problem = write_file((std::filesystem::path(folder) / search.file).string(), text);
    if (!problem.empty()) {
      search.file.clear();
    }
  }
  return {std::move(search), std::move(problem)};
}

}  // namespace

const std::vector<MatrixWorld>& matrix_worlds() {
  // First what the claim is about, then what takes little.
  static const std::vector<MatrixWorld> kWorlds{
      {FaultClass::unclean_elections, "unclean-election",
       "2 + 1 brokers, a record, an ISR shrink, an unclean election, a crash"},
      {FaultClass::operations, "failover-failback", "1 + 1 brokers, 2 records, a failover, a failback"},
      {FaultClass::network, "link-drop", "2 + 1 brokers, 2 records, an ISR shrink, a connection that drops"},
      {FaultClass::none, "clean-election", "2 + 1 brokers, a record, an ISR shrink, a clean election"},
      {FaultClass::crashes, "crash", "2 + 1 brokers, a record, an ISR shrink, a crash"},
      {FaultClass::versions, "downgrade-upgrade",
       "1 + 1 brokers, 2 records, 2 changes of the version between 2.4 and 4.1"},
      {FaultClass::power_loss, "power-loss", "2 + 1 brokers, a record, an ISR shrink, a power loss"},
      {FaultClass::failover_and_ule, "failback-after-ule",
       "2 + 2 brokers; after seven records, an unclean election and a failover: a failback, a record "
       "more and an ISR shrink"},
  };
  return kWorlds;
}

const MatrixWorld* world_of(FaultClass faults) {
  const auto& worlds = matrix_worlds();
  const auto found = std::find_if(worlds.begin(), worlds.end(),
                                  [&](const MatrixWorld& world) { return world.faults == faults; });
  return found == worlds.end() ? nullptr : &*found;
}

std::optional<scenarios::Scenario> world_scenario(const MatrixWorld& world, const MatrixRow& row) {
  const Shape& shape = shape_of(world.faults);
  if (shape.mirrors_back && row.source && *row.source != latest_kafka_version()) {
    // Releases before the latest do not know cluster mirroring: there is no failback to them.
    return std::nullopt;
  }
  const std::string version =
      row.source ? fmt::format(R"(, "version": "{}")", kafka_version_name(*row.source)) : "";
  const std::string faults = world.faults == FaultClass::versions ? R"("versions": ["2.4", "4.1"])"
                                                                  : R"("budgets": {"change_version": 0})";
  const std::string text = fmt::format(
      R"({{"name": "{}", "description": "{}", "clusters": [
    {{"name": "A", "brokers": {}{}}}, {{"name": "B", "brokers": {}}}],
  "topics": [{{"name": "orders"}}], "mirrors": [{{"source": "A", "destination": "B"}}],
  "faults": {{{}}}, "steps": [{}, {{"do": "mark"}}],
  "bounds": {{{}, "granularity": "coarse"}}, "expect": {{"verdict": "holds"}}}})",
      world.name, world.scope, shape.source_brokers, version, shape.destination_brokers, faults, shape.script,
      shape.bounds);
  scenarios::LoadResult loaded = scenarios::load_scenario(text, world.name);
  MP_CHECK(loaded.scenario.has_value(), "the worlds of the matrix are valid scenarios");
  loaded.scenario->setup.protocol = row.protocol;
  return std::move(loaded.scenario);
}

std::vector<std::string> search_matrix(Matrix& matrix, const MatrixSearchOptions& options,
                                       const std::atomic<bool>& stop, const MatrixChanged& changed) {
  std::vector<std::string> problems;
  for (const char* below : {"certificates", "scenarios"}) {
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(options.folder) / below, error);
    if (error) {
      return {fmt::format("cannot make the folder {}/{}: {}", options.folder, below, error.message())};
    }
  }
  struct Task {
    std::size_t row;
    std::size_t column;
    const MatrixWorld* world;
  };
  std::vector<Task> tasks;
  for (const MatrixWorld& world : options.worlds) {
    const auto column = std::find(matrix.columns.begin(), matrix.columns.end(), world.faults);
    for (std::size_t row = 0; row < matrix.rows.size() && column != matrix.columns.end(); ++row) {
      const auto at = static_cast<std::size_t>(column - matrix.columns.begin());
      if (!matrix.at(row, at).search) {
        tasks.push_back({row, at, &world});
      }
    }
  }
  std::vector<std::string> problem_of(tasks.size());
  std::mutex changing;
  each_in_parallel(tasks.size(), options.jobs, [&](std::size_t i) {
    if (stop.load()) {
      return;
    }
    const Task& task = tasks[i];
    SearchedCell searched = search_cell(matrix, task.row, task.column, *task.world, options.folder, stop);
    problem_of[i] = std::move(searched.problem);
    if (!searched.search) {
      return;
    }
    const std::lock_guard lock(changing);
    matrix.cells[task.row * matrix.columns.size() + task.column].search = std::move(searched.search);
    if (changed) {
      changed();
    }
  });
  for (std::string& problem : problem_of) {
    if (!problem.empty()) {
      problems.push_back(std::move(problem));
    }
  }
  return problems;
}

}  // namespace mirrorproof::reports
