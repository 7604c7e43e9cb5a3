// fuzz --avoid-known: what the known findings need is left out, and nothing else breaks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "reports/finding_faults.h"
#include "scenarios/scenario.h"
#include "tests/cli/program.h"

namespace mirrorproof::cli_tests {
namespace {

using reports::finding_faults;
using reports::FindingFaults;
using reports::known_findings;
using testing::HasSubstr;

bool uses(const sim::Setup& setup, sim::ActionClass kind) {
  return std::any_of(setup.steps.begin(), setup.steps.end(), [kind](const sim::ScriptStep& step) {
    return step.kind == sim::StepKind::action && step.action.kind == kind;
  });
}

bool has_destination_followers(const sim::Setup& setup) {
  return std::any_of(setup.mirrors.begin(), setup.mirrors.end(), [&](const sim::MirrorSetup& mirror) {
    return setup.clusters[static_cast<std::size_t>(mirror.destination)].brokers.size() > 1;
  });
}

TEST(FindingFaults, EveryFindingNeedsWhatItsScenarioDoes) {
  std::set<std::string_view> told;
  for (const FindingFaults& row : finding_faults()) {
    EXPECT_TRUE(told.insert(row.finding).second) << row.finding;
    const std::string file =
        std::string(MIRRORPROOF_SOURCE_DIR) + "/scenarios/findings/" + std::string(row.finding) + ".json";
    const scenarios::LoadResult loaded = scenarios::load_scenario_file(file);
    ASSERT_TRUE(loaded.scenario) << file;
    const sim::Setup& setup = loaded.scenario->setup;
    const bool by_fault = std::any_of(row.faults.begin(), row.faults.end(),
                                      [&](sim::ActionClass kind) { return uses(setup, kind); });
    const bool old = !supported_range(setup.clusters.front().brokers.front(), ApiKey::fetch).supports(12);
    EXPECT_TRUE(by_fault || (row.destination_followers && has_destination_followers(setup)) ||
                (row.old_source && old) || (row.old_format && setup.partitions.front().epochless))
        << row.finding << " comes about without what it is said to need";
  }
  for (const reports::KnownFinding& finding : known_findings()) {
    EXPECT_TRUE(told.contains(finding.name)) << finding.name;
  }
}

TEST(FindingFaults, NothingIsLeftOutWhereNothingIsKnown) {
  sim::SwarmOptions swarm;
  EXPECT_TRUE(reports::leave_out({}, swarm).empty());
  EXPECT_FALSE(swarm.destination_brokers);
}

TEST(FindingFaults, WhatIsLeftOutIsNeverDrawn) {
  sim::SwarmOptions swarm;
  const auto known = reports::known_findings_of(swarm.protocol);
  EXPECT_THAT(reports::leave_out(known, swarm), testing::Contains("stop_mirror"));
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const sim::Setup setup = sim::swarm_setup(swarm, seed);
    EXPECT_FALSE(has_destination_followers(setup));
    for (const FindingFaults& row : finding_faults()) {
      for (const sim::ActionClass kind : row.faults) {
        EXPECT_EQ(setup.faults.weights[static_cast<std::size_t>(kind)], 0) << to_string(kind);
      }
    }
  }
}

/// A share of the hunt that docs/claim.md reports.
TEST(AvoidKnown, TheProposalIsAccusedOfNothingBeyondItsFindings) {
  const TemporaryFolder folder;
  for (const char* preset : {"as_proposed", "prototype"}) {
    const ProgramResult result = run_program(
        {"fuzz", "--avoid-known", "--preset", preset, "--seeds", "4000", "--json", "--out", folder / preset});
    EXPECT_EQ(result.code, 0) << preset << "\n" << result.err;
    const nlohmann::json summary = parse_json(result.out);
    EXPECT_EQ(summary["failing_seeds"], 0) << preset;
    EXPECT_TRUE(summary["known_findings"].empty()) << preset;
    EXPECT_GT(summary["unclean_elections"], 1000) << preset;
    EXPECT_GT(summary["justified_mirror_truncations"], 10) << preset;
    EXPECT_THAT(summary["left_out"], testing::Contains("power_loss")) << preset;
  }
}

/// The share of `hardened` with every fault on.
TEST(AvoidKnown, TheMendedProtocolIsAccusedOfNothingWithEveryFaultOn) {
  const TemporaryFolder folder;
  const ProgramResult result = run_program(
      {"fuzz", "--preset", "hardened", "--no-known", "--seeds", "4000", "--json", "--out", folder / "out"});
  EXPECT_EQ(result.code, 0) << result.err;
  const nlohmann::json summary = parse_json(result.out);
  EXPECT_EQ(summary["failing_seeds"], 0);
  std::uint64_t excused = 0;
  for (const auto& [excuse, count] : summary["excused_mirror_truncations"].items()) {
    excused += count.get<std::uint64_t>();
  }
  EXPECT_EQ(summary["justified_mirror_truncations"].get<std::uint64_t>() + excused,
            summary["mirror_truncations"].get<std::uint64_t>());
}

TEST(AvoidKnown, IsRefusedWithAScenario) {
  const TemporaryFolder folder;
  const ProgramResult result =
      run_program({"fuzz", std::string(MIRRORPROOF_SOURCE_DIR) + "/scenarios/ule-truncate-on-fetch.json",
                   "--avoid-known", "--out", folder / "out"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--avoid-known: found a scenario"));
}

}  // namespace
}  // namespace mirrorproof::cli_tests
