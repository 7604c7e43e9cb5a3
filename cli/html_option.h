#pragma once
// --html FILE, for the commands that can show what they did as a page.

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "reports/atomic_file.h"
#include "reports/html_report.h"

namespace mirrorproof::cli {

struct HtmlOptions {
  std::string file;
  bool force = false;
};

void add_html_options(CLI::App& app, HtmlOptions& options);

/// The place of a report that a command is asked for. Made before any work, so that a path that cannot be
/// written is known at once; a file that is there is kept unless it may be replaced.
class HtmlOutput {
 public:
  explicit HtmlOutput(const HtmlOptions& options);

  bool wanted() const { return file_.has_value(); }
  /// Empty, or why nothing can be written there.
  const std::string& problem() const { return problem_; }
  /// Writes the page that `make` makes, if one is wanted. Empty, or what went wrong.
  std::string write(const std::function<std::string()>& make);

 private:
  std::optional<reports::AtomicFile> file_;
  std::string problem_;
};

/// The commands that make the shown run again. `path` is the file the user named.
std::vector<reports::PageCommand> commands_again(const std::string& path, const reports::RunInput& input,
                                                 const reports::RunKey& key,
                                                 const reports::ProtocolOverride& protocol);

}  // namespace mirrorproof::cli
