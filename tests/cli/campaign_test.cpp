// reports/campaign.h and the table of known findings, without the program around them.

#include "reports/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/protocol_presets.h"
#include "reports/campaign_report.h"
#include "tests/cli/program.h"

namespace mirrorproof::reports {
namespace {

using cli_tests::scenario_path;
using cli_tests::TemporaryFolder;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

checker::Violation violation(checker::Invariant invariant, std::string kind, std::string message) {
  return {invariant, std::move(kind), std::move(message), 1, 0, 0, {}, {}};
}

KnownFinding lineage_finding() {
  KnownFinding finding;
  finding.name = "failback-with-epoch-only";
  finding.presets = {Preset::as_proposed};
  finding.invariant = checker::Invariant::truncation_provenance;
  finding.kind = "never-in-source-lineage";
  return finding;
}

scenarios::Scenario failing_scenario() {
  scenarios::LoadResult loaded =
      scenarios::load_scenario_file(scenario_path("reverse-mirroring-epoch-only.json"));
  EXPECT_TRUE(loaded.scenario.has_value());
  return made_random(std::move(*loaded.scenario), 4, 0);
}

CampaignResult run_campaign(const TemporaryFolder& folder, std::vector<KnownFinding> known) {
  CampaignPlan plan;
  plan.scenario = failing_scenario();
  plan.seeds = 5;
  plan.jobs = 2;
  plan.out_dir = folder.path();
  plan.known = std::move(known);
  Campaign campaign(std::move(plan));
  campaign.start();
  return campaign.finish().result;
}

TEST(KnownFindings, MatchByInvariantKindAndText) {
  KnownFinding finding = lineage_finding();
  using checker::Invariant;
  EXPECT_TRUE(finding.matches(violation(Invariant::truncation_provenance, "never-in-source-lineage", "x")));
  EXPECT_FALSE(finding.matches(violation(Invariant::log_matching, "never-in-source-lineage", "x")));
  EXPECT_FALSE(finding.matches(violation(Invariant::truncation_provenance, "not-killed", "x")));
  finding.text = "retention";
  EXPECT_FALSE(finding.matches(violation(Invariant::truncation_provenance, "never-in-source-lineage", "x")));
  EXPECT_TRUE(finding.matches(
      violation(Invariant::truncation_provenance, "never-in-source-lineage", "by retention, it seems")));
}

TEST(KnownFindings, CountOnlyWhereWhatTheyNeedHasHappened) {
  KnownFinding finding = lineage_finding();
  finding.needs.add(checker::Circumstance::alignment_cut);
  finding.needs.add(checker::Circumstance::mirror_leader_changed);
  checker::Violation found = violation(finding.invariant, std::string(finding.kind), "x");
  EXPECT_FALSE(finding.matches(found));
  found.circumstances.add(checker::Circumstance::alignment_cut);
  found.circumstances.add(checker::Circumstance::unclean_election);
  EXPECT_FALSE(finding.matches(found));
  found.circumstances.add(checker::Circumstance::mirror_leader_changed);
  EXPECT_TRUE(finding.matches(found));
}

TEST(KnownFindings, ConcernOnlyTheProtocolsTheyWereFoundIn) {
  const std::vector<KnownFinding> table{lineage_finding()};
  EXPECT_THAT(known_findings_of(preset_options(Preset::as_proposed), table), SizeIs(1));
  EXPECT_THAT(known_findings_of(preset_options(Preset::prototype), table), IsEmpty());
  ProtocolOptions changed;
  changed.ule_support = false;
  EXPECT_THAT(known_findings_of(changed, table), IsEmpty());
}

TEST(KnownFindings, AreNoFailuresOfACampaign) {
  const TemporaryFolder folder;
  // What follows in the same run and partition counts as its consequence.
  KnownFinding finding = lineage_finding();
  finding.invariant = checker::Invariant::alignment_exactness;
  finding.kind = "kept-foreign-record";
  const CampaignResult result = run_campaign(folder, {finding});
  EXPECT_EQ(result.consequences, 10U);
  EXPECT_EQ(result.verdict(), scenarios::Verdict::holds);
  EXPECT_EQ(result.counts.failing_seeds, 0U);
  EXPECT_THAT(result.failures, IsEmpty());
  ASSERT_THAT(result.known, SizeIs(1));
  EXPECT_EQ(result.known.at("failback-with-epoch-only").seeds, 5U);
  EXPECT_EQ(result.known.at("failback-with-epoch-only").first_seed, 1U);
  EXPECT_EQ(exit_code_of(result), 0);
  CampaignFrame frame;
  const std::string text = campaign_text(result, frame, Style());
  EXPECT_THAT(text, StartsWith("HOLDS: no new failure in 5 seeds.\n"));
  EXPECT_THAT(text, HasSubstr("failback-with-epoch-only: met in 5 seeds, first 1\n"));
}

TEST(Campaign, WithoutKnownFindingsTheSameRunsAreFailures) {
  const TemporaryFolder folder;
  const CampaignResult result = run_campaign(folder, {});
  EXPECT_EQ(result.verdict(), scenarios::Verdict::violated);
  EXPECT_EQ(result.counts.failing_seeds, 5U);
  EXPECT_EQ(exit_code_of(result), 1);
}

TEST(Campaign, FailuresThatCannotBeSavedAreCountedAndReported) {
  const TemporaryFolder folder;
  // A file where the folder should be.
  folder.write("truncation-provenance--never-in-source-lineage", "");
  const CampaignResult result = run_campaign(folder, {});
  EXPECT_EQ(result.counts.failing_seeds, 5U);
  ASSERT_THAT(result.write_problems, SizeIs(5));
  EXPECT_THAT(result.write_problems[0], HasSubstr("never-in-source-lineage"));
  CampaignFrame frame;
  EXPECT_THAT(campaign_text(result, frame, Style()), HasSubstr("(could not be saved)"));
}

TEST(Campaign, EndsWhenItIsDestroyed) {
  const TemporaryFolder folder;
  CampaignPlan plan;
  plan.out_dir = folder.path();
  plan.jobs = 2;
  Campaign campaign(std::move(plan));
  campaign.start();
  EXPECT_FALSE(campaign.wait_for(std::chrono::milliseconds(20))) << "it has no end of its own";
}

TEST(Campaign, AScriptedScenarioGetsRandomActionsAndNoExpectations) {
  scenarios::Scenario scenario;
  scenario.setup.run.strategy = sim::Strategy::scripted;
  scenario.expect.verdict = scenarios::Verdict::violated;
  const scenarios::Scenario random = made_random(scenario, std::nullopt, 123);
  EXPECT_EQ(random.setup.run.max_actions, 123);
  EXPECT_EQ(random.setup.run.strategy, sim::Strategy::random);
  EXPECT_EQ(random.expect, scenarios::Expect{});
  scenario.setup.run.max_actions = 7;
  EXPECT_EQ(made_random(scenario, std::nullopt, 123).setup.run.max_actions, 7);
  EXPECT_EQ(made_random(scenario, 9, 123).setup.run.max_actions, 9);
  scenario.setup.run.max_actions = 0;
  scenario.setup.steps.push_back(
      {.kind = sim::StepKind::random, .action = {}, .count = 5, .held = {}, .pointer = "", .note = ""});
  EXPECT_EQ(made_random(scenario, std::nullopt, 123).setup.run.max_actions, 0);
}

TEST(Campaign, AMarkedScriptIsCutAtItsFirstMark) {
  scenarios::Scenario scenario;
  EXPECT_FALSE(cut_at_mark(scenario));
  for (const sim::StepKind kind : {sim::StepKind::settle, sim::StepKind::mark, sim::StepKind::converge,
                                   sim::StepKind::mark, sim::StepKind::settle}) {
    scenario.setup.steps.push_back({});
    scenario.setup.steps.back().kind = kind;
  }
  EXPECT_TRUE(cut_at_mark(scenario));
  ASSERT_EQ(scenario.setup.steps.size(), 1U);
  EXPECT_EQ(scenario.setup.steps[0].kind, sim::StepKind::settle);
}

TEST(Campaign, AStrategyThatDrawsIsKeptAndMayBeReplaced) {
  CampaignPlan plan;
  scenarios::Scenario scenario;
  scenario.setup.run.strategy = sim::Strategy::pct;
  plan.scenario = made_random(scenario, std::nullopt, 5);
  EXPECT_EQ(campaign_scenario(plan, 1).setup.run.strategy, sim::Strategy::pct);
  plan.strategy = sim::Strategy::uniform;
  plan.change_points = 7;
  EXPECT_EQ(campaign_scenario(plan, 1).setup.run.strategy, sim::Strategy::uniform);
  EXPECT_EQ(campaign_scenario(plan, 1).setup.run.change_points, 7);
  plan.scenario.reset();
  EXPECT_EQ(campaign_scenario(plan, 1).setup.run.strategy, sim::Strategy::uniform);
}

TEST(ShellWord, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(shell_word("out/seed-1.json"), "out/seed-1.json");
  EXPECT_EQ(shell_word("my out/$x"), "'my out/$x'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace mirrorproof::reports
