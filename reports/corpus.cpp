#include "reports/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "reports/failure_file.h"

namespace mirrorproof::reports {
namespace {

namespace fs = std::filesystem;

struct CorpusInput {
  std::string file;
  RunInput input;
};

/// The folder's files, loaded; what is wrong with them goes to `problems`.
void load_folder(const std::string& folder, std::vector<CorpusInput>& inputs,
                 std::vector<scenarios::Problem>& problems) {
  std::error_code error;
  std::vector<std::string> files;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.ends_with(".json") && !name.ends_with(".schema.json")) {
      files.push_back(it->path().string());
    }
  }
  if (error) {
    problems.push_back({folder, 0, 0, "", error.message(), "a folder of scenarios and failure files"});
    return;
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    CorpusInput one{file, load_run_input(file)};
    problems.insert(problems.end(), one.input.problems.begin(), one.input.problems.end());
    if (one.input.failure && one.input.failure->recorded.empty()) {
      problems.push_back({file, 0, 0, "/violations", "none", "the violations that the run is kept for"});
    }
    inputs.push_back(std::move(one));
  }
}

bool breaks(const Evaluation& run, const RecordedViolation& recorded) {
  return std::any_of(run.judgement.violations.begin(), run.judgement.violations.end(),
                     [&](const checker::Violation& violation) {
                       return violation.invariant == recorded.invariant && violation.kind == recorded.kind;
                     });
}

std::string outcome_text(const Evaluation& run) {
  if (run.judgement.violations.empty()) {
    return run.problem.empty() ? "no invariant is broken" : run.problem;
  }
  const checker::Violation& first = run.judgement.violations.front();
  return fmt::format("it breaks {} ({})", to_string(first.invariant), first.kind);
}

CorpusEntry replay_failure(const std::string& file, const FailureFile& failure) {
  const Evaluation run = evaluate(failure.scenario, failure.key);
  CorpusEntry entry{file, true, ""};
  for (const RecordedViolation& recorded : failure.recorded) {
    if (entry.as_recorded && !breaks(run, recorded)) {
      entry.as_recorded = false;
      entry.difference = fmt::format("recorded: {} ({}); now {}", to_string(recorded.invariant),
                                     recorded.kind, outcome_text(run));
    }
  }
  return entry;
}

CorpusEntry replay_scenario(const std::string& file, const scenarios::Scenario& scenario) {
  const sim::RunSetup& run = scenario.setup.run;
  const SeedsEvaluation all = evaluate_seeds(scenario, run.first_seed, static_cast<std::uint64_t>(run.seeds));
  CorpusEntry entry{file, all.as_expected, ""};
  if (!all.as_expected) {
    entry.difference =
        all.shown.not_met.empty() ? outcome_text(all.shown) : safe_text(all.shown.not_met.front());
  }
  return entry;
}

}  // namespace

std::size_t Corpus::differing() const {
  return static_cast<std::size_t>(
      std::count_if(entries.begin(), entries.end(), [](const auto& entry) { return !entry.as_recorded; }));
}

Corpus replay_corpus(const std::vector<std::string>& folders,
                     const std::function<bool(std::size_t)>& before_file) {
  Corpus corpus;
  std::vector<CorpusInput> inputs;
  for (const std::string& folder : folders) {
    load_folder(folder, inputs, corpus.problems);
  }
  if (!corpus.problems.empty()) {
    return corpus;
  }
  for (const CorpusInput& one : inputs) {
    if (before_file && !before_file(corpus.entries.size())) {
      break;
    }
    corpus.entries.push_back(one.input.failure ? replay_failure(one.file, *one.input.failure)
                                               : replay_scenario(one.file, *one.input.scenario));
  }
  return corpus;
}

std::string corpus_text(const Corpus& corpus, const Style& style) {
  if (corpus.differing() == 0) {
    return fmt::format("Corpus: {}, all as recorded.\n", counted(corpus.entries.size(), "run"));
  }
  std::string out = fmt::format("Corpus: {} of {} {} as recorded:\n", corpus.differing(),
                                counted(corpus.entries.size(), "run"), style.bad("not"));
  for (const CorpusEntry& entry : corpus.entries) {
    if (!entry.as_recorded) {
      out += fmt::format("  {}: {}\n", safe_text(entry.file), safe_text(entry.difference));
    }
  }
  return out;
}

Json corpus_json(const Corpus& corpus) {
  Json differing = Json::array();
  for (const CorpusEntry& entry : corpus.entries) {
    if (!entry.as_recorded) {
      differing.push_back({{"file", entry.file}, {"difference", entry.difference}});
    }
  }
  return {{"runs", corpus.entries.size()}, {"not_as_recorded", std::move(differing)}};
}

}  // namespace mirrorproof::reports
