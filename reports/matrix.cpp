#include "reports/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <type_traits>

#include "model/protocol_presets.h"
#include "reports/evaluation.h"
#include "reports/known_findings.h"
#include "reports/parallel.h"
#include "sim/swarm.h"

namespace mirrorproof::reports {
namespace {

constexpr std::string_view kPresetBlock = "Presets";
constexpr std::string_view kQuestionBlock = "Newer sources only, or with the fallback";
constexpr std::string_view kOptionBlock = "as_proposed with one rule changed";
constexpr std::string_view kHardenedBlock = "hardened with one rule changed";

void add_option_rows(Matrix& matrix, std::string_view block, Preset preset) {
  ProtocolOptions changed = preset_options(preset);
  const std::string before = preset == Preset::as_proposed ? "" : fmt::format("{}, ", to_string(preset));
  for_each_option(changed, [&](std::string_view name, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    const Field usual = field;
    const auto add = [&](Field value, std::string_view text) {
      if (value == usual) {
        return;
      }
      field = value;
      matrix.rows.push_back(
          {std::string(block), fmt::format("{}{}={}", before, name, text), changed, std::nullopt});
      field = usual;
    };
    if constexpr (std::is_same_v<Field, bool>) {
      add(true, "true");
      add(false, "false");
    } else {
      for (const auto& [value, text] : EnumNames<Field>::entries) {
        add(value, text);
      }
    }
  });
}

void add_question_rows(Matrix& matrix) {
  for (const std::string_view version : {"2.1", "2.4", "2.7", "3.7", "4.3"}) {
    for (const DivergenceDetection detection :
         {DivergenceDetection::fetch_then_ofle, DivergenceDetection::fetch_only}) {
      MatrixRow row;
      row.block = kQuestionBlock;
      row.name = fmt::format("source {} {}", version, to_string(detection));
      row.protocol.divergence_detection = detection;
      row.source = parse_kafka_version(version);
      if (row.source) {
        matrix.rows.push_back(std::move(row));
      }
    }
  }
}

/// Of the first seeds only: the events are gone over a second time.
void count_cost(MatrixCell& cell, const scenarios::Scenario& scenario, const RunKey& key,
                const Reached& reached) {
  cell.cost.runs += 1;
  cell.cost.branches.note_all(mirror_branches(reached));
  walk_events(scenario, key, [&](const Event& event) {
    if (const auto* sent = std::get_if<RequestSent>(&event.payload); sent != nullptr) {
      if (sent->server_cluster == event.cluster) {
        return;
      }
      cell.cost.fetches += sent->api == ApiKey::fetch ? 1 : 0;
      cell.cost.epoch_lookups += sent->api == ApiKey::offset_for_leader_epoch ? 1 : 0;
      cell.cost.offset_lookups += sent->api == ApiKey::list_offsets ? 1 : 0;
    } else if (const auto* refused = std::get_if<UnsupportedVersion>(&event.payload); refused != nullptr) {
      cell.cost.unsupported += refused->server_cluster != event.cluster ? 1 : 0;
    } else if (const auto* appended = std::get_if<Appended>(&event.payload); appended != nullptr) {
      if (appended->origin == AppendOrigin::mirror) {
        for (const Batch& batch : appended->batches) {
          cell.cost.records += static_cast<std::uint64_t>(batch.last_offset - batch.base_offset + 1);
        }
      }
    }
  });
}

void run_cell(const MatrixRow& row, sim::FaultClass faults, std::uint64_t until, MatrixCell& cell,
              const std::vector<KnownFinding>& known, const std::atomic<bool>& stop) {
  while (cell.seeds < until && !stop.load(std::memory_order_relaxed)) {
    const std::uint64_t seed = cell.seeds + 1;
    const scenarios::Scenario scenario = matrix_scenario(row, faults, seed);
    const RunKey key{seed, std::nullopt};
    const Evaluation evaluation = evaluate(scenario, key);
    cell.seeds = seed;
    cell.inconclusive += evaluation.verdict == scenarios::Verdict::inconclusive ? 1 : 0;
    cell.truncations += evaluation.judgement.mirror_truncations.size();
    for (const checker::MirrorTruncation& truncation : evaluation.judgement.mirror_truncations) {
      cell.justified += truncation.justified ? 1 : 0;
    }
    const checker::OverTruncationStatistics& over = evaluation.judgement.statistics.over_truncation;
    cell.over_truncated += over.records;
    cell.fetched_again += over.records_fetched_again;
    if (row.source && seed <= kMatrixSeedsPerRound) {
      count_cost(cell, scenario, key, evaluation.reached);
    }
    if (evaluation.judgement.holds()) {
      continue;
    }
    // What follows in the same run is most often a consequence of the first.
    const checker::Violation& first = evaluation.judgement.violations.front();
    MatrixBreak& broken = cell.broken[first.invariant];
    broken.seeds += 1;
    if (broken.seeds == 1) {
      broken.first_seed = seed;
      broken.kind = first.kind;
      broken.message = first.message;
      const auto finding =
          std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.matches(first); });
      broken.finding = finding == known.end() ? std::string{} : std::string(finding->name);
    }
  }
}

}  // namespace

std::uint64_t Matrix::seeds() const {
  std::uint64_t all = 0;
  for (const MatrixCell& cell : cells) {
    all += cell.seeds;
  }
  return all;
}

std::uint64_t Matrix::least_seeds() const {
  std::uint64_t least = cells.empty() ? 0 : cells.front().seeds;
  for (const MatrixCell& cell : cells) {
    least = std::min(least, cell.seeds);
  }
  return least;
}

Matrix full_matrix() {
  Matrix matrix;
  for (const auto& [preset, name] : EnumNames<Preset>::entries) {
    matrix.rows.push_back(
        {std::string(kPresetBlock), std::string(name), preset_options(preset), std::nullopt});
  }
  add_question_rows(matrix);
  add_option_rows(matrix, kOptionBlock, Preset::as_proposed);
  add_option_rows(matrix, kHardenedBlock, Preset::hardened);
  for (const auto& [faults, name] : EnumNames<sim::FaultClass>::entries) {
    matrix.columns.push_back(faults);
  }
  matrix.cells.resize(matrix.rows.size() * matrix.columns.size());
  return matrix;
}

std::optional<std::size_t> base_row(const Matrix& matrix, std::size_t row) {
  const std::string& block = matrix.rows[row].block;
  if (block != kOptionBlock && block != kHardenedBlock) {
    return std::nullopt;
  }
  const std::string_view base = to_string(block == kOptionBlock ? Preset::as_proposed : Preset::hardened);
  for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
    if (matrix.rows[i].name == base) {
      return i;
    }
  }
  return std::nullopt;
}

scenarios::Scenario matrix_scenario(const MatrixRow& row, sim::FaultClass faults, std::uint64_t seed) {
  sim::SwarmOptions options;
  options.protocol = row.protocol;
  scenarios::Scenario scenario;
  scenario.setup = sim::swarm_setup(options, seed);
  scenario.setup.name = fmt::format("{}, faults: {}, seed {}", row.name, to_string(faults), seed);
  scenario.description = fmt::format("Drawn by a design matrix: {}.", sim::description_of(faults));
  if (row.source) {
    for (KafkaVersion& version : scenario.setup.clusters.front().brokers) {
      version = *row.source;
    }
  }
  sim::restrict_faults(scenario.setup, faults);
  return scenario;
}

void fill_matrix(Matrix& matrix, std::uint64_t seeds_per_cell, int jobs, const std::atomic<bool>& stop,
                 const MatrixChanged& changed) {
  std::vector<std::vector<KnownFinding>> known;
  known.reserve(matrix.rows.size());
  for (const MatrixRow& row : matrix.rows) {
    known.push_back(known_findings_of(row.protocol));
  }
  std::mutex changing;
  while (!stop.load() && (seeds_per_cell == 0 || matrix.least_seeds() < seeds_per_cell)) {
    std::uint64_t until = (matrix.least_seeds() / kMatrixSeedsPerRound + 1) * kMatrixSeedsPerRound;
    until = seeds_per_cell == 0 ? until : std::min(until, seeds_per_cell);
    each_in_parallel(matrix.cells.size(), jobs, [&](std::size_t i) {
      if (stop.load()) {
        return;
      }
      const std::size_t row = i / matrix.columns.size();
      MatrixCell cell = matrix.cells[i];
      run_cell(matrix.rows[row], matrix.columns[i % matrix.columns.size()], until, cell, known[row], stop);
      const std::lock_guard lock(changing);
      matrix.cells[i] = std::move(cell);
      if (changed) {
        changed();
      }
    });
  }
}

std::string cell_file_name(const Matrix& matrix, std::size_t row, std::size_t column) {
  std::string text = fmt::format("{}--{}", matrix.rows[row].name, to_string(matrix.columns[column]));
  for (char& c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '=' || c == '.';
    c = plain ? c : '-';
  }
  return text;
}

}  // namespace mirrorproof::reports
