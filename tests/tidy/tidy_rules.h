#pragma once
// The rules of the house that a compiler does not know: which layer may see which, which names would break
// determinism, how large a file may grow. Each rule looks at text only and says where it was broken.

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/source_text.h"

namespace mirrorproof::tidy {

inline constexpr int kLineColumnsMax = 110;
inline constexpr int kFileLinesWanted = 500;
inline constexpr int kFileLinesMax = 600;

/// One place where a rule is broken. `line` is 1-based, or 0 when the whole file is meant.
struct Finding {
  std::string rule;  ///< stable kebab-case name
  std::string path;
  int line = 0;
  std::string message;
};

std::ostream& operator<<(std::ostream& out, const Finding& finding);

using Findings = std::vector<Finding>;

/// "layering": an #include or a CMake dependency against the arrows of docs/architecture.md.
Findings check_layering(const SourceFile& file);

/// "random-source", "clock", "thread", "unordered-container", "standard-hash", "floating-point",
/// "impure-model": names that make a run depend on something besides the scenario and its choices, in the
/// layers where that must not happen.
Findings check_banned_names(const SourceFile& file);

/// "header-guard": a header without `#pragma once`.
Findings check_header_guard(const SourceFile& file);

/// "line-length", "tab", "trailing-space", "line-ending", "final-newline".
Findings check_lines(const SourceFile& file);

/// "file-length": more than kFileLinesMax lines of C++.
Findings check_file_length(const SourceFile& file);

/// "machine-path": an absolute path that exists only where somebody happened to work.
Findings check_machine_paths(const SourceFile& file);

/// "scenario-file": not valid JSON, or without a name, a description or an expectation.
Findings check_scenario_file(const SourceFile& file);

/// "unregistered-test": a test below a folder of tests/ that tests/CMakeLists.txt does not build.
Findings check_test_registration(const std::vector<SourceFile>& tree);

/// All of the above.
Findings check_tree(const std::vector<SourceFile>& tree);

/// C++ files that grow beyond kFileLinesWanted: not yet an error, worth a cut.
Findings long_files(const std::vector<SourceFile>& tree);

}  // namespace mirrorproof::tidy
