#include "cli/report_files.h"

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

/// A failure file brings its own choices; of a scenario the seed says which run is meant.
std::string run_words(const std::string& path, const reports::RunInput& input, const reports::RunKey& key,
                      const reports::ProtocolOverride& protocol) {
  return reports::shell_word(path) + (input.failure ? "" : fmt::format(" --seed {}", key.seed)) +
         protocol_words(protocol);
}

}  // namespace

void add_html_options(CLI::App& app, ReportFileOptions& options) {
  app.add_option("--html", options.html, "Write a report as one self-contained HTML page")->type_name("FILE");
  app.add_flag("--force", options.force, "Replace report files that exist");
}

void add_report_options(CLI::App& app, ReportFileOptions& options) {
  add_html_options(app, options);
  app.add_option("--junit", options.junit, "Write the verdict as JUnit XML, an invariant a test case")
      ->type_name("FILE");
}

ReportFiles::ReportFiles(const ReportFileOptions& options) : options_(options) {
  open(html_, "--html", options.html);
  open(junit_, "--junit", options.junit);
  open(coverage_, "--coverage", options_.coverage);
}

void ReportFiles::open(File& file, const std::string& option, const std::string& path) {
  if (path.empty()) {
    return;
  }
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_regular_file(status) && !options_.force) {
    problems_.push_back(fmt::format("{}: {} exists and is kept; --force replaces it", option, path));
    return;
  }
  file.emplace(path);
  if (!file->ok()) {
    problems_.push_back(fmt::format("{}: {}", option, file->error()));
  }
}

bool ReportFiles::write(File& file, const std::string& option, const std::function<std::string()>& make) {
  if (!file) {
    return true;
  }
  const std::string text = make();
  file->stream().write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file->commit()) {
    problems_.push_back(fmt::format("{}: {}", option, file->error()));
  }
  return file->ok();
}

bool ReportFiles::write_html(const std::function<std::string()>& make) {
  return write(html_, "--html", make);
}

bool ReportFiles::write_junit(const std::function<std::string()>& make) {
  return write(junit_, "--junit", make);
}

bool ReportFiles::write_coverage(const std::function<std::string()>& make) {
  return write(coverage_, "--coverage", make);
}

bool write_run_reports(ReportFiles& files, const std::string& path, const reports::RunInput& input,
                       const reports::RunKey& key, const reports::ProtocolOverride& protocol,
                       const std::function<const reports::SeedsEvaluation&()>& all,
                       const std::vector<reports::PageFact>& facts) {
  files.write_html([&] {
    return reports::run_page(*input.scenario, key, all(), commands_again(path, input, key, protocol), facts);
  });
  files.write_junit([&] {
    return reports::run_junit(*input.scenario, all(),
                              files.hints(replay_command(path, input, key, protocol)));
  });
  return files.problems().empty();
}

std::string make_out_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return error ? fmt::format("--out: cannot make the folder {}: {}", folder, error.message()) : "";
}

std::string replay_command(const std::string& path, const reports::RunInput& input,
                           const reports::RunKey& key, const reports::ProtocolOverride& protocol) {
  return "mirrorproof replay " + run_words(path, input, key, protocol);
}

std::vector<reports::PageCommand> commands_again(const std::string& path, const reports::RunInput& input,
                                                 const reports::RunKey& key,
                                                 const reports::ProtocolOverride& protocol) {
  const std::string what = run_words(path, input, key, protocol);
  return {{"Judge the run again", "mirrorproof run " + what},
          {"Step through it", "mirrorproof replay " + what},
          {"The causal paths as text", "mirrorproof explain " + what},
          {"This page", "mirrorproof run " + what + " --html report.html"}};
}

std::vector<reports::PageCommand> trace_commands_again(const std::string& path) {
  const std::string what = reports::shell_word(path);
  return {{"Judge the trace again", "mirrorproof check " + what},
          {"This page", "mirrorproof report " + what + " --html report.html"}};
}

}  // namespace mirrorproof::cli
