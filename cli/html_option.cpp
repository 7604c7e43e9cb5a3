#include "cli/html_option.h"

#include <fmt/format.h>

#include <filesystem>

namespace mirrorproof::cli {
namespace {

std::string protocol_words(const reports::ProtocolOverride& protocol) {
  std::string out = protocol.preset.empty() ? "" : " --preset " + reports::shell_word(protocol.preset);
  for (const std::string& setting : protocol.settings) {
    out += " --protocol " + reports::shell_word(setting);
  }
  return out;
}

}  // namespace

void add_html_options(CLI::App& app, HtmlOptions& options) {
  app.add_option("--html", options.file, "Write a report as one self-contained HTML page")->type_name("FILE");
  app.add_flag("--force", options.force, "Replace the report's file if it exists");
}

HtmlOutput::HtmlOutput(const HtmlOptions& options) {
  if (options.file.empty()) {
    return;
  }
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(options.file, error);
  if (std::filesystem::is_regular_file(status) && !options.force) {
    problem_ = fmt::format("--html: {} exists and is kept; --force replaces it", options.file);
    return;
  }
  file_.emplace(options.file);
  if (!file_->ok()) {
    problem_ = "--html: " + file_->error();
  }
}

std::string HtmlOutput::write(const std::function<std::string()>& make) {
  if (!file_ || !file_->ok()) {
    return problem_;
  }
  const std::string page = make();
  file_->stream().write(page.data(), static_cast<std::streamsize>(page.size()));
  return file_->commit() ? "" : "--html: " + file_->error();
}

std::vector<reports::PageCommand> commands_again(const std::string& path, const reports::RunInput& input,
                                                 const reports::RunKey& key,
                                                 const reports::ProtocolOverride& protocol) {
  // A failure file brings its own choices; of a scenario the seed says which run is meant.
  const std::string what = reports::shell_word(path) +
                           (input.failure ? "" : fmt::format(" --seed {}", key.seed)) + protocol_words(protocol);
  return {{"Judge the run again", "mirrorproof run " + what},
          {"Step through it", "mirrorproof replay " + what},
          {"The causal paths as text", "mirrorproof explain " + what},
          {"This page", "mirrorproof run " + what + " --html report.html"}};
}

}  // namespace mirrorproof::cli
