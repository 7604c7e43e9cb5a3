#include "tests/tidy/source_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace mirrorproof::tidy {
namespace {

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_raw_string_prefix(std::string_view name) {
  return name == "R" || name == "u8R" || name == "uR" || name == "UR" || name == "LR";
}

// Walks over C++ code once, just precisely enough to know which characters are comment and which literal.
class Stripper {
 public:
  Stripper(std::string_view code, bool strip_literals) : code_(code), strip_literals_(strip_literals) {
    result_.reserve(code.size());
  }

  std::string run() {
    while (at_ < code_.size()) {
      const char c = code_[at_];
      if (code_.substr(at_, 2) == "//") {
        blank_until(std::min(code_.find('\n', at_), code_.size()));
      } else if (code_.substr(at_, 2) == "/*") {
        const std::size_t end = code_.find("*/", at_ + 2);
        blank_until(end == std::string_view::npos ? code_.size() : end + 2);
      } else if (c == '"' || c == '\'') {
        take_literal(c);
      } else if (starts_name(c)) {
        take_name();
      } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
        take_number();
      } else {
        keep_until(at_ + 1);
      }
    }
    return result_;
  }

 private:
  void keep_until(std::size_t end) {
    result_.append(code_.substr(at_, end - at_));
    at_ = end;
  }

  void blank_until(std::size_t end) {
    for (; at_ < end; ++at_) {
      result_.push_back(code_[at_] == '\n' ? '\n' : ' ');
    }
  }

  void literal_until(std::size_t end) {
    if (strip_literals_) {
      blank_until(end);
    } else {
      keep_until(end);
    }
  }

  void take_literal(char quote) {
    keep_until(at_ + 1);
    std::size_t end = at_;
    while (end < code_.size() && code_[end] != quote && code_[end] != '\n') {
      end = std::min(end + (code_[end] == '\\' ? 2 : 1), code_.size());
    }
    literal_until(end);
    if (at_ < code_.size()) {
      keep_until(at_ + 1);
    }
  }

  void take_name() {
    const std::size_t begin = at_;
    std::size_t end = at_;
    while (end < code_.size() && continues_name(code_[end])) {
      ++end;
    }
    keep_until(end);
    if (at_ < code_.size() && code_[at_] == '"' && is_raw_string_prefix(code_.substr(begin, end - begin))) {
      take_raw_string();
    }
  }

  void take_raw_string() {
    const std::size_t open = code_.find('(', at_);
    if (open == std::string_view::npos) {
      keep_until(code_.size());
      return;
    }
    const std::string close = ")" + std::string(code_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = code_.find(close, open);
    keep_until(open + 1);
    literal_until(std::min(end, code_.size()));
    keep_until(std::min(at_ + close.size(), code_.size()));
  }

  // A quote inside a number is a digit separator, not the start of a character literal.
  void take_number() {
    std::size_t end = at_;
    while (end < code_.size() &&
           (continues_name(code_[end]) || code_[end] == '.' ||
            (code_[end] == '\'' && end + 1 < code_.size() && continues_name(code_[end + 1])))) {
      ++end;
    }
    keep_until(end);
  }

  std::string_view code_;
  bool strip_literals_;
  std::size_t at_ = 0;
  std::string result_;
};

bool is_skipped_folder(std::string_view name) {
  constexpr std::array<std::string_view, 5> kSkipped = {".git", ".cache", "build", "out", "mirrorproof-out"};
  return std::find(kSkipped.begin(), kSkipped.end(), name) != kSkipped.end() || name.starts_with("build-");
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

std::vector<SourceFile> load_tree(const std::string& root) {
  namespace fs = std::filesystem;
  std::vector<SourceFile> files;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator();
       ++entry) {
    if (entry->is_directory() && is_skipped_folder(entry->path().filename().string())) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file() && !entry->is_symlink()) {
      files.push_back({entry->path().lexically_relative(root).generic_string(), read_file(entry->path())});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& left, const SourceFile& right) { return left.path < right.path; });
  return files;
}

std::string without_comments(std::string_view code) {
  return Stripper(code, false).run();
}

std::string without_comments_and_literals(std::string_view code) {
  return Stripper(code, true).run();
}

std::vector<QualifiedName> names_in(std::string_view code) {
  const std::string stripped = without_comments_and_literals(code);
  std::vector<QualifiedName> names;
  int line = 1;
  bool qualified = false;  // The last thing seen, blanks aside, was "::" after a name.
  for (std::size_t at = 0; at < stripped.size();) {
    const char c = stripped[at];
    if (starts_name(c)) {
      std::size_t end = at;
      while (end < stripped.size() && continues_name(stripped[end])) {
        ++end;
      }
      if (!qualified || names.empty()) {
        names.push_back({{}, line});
      }
      names.back().parts.push_back(stripped.substr(at, end - at));
      at = end;
      qualified = false;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      while (at < stripped.size() && (continues_name(stripped[at]) || stripped[at] == '\'')) {
        ++at;
      }
      qualified = false;
    } else if (stripped.compare(at, 2, "::") == 0) {
      qualified = at > 0 && continues_name(stripped[at - 1]);
      at += 2;
    } else {
      line += c == '\n' ? 1 : 0;
      qualified = qualified && std::isspace(static_cast<unsigned char>(c)) != 0;
      ++at;
    }
  }
  return names;
}

std::vector<Include> includes_in(std::string_view code) {
  const std::string stripped = without_comments(code);
  std::vector<Include> includes;
  int line_number = 0;
  for (std::string_view line : lines_of(stripped)) {
    ++line_number;
    const auto skip_blanks = [&line] {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    };
    skip_blanks();
    if (!line.starts_with('#')) {
      continue;
    }
    line.remove_prefix(1);
    skip_blanks();
    if (!line.starts_with("include")) {
      continue;
    }
    line.remove_prefix(std::string_view("include").size());
    skip_blanks();
    if (line.empty() || (line[0] != '"' && line[0] != '<')) {
      continue;
    }
    const bool quoted = line[0] == '"';
    const std::size_t end = line.find(quoted ? '"' : '>', 1);
    if (end != std::string_view::npos) {
      includes.push_back({std::string(line.substr(1, end - 1)), quoted, line_number});
    }
  }
  return includes;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view first_folder(std::string_view path) {
  const std::size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

}  // namespace mirrorproof::tidy
