// The search itself: level by level, each level in batches. Threads go through the states of a batch, each
// with a world of its own; what they found is then put in order by one thread, so that the result, ties and
// all, is the same for any number of threads.

#include <fmt/format.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "explore/explore.h"
#include "explore/frontier.h"
#include "explore/moves.h"
#include "explore/reduction.h"
#include "explore/start.h"
#include "explore/state_codec.h"
#include "explore/symmetry.h"
#include "explore/visited_set.h"
#include "model/check.h"
#include "sim/choices.h"
#include "sim/runner.h"

namespace mirrorproof::explore {
namespace {

using sim::Action;

/// States of one batch, and of one piece of work of a thread: states whose bytes are a chain of changes.
constexpr std::size_t kBatch = 1024;
constexpr std::size_t kPiece = 32;
static_assert(kBatch % kPiece == 0, "a batch begins where a chain begins");
/// The program itself, up to eight threads and their tables: counted against the budget from the start.
constexpr std::size_t kFixedMemory = std::size_t{12} << 20;
/// What the pieces of a batch may need more than those of the batch before.
constexpr std::size_t kGrowth = std::size_t{1} << 20;

/// What one thread works with.
struct Worker {
  Worker(const sim::Setup& setup, Granularity granularity)
      : world(setup), codec(setup, granularity), moves(granularity) {}

  JudgedWorld world;
  StateCodec codec;
  Moves moves;
  std::vector<Action> list;
};

/// A state that may be new.
struct Candidate {
  std::uint64_t fingerprint = 0;
  std::uint32_t state = 0;  ///< place of the state before it in the batch
  std::uint32_t move = 0;
  std::size_t begin = 0;
  std::size_t size = 0;
};

struct Broken {
  std::uint32_t state = 0;
  std::uint32_t move = 0;
};

/// What a piece of a batch led to, in order.
struct Piece {
  std::vector<Candidate> candidates;
  ByteWriter bytes;
  std::uint64_t transitions = 0;
  std::uint64_t reduced = 0;  ///< states of which not all moves were tried
  std::optional<Broken> broken;

  void clear() {
    candidates.clear();
    bytes.clear();
    transitions = 0;
    reduced = 0;
    broken.reset();
  }
};

class Search {
 public:
  Search(const scenarios::Scenario& scenario, const ExploreOptions& options, const ExploreObserver& observer,
         const std::atomic<bool>& stop)
      : setup_(search_setup(scenario)),
        bounds_(scenario.bounds),
        options_(options),
        observer_(observer),
        stop_(stop),
        partial_order_(options.reductions.partial_order && scenario.bounds.depth == 0),
        threads_(oneapi::tbb::global_control::max_allowed_parallelism,
                 std::max<std::size_t>(static_cast<std::size_t>(options.jobs),
                                       oneapi::tbb::global_control::active_value(
                                           oneapi::tbb::global_control::max_allowed_parallelism))),
        arena_(options.jobs),
        workers_([this] {
          auto worker = std::make_unique<Worker>(setup_, bounds_.granularity);
          worker->codec.use(symmetry_ ? &*symmetry_ : nullptr);
          return worker;
        }) {}

  ExploreResult run() {
    result_.reductions = {.symmetry = options_.reductions.symmetry, .partial_order = partial_order_};
    if (!begin()) {
      return finish();
    }
    while (level_.size() > 0) {
      if (bounds_.depth > 0 && result_.depth == bounds_.depth) {
        result_.depth_bound_met = true;
        result_.queue = level_.size();
        return finish();
      }
      if (!go_through_level()) {
        result_.queue += level_.size() + next_.size();
        return finish();
      }
      if (next_.size() > 0) {
        result_.depth += 1;
      }
      std::swap(level_, next_);
    }
    return finish();
  }

 private:
  /// Runs the script up to the mark. False: the script itself breaks an invariant.
  bool begin() {
    Worker& worker = *workers_.local();
    checker::Checker& judge = worker.world.judge;
    if (!bring_to_start(setup_, bounds_, worker.world, &result_.actions)) {
      result_.end = ExploreEnd::violation;
      result_.violations = judge.finish().violations;
      return false;
    }
    worker.codec.save(worker.world.simulator, judge, start_);
    start_as_named_ = start_;
    if (options_.reductions.symmetry) {
      symmetry_.emplace(setup_, bounds_, worker.world.simulator.world());
      worker.codec.use(&*symmetry_);
      start_.clear();
      worker.codec.save(worker.world.simulator, judge, start_);
      start_names_ = worker.codec.names();
    }
    chain_.emplace(worker.codec.sections());
    worker.codec.start_from(start_.data(), worker.world.simulator, judge);
    visited_.insert(worker.codec.save_successor(worker.world.simulator, judge));
    links_.push(0, 0);
    push(start_.data(), start_.size());
    std::swap(level_, next_);
    result_.states = 1;
    return true;
  }

  std::size_t memory() const {
    std::size_t pieces = 0;
    for (const Piece& piece : pieces_) {
      pieces += piece.bytes.capacity() + piece.candidates.capacity() * sizeof(Candidate);
    }
    return kFixedMemory + visited_.bytes() + links_.bytes() + pool_.bytes() + pieces;
  }

  /// False: the search is over.
  bool go_through_level() {
    std::vector<const std::uint8_t*> batch;
    while (level_.size() > 0) {
      if (stop_.load(std::memory_order_relaxed)) {
        result_.end = ExploreEnd::interrupted;
        return false;
      }
      level_.take(kBatch, batch);
      work_on(batch);
      if (!put_in_order(batch.size())) {
        return false;
      }
      level_.forget();
      if (observer_) {
        observer_(
            {result_.states, result_.transitions, level_.size() + next_.size(), result_.depth, memory()});
      }
    }
    level_.forget();
    return true;
  }

  void work_on(const std::vector<const std::uint8_t*>& batch) {
    const std::size_t pieces = (batch.size() + kPiece - 1) / kPiece;
    if (pieces_.size() < pieces) {
      pieces_.resize(pieces);
    }
    for (Piece& piece : pieces_) {
      piece.clear();
    }
    arena_.execute([&] {
      oneapi::tbb::parallel_for(
          oneapi::tbb::blocked_range<std::size_t>(0, pieces, 1),
          [&](const oneapi::tbb::blocked_range<std::size_t>& range) {
            Worker& worker = *workers_.local();
            for (std::size_t i = range.begin(); i < range.end(); ++i) {
              const std::size_t end = std::min(batch.size(), (i + 1) * kPiece);
              for (std::size_t state = i * kPiece; state < end && !pieces_[i].broken; ++state) {
                expand(worker, batch[state], static_cast<std::uint32_t>(state), pieces_[i]);
              }
            }
          },
          oneapi::tbb::simple_partitioner());
    });
  }

  void expand(Worker& worker, const std::uint8_t* state, std::uint32_t place, Piece& out) {
    worker.codec.start_from(state, worker.world.simulator, worker.world.judge);
    worker.moves.enumerate(worker.world.simulator, worker.list);
    MP_CHECK(worker.list.size() <= 0xffff, "a state has no more moves than a link can tell");
    const FirstMoves first = partial_order_ ? first_moves(worker.world.simulator, worker.world.judge,
                                                          bounds_.granularity, worker.list)
                                            : FirstMoves{};
    bool at_start = true;
    bool found_new = false;
    const auto go = [&](bool first_ones) {
      for (std::uint32_t move = 0; move < worker.list.size(); ++move) {
        const bool comes_first = first.cluster == kNoCluster || worker.list[move].cluster == first.cluster;
        if (comes_first != first_ones) {
          continue;
        }
        if (!at_start) {
          worker.codec.go_back(worker.world.simulator, worker.world.judge);
        }
        at_start = false;
        const std::size_t before = out.candidates.size();
        if (!try_move(worker, place, move, out)) {
          return false;
        }
        found_new = found_new || out.candidates.size() > before;
      }
      return true;
    };
    if (!go(true) || first.cluster == kNoCluster) {
      return;
    }
    if (first.progress || found_new) {
      out.reduced += 1;
    } else {
      go(false);
    }
  }

  /// False: it breaks an invariant.
  bool try_move(Worker& worker, std::uint32_t place, std::uint32_t move, Piece& out) {
    worker.moves.carry_out(worker.list[move], worker.world, nullptr);
    out.transitions += 1;
    if (worker.world.broken()) {
      out.broken = Broken{place, move};
      return false;
    }
    const std::uint64_t hash = worker.codec.save_successor(worker.world.simulator, worker.world.judge);
    if (visited_.contains(hash)) {
      return true;
    }
    // A trace may end here; then truncations that wait for a take-over are judged as they are.
    if (worker.world.judge.has_undecided() && !worker.world.judge.finish().violations.empty()) {
      out.broken = Broken{place, move};
      return false;
    }
    const std::size_t begin = out.bytes.size();
    worker.codec.append_successor(out.bytes);
    out.candidates.push_back({hash, place, move, begin, out.bytes.size() - begin});
    return true;
  }

  void push(const std::uint8_t* state, std::size_t size) {
    link_.clear();
    chain_->append(state, size, next_.size() % kPiece == 0, link_);
    next_.push(link_.data(), link_.size());
    result_.frontier_bytes += link_.size();
  }

  bool put_in_order(std::size_t batch_size) {
    std::size_t candidates = 0;
    std::size_t bytes = 0;
    for (const Piece& piece : pieces_) {
      candidates += piece.candidates.size();
      bytes += piece.bytes.size() + piece.candidates.size() * (sizeof(std::uint32_t) + sizeof(std::uint64_t));
    }
    bytes -= std::min(bytes, pool_.free_bytes());
    const std::size_t peak = memory() + visited_.bytes_to_insert(candidates) + bytes + kGrowth;
    if (peak > options_.memory) {
      result_.end = ExploreEnd::memory;
      result_.queue += batch_size;
      return false;
    }
    result_.peak_memory = std::max(result_.peak_memory, peak);
    for (const Piece& piece : pieces_) {
      result_.transitions += piece.transitions;
      result_.reduced += piece.reduced;
      for (const Candidate& candidate : piece.candidates) {
        if (visited_.insert(candidate.fingerprint)) {
          links_.push(first_of_batch_ + candidate.state, candidate.move);
          push(piece.bytes.data() + candidate.begin, candidate.size);
          result_.states += 1;
        }
      }
      if (piece.broken) {
        tell_path(first_of_batch_ + piece.broken->state, piece.broken->move);
        return false;
      }
    }
    first_of_batch_ += batch_size;
    return true;
  }

  /// Goes the way again that led to `move` in `state`.
  void tell_path(std::uint64_t state, std::uint32_t move) {
    std::vector<std::uint32_t> path{move};
    for (; state != 0; state = links_.at(state).parent) {
      path.push_back(links_.at(state).move);
    }
    std::reverse(path.begin(), path.end());
    Worker& worker = *workers_.local();
    ByteWriter bytes = start_;
    BrokerNames names = start_names_;  // in the state reached, of who is who at the start
    std::vector<Action> taken;
    const std::size_t before_search = result_.actions.size();
    for (const std::uint32_t next : path) {
      worker.codec.load(bytes.data(), worker.world.simulator, worker.world.judge);
      worker.moves.enumerate(worker.world.simulator, worker.list);
      taken.clear();
      worker.moves.carry_out(worker.list.at(next), worker.world, &taken);
      const BrokerNames at_start = names.inverse();
      for (const Action& action : taken) {
        result_.actions.push_back(at_start.of(action));
      }
      if (!worker.world.broken()) {
        bytes.clear();
        worker.codec.save(worker.world.simulator, worker.world.judge, bytes);
        names = names.then(worker.codec.names());
      }
    }
    if (symmetry_) {
      // Judged again under the names that the scenario gives.
      worker.codec.load(start_as_named_.data(), worker.world.simulator, worker.world.judge);
      for (std::size_t i = before_search; i < result_.actions.size() && !worker.world.broken(); ++i) {
        worker.world.take(result_.actions[i]);
      }
    }
    result_.end = ExploreEnd::violation;
    result_.depth = static_cast<int>(path.size());
    result_.violations = worker.world.judge.finish().violations;
    MP_CHECK(!result_.violations.empty(), "the way that led to a violation leads there again");
  }

  ExploreResult finish() {
    result_.visited_bytes = visited_.bytes();
    result_.link_bytes = links_.bytes();
    if (result_.end != ExploreEnd::violation) {
      result_.actions.clear();
    }
    return std::move(result_);
  }

  const sim::Setup setup_;
  const scenarios::Bounds bounds_;
  const ExploreOptions& options_;
  const ExploreObserver& observer_;
  const std::atomic<bool>& stop_;
  const bool partial_order_;
  oneapi::tbb::global_control threads_;  // more threads than cores, if so many are wanted
  oneapi::tbb::task_arena arena_;
  oneapi::tbb::enumerable_thread_specific<std::unique_ptr<Worker>> workers_;
  std::optional<Symmetry> symmetry_;
  ByteWriter start_;
  ByteWriter start_as_named_;  ///< without symmetry
  BrokerNames start_names_;
  VisitedSet visited_;
  StateLinks links_;
  BlockPool pool_;
  Frontier level_{pool_};
  Frontier next_{pool_};
  std::optional<StateChain> chain_;  ///< of next_
  ByteWriter link_;
  std::vector<Piece> pieces_;
  std::uint64_t first_of_batch_ = 0;  ///< number of the batch's first state
  ExploreResult result_;
};

}  // namespace

sim::Setup search_setup(const scenarios::Scenario& scenario) {
  sim::Setup setup = scenario.setup;
  for (std::size_t i = setup.steps.size(); i > 0; --i) {
    if (setup.steps[i - 1].kind == sim::StepKind::mark) {
      setup.steps.resize(i);
      break;
    }
  }
  const int fetch_max_batches = setup.run.fetch_max_batches;
  const std::uint64_t seed = setup.run.first_seed;
  setup.run = sim::RunSetup{};
  setup.run.first_seed = seed;
  setup.run.strategy = sim::Strategy::scripted;
  setup.run.fetch_max_batches = fetch_max_batches;
  return setup;
}

std::vector<std::string> refusals(const scenarios::Scenario& scenario) {
  std::vector<std::string> out;
  const sim::Setup setup = search_setup(scenario);
  if (!setup.readers.empty()) {
    out.emplace_back("/readers: found readers, expected none: a search does not follow positions and groups");
  }
  for (const sim::ScriptStep& step : setup.steps) {
    if (step.kind == sim::StepKind::random || step.kind == sim::StepKind::converge) {
      out.push_back(fmt::format("{}: found a {} step, expected steps that lead to one marked state",
                                step.pointer, step.kind == sim::StepKind::random ? "random" : "converge"));
    } else if (step.kind == sim::StepKind::action && step.action.kind == sim::ActionClass::recreate_topic) {
      out.push_back(
          fmt::format("{}: found recreate_topic, expected a script without: a search does not tell the two "
                      "topics of one name apart",
                      step.pointer));
    } else if (step.kind == sim::StepKind::action && step.action.kind == sim::ActionClass::compact) {
      out.push_back(fmt::format(
          "{}: found compact, expected a script without: a search does not remember what cleaners took",
          step.pointer));
    }
  }
  const scenarios::Bounds& bounds = scenario.bounds;
  const auto change = static_cast<std::size_t>(sim::ActionClass::change_version);
  if (bounds.version_changes > 0 && (setup.faults.versions.empty() || setup.faults.budgets[change] == 0 ||
                                     setup.faults.weights[change] == 0)) {
    out.emplace_back(
        "/bounds/version_changes: found a bound, and faults that never change a version; expected versions, "
        "a "
        "weight and a budget in /faults");
  }
  if (!out.empty()) {
    return out;
  }
  sim::Runner runner(setup);
  sim::SeededChoices choices(setup.run.first_seed);
  const sim::RunOutcome outcome =
      runner.run(choices, [](std::vector<Event>&, const sim::Simulator&) { return true; });
  if (outcome.end != sim::RunEnd::complete) {
    out.push_back(outcome.problem);
  }
  return out;
}

ExploreResult explore(const scenarios::Scenario& scenario, const ExploreOptions& options,
                      const ExploreObserver& observer, const std::atomic<bool>& stop) {
  ExploreResult result = Search(scenario, options, observer, stop).run();
  if (result.end != ExploreEnd::violation || result.reduced == 0) {
    return result;
  }
  // Another order of its moves may be shorter: all of them are tried up to that depth.
  scenarios::Scenario shallow = scenario;
  shallow.bounds.depth = result.depth;
  ExploreOptions thorough = options;
  thorough.reductions.partial_order = false;
  ExploreResult shortest = Search(shallow, thorough, observer, stop).run();
  MP_CHECK(shortest.end != ExploreEnd::complete, "a way that reaches a violation is one of all ways");
  if (shortest.end != ExploreEnd::violation) {
    return result;
  }
  shortest.reductions = result.reductions;
  return shortest;
}

}  // namespace mirrorproof::explore
