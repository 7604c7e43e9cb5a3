// Bounds of a swarm: every seed keeps to them, and without any the draws are what they were.

#include "sim/swarm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace mirrorproof::sim {
namespace {

constexpr std::uint64_t kSeeds = 300;

std::size_t index_of(ActionClass kind) {
  return static_cast<std::size_t>(kind);
}

TEST(SwarmBounds, KeepSizesAndVersionsInEverySeed) {
  SwarmOptions options;
  options.clusters = {2, 2};
  options.brokers = {2, 4};
  options.partitions = {2, 3};
  options.actions = {30, 60};
  options.oldest = *parse_kafka_version("2.3");
  options.newest = *parse_kafka_version("3.5");
  std::set<std::size_t> brokers;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const sim::Setup setup = swarm_setup(options, seed);
    ASSERT_EQ(setup.clusters.size(), 2U);
    for (const ClusterSetup& cluster : setup.clusters) {
      ASSERT_GE(cluster.brokers.size(), 2U);
      ASSERT_LE(cluster.brokers.size(), 4U);
      brokers.insert(cluster.brokers.size());
    }
    for (const KafkaVersion version : setup.clusters.front().brokers) {
      ASSERT_GE(version, options.oldest);
      ASSERT_LE(version, options.newest);
    }
    for (const KafkaVersion version : setup.faults.versions) {
      ASSERT_GE(version, options.oldest);
      ASSERT_LE(version, options.newest);
    }
    for (const KafkaVersion version : setup.clusters.back().brokers) {
      ASSERT_EQ(version, latest_kafka_version()) << "a destination";
    }
    ASSERT_GE(setup.partitions.size(), 2U);
    ASSERT_LE(setup.partitions.size(), 3U);
    int actions = setup.run.max_actions;
    for (const ScriptStep& step : setup.steps) {
      actions += step.kind == StepKind::random ? step.count : 0;
    }
    ASSERT_GE(actions, 30);
    ASSERT_LE(actions, 60);
  }
  EXPECT_EQ(brokers, (std::set<std::size_t>{2, 3, 4}));
}

TEST(SwarmBounds, LimitFaultsInEverySeed) {
  SwarmOptions options;
  options.limits[index_of(ActionClass::crash)] = {1, true};
  options.limits[index_of(ActionClass::unclean_election)] = {0, false};
  options.limits[index_of(ActionClass::power_loss)] = {-1, true};
  options.limits[index_of(ActionClass::change_version)] = {2, true};
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const FaultSetup faults = swarm_setup(options, seed).faults;
    ASSERT_GT(faults.weights[index_of(ActionClass::crash)], 0);
    ASSERT_EQ(faults.budgets[index_of(ActionClass::crash)], 1);
    ASSERT_EQ(faults.weights[index_of(ActionClass::unclean_election)], 0);
    ASSERT_EQ(faults.budgets[index_of(ActionClass::unclean_election)], 0);
    ASSERT_GT(faults.weights[index_of(ActionClass::power_loss)], 0);
    ASSERT_NE(faults.budgets[index_of(ActionClass::power_loss)], 0);
    ASSERT_LE(faults.budgets[index_of(ActionClass::change_version)], 2);
    ASSERT_FALSE(faults.versions.empty());
    for (int i = 0; i < kProtocolClassCount; ++i) {
      ASSERT_GT(faults.weights[static_cast<std::size_t>(i)], 0) << "the protocol's own actions";
    }
  }
}

TEST(Swarm, SomeSeedsDrawWhatIsRare) {
  for (const ActionClass kind : {ActionClass::shut_down, ActionClass::set_min_insync_replicas,
                                 ActionClass::recover_mirror, ActionClass::produce_late}) {
    std::uint64_t drawn = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const FaultSetup faults = swarm_setup({}, seed).faults;
      const bool is_drawn = faults.weights[index_of(kind)] > 0;
      ASSERT_EQ(is_drawn, faults.budgets[index_of(kind)] != 0) << seed;
      drawn += is_drawn ? 1 : 0;
    }
    EXPECT_GT(drawn, 5U) << to_string(kind);
    EXPECT_LT(drawn, kSeeds / 4) << to_string(kind);
  }
}

/// Each fault class of the matrix is about something; a late batch belongs to none but the last.
TEST(Swarm, AFaultClassHasTheRareFaultsThatBelongToIt) {
  for (const auto& [faults, name] : EnumNames<FaultClass>::entries) {
    SwarmOptions options;
    options.faults = faults;
    std::set<ActionClass> drawn;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const FaultSetup setup = swarm_setup(options, seed).faults;
      for (const ActionClass kind : {ActionClass::shut_down, ActionClass::set_min_insync_replicas,
                                     ActionClass::recover_mirror, ActionClass::produce_late}) {
        if (setup.weights[index_of(kind)] > 0) {
          drawn.insert(kind);
        }
      }
    }
    const bool by_operators = faults == FaultClass::operations || faults == FaultClass::failover_and_ule ||
                              faults == FaultClass::all;
    EXPECT_EQ(drawn.contains(ActionClass::shut_down), by_operators) << name;
    EXPECT_EQ(drawn.contains(ActionClass::set_min_insync_replicas), by_operators) << name;
    EXPECT_EQ(drawn.contains(ActionClass::recover_mirror), by_operators) << name;
    EXPECT_EQ(drawn.contains(ActionClass::produce_late), faults == FaultClass::all) << name;
  }
}

TEST(SwarmBounds, LeaveOnlySubjectsThatFit) {
  const auto possible = [](auto&& change) {
    SwarmOptions options;
    change(options);
    return possible_subjects(options);
  };
  const auto only = [](SwarmSubject subject) {
    return SwarmSubjects{}.set(static_cast<std::size_t>(subject));
  };
  EXPECT_TRUE(possible([](SwarmOptions&) {}).all());
  EXPECT_EQ(possible([](SwarmOptions& o) { o.clusters = {1, 1}; }), only(SwarmSubject::elections));
  EXPECT_EQ(possible([](SwarmOptions& o) { o.clusters = {3, 3}; }), only(SwarmSubject::mixed));
  EXPECT_FALSE(possible([](SwarmOptions& o) {
                 o.oldest = *parse_kafka_version("2.7");
               }).test(static_cast<std::size_t>(SwarmSubject::old_source)));
}

}  // namespace
}  // namespace mirrorproof::sim
