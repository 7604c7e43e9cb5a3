#pragma once
// Source files as text: read from the tree, stripped of what is not code, cut into names and includes.

#include <string>
#include <string_view>
#include <vector>

namespace mirrorproof::tidy {

/// One file of the tree. `path` is relative to the root, with '/' between folders.
struct SourceFile {
  std::string path;
  std::string text;

  bool operator==(const SourceFile&) const = default;
};

/// A name as written in code, with its qualifiers: "std::chrono::steady_clock::now" has four parts.
struct QualifiedName {
  std::vector<std::string> parts;
  int line = 0;  ///< 1-based

  bool operator==(const QualifiedName&) const = default;
};

/// An #include line. `target` is what stands between the quotes or angle brackets.
struct Include {
  std::string target;
  bool quoted = false;
  int line = 0;  ///< 1-based

  bool operator==(const Include&) const = default;
};

/// All files below `root` in path order, without version control, build and output folders.
std::vector<SourceFile> load_tree(const std::string& root);

/// `code` with comments replaced by spaces; every character that stays keeps its line and column.
std::string without_comments(std::string_view code);

/// `code` with comments and the contents of string and character literals replaced by spaces.
std::string without_comments_and_literals(std::string_view code);

std::vector<QualifiedName> names_in(std::string_view code);
std::vector<Include> includes_in(std::string_view code);

/// The lines of `text` without their line feeds; a final line feed opens no further line.
std::vector<std::string_view> lines_of(std::string_view text);

/// "model" for "model/log.h"; empty for a file in the root.
std::string_view first_folder(std::string_view path);

}  // namespace mirrorproof::tidy
