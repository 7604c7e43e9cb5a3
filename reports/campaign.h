#pragma once
// Campaign: many seeds on several threads, each simulated and judged; failures are saved the moment they are
// found. What comes out depends on the seeds that were run, not on how many threads ran them. Looks at no
// clock: whoever starts it says when to stop.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "reports/evaluation.h"
#include "reports/known_findings.h"
#include "reports/reachability_goals.h"
#include "scenarios/scenario.h"
#include "sim/swarm.h"

namespace mirrorproof::reports {

/// Failure files kept in each folder: those of the smallest seeds.
inline constexpr std::size_t kMaxFailureFiles = 20;

inline constexpr std::uint64_t kMostShards = 1'000'000;

/// One part of a campaign that is split among several: every `count`-th seed, from the `index`-th on.
struct Shard {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
  friend bool operator==(const Shard&, const Shard&) = default;
};

struct CampaignPlan {
  /// What every seed runs; without it each seed draws its own setup.
  std::optional<scenarios::Scenario> scenario;
  sim::SwarmOptions swarm;
  /// Instead of the scenario's, or of class first: one that draws.
  std::optional<sim::Strategy> strategy;
  std::optional<int> change_points;  ///< of Strategy::pct
  std::uint64_t first_seed = 1;      ///< of the whole campaign
  Shard shard;
  std::uint64_t seeds = 0;  ///< 0 = until told to stop
  int jobs = 1;
  std::string out_dir;
  std::vector<KnownFinding> known;  ///< reported by name, not as failures
  ReachGoals goals;                 ///< what the seeds must reach between them

  /// The seed that is run as number `index`, from 0. Seeds wrap around like the counter they are.
  std::uint64_t seed_at(std::uint64_t index) const { return first_seed + shard.index + index * shard.count; }
};

/// An (invariant, kind of violation).
using FailureShape = std::pair<checker::Invariant, std::string>;

/// One of the ways in which a failure was seen to come about, after shrinking.
struct ShrunkForm {
  std::string shape;  ///< script_shape() of it
  std::string file;
  std::size_t steps = 0;
  std::vector<std::string> folders;  ///< of the campaigns that found it
};

struct FailureGroup {
  std::uint64_t seeds = 0;
  std::uint64_t first_seed = 0;
  std::string message;  ///< of the first seed
  std::string replay;   ///< the command that replays the first seed
  /// The seeds whose failure files were kept, smallest first.
  std::vector<std::uint64_t> kept_seeds;
  std::string shrunk_file;  ///< the smallest scenario found for it (shrink_failures); empty: not looked for
  std::size_t shrunk_steps = 0;
  std::vector<ShrunkForm> forms;  ///< each once, the smallest first; filled by merge_campaigns()
};

struct KnownFindingMet {
  std::uint64_t seeds = 0;
  std::uint64_t first_seed = 0;
};

struct CampaignCounts {
  std::uint64_t seeds = 0;
  std::uint64_t actions = 0;
  std::uint64_t events = 0;
  std::uint64_t failing_seeds = 0;
};

struct CampaignResult {
  CampaignCounts counts;
  std::map<FailureShape, FailureGroup> failures;
  std::map<std::string, KnownFindingMet> known;
  /// Violations that came after a known finding in the same run and partition; not counted as failures.
  std::uint64_t consequences = 0;
  std::uint64_t inconclusive = 0;
  std::string first_problem;  ///< of the first inconclusive seed
  std::uint64_t truncations = 0;
  std::uint64_t justified_truncations = 0;
  std::map<checker::TruncationExcuse, std::uint64_t> excused_truncations;  ///< of the others; none is no key
  std::uint64_t unclean_elections = 0;
  Reachability reachability;
  std::vector<std::string> goals_not_met;  ///< full names of points (ReachGoals), or none
  /// Over (seed, digest of its trace) of all seeds from the first on, without gaps, in order.
  std::uint64_t digest = 0;
  std::uint64_t digest_seeds = 0;
  std::vector<std::string> write_problems;  ///< failures that could not be saved; at most a few

  scenarios::Verdict verdict() const;
};

/// The failure that a report shows: of the claim itself if that is broken, else the one with the smallest
/// seed. nullptr if there is none.
const std::pair<const FailureShape, FailureGroup>* shown_failure(const CampaignResult& result);

/// Where a campaign stands: enough to go on from there, in another process.
struct CampaignState {
  CampaignResult result;
  /// Digests of seeds that were done before an earlier one, by index. Done are the first
  /// `result.digest_seeds` and these.
  std::map<std::uint64_t, std::uint64_t> early_digests;
  std::optional<std::uint64_t> first_inconclusive;  ///< by index
  /// Of the trace of index 0, once that is done: tells another build of the program from this one.
  std::optional<std::uint64_t> first_trace;

  bool done(std::uint64_t index) const {
    return index < result.digest_seeds || early_digests.contains(index);
  }
};

/// Where the failures of a shape are kept below the folder of a campaign, and the file of one seed.
std::string failure_folder(const std::string& out_dir, const FailureShape& shape);
std::string failure_path(const std::string& out_dir, const FailureShape& shape, std::uint64_t seed);
/// What shrink_failures() makes of it.
std::string shrunk_path(const std::string& out_dir, const FailureShape& shape);

/// One saved failure, for whoever watches.
struct FoundFailure {
  FailureShape shape;
  std::uint64_t seed = 0;
  std::string replay;
};

/// What a seed of a campaign runs.
scenarios::Scenario campaign_scenario(const CampaignPlan& plan, std::uint64_t seed);

/// A scenario as a campaign runs it: random actions after the script (at least `default_actions` unless the
/// scenario has random actions of its own), no expectations but that every invariant holds.
scenarios::Scenario made_random(scenarios::Scenario scenario, std::optional<int> max_actions,
                                int default_actions);

/// Leaves out what the script does after its first `mark`. False if it has none.
bool cut_at_mark(scenarios::Scenario& scenario);

class Campaign {
 public:
  /// Goes on from `state`, which must be one of the same plan.
  explicit Campaign(CampaignPlan plan, CampaignState state = {});
  /// Stops and waits.
  ~Campaign();
  Campaign(const Campaign&) = delete;
  Campaign& operator=(const Campaign&) = delete;

  void start();
  /// The seeds under way are finished, no others are begun.
  void stop() { stopping_.store(true); }
  /// The seeds under way are given up.
  void give_up() {
    stop();
    cancelled_.store(true);
  }

  /// True once all seeds are done (or given up); waits for it at most so long.
  bool wait_for(std::chrono::milliseconds patience);
  CampaignCounts counts() const;
  /// Reachability::points_reached() of the seeds done so far.
  std::size_t points_reached() const;
  /// Whatever is done so far; the failures in it are saved.
  CampaignState state() const;
  /// Failures saved since the last call.
  std::vector<FoundFailure> take_found();
  /// Waits for the end. Throws what a thread threw.
  CampaignState finish();

  /// The seed that the calling thread is running, for last words; 0 and false if none.
  static std::pair<bool, std::uint64_t> seed_under_way();

 private:
  void work();
  void run_seed(std::uint64_t index);
  void record(std::uint64_t index, const scenarios::Scenario& scenario, const Evaluation& evaluation);
  void record_digest(std::uint64_t index, const Evaluation& evaluation);
  void record_failure(const FailureShape& shape, const checker::Violation& violation,
                      const scenarios::Scenario& scenario, const Evaluation& evaluation);
  bool save(const FailureShape& shape, const scenarios::Scenario& scenario, const Evaluation& evaluation);
  std::string folder_of(const FailureShape& shape) const { return failure_folder(plan_.out_dir, shape); }
  std::string file_of(const FailureShape& shape, std::uint64_t seed) const {
    return failure_path(plan_.out_dir, shape, seed);
  }
  std::string replay_of(const FailureShape& shape, std::uint64_t seed) const;

  std::uint64_t index_at(std::uint64_t turn) const;

  const CampaignPlan plan_;
  std::vector<std::uint64_t> gaps_;  ///< indices left out between those that are done
  std::uint64_t beyond_gaps_ = 0;    ///< the first index after them
  std::atomic<std::uint64_t> next_turn_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> cancelled_{false};
  std::vector<std::thread> threads_;

  mutable std::mutex mutex_;  ///< guards everything below
  std::condition_variable ended_;
  int running_ = 0;
  std::exception_ptr thrown_;
  CampaignState state_;
  std::map<FailureShape, std::set<std::uint64_t>> kept_;
  std::vector<FoundFailure> found_;
};

/// The path as one word of a shell command.
std::string shell_word(const std::string& text);

}  // namespace mirrorproof::reports
