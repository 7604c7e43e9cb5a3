#include "cli/terminal.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "scenarios/json_print.h"

namespace mirrorproof::cli {
namespace {

bool wants_colour(int file, const OutputOptions& options) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  const bool refused = options.no_color || (no_color != nullptr && *no_color != '\0');
  return !refused && !dumb && ::isatty(file) == 1;
}

}  // namespace

reports::Style Terminal::out_style() const {
  return reports::Style(wants_colour(STDOUT_FILENO, options_));
}

void Terminal::print(std::string_view text) const {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void Terminal::print_json(const reports::Json& document) const {
  print(scenarios::print_json(document));
}

void Terminal::complain(std::string_view text) const {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fputc('\n', stderr);
}

bool Terminal::error_is_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

bool Terminal::flush() {
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

}  // namespace mirrorproof::cli
