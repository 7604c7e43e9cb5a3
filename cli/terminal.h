#pragma once
// Where output goes: results to stdout, progress and diagnostics to stderr.

#include <string>
#include <string_view>

#include "reports/judgement_report.h"
#include "reports/style.h"

namespace mirrorproof::cli {

/// Options that every command has.
struct OutputOptions {
  bool json = false;
  bool no_color = false;
};

class Terminal {
 public:
  explicit Terminal(const OutputOptions& options) : options_(options) {}

  bool json() const { return options_.json; }
  /// Colour only on a terminal, and only if nobody minds (NO_COLOR, --no-color, TERM=dumb).
  reports::Style out_style() const;

  void print(std::string_view text) const;
  void print_json(const reports::Json& document) const;
  /// A diagnostic, as a line of its own.
  void complain(std::string_view text) const;

  /// Is somebody watching stderr?
  static bool error_is_terminal();
  /// False if anything could not be written to stdout.
  static bool flush();

 private:
  OutputOptions options_;
};

}  // namespace mirrorproof::cli
