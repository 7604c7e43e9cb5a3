#include "tests/tidy/tidy_rules.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace mirrorproof::tidy {
namespace {

using Words = std::set<std::string, std::less<>>;

// Which layers each layer may see. cli/ and tests/ see all layers, and nobody sees them.
const std::map<std::string, Words, std::less<>>& visible_layers() {
  static const std::map<std::string, Words, std::less<>> visible = {
      {"model", {"model"}},
      {"sim", {"sim", "model"}},
      {"checker", {"checker", "model"}},
      {"provenance", {"provenance", "checker", "model"}},
      {"scenarios", {"scenarios", "sim", "model"}},
      {"explore", {"explore", "scenarios", "sim", "checker", "model"}},
      {"reports", {"reports", "explore", "scenarios", "sim", "checker", "model"}},
      {"property", {"property", "reports", "explore", "scenarios", "sim", "checker", "model"}},
      {"cli", {"cli", "reports", "explore", "provenance", "scenarios", "sim", "checker", "model"}},
      {"tests",
       {"tests", "cli", "property", "reports", "explore", "provenance", "scenarios", "sim", "checker",
        "model"}},
  };
  return visible;
}

bool is_layer(std::string_view folder) {
  return visible_layers().contains(folder);
}

bool is_header(std::string_view path) {
  return path.ends_with(".h");
}

bool is_cpp(std::string_view path) {
  return is_header(path) || path.ends_with(".cpp");
}

bool is_cmake(std::string_view path) {
  return path.ends_with("CMakeLists.txt") || path.ends_with(".cmake");
}

// Written by hand and read by people; the data of tests may hold anything.
bool is_our_text(std::string_view path) {
  return is_cpp(path) || is_cmake(path) || path.ends_with(".md") || path.starts_with("tools/") ||
         path.starts_with(".ci/") || (path.starts_with("scenarios/") && path.ends_with(".json"));
}

int columns(std::string_view line) {
  return static_cast<int>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;  // UTF-8 continuation bytes take no column.
  }));
}

// A family of names that is banned in some layers.
struct Ban {
  std::string rule;
  Words layers;
  std::function<bool(const QualifiedName&)> matches;
  std::string why;
  Words except = {};  ///< files that may
};

std::function<bool(const QualifiedName&)> any_part_of(Words words) {
  return [words = std::move(words)](const QualifiedName& name) {
    return std::any_of(name.parts.begin(), name.parts.end(),
                       [&](const std::string& part) { return words.contains(part); });
  };
}

bool is_standard(const QualifiedName& name) {
  return name.parts.size() > 1 && name.parts.front() == "std";
}

bool is_random_source(const QualifiedName& name) {
  static const auto always =
      any_part_of({"rand", "srand", "drand48", "getrandom", "random_device", "mt19937", "mt19937_64",
                   "minstd_rand", "minstd_rand0", "default_random_engine", "knuth_b", "random_shuffle",
                   "uniform_int_distribution", "uniform_real_distribution"});
  const std::string& last = name.parts.back();
  return always(name) ||
         (is_standard(name) && (last == "shuffle" || last == "sample" || last.ends_with("_distribution")));
}

bool is_clock(const QualifiedName& name) {
  static const auto always =
      any_part_of({"system_clock", "steady_clock", "high_resolution_clock", "utc_clock", "clock_gettime",
                   "gettimeofday", "localtime", "gmtime"});
  const std::string& last = name.parts.back();
  return always(name) || (is_standard(name) && name.parts.size() == 2 && (last == "time" || last == "clock"));
}

bool is_thread(const QualifiedName& name) {
  static const Words standard = {"thread",      "jthread",   "this_thread", "mutex",     "shared_mutex",
                                 "async",       "future",    "promise",     "atomic",    "atomic_flag",
                                 "lock_guard",  "call_once", "barrier",     "latch",     "scoped_lock",
                                 "unique_lock", "execution", "atomic_ref",  "stop_token"};
  return name.parts.front() == "tbb" || (is_standard(name) && standard.contains(name.parts[1]));
}

bool is_unordered_container(const QualifiedName& name) {
  return std::any_of(name.parts.begin(), name.parts.end(),
                     [](const std::string& part) { return part.starts_with("unordered_"); });
}

bool is_standard_hash(const QualifiedName& name) {
  return is_standard(name) && name.parts[1] == "hash";
}

const std::vector<Ban>& bans() {
  static const std::vector<Ban> all = {
      {"random-source",
       {"model", "sim", "checker", "scenarios", "explore", "reports"},
       is_random_source,
       "randomness comes from the choices only: standard generators and distributions differ between "
       "libraries"},
      {"clock",
       {"model", "sim", "checker", "scenarios", "explore", "reports"},
       is_clock,
       "a run must not depend on the time of day; only cli/ may look at a clock"},
      {"thread",
       {"model", "checker"},
       is_thread,
       "the protocol and the judge are single-threaded values",
       {"checker/trace_reader.cpp"}},  // reads blocks of a file ahead; hands events on in their order
      {"unordered-container",
       {"model", "sim"},
       is_unordered_container,
       "its iteration order differs between libraries; use a sorted vector, std::map or std::set"},
      {"standard-hash",
       {"model", "sim"},
       is_standard_hash,
       "its values differ between libraries; use the hash of our own"},
      {"floating-point", {"model"}, any_part_of({"float", "double"}), "the protocol counts in integers"},
      {"impure-model",
       {"model"},
       any_part_of(
           {"getenv", "setlocale", "ifstream", "ofstream", "fstream", "filesystem", "cout", "cerr", "clog"}),
       "the protocol reads and writes nothing"},
  };
  return all;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    text += (text.empty() ? "" : "::") + part;
  }
  return text;
}

std::string joined_words(const Words& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

/// All that the second checker may share with the judge.
constexpr std::string_view kTraceReader = "checker/trace_reader.h";

Findings check_includes(const SourceFile& file) {
  Findings findings;
  const std::string_view layer = first_folder(file.path);
  if (!is_layer(layer)) {
    return findings;
  }
  const Words& visible = visible_layers().find(layer)->second;
  for (const Include& include : includes_in(file.text)) {
    const std::string_view target = first_folder(include.target);
    const bool climbs = target == "." || target == "..";
    const bool beside = target.empty() && layer != "tests";  // Tests may name the helper beside them.
    if (include.quoted && (climbs || beside)) {
      findings.push_back({"layering", file.path, include.line,
                          "\"" + include.target + "\" is not written from the root of the tree"});
    } else if (layer == "provenance" && target == "checker" && include.target != kTraceReader) {
      findings.push_back({"layering", file.path, include.line,
                          "provenance verifies the judge, and may share " + std::string(kTraceReader) +
                              " with it and nothing else"});
    } else if (is_layer(target) && !visible.contains(target)) {
      findings.push_back({"layering", file.path, include.line,
                          std::string(layer) + " includes " + include.target + " but may see only " +
                              joined_words(visible)});
    }
  }
  return findings;
}

Findings check_cmake_dependencies(const SourceFile& file) {
  Findings findings;
  const std::string_view layer = first_folder(file.path);
  if (!is_layer(layer)) {
    return findings;
  }
  const Words& visible = visible_layers().find(layer)->second;
  int line_number = 0;
  for (std::string_view line : lines_of(file.text)) {
    ++line_number;
    line = line.substr(0, line.find('#'));
    for (const QualifiedName& name : names_in(line)) {
      if (name.parts.size() == 2 && name.parts[0] == "mirrorproof" && !visible.contains(name.parts[1])) {
        findings.push_back({"layering", file.path, line_number,
                            std::string(layer) + " links mirrorproof::" + name.parts[1] +
                                " but may see only " + joined_words(visible)});
      }
    }
  }
  return findings;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Finding& finding) {
  out << finding.path;
  if (finding.line > 0) {
    out << ':' << finding.line;
  }
  return out << ": " << finding.message << " [" << finding.rule << "]";
}

Findings check_layering(const SourceFile& file) {
  if (is_cpp(file.path)) {
    return check_includes(file);
  }
  return is_cmake(file.path) ? check_cmake_dependencies(file) : Findings();
}

Findings check_banned_names(const SourceFile& file) {
  Findings findings;
  const std::string_view layer = first_folder(file.path);
  if (!is_cpp(file.path)) {
    return findings;
  }
  for (const QualifiedName& name : names_in(file.text)) {
    for (const Ban& ban : bans()) {
      if (ban.layers.contains(layer) && !ban.except.contains(file.path) && ban.matches(name)) {
        findings.push_back({ban.rule, file.path, name.line, joined(name.parts) + ": " + ban.why});
      }
    }
  }
  return findings;
}

Findings check_header_guard(const SourceFile& file) {
  if (!is_header(file.path)) {
    return {};
  }
  const std::string code = without_comments(file.text);
  for (std::string_view line : lines_of(code)) {
    if (line.starts_with("#pragma once")) {
      return {};
    }
  }
  return {{"header-guard", file.path, 0, "the header has no #pragma once"}};
}

Findings check_lines(const SourceFile& file) {
  Findings findings;
  if (!is_our_text(file.path)) {
    return findings;
  }
  int line_number = 0;
  for (std::string_view line : lines_of(file.text)) {
    ++line_number;
    const auto found = [&](std::string rule, std::string message) {
      findings.push_back({std::move(rule), file.path, line_number, std::move(message)});
    };
    if (line.find('\t') != std::string_view::npos) {
      found("tab", "indent with spaces");
    }
    if (line.ends_with('\r')) {
      found("line-ending", "the line ends in a carriage return");
    } else if (line.ends_with(' ') || line.ends_with('\t')) {
      found("trailing-space", "the line ends in a blank");
    }
    // The texts that tests feed in are what they are; everything else can be broken.
    const bool test_text = file.path.starts_with("tests/") && line.find('"') != std::string_view::npos;
    if (is_cpp(file.path) && !test_text && columns(line) > kLineColumnsMax) {
      found("line-length",
            std::to_string(columns(line)) + " columns, at most " + std::to_string(kLineColumnsMax));
    }
  }
  if (!file.text.empty() && !file.text.ends_with('\n')) {
    findings.push_back({"final-newline", file.path, line_number, "the last line has no line feed"});
  }
  return findings;
}

Findings check_file_length(const SourceFile& file) {
  const auto lines = static_cast<int>(lines_of(file.text).size());
  if (!is_cpp(file.path) || lines <= kFileLinesMax) {
    return {};
  }
  return {{"file-length", file.path, 0,
           std::to_string(lines) + " lines, at most " + std::to_string(kFileLinesMax) +
               ": give each job its own file"}};
}

Findings check_machine_paths(const SourceFile& file) {
  Findings findings;
  if (!is_our_text(file.path)) {
    return findings;
  }
  // Cut in two, so that the rule does not find itself.
  static const std::vector<std::string> roots = {std::string("/wo") + "rk/", std::string("/ro") + "ot/"};
  int line_number = 0;
  for (std::string_view line : lines_of(file.text)) {
    ++line_number;
    for (const std::string& root : roots) {
      const std::size_t at = line.find(root);
      const bool absolute =
          at != std::string_view::npos &&
          (at == 0 || std::string_view(" \t\"'`(=:<").find(line[at - 1]) != std::string_view::npos);
      if (absolute) {
        findings.push_back({"machine-path", file.path, line_number, root + "... exists on one machine only"});
      }
    }
  }
  return findings;
}

Findings check_scenario_file(const SourceFile& file) {
  if (!file.path.starts_with("scenarios/") || !file.path.ends_with(".json") ||
      file.path.find("schema") != std::string::npos) {
    return {};
  }
  Findings findings;
  const auto found = [&](std::string message) {
    findings.push_back({"scenario-file", file.path, 0, std::move(message)});
  };
  const nlohmann::json scenario = nlohmann::json::parse(file.text, nullptr, false);
  if (scenario.is_discarded() || !scenario.is_object()) {
    found("not one valid JSON object");
    return findings;
  }
  for (const char* field : {"name", "description"}) {
    const auto value = scenario.find(field);
    if (value == scenario.end() || !value->is_string() || value->get_ref<const std::string&>().empty()) {
      found(std::string("\"") + field + "\" must be a text that is not empty");
    }
  }
  const auto expect = scenario.find("expect");
  if (expect == scenario.end() || !expect->is_structured() || expect->empty()) {
    found("\"expect\" must say what the scenario shows: one without an expectation cannot fail");
  }
  return findings;
}

Findings check_test_registration(const std::vector<SourceFile>& tree) {
  Words registered;
  for (const SourceFile& file : tree) {
    if (file.path == "tests/CMakeLists.txt") {
      const std::string_view text = file.text;
      constexpr std::string_view kOpening = "foreach(layer ";
      for (std::size_t begin = text.find(kOpening); begin != std::string_view::npos;
           begin = text.find(kOpening, begin + 1)) {
        const std::size_t names = begin + kOpening.size();
        for (QualifiedName& name : names_in(text.substr(names, text.find(')', names) - names))) {
          registered.insert(std::move(name.parts.front()));
        }
      }
    }
  }
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!file.path.starts_with("tests/") || !file.path.ends_with("_test.cpp")) {
      continue;
    }
    const std::string_view below = std::string_view(file.path).substr(std::string_view("tests/").size());
    if (!registered.contains(first_folder(below))) {
      findings.push_back({"unregistered-test", file.path, 0, "tests/CMakeLists.txt builds no such folder"});
    }
  }
  return findings;
}

Findings check_tree(const std::vector<SourceFile>& tree) {
  Findings findings = check_test_registration(tree);
  for (const SourceFile& file : tree) {
    for (const auto& rule : {check_layering, check_banned_names, check_header_guard, check_lines,
                             check_file_length, check_machine_paths, check_scenario_file}) {
      Findings more = rule(file);
      std::move(more.begin(), more.end(), std::back_inserter(findings));
    }
  }
  return findings;
}

Findings long_files(const std::vector<SourceFile>& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    const auto lines = static_cast<int>(lines_of(file.text).size());
    if (is_cpp(file.path) && lines > kFileLinesWanted) {
      findings.push_back({"file-length", file.path, 0, std::to_string(lines) + " lines: time to cut it"});
    }
  }
  return findings;
}

}  // namespace mirrorproof::tidy
