#include "reports/matrix_evidence.h"

#include <fmt/format.h>

#include <filesystem>
#include <mutex>

#include "reports/atomic_file.h"
#include "reports/campaign.h"
#include "reports/evaluation.h"
#include "reports/failure_file.h"
#include "reports/html_report.h"
#include "reports/matrix_report.h"
#include "reports/parallel.h"
#include "reports/shrink.h"

namespace mirrorproof::reports {
namespace {

using sim::FaultClass;

/// Whether every fault of one class may happen in the other.
bool includes(FaultClass all, FaultClass some) {
  if (some == all || some == FaultClass::none || all == FaultClass::all) {
    return true;
  }
  switch (all) {
    case FaultClass::unclean_elections:
    case FaultClass::power_loss:
      return some == FaultClass::crashes;
    case FaultClass::failover_and_ule:
      return some == FaultClass::crashes || some == FaultClass::unclean_elections ||
             some == FaultClass::operations;
    default:
      return false;
  }
}

/// Changes a matrix that others look at.
class MatrixWriter {
 public:
  MatrixWriter(Matrix& shared, const MatrixChanged& changed) : matrix(shared), changed_(changed) {}

  template <class Change>
  void change(const Change& make) {
    const std::lock_guard lock(changing_);
    make();
    if (changed_) {
      changed_();
    }
  }
  void set(std::string& place, std::string path) {
    change([&] { place = std::move(path); });
  }

  Matrix& matrix;

 private:
  const MatrixChanged& changed_;
  std::mutex changing_;
};

/// Each row by one thread, which alone changes the cells of that row.
class RowEvidence {
 public:
  RowEvidence(MatrixWriter& writer, std::size_t row, const MatrixEvidenceOptions& options,
              const std::atomic<bool>& stop)
      : writer_(writer), matrix_(writer.matrix), row_(row), options_(options), stop_(stop) {}

  void save() {
    for (std::size_t column = 0; column < matrix_.columns.size(); ++column) {
      for (auto& [invariant, broken] : cell(column).broken) {
        if (broken.file.empty()) {
          save_failure(column, invariant, broken);
        }
      }
    }
    // After all failure files: those are quick, and wanted in any case.
    for (std::size_t column = 0; options_.shrink && column < matrix_.columns.size(); ++column) {
      show_search(column);
      for (const MatrixMark& mark : matrix_marks(matrix_, row_, column)) {
        const auto broken = cell(column).broken.find(mark.invariant);
        // What the search found is small already.
        if (mark.news && mark.search == nullptr && broken != cell(column).broken.end() && !stop_.load()) {
          show_break(column, mark.invariant, broken->second);
        }
      }
    }
  }

  std::vector<std::string> problems;

 private:
  MatrixCell& cell(std::size_t column) { return matrix_.cells[row_ * matrix_.columns.size() + column]; }
  std::string path_of(const std::string& file) const {
    return (std::filesystem::path(options_.folder) / file).string();
  }
  bool write(const std::string& file, std::string_view text) {
    std::string problem = write_file(path_of(file), text);
    const bool ok = problem.empty();
    if (!ok) {
      problems.push_back(std::move(problem));
    }
    return ok;
  }
  std::string name_of(std::size_t column, checker::Invariant invariant) const {
    return fmt::format("{}--{}", cell_file_name(matrix_, row_, column), to_string(invariant));
  }
  scenarios::Scenario failing(std::size_t column, const MatrixBreak& broken) const {
    return matrix_scenario(matrix_.rows[row_], matrix_.columns[column], broken.first_seed);
  }

  void save_failure(std::size_t column, checker::Invariant invariant, MatrixBreak& broken) {
    const std::string file = fmt::format("failures/{}.json", name_of(column, invariant));
    const scenarios::Scenario scenario = failing(column, broken);
    const Evaluation evaluation = evaluate(scenario, broken.first_seed);
    if (write(file,
              failure_to_json(scenario, evaluation, "mirrorproof replay " + shell_word(path_of(file))))) {
      writer_.set(broken.file, file);
    }
  }

  void show_search(std::size_t column) {
    MatrixCell& here = cell(column);
    if (here.search_broke() && here.search->report.empty() && !here.search->file.empty()) {
      writer_.set(here.search->report,
                  page_of(here.search->file, cell_file_name(matrix_, row_, column) + "--search"));
    }
  }

  void show_break(std::size_t column, checker::Invariant invariant, MatrixBreak& broken) {
    if (broken.scenario.empty()) {
      take_over(column, invariant, broken);
    }
    if (broken.scenario.empty()) {
      const ShrinkLimits limits{.max_runs = kMatrixShrinkRuns, .keep_protocol = true, .cancel = &stop_};
      const ShrinkResult small = shrink(failing(column, broken), RunKey{broken.first_seed, std::nullopt},
                                        {invariant, broken.kind}, limits);
      const std::string file = fmt::format("scenarios/{}.json", name_of(column, invariant));
      // What was cut short depends on the moment.
      if (!stop_.load() && write(file, small.json)) {
        writer_.set(broken.scenario, file);
      }
    }
    if (!broken.scenario.empty() && broken.report.empty()) {
      writer_.set(broken.report, page_of(broken.scenario, name_of(column, invariant)));
    }
  }

  /// From a cell whose faults may all happen here.
  void take_over(std::size_t column, checker::Invariant invariant, MatrixBreak& broken) {
    for (std::size_t other = 0; other <= column; ++other) {
      if (!includes(matrix_.columns[column], matrix_.columns[other])) {
        continue;
      }
      const MatrixCell& there = cell(other);
      if (there.search_broke() && there.search->invariant == invariant && there.search->kind == broken.kind &&
          !there.search->file.empty()) {
        writer_.change([&] {
          broken.scenario = there.search->file;
          broken.report = there.search->report;
        });
        return;
      }
      const auto same = there.broken.find(invariant);
      if (other < column && same != there.broken.end() && same->second.kind == broken.kind &&
          !same->second.scenario.empty()) {
        writer_.change([&] {
          broken.scenario = same->second.scenario;
          broken.report = same->second.report;
        });
        return;
      }
    }
  }

  /// Empty if there is none.
  std::string page_of(const std::string& file, const std::string& name) {
    const scenarios::LoadResult loaded = scenarios::load_scenario_file(path_of(file));
    if (stop_.load() || !loaded.scenario) {
      return {};
    }
    const RunKey key{loaded.scenario->setup.run.first_seed, std::nullopt};
    const SeedsEvaluation run = evaluate_single(*loaded.scenario, key);
    const std::string path = shell_word(path_of(file));
    std::string report = fmt::format("reports/{}.html", name);
    const bool written =
        write(report, run_page(*loaded.scenario, key, run,
                               {{"Judge the run again", "mirrorproof run " + path},
                                {"Step through it", "mirrorproof replay " + path},
                                {"The causal paths as text", "mirrorproof explain " + path}}));
    return written ? report : std::string{};
  }

  MatrixWriter& writer_;
  Matrix& matrix_;
  std::size_t row_;
  const MatrixEvidenceOptions& options_;
  const std::atomic<bool>& stop_;
};

}  // namespace

std::vector<std::string> save_matrix_evidence(Matrix& matrix, const MatrixEvidenceOptions& options,
                                              const std::atomic<bool>& stop, const MatrixChanged& changed) {
  for (const char* below : {"failures", "scenarios", "reports"}) {
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(options.folder) / below, error);
    if (error) {
      return {fmt::format("cannot make the folder {}/{}: {}", options.folder, below, error.message())};
    }
  }
  MatrixWriter writer(matrix, changed);
  std::vector<std::vector<std::string>> problems(matrix.rows.size());
  each_in_parallel(matrix.rows.size(), options.jobs, [&](std::size_t row) {
    RowEvidence evidence(writer, row, options, stop);
    evidence.save();
    problems[row] = std::move(evidence.problems);
  });
  std::vector<std::string> all;
  for (std::vector<std::string>& some : problems) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

void forget_missing_evidence(Matrix& matrix, const std::string& folder) {
  const auto keep_existing = [&](std::string& file) {
    std::error_code error;
    if (!file.empty() && !std::filesystem::is_regular_file(std::filesystem::path(folder) / file, error)) {
      file.clear();
    }
  };
  for (MatrixCell& cell : matrix.cells) {
    if (cell.search) {
      keep_existing(cell.search->file);
      keep_existing(cell.search->report);
      if (cell.search->file.empty() && cell.search->verdict != scenarios::Verdict::inconclusive) {
        cell.search.reset();
      }
    }
    for (auto& [invariant, broken] : cell.broken) {
      keep_existing(broken.file);
      keep_existing(broken.scenario);
      keep_existing(broken.report);
    }
  }
}

}  // namespace mirrorproof::reports
