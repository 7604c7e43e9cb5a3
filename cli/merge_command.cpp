// mirrorproof merge

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/merged_page.h"
#include "cli/report_files.h"
#include "reports/campaign_merge.h"

namespace mirrorproof::cli {
namespace {

namespace fs = std::filesystem;

struct MergeOptions {
  std::vector<std::string> folders;
  std::string out;
  bool complete = false;
  ReportFileOptions files;
  OutputOptions output;
};

/// Nothing after complaining about folders that cannot be read, or are named twice.
std::optional<std::vector<reports::CampaignPart>> load_parts(const MergeOptions& options,
                                                             const Terminal& terminal) {
  std::vector<reports::CampaignPart> parts;
  std::vector<scenarios::Problem> problems;
  std::set<std::string> seen;
  for (const std::string& folder : options.folders) {
    std::error_code error;
    if (!seen.insert(fs::weakly_canonical(folder, error).string()).second) {
      problems.push_back({folder, 0, 0, "", "the same folder again", "each campaign once"});
      continue;
    }
    reports::LoadCampaignResult loaded = reports::load_campaign_folder(folder);
    problems.insert(problems.end(), loaded.problems.begin(), loaded.problems.end());
    if (loaded.campaign) {
      parts.push_back({folder, std::move(*loaded.campaign)});
    }
  }
  if (!problems.empty()) {
    refuse(terminal, problems);
    return std::nullopt;
  }
  return parts;
}

void write_reports(ReportFiles& files, const reports::MergedCampaigns& merged) {
  const reports::CampaignFrame frame = reports::merged_frame(merged);
  files.write_junit([&] { return reports::campaign_junit(merged.result, frame, files.hints("")); });
  files.write_html([&] { return merged_page(merged); });
}

int merge(const MergeOptions& options) {
  const Terminal terminal(options.output);
  auto parts = load_parts(options, terminal);
  if (!parts) {
    return kBadInput;
  }
  if (const auto obstacles = reports::merge_obstacles(*parts); !obstacles.empty()) {
    return refuse(terminal, obstacles);
  }
  const std::string result_file = (fs::path(options.out) / "merged.json").string();
  if (!options.out.empty()) {
    std::error_code error;
    if (fs::exists(result_file, error) && !options.files.force) {
      return refuse(terminal,
                    {fmt::format("--out: {} exists and is kept; --force replaces it", result_file)});
    }
    if (const std::string problem = make_out_folder(options.out); !problem.empty()) {
      return refuse(terminal, {problem});
    }
  }
  ReportFiles files(options.files);
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }

  reports::MergedCampaigns merged = reports::merge_campaigns(std::move(*parts));
  std::vector<std::string> problems;
  if (!options.out.empty()) {
    reports::collect_failures(options.out, merged);
    const std::string problem = reports::write_file(
        result_file,
        reports::merged_json(merged).dump(1, ' ', false, reports::Json::error_handler_t::replace) + "\n");
    if (!problem.empty()) {
      problems.push_back("--out: " + problem);
    }
  }
  write_reports(files, merged);
  problems.insert(problems.end(), files.problems().begin(), files.problems().end());
  for (const std::string& problem : problems) {
    terminal.complain("mirrorproof: " + problem);
  }
  if (terminal.json()) {
    terminal.print_json(reports::merged_json(merged));
  } else {
    terminal.print(reports::merged_text(merged, terminal.out_style()));
    terminal.print(files.html().empty() ? "" : fmt::format("\nReport: {}\n", files.html()));
  }
  if (!problems.empty()) {
    return kBadInput;
  }
  const int code = reports::exit_code_of(merged.result);
  return options.complete && code == kAsExpected && !merged.complete() ? kInconclusive : code;
}

}  // namespace

Command add_merge(CLI::App& app) {
  const auto options = std::make_shared<MergeOptions>();
  CLI::App* command = app.add_subcommand(
      "merge",
      "Make one report of several campaigns: the shards of many machines, or one night after another");
  command->add_option("DIR", options->folders, "Folders that fuzz --out was given")->required();
  command
      ->add_option("--out", options->out,
                   "Collect the failure files here, and the merged result as merged.json")
      ->type_name("DIR");
  command->add_flag("--complete", options->complete,
                    "Without a failure, end with code 3 if a shard is missing or has not finished");
  add_report_options(*command, options->files);
  add_output_options(*command, options->output);
  command->footer(
      "Examples:\n"
      "  mirrorproof merge out/shard-*\n"
      "  mirrorproof merge out/1 out/2 --junit out/junit.xml --html out/report.html\n"
      "  mirrorproof merge out/shard-* --out out/merged --complete --json\n"
      "Each distinct failure is there once: same invariant, same kind; what fuzz --shrink made of it is "
      "listed\n"
      "by its shape. Seeds that were run twice and shards that are missing are said.\n"
      "Exit codes: 0 no new failure, 1 failures, 2 bad input (such as campaigns of different plans), 3 "
      "nothing\n"
      "was run, or --complete is not met.");
  return {command, [options] { return merge(*options); }};
}

}  // namespace mirrorproof::cli
