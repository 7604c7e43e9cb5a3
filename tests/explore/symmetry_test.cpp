// What brokers are called decides nothing: a state under other names is the same state, and every move of it
// leads to the same states and verdicts as under the old ones.

#include "explore/symmetry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "explore/canonical_world.h"
#include "explore/explore.h"
#include "explore/moves.h"
#include "explore/start.h"
#include "explore/state_codec.h"
#include "sim/choices.h"
#include "tests/explore/random_worlds.h"
#include "tests/explore/worlds.h"

namespace mirrorproof::explore {
namespace {

std::vector<std::uint8_t> bytes_of(StateCodec& codec, JudgedWorld& world) {
  ByteWriter out;
  codec.save(world.simulator, world.judge, out);
  return {out.data(), out.data() + out.size()};
}

BrokerNames random_names(const sim::Setup& setup, sim::SeededChoices& choices) {
  BrokerNames names;
  for (std::size_t c = 0; c < setup.clusters.size(); ++c) {
    const std::span<BrokerId> all = names.names(static_cast<ClusterId>(c));
    for (std::size_t i = setup.clusters[c].brokers.size(); i > 1; --i) {
      std::swap(all[i - 1], all[choices.choose(sim::Stream::topology, static_cast<std::uint32_t>(i))]);
    }
  }
  return names;
}

std::multiset<std::pair<checker::Invariant, std::string>> kinds(checker::Checker& judge) {
  std::multiset<std::pair<checker::Invariant, std::string>> found;
  for (const checker::Violation& violation : judge.finish().violations) {
    found.emplace(violation.invariant, violation.kind);
  }
  return found;
}

/// Walks at random; in every state all moves are tried, under its names and under others.
class RenamedWalk {
 public:
  RenamedWalk(const scenarios::Scenario& scenario, std::uint64_t seed)
      : setup_(search_setup(scenario)),
        moves_(scenario.bounds.granularity),
        codec_(setup_, scenario.bounds.granularity),
        plain_(setup_, scenario.bounds.granularity),
        here_(setup_),
        there_(setup_),
        choices_(seed) {
    if (!bring_to_start(setup_, scenario.bounds, here_, nullptr)) {
      return;
    }
    symmetry_.emplace(setup_, scenario.bounds, here_.simulator.world());
    codec_.use(&*symmetry_);
    state_ = bytes_of(plain_, here_);
  }

  /// False: nothing can happen any more.
  bool step() {
    if (state_.empty()) {
      return false;
    }
    BrokerNames names = random_names(setup_, choices_);
    plain_.load(state_.data(), here_.simulator, here_.judge);
    for (std::size_t c = 0; c < setup_.clusters.size(); ++c) {
      const auto cluster = static_cast<ClusterId>(c);
      if (symmetry_->names_matter(here_.simulator.world(), cluster)) {
        const BrokerNames none;
        std::copy_n(none.names(cluster).begin(), kMaxBrokers, names.names(cluster).begin());
      }
    }
    moves_.enumerate(here_.simulator, list_);
    renamed_ += names.changes_any() ? 1 : 0;
    const std::vector<std::uint8_t> renamed = rename(state_, names);
    EXPECT_EQ(canonical(state_), canonical(renamed));
    load(renamed, there_);
    expect_same_moves(names, there_.simulator);
    if (list_.empty() || testing::Test::HasFailure()) {
      return false;
    }
    for (const sim::Action& move : list_) {
      load(state_, here_);
      load(renamed, there_);
      moves_.carry_out(move, here_, nullptr);
      moves_.carry_out(names.of(move), there_, nullptr);
      EXPECT_EQ(here_.broken(), there_.broken()) << to_string(move.kind);
      if (here_.broken() || there_.broken()) {
        EXPECT_EQ(kinds(here_.judge), kinds(there_.judge)) << to_string(move.kind);
        continue;
      }
      moves_tried_ += 1;
      // Names may matter no longer, or differ from before in what the move did; the bytes say the rest.
      const std::vector<std::uint8_t> left = bytes_of(codec_, here_);
      const std::vector<std::uint8_t> right = bytes_of(codec_, there_);
      if (left != right) {
        const auto differs = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
        ADD_FAILURE() << to_string(move.kind) << " leads to another state under other names: " << left.size()
                      << " and " << right.size() << " bytes, the first " << differs.first - left.begin()
                      << " are equal";
        return false;
      }
      if (testing::Test::HasFailure()) {
        return false;
      }
    }
    load(state_, here_);
    const sim::Action chosen =
        list_[choices_.choose(sim::Stream::scheduling, static_cast<std::uint32_t>(list_.size()))];
    moves_.carry_out(chosen, here_, nullptr);
    if (here_.broken()) {
      return false;
    }
    state_ = bytes_of(plain_, here_);
    return true;
  }

  std::size_t renamed() const { return renamed_; }
  std::size_t moves_tried() const { return moves_tried_; }

 private:
  void load(const std::vector<std::uint8_t>& state, JudgedWorld& world) {
    plain_.load(state.data(), world.simulator, world.judge);
  }
  std::vector<std::uint8_t> rename(const std::vector<std::uint8_t>& state, const BrokerNames& names) {
    load(state, there_);
    rename_brokers(there_.simulator.world(), names);
    for (std::size_t c = 0; c < setup_.clusters.size(); ++c) {
      there_.judge.rename_brokers(static_cast<ClusterId>(c), names.names(static_cast<ClusterId>(c)));
    }
    return bytes_of(plain_, there_);
  }
  std::vector<std::uint8_t> canonical(const std::vector<std::uint8_t>& state) {
    load(state, there_);
    std::vector<std::uint8_t> bytes = bytes_of(codec_, there_);
    // What has its canonical names keeps them.
    load(bytes, there_);
    EXPECT_EQ(bytes_of(codec_, there_), bytes);
    return bytes;
  }
  void expect_same_moves(const BrokerNames& names, const sim::Simulator& renamed) {
    std::vector<sim::Action> theirs;
    moves_.enumerate(renamed, theirs);
    EXPECT_EQ(list_.size(), theirs.size());
    for (const sim::Action& move : list_) {
      EXPECT_TRUE(std::find(theirs.begin(), theirs.end(), names.of(move)) != theirs.end())
          << to_string(move.kind);
    }
  }

  sim::Setup setup_;
  Moves moves_;
  StateCodec codec_;
  StateCodec plain_;
  std::optional<Symmetry> symmetry_;
  JudgedWorld here_;
  JudgedWorld there_;
  sim::SeededChoices choices_;
  std::vector<std::uint8_t> state_;
  std::vector<sim::Action> list_;
  std::size_t renamed_ = 0;
  std::size_t moves_tried_ = 0;
};

TEST(Symmetry, ARenamedStateGoesOnAsTheSame) {
  std::size_t renamed = 0;
  std::size_t tried = 0;
  for (int seed = 1; seed <= wanted_walks(60) && !HasFailure(); ++seed) {
    const scenarios::Scenario scenario = random_world(static_cast<std::uint64_t>(seed));
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + scenarios::to_json(scenario));
    if (!refusals(scenario).empty()) {
      continue;
    }
    RenamedWalk walk(scenario, static_cast<std::uint64_t>(seed));
    for (int i = 0; i < 40 && walk.step(); ++i) {
    }
    renamed += walk.renamed();
    tried += walk.moves_tried();
  }
  EXPECT_GT(renamed, 200);
  EXPECT_GT(tried, 1000);
}

}  // namespace
}  // namespace mirrorproof::explore
