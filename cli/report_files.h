#pragma once
// --html FILE, --junit FILE and --coverage FILE: reports that a command writes beside what it prints.

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "reports/atomic_file.h"
#include "reports/html_report.h"
#include "reports/junit.h"

namespace mirrorproof::cli {

struct ReportFileOptions {
  std::string html;
  std::string junit;
  std::string coverage;  ///< `fuzz` alone
  bool force = false;
};

/// --html and --force.
void add_html_options(CLI::App& app, ReportFileOptions& options);
/// --junit too.
void add_report_options(CLI::App& app, ReportFileOptions& options);

/// The files that a command is asked for. Opened before any work, so that a path that cannot be written is
/// known at once; a file that is there is kept unless it may be replaced.
class ReportFiles {
 public:
  explicit ReportFiles(const ReportFileOptions& options);

  /// Why something cannot be written; empty if all can.
  const std::vector<std::string>& problems() const { return problems_; }
  /// What a failing JUnit case says: how to repeat the run, and where its page is.
  reports::JunitHints hints(const std::string& replay) const { return {replay, options_.html}; }
  /// Where the page was asked for; may be empty.
  const std::string& html() const { return options_.html; }
  /// Write what was asked for; what was not costs nothing. False with problems() if it could not be written.
  bool write_html(const std::function<std::string()>& make);
  bool write_junit(const std::function<std::string()>& make);
  bool write_coverage(const std::function<std::string()>& make);

 private:
  using File = std::optional<reports::AtomicFile>;

  void open(File& file, const std::string& option, const std::string& path);
  bool write(File& file, const std::string& option, const std::function<std::string()>& make);

  ReportFileOptions options_;
  File html_;
  File junit_;
  File coverage_;
  std::vector<std::string> problems_;
};

/// The page and the JUnit file of a run of the scenario in `path`, if they were asked for. `all` is called
/// when one was. False with problems().
bool write_run_reports(ReportFiles& files, const std::string& path, const reports::RunInput& input,
                       const reports::RunKey& key, const reports::ProtocolOverride& protocol,
                       const std::function<const reports::SeedsEvaluation&()>& all,
                       const std::vector<reports::PageFact>& facts = {});

/// Makes the folder that --out names. Why it cannot be made; empty if it is there now.
std::string make_out_folder(const std::string& folder);

/// "mirrorproof replay my.json --seed 7". `path` is the file the user named.
std::string replay_command(const std::string& path, const reports::RunInput& input,
                           const reports::RunKey& key, const reports::ProtocolOverride& protocol);
/// The commands that make the shown run again.
std::vector<reports::PageCommand> commands_again(const std::string& path, const reports::RunInput& input,
                                                 const reports::RunKey& key,
                                                 const reports::ProtocolOverride& protocol);
/// The same for a trace.
std::vector<reports::PageCommand> trace_commands_again(const std::string& path);

/// Every reading problem of a trace, complained about. Returns the exit code.
int refuse_trace(const reports::TraceCheck& check, const std::string& file, const Terminal& terminal);

}  // namespace mirrorproof::cli
