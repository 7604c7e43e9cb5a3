#pragma once
// Corpus: folders of runs whose verdict is recorded, replayed before a campaign so that nobody trusts a
// harness that has forgotten how to find what it once found. A file is a scenario, which says what it
// expects, or a failure file, which lists the violations it was saved for.

#include <functional>
#include <string>
#include <vector>

#include "reports/judgement_report.h"
#include "reports/style.h"
#include "scenarios/scenario.h"

namespace mirrorproof::reports {

struct CorpusEntry {
  std::string file;
  bool as_recorded = false;
  std::string difference;  ///< what came out instead; empty if it is as recorded
};

struct Corpus {
  std::vector<CorpusEntry> entries;          ///< by file name
  std::vector<scenarios::Problem> problems;  ///< files that cannot be read; then nothing was run

  std::size_t differing() const;
};

/// The *.json files of the folders (not of those below them). `before_file` is told how many are done; false
/// ends it.
Corpus replay_corpus(const std::vector<std::string>& folders,
                     const std::function<bool(std::size_t)>& before_file = {});

/// "Corpus: 30 runs, all as recorded.", or the files that differ.
std::string corpus_text(const Corpus& corpus, const Style& style);
Json corpus_json(const Corpus& corpus);

}  // namespace mirrorproof::reports
