#pragma once
// JudgedRun: what `run`, `replay` and `explain` have in common. The input is read and every file to be
// written is opened before anything runs; then the run that is meant is judged.

#include <functional>
#include <ostream>

#include "cli/commands.h"
#include "cli/report_files.h"

namespace mirrorproof::cli {

struct RunArguments {
  std::string file;  ///< a scenario, or a failure file
  std::optional<std::uint64_t> seed;
  std::string product;  ///< the file of --trace or --certificate; empty = none
  ReportFileOptions files;
  reports::ProtocolOverride protocol;
  OutputOptions output;
};

class JudgedRun {
 public:
  /// `product_option` is what the user calls `arguments.product`: "--trace". The arguments must outlive it.
  JudgedRun(const RunArguments& arguments, std::string product_option);

  /// False: refused, with the reason told; the command ends with kBadInput.
  bool ok() const { return ok_; }

  const Terminal& terminal() const { return terminal_; }
  // The rest only if ok().
  const reports::RunInput& input() const { return *input_; }
  const scenarios::Scenario& scenario() const { return *input_->scenario; }
  const reports::SeedsEvaluation& all() const { return selection_->all; }
  const reports::Evaluation& shown() const { return selection_->all.shown; }
  const reports::RunKey& key() const { return selection_->key; }

  /// Each writes what was asked for, and nothing else. False: refused, as above.
  bool write_trace();
  bool write_product(const std::function<void(std::ostream&)>& write);
  bool write_reports();

  int exit_code() const { return reports::exit_code_of(all().verdict, all().as_expected); }

 private:
  bool prepare();
  /// False after telling them.
  bool no_problem(const std::vector<std::string>& problems) const;

  const RunArguments& arguments_;
  std::string product_option_;
  Terminal terminal_;
  bool ok_ = false;
  std::optional<reports::RunInput> input_;
  std::optional<reports::AtomicFile> product_;
  std::optional<ReportFiles> files_;
  std::optional<Selection> selection_;
};

}  // namespace mirrorproof::cli
