// mirrorproof fuzz

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "cli/arguments.h"
#include "cli/campaign_keeper.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/report_files.h"
#include "cli/shard.h"
#include "cli/swarm_bounds_options.h"
#include "reports/campaign_plan.h"
#include "reports/campaign_report.h"
#include "reports/campaign_shrink.h"
#include "reports/corpus.h"
#include "reports/finding_faults.h"
#include "reports/limited_json.h"
#include "reports/reachability_report.h"

namespace mirrorproof::cli {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// Of a shrunk scenario, to be shown in a log.
constexpr std::size_t kMostScenarioBytes = std::size_t{64} << 10;
constexpr milliseconds kDefaultTime{60'000};
constexpr int kMostActions = 10'000'000;
/// Seeds under way when the campaign is told to stop get so long to finish.
constexpr milliseconds kPatience{2'000};

struct FuzzOptions {
  std::string file;
  std::optional<std::uint64_t> seeds;
  std::optional<milliseconds> time;
  std::optional<std::uint64_t> jobs;
  std::optional<std::uint64_t> first_seed;
  std::optional<std::uint64_t> max_actions;
  std::string strategy;
  std::optional<std::uint64_t> change_points;
  std::optional<reports::Shard> shard;
  std::string out = "mirrorproof-out/fuzz";
  SwarmBoundsOptions bounds;
  std::string goals;
  std::vector<std::string> corpus;
  bool no_known = false;
  bool avoid_known = false;
  bool shrink = false;
  bool resume = false;
  bool from_mark = false;
  ReportFileOptions files;
  reports::ProtocolOverride protocol;
  OutputOptions output;
};

/// The plan, or nothing after complaining.
std::optional<reports::CampaignPlan> make_plan(const FuzzOptions& options, const Terminal& terminal,
                                               std::vector<std::string>& left_out) {
  reports::CampaignPlan plan;
  std::optional<int> max_actions;
  if (options.max_actions) {
    max_actions = static_cast<int>(*options.max_actions);
  }
  std::uint64_t first_seed = 1;
  if (!options.file.empty()) {
    auto input = load_input(options.file, options.protocol, terminal);
    if (!input) {
      return std::nullopt;
    }
    if (input->failure) {
      refuse(terminal, {"fuzz runs scenarios; to run a failure file again: mirrorproof replay " +
                        reports::shell_word(options.file)});
      return std::nullopt;
    }
    if (options.avoid_known) {
      refuse(terminal, {"--avoid-known: found a scenario, expected none: it limits what seeds draw"});
      return std::nullopt;
    }
    if (options.bounds.any()) {
      refuse(terminal,
             {"--bounds, --max-clusters, --max-brokers, --max-partitions, --versions, --faults: found "
              "a scenario, expected none: they limit what seeds draw, and these would draw nothing"});
      return std::nullopt;
    }
    first_seed = input->scenario->setup.run.first_seed;
    if (options.from_mark && !reports::cut_at_mark(*input->scenario)) {
      refuse(terminal, {"--from-mark: found no step {\"do\": \"mark\"} in " + options.file +
                        ", expected one where the random actions are to begin"});
      return std::nullopt;
    }
    plan.scenario =
        reports::made_random(std::move(*input->scenario), max_actions, sim::SwarmOptions{}.actions.max);
  } else if (options.from_mark) {
    refuse(terminal, {"--from-mark: needs a scenario with a mark in its script"});
    return std::nullopt;
  } else {
    const std::vector<std::string> problems = reports::apply(options.protocol, plan.swarm.protocol);
    if (!problems.empty()) {
      refuse(terminal, problems);
      return std::nullopt;
    }
    if (!read_swarm_bounds(options.bounds, max_actions, plan.swarm, terminal)) {
      return std::nullopt;
    }
  }
  if (!options.goals.empty()) {
    reports::ReachGoalsResult goals = reports::read_reach_goals_file(options.goals);
    if (!goals.problems.empty()) {
      refuse(terminal, goals.problems);
      return std::nullopt;
    }
    plan.goals = std::move(goals.goals);
  }
  if (!options.strategy.empty()) {
    plan.strategy = parse_enum<sim::Strategy>(options.strategy);
  }
  if (options.change_points) {
    plan.change_points = static_cast<int>(*options.change_points);
  }
  plan.first_seed = options.first_seed.value_or(first_seed);
  plan.seeds = options.seeds.value_or(0);
  plan.jobs = static_cast<int>(options.jobs.value_or(std::max(1U, std::thread::hardware_concurrency())));
  plan.out_dir = options.out;
  const std::vector<reports::KnownFinding> known =
      reports::known_findings_of(plan.scenario ? plan.scenario->setup.protocol : plan.swarm.protocol);
  if (options.avoid_known) {
    left_out = reports::leave_out(known, plan.swarm);
  } else if (!options.no_known) {
    plan.known = known;
  }
  return plan;
}

/// The command that reaches the same again: what was typed, as far as it decides that, and the shard.
std::string command_text(const FuzzOptions& options, const reports::Shard& shard) {
  std::string text = "mirrorproof fuzz";
  const auto word = [&text](std::string_view name, const std::string& value) {
    if (!value.empty()) {
      text += fmt::format(" {} {}", name, reports::shell_word(value));
    }
  };
  const auto number = [&text](std::string_view name, const std::optional<std::uint64_t>& value) {
    if (value) {
      text += fmt::format(" {} {}", name, *value);
    }
  };
  if (!options.file.empty()) {
    text += " " + reports::shell_word(options.file);
  }
  number("--seeds", options.seeds);
  number("--first-seed", options.first_seed);
  if (shard.count > 1) {
    text += fmt::format(" --shard {}/{}", shard.index + 1, shard.count);
  }
  number("--max-actions", options.max_actions);
  word("--strategy", options.strategy);
  number("--change-points", options.change_points);
  text += options.from_mark ? " --from-mark" : "";
  text += options.avoid_known ? " --avoid-known" : "";
  word("--bounds", options.bounds.file);
  number("--max-clusters", options.bounds.max_clusters);
  number("--max-brokers", options.bounds.max_brokers);
  number("--max-partitions", options.bounds.max_partitions);
  word("--versions", options.bounds.versions);
  word("--faults", options.bounds.faults);
  word("--preset", options.protocol.preset);
  for (const std::string& setting : options.protocol.settings) {
    word("--protocol", setting);
  }
  return text;
}

/// The failure that is shown, run once more; nothing if there is none.
std::optional<reports::CampaignExample> example_of(const reports::CampaignPlan& plan,
                                                   const reports::CampaignResult& result) {
  const auto* failure = reports::shown_failure(result);
  if (failure == nullptr) {
    return std::nullopt;
  }
  const std::uint64_t seed = failure->second.first_seed;
  reports::CampaignExample example;
  example.scenario = reports::campaign_scenario(plan, seed);
  example.key.seed = seed;
  example.all = reports::evaluate_single(example.scenario, example.key);
  return example;
}

/// What --json prints. `corpus` may be nullptr: none was asked for.
reports::Json campaign_document(const reports::CampaignResult& result, const reports::CampaignFrame& frame,
                                const reports::Corpus* corpus) {
  reports::Json document = reports::campaign_json(result, frame);
  document["corpus"] = corpus == nullptr ? reports::Json(nullptr) : reports::corpus_json(*corpus);
  return document;
}

void write_reports(ReportFiles& files, const reports::CampaignPlan& plan,
                   const reports::CampaignResult& result, const reports::CampaignFrame& frame,
                   const reports::Corpus* corpus) {
  files.write_junit([&] { return reports::campaign_junit(result, frame, files.hints(""), corpus); });
  files.write_coverage([&] {
    return reports::reachability_markdown(result.reachability, frame.command, result.counts.seeds);
  });
  files.write_html([&] {
    const auto example = example_of(plan, result);
    const auto* failure = reports::shown_failure(result);
    std::vector<reports::PageCommand> commands;
    if (failure != nullptr && !failure->second.replay.empty()) {
      commands.push_back({"Step through the run above", failure->second.replay});
    }
    return reports::campaign_page(result, frame, campaign_document(result, frame, corpus),
                                  example ? &*example : nullptr, commands);
  });
}

/// What a log keeps when the files are gone: the small scenario of the failure that is shown, and where the
/// page is.
void print_evidence(const reports::CampaignResult& result, const ReportFiles& files,
                    const Terminal& terminal) {
  const auto* failure = reports::shown_failure(result);
  if (failure != nullptr && !failure->second.shrunk_file.empty()) {
    const std::string& file = failure->second.shrunk_file;
    const auto text = reports::read_beginning(file, kMostScenarioBytes);
    if (text && text->size() < kMostScenarioBytes) {
      terminal.print(fmt::format("\n{} ({}), as {}:\n{}", to_string(failure->first.first),
                                 failure->first.second, file, *text));
    }
  }
  terminal.print(files.html().empty() ? "" : fmt::format("\nReport: {}\n", files.html()));
}

int fuzz_seeds(const FuzzOptions& options) {
  const Terminal terminal(options.output);
  const ShardChoice shard = choose_shard(options.shard, environment_variable);
  if (!shard.problem.empty()) {
    return refuse(terminal, {shard.problem});
  }
  std::vector<std::string> left_out;
  auto plan = make_plan(options, terminal, left_out);
  if (!plan) {
    return kBadInput;
  }
  plan->shard = shard.shard;
  ReportFiles files(options.files);
  if (!files.problems().empty()) {
    return refuse(terminal, files.problems());
  }
  CampaignKeeper keeper(options.out);
  if (!keeper.open(*plan, options.resume)) {
    return refuse(terminal, keeper.problems());
  }
  if (!keeper.note().empty()) {
    terminal.complain(keeper.note());
  }
  reports::CampaignFrame frame;
  frame.what = reports::campaign_name(*plan);
  frame.first_seed = plan->seed_at(0);
  frame.shard = shard.shard;
  frame.shard_from = shard.from;
  frame.out_dir = options.out;
  frame.command = command_text(options, shard.shard);
  frame.left_out = std::move(left_out);
  if (options.avoid_known) {
    terminal.complain(frame.left_out.empty() ? "--avoid-known: this protocol has no known findings"
                                             : fmt::format("left out: {}", fmt::join(frame.left_out, ", ")));
  }
  const std::uint64_t seeds = plan->seeds;
  const int jobs = plan->jobs;
  const milliseconds time = options.time.value_or(
      seeds == 0 ? kDefaultTime : std::chrono::duration_cast<milliseconds>(Clock::duration::max()));

  if (!shard.from.empty()) {
    terminal.complain(
        fmt::format("shard {}/{}, from {}", shard.shard.index + 1, shard.shard.count, shard.from));
  }
  catch_interrupts();
  const reports::Corpus corpus =
      reports::replay_corpus(options.corpus, [](std::size_t) { return !interrupted(); });
  if (!corpus.problems.empty()) {
    return refuse(terminal, corpus.problems);
  }
  const auto begin = Clock::now() - keeper.earlier();
  reports::Campaign campaign(*plan, keeper.state());
  campaign.start();
  Progress progress({seeds, options.time || seeds == 0 ? std::optional(time) : std::nullopt}, terminal);
  std::optional<Clock::time_point> told_to_stop;
  while (!campaign.wait_for(milliseconds(50))) {
    const auto now = Clock::now();
    const auto elapsed = std::chrono::duration_cast<milliseconds>(now - begin);
    const std::vector<reports::FoundFailure> found = campaign.take_found();
    progress.show(elapsed, campaign, found);
    keeper.save_sometimes(campaign, elapsed, !found.empty());
    if (!told_to_stop && (elapsed >= time || interrupted())) {
      campaign.stop();
      told_to_stop = now;
    }
    if (told_to_stop && now - *told_to_stop >= kPatience) {
      campaign.give_up();
    }
  }
  frame.interrupted = interrupted();
  reports::CampaignState state = campaign.finish();
  reports::CampaignResult& result = state.result;
  const auto elapsed = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
  frame.seconds = static_cast<double>(elapsed.count()) / 1000.0;
  progress.finish(campaign.take_found());
  if (options.shrink && !frame.interrupted) {
    reports::shrink_failures(options.out, jobs, result);
  }
  if (std::string problem = keeper.save_end(state, elapsed, !frame.interrupted); !problem.empty()) {
    result.write_problems.push_back(std::move(problem));
  }
  const reports::Corpus* replayed = options.corpus.empty() ? nullptr : &corpus;
  write_reports(files, *plan, result, frame, replayed);
  for (const std::string& problem : files.problems()) {
    terminal.complain("mirrorproof: " + problem);
  }
  if (terminal.json()) {
    terminal.print_json(campaign_document(result, frame, replayed));
  } else {
    terminal.print(reports::campaign_text(result, frame, terminal.out_style()));
    if (replayed != nullptr) {
      terminal.print(reports::corpus_text(corpus, terminal.out_style()));
    }
    print_evidence(result, files, terminal);
  }
  if (!files.problems().empty()) {
    return kBadInput;
  }
  return corpus.differing() > 0 ? kViolated : reports::exit_code_of(result);
}

}  // namespace

Command add_fuzz(CLI::App& app) {
  const auto options = std::make_shared<FuzzOptions>();
  CLI::App* command =
      app.add_subcommand("fuzz", "Run many seeds; every failure is saved with the command that replays it");
  command->add_option(
      "SCENARIO", options->file,
      "What every seed runs, with random actions after its script and whatever it expects left aside "
      "(default: each seed draws its own clusters, versions and faults)");
  add_number(*command, "--seeds", options->seeds, 1, UINT64_MAX, "Stop after so many seeds");
  add_duration(*command, "--time", options->time,
               "Stop after this time (default 60s, unless --seeds is given)");
  add_number(*command, "--jobs", options->jobs, 1, 1024, "Threads (default: all cores)");
  add_number(*command, "--first-seed", options->first_seed, 0, UINT64_MAX, "Seed to begin with (default 1)");
  add_shard(*command, "--shard", options->shard,
            "Run only every N-th seed, starting with the I-th (default: what GTEST_SHARD_INDEX, "
            "JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID says)");
  add_number(*command, "--max-actions", options->max_actions, 4, kMostActions,
             "Random actions of a seed, at most (default 400, or what the scenario says)");
  command
      ->add_option(
          "--strategy", options->strategy,
          "How actions are drawn: random (class first, by weight), uniform, or pct (random priorities, "
          "activities starved in turn); docs/strategies.md compares them")
      ->type_name("NAME")
      ->check(CLI::IsMember({"random", "uniform", "pct"}));
  add_number(*command, "--change-points", options->change_points, 0, 100,
             "With --strategy pct: how often an activity is starved (default 3)");
  command->add_option("--out", options->out, "Folder for failures (default mirrorproof-out/fuzz)")
      ->type_name("DIR");
  add_swarm_bounds_options(*command, options->bounds);
  command
      ->add_option(
          "--goals", options->goals,
          "Points that the seeds must reach between them (docs/fuzz.md); one not reached is a failure")
      ->type_name("FILE");
  command
      ->add_option("--coverage", options->files.coverage,
                   "Write what the seeds reached as a page in Markdown, with the table of state transitions")
      ->type_name("FILE");
  command
      ->add_option(
          "--corpus", options->corpus,
          "Replay the scenarios and failure files of a folder first: each must still end as recorded; may "
          "be repeated")
      ->type_name("DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--from-mark", options->from_mark,
                    "Begin the random actions at the script's mark; the steps after it are left out");
  command->add_flag("--no-known", options->no_known, "Report known findings as failures");
  command->add_flag(
      "--avoid-known", options->avoid_known,
      "Leave out what the protocol's known findings need, such as failovers: whatever breaks is "
      "new (docs/fuzz.md)");
  command->add_flag("--shrink", options->shrink,
                    "Shrink each distinct failure in the end, to shrunk.json in its folder");
  command->add_flag(
      "--resume", options->resume,
      "Go on with the campaign in the folder, where it was stopped or killed; --seeds and --time "
      "count what it has done before");
  add_report_options(*command, options->files);
  add_protocol_options(*command, options->protocol);
  add_output_options(*command, options->output);
  command->footer(
      "Examples:\n"
      "  mirrorproof fuzz --time 60s\n"
      "  mirrorproof fuzz --protocol alignment=epoch_only --seeds 10000 --shrink\n"
      "  mirrorproof fuzz --time 60s --html report.html\n"
      "  mirrorproof fuzz --versions 2.1..2.6 --faults failover-and-ule --max-brokers 2\n"
      "  mirrorproof fuzz --bounds bounds.json --goals goals.json --coverage reached.md\n"
      "  mirrorproof fuzz --seeds 1000000 --out night --resume\n"
      "  mirrorproof fuzz scenarios/ule-truncate-on-fetch.json --seeds 1000 --jobs 2 --json\n"
      "Without --shard a campaign is split if the environment says so: GTEST_SHARD_INDEX of\n"
      "GTEST_TOTAL_SHARDS (from 0), JOB_COMPLETION_INDEX of MIRRORPROOF_SHARDS (from 0; a Kubernetes\n"
      "Indexed Job), or SLURM_ARRAY_TASK_ID of SLURM_ARRAY_TASK_COUNT. The first of them that is set "
      "counts.\n"
      "Ctrl-C ends it and keeps what was found; a second one kills it. How far it has come is kept in\n"
      "campaign.json in the folder; mirrorproof merge makes one report of several.\n"
      "Exit codes: 0 no new failure, every goal reached and the corpus as recorded, 1 not so, 2 bad input,\n"
      "3 nothing could be run.");
  return {command, [options] { return fuzz_seeds(*options); }};
}

}  // namespace mirrorproof::cli
