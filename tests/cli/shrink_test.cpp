// mirrorproof shrink, and fuzz --shrink: what comes out is small, runs, and fails in the same way.

#include "reports/shrink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "sim/swarm.h"
#include "tests/cli/program.h"
#include "tests/cli/worlds.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::HasSubstr;

reports::ShrinkTarget target_for(const reports::Evaluation& run) {
  const auto target = reports::target_of(run, ProtocolOptions{});
  return target.value_or(reports::ShrinkTarget{});
}

scenarios::Scenario swarm_scenario(ProtocolOptions protocol, std::uint64_t seed) {
  sim::SwarmOptions options;
  options.protocol = protocol;
  scenarios::Scenario scenario;
  scenario.setup = sim::swarm_setup(options, seed);
  return scenario;
}

/// The first seed of the swarm that breaks anything.
std::uint64_t failing_seed(ProtocolOptions protocol) {
  for (std::uint64_t seed = 1; seed < 3000; ++seed) {
    if (!reports::evaluate(swarm_scenario(protocol, seed), seed).judgement.holds()) {
      return seed;
    }
  }
  return 0;
}

TEST(Shrink, ASeedOfAWrongVariantBecomesAScriptOfAtMostTwelveSteps) {
  ProtocolOptions protocol;
  protocol.replication = Replication::high_watermark;
  const std::uint64_t seed = failing_seed(protocol);
  ASSERT_NE(seed, 0);
  const scenarios::Scenario scenario = swarm_scenario(protocol, seed);
  const reports::RunKey key{seed, std::nullopt};
  const reports::ShrinkTarget target = target_for(reports::evaluate(scenario, key));
  const reports::ShrinkResult shrunk = reports::shrink(scenario, key, target);
  EXPECT_TRUE(shrunk.finished);
  EXPECT_LE(shrunk.steps, 12U) << shrunk.json;
  EXPECT_EQ(shrunk.scenario.setup.steps.size(), shrunk.steps);
  const reports::Evaluation again = reports::evaluate(shrunk.scenario, 1);
  EXPECT_TRUE(again.as_expected);
  EXPECT_EQ(target_for(again).invariant, target.invariant);
  EXPECT_THAT(shrunk.scenario.description, HasSubstr(target.kind));
}

TEST(Shrink, TheResultCannotLoseAnotherStep) {
  ProtocolOptions protocol;
  protocol.replication = Replication::high_watermark;
  const std::uint64_t seed = failing_seed(protocol);
  const scenarios::Scenario scenario = swarm_scenario(protocol, seed);
  const reports::RunKey key{seed, std::nullopt};
  const reports::ShrinkTarget target = target_for(reports::evaluate(scenario, key));
  const reports::ShrinkResult shrunk = reports::shrink(scenario, key, target);
  for (std::size_t i = 0; i < shrunk.scenario.setup.steps.size(); ++i) {
    scenarios::Scenario shorter = shrunk.scenario;
    shorter.setup.steps.erase(shorter.setup.steps.begin() + static_cast<std::ptrdiff_t>(i));
    const reports::Evaluation run = reports::evaluate(shorter, 1);
    EXPECT_TRUE(!run.problem.empty() || !reports::target_of(run, protocol, target.invariant, target.kind))
        << i;
  }
}

TEST(Shrink, TheProtocolGoesBackToTheProposalUnlessItIsToBeKept) {
  ProtocolOptions protocol;
  protocol.replication = Replication::high_watermark;
  protocol.ule_support = false;
  const std::uint64_t seed = failing_seed(protocol);
  ASSERT_NE(seed, 0);
  const scenarios::Scenario scenario = swarm_scenario(protocol, seed);
  const reports::RunKey key{seed, std::nullopt};
  const reports::ShrinkTarget target = target_for(reports::evaluate(scenario, key));
  EXPECT_TRUE(reports::shrink(scenario, key, target).scenario.setup.protocol.ule_support);
  EXPECT_EQ(reports::shrink(scenario, key, target, {.keep_protocol = true}).scenario.setup.protocol,
            protocol);
}

/// A power loss takes an abort marker along, on a release without eligible leader replicas: what was aborted
/// comes back with the producer's next commit. With unclean elections it does so without power loss too.
constexpr const char* kMarkerLostWithThePower = R"({
  "name": "marker-lost-with-the-power",
  "description": "A power loss takes an abort marker along.",
  "clusters": [{"name": "A", "brokers": 1}],
  "topics": [{"name": "orders"}],
  "readers": [{"name": "reader", "cluster": "A", "isolation": "read_committed"}],
  "protocol": {"preset": "hardened", "elr_on_every_release": false},
  "faults": {"versions": ["3.1"]},
  "steps": [
    {"do": "produce", "cluster": "A", "broker": 0, "producer": 2, "transactional": true},
    {"do": "read", "reader": "reader", "broker": 0},
    {"do": "flush", "cluster": "A", "broker": 0},
    {"do": "end_transaction", "cluster": "A", "broker": 0, "producer": 2, "abort": true},
    {"do": "power_loss", "cluster": "A", "broker": 0},
    {"do": "settle"},
    {"do": "restart", "cluster": "A", "broker": 0},
    {"do": "settle"},
    {"do": "produce", "cluster": "A", "broker": 0, "producer": 2, "transactional": true},
    {"do": "end_transaction", "cluster": "A", "broker": 0, "producer": 2},
    {"do": "read", "reader": "reader", "broker": 0}
  ],
  "expect": {"verdict": "violated", "invariant": "reader-continuity"}
})";

TEST(Shrink, AFailureDoesNotTurnIntoAKnownFindingThatLooksLikeIt) {
  const scenarios::LoadResult loaded = scenarios::load_scenario(kMarkerLostWithThePower, "");
  ASSERT_TRUE(loaded.scenario.has_value());
  const ProtocolOptions protocol = loaded.scenario->setup.protocol;
  const reports::RunKey key;
  const auto target = reports::target_of(reports::evaluate(*loaded.scenario, key), protocol);
  ASSERT_TRUE(target.has_value());
  EXPECT_EQ(target->kind, "aborted-record-came-back");
  reports::ShrinkResult shrunk = reports::shrink(*loaded.scenario, key, *target);
  // The option that mends the finding which looks alike stays; the others matter to nothing and go.
  ProtocolOptions expected;
  expected.unclean_leader_ends_transactions = true;
  EXPECT_EQ(shrunk.scenario.setup.protocol, expected);
  shrunk.scenario.setup.protocol = protocol;
  EXPECT_TRUE(reports::evaluate(shrunk.scenario, key).as_expected);
}

TEST(Shrink, TheLimitOfRunsIsKeptAndWhatWasFoundUntilThenStillFails) {
  ProtocolOptions protocol;
  protocol.replication = Replication::high_watermark;
  const std::uint64_t seed = failing_seed(protocol);
  const scenarios::Scenario scenario = swarm_scenario(protocol, seed);
  const reports::RunKey key{seed, std::nullopt};
  const reports::ShrinkTarget target = target_for(reports::evaluate(scenario, key));
  const reports::ShrinkResult shrunk = reports::shrink(scenario, key, target, {.max_runs = 5});
  EXPECT_FALSE(shrunk.finished);
  EXPECT_EQ(shrunk.runs, 5U);
  EXPECT_TRUE(reports::evaluate(shrunk.scenario, 1).as_expected);
}

TEST(Shrink, TheProgramWritesAScenarioThatRunsAsExpected) {
  const TemporaryFolder folder;
  // Few seeds, and yet three shapes of failures: shrinking takes the time.
  const ProgramResult fuzz = run_program({"fuzz", "--protocol", "replication=high_watermark", "--seeds", "4",
                                          "--jobs", "2", "--json", "--shrink", "--out", folder / "out"});
  ASSERT_EQ(fuzz.code, 1) << fuzz.err;
  const nlohmann::json summary = parse_json(fuzz.out);
  ASSERT_GE(summary["failures"].size(), 2U);
  for (const nlohmann::json& failure : summary["failures"]) {
    const std::string file = failure["shrunk"]["file"];
    const ProgramResult run = run_program({"run", file, "--json"});
    EXPECT_EQ(run.code, 0) << file << run.out;
    EXPECT_THAT(run.out, HasSubstr(failure["kind"].get<std::string>()));
  }
  const std::string shape = summary["failures"][0]["invariant"].get<std::string>() + "--" +
                            summary["failures"][0]["kind"].get<std::string>();
  const std::string failure_file =
      folder /
      ("out/" + shape + "/seed-" + std::to_string(summary["failures"][0]["first_seed"].get<int>()) + ".json");
  const ProgramResult shrink = run_program(
      {"shrink", failure_file, "--kind", summary["failures"][0]["kind"], "--out", folder / "s.json"});
  EXPECT_EQ(shrink.code, 0) << shrink.err;
  EXPECT_EQ(run_program({"run", folder / "s.json"}).code, 0);

  // A log shows a small scenario, and where the page is.
  const ProgramResult told =
      run_program({"fuzz", "--protocol", "replication=high_watermark", "--seeds", "4", "--shrink", "--out",
                   folder / "again", "--html", folder / "page.html", "--junit", folder / "junit.xml"});
  EXPECT_EQ(told.code, 1) << told.err;
  const std::string printed =
      told.out.substr(std::min(told.out.size(), told.out.find(", as " + folder / "again")));
  EXPECT_THAT(printed,
              testing::AllOf(HasSubstr("\"steps\": ["), HasSubstr("Report: " + (folder / "page.html"))));
  EXPECT_THAT(read_file(folder / "junit.xml"), HasSubstr("Shrunk to "));
}

TEST(Shrink, ShowsTheSmallScenarioOnAPageAndInJunit) {
  const TemporaryFolder folder;
  const std::string small = folder / "small.json";
  const std::vector<std::string> call{"shrink",  scenario_path("reverse-mirroring-epoch-only.json"),
                                      "--out",   small,
                                      "--html",  folder / "small.html",
                                      "--junit", folder / "small.xml"};
  const ProgramResult first = run_program(call);
  ASSERT_EQ(first.code, 0) << first.err;
  const std::string page = read_file(folder / "small.html");
  EXPECT_THAT(page, testing::AllOf(HasSubstr("</html>"), HasSubstr("mirrorproof replay " + small)));
  const std::string junit = read_file(folder / "small.xml");
  EXPECT_THAT(junit, HasSubstr("failures=\"0\""));  // it expects what it breaks
  EXPECT_THAT(junit, HasSubstr("name=\"ends as the scenario expects\""));

  // Files that are there are kept, and nothing is done.
  std::filesystem::remove(small);
  const ProgramResult second = run_program(call);
  EXPECT_EQ(second.code, 2);
  EXPECT_THAT(second.err, HasSubstr("--html: "));
  EXPECT_FALSE(std::filesystem::exists(small));
  EXPECT_EQ(read_file(folder / "small.html"), page);
}

TEST(Shrink, ARunThatHoldsIsRefused) {
  const ProgramResult result = run_program({"shrink", scenario_path("ule-truncate-on-fetch.json")});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("nothing to shrink"));
}

TEST(Shrink, AnUnknownInvariantIsRefusedWithTheNamesThereAre) {
  const ProgramResult result =
      run_program({"shrink", scenario_path("ule-truncate-on-fetch.json"), "--invariant", "log-machting"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("log-matching"));
}

}  // namespace
}  // namespace mirrorproof::cli_tests
