// Properties as other repositories write them: what fails is shrunk, saved and told; generators shrink.

#include "mirrorproof/property.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "checker/trace_writer.h"
#include "model/protocol_presets.h"
#include "tests/cli/program.h"
#include "tests/sim/test_setups.h"

namespace mirrorproof::cli_tests {
namespace {

using property::PropertyRun;
using testing::HasSubstr;

MIRRORPROOF_PROPERTY(Property, HoldsForTheMendedProtocol, with_preset(Preset::hardened)) {
  run.expect_holds();
}

MIRRORPROOF_PROPERTY(Property, DrawsTheRandomPartOfAScenario,
                     with_scenario(std::string(MIRRORPROOF_SOURCE_DIR) +
                                   "/scenarios/ule-truncate-on-fetch.json")) {
  run.expect(run.judgement().mirror_truncations.size() == 1, "one truncation");
}

/// What a property says when it fails; empty if it holds.
std::string failure_of(const std::string& name, const property::Options& options,
                       const property::Body& body) {
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    property::check_property(name, options, body);
  }
  std::string text;
  for (int i = 0; i < results.size(); ++i) {
    text += results.GetTestPartResult(i).message();
  }
  return text;
}

/// Sets an environment variable for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(Property, ThatFailsIsShrunkSavedAndToldHowToReplay) {
  const TemporaryFolder folder;
  const Variable out("MIRRORPROOF_PROPERTY_OUT", folder / "out");
  ProtocolOptions protocol;
  protocol.version_detection = VersionDetection::drop_field;
  const std::string told = failure_of("Suite.name", property::with_protocol(protocol), [](PropertyRun& run) {
    run.expect_holds(checker::Invariant::version_safety);
  });
  const std::string path = folder / "out/Suite.name.json";
  EXPECT_THAT(told, HasSubstr("Suite.name does not hold: version-safety ("));
  EXPECT_THAT(told, HasSubstr("mirrorproof replay " + path));
  const std::string saved = read_file(path);
  EXPECT_THAT(told, HasSubstr(saved));
  const std::string page = folder / "out/Suite.name.html";
  EXPECT_THAT(told, HasSubstr("Report: " + page));
  EXPECT_THAT(read_file(page), testing::AllOf(HasSubstr("</html>"), HasSubstr("mirrorproof run " + path)));
  const ProgramResult run = run_program({"run", path});
  EXPECT_EQ(run.code, 0) << run.out;
  EXPECT_THAT(run.out, HasSubstr("VIOLATED, as expected"));
}

TEST(Property, ThatIsNoInvariantIsShrunkToo) {
  const TemporaryFolder folder;
  const Variable out("MIRRORPROOF_PROPERTY_OUT", folder / "out");
  const std::string told = failure_of("Suite.elections", {}, [](PropertyRun& run) {
    run.expect(run.judgement().statistics.unclean_elections == 0, "an unclean leader election");
  });
  EXPECT_THAT(told, HasSubstr("Suite.elections does not hold: an unclean leader election"));
  const nlohmann::json scenario = parse_json(read_file(folder / "out/Suite.elections.json"));
  EXPECT_LE(scenario["steps"].size(), 12U);
  // By a step of its own, or while everything is healed.
  const ProgramResult again = run_program({"run", folder / "out/Suite.elections.json"});
  EXPECT_THAT(again.out, HasSubstr(" unclean); truncations:"));
  EXPECT_THAT(again.out, testing::Not(HasSubstr("(0 unclean); truncations:")));
}

TEST(Property, EndsWhenItsTimeIsUp) {
  const Variable time("MIRRORPROOF_PROPERTY_TIME", "1ms");
  const Variable cases("RC_PARAMS", "max_success=1000000");
  std::uint64_t bodies = 0;
  EXPECT_EQ(failure_of("Suite.time", {}, [&bodies](PropertyRun&) { ++bodies; }), "");
  EXPECT_LT(bodies, 1'000'000U);
}

TEST(Property, ABadSettingIsAFailure) {
  const Variable time("MIRRORPROOF_PROPERTY_TIME", "soon");
  EXPECT_THAT(failure_of("Suite.bad", {}, [](PropertyRun&) {}),
              HasSubstr("found \"soon\", expected a duration"));
}

TEST(Property, AScenarioThatCannotBeReadIsAFailure) {
  EXPECT_THAT(failure_of("Suite.none", property::with_scenario("/nowhere.json"), [](PropertyRun&) {}),
              HasSubstr("nowhere.json"));
}

template <class T>
T smallest(rc::Shrinkable<T> value) {
  for (auto smaller = value.shrinks().next(); smaller; smaller = value.shrinks().next()) {
    value = *smaller;
  }
  return value.value();
}

TEST(Generators, ProtocolsShrinkToTheirPreset) {
  const rc::Gen<ProtocolOptions> gen = property::protocols(Preset::hardened);
  bool changed = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const rc::Shrinkable<ProtocolOptions> drawn = gen(rc::Random(seed), 100);
    changed = changed || drawn.value() != preset_options(Preset::hardened);
    EXPECT_TRUE(smallest(drawn) == preset_options(Preset::hardened));
  }
  EXPECT_TRUE(changed);
}

RC_GTEST_PROP(Generators, CommandsAreCarriedOutAndStayCommandsWhenCutShort, ()) {
  sim::Setup setup = sim::two_clusters(2);
  const auto actions = *property::commands(setup);
  const Trace trace = property::carry_out(setup, actions);
  const std::uint32_t last = trace.events.empty() ? 0 : trace.events.back().step;
  RC_ASSERT(last <= actions.size());
  RC_ASSERT(checker::trace_to_text(property::carry_out(setup, actions)) == checker::trace_to_text(trace));
}

RC_GTEST_PROP(Generators, ScenariosRunToTheirEndAndReadAsTheyWereWritten,
              (const scenarios::Scenario& scenario)) {
  const reports::Evaluation evaluation = reports::evaluate(scenario, 1);
  RC_ASSERT(evaluation.problem.empty());
  RC_ASSERT(evaluation.verdict != scenarios::Verdict::inconclusive);
  RC_ASSERT(evaluation.actions >= scenario.setup.steps.size());
  const std::string text = scenarios::to_json(scenario);
  const scenarios::LoadResult loaded = scenarios::load_scenario(text, "drawn.json");
  RC_ASSERT(loaded.problems.empty());
  RC_ASSERT(scenarios::to_json(*loaded.scenario) == text);
  RC_ASSERT(reports::evaluate(*loaded.scenario, 1).digest == evaluation.digest);
}

TEST(Generators, ScenariosShrinkToShorterScripts) {
  const rc::Shrinkable<scenarios::Scenario> drawn = property::scripted_scenarios()(rc::Random(7), 100);
  const scenarios::Scenario least = smallest(drawn);
  EXPECT_GT(drawn.value().setup.steps.size(), 100U);
  EXPECT_LT(least.setup.steps.size(), 5U);
  EXPECT_TRUE(least.setup.protocol == preset_options(Preset::as_proposed));
}

TEST(Generators, CommandsShrinkByLeavingActionsOut) {
  const sim::Setup setup = sim::two_clusters(2);
  rc::Shrinkable<std::vector<sim::Action>> drawn = property::commands(setup)(rc::Random(7), 100);
  EXPECT_GT(drawn.value().size(), 100U);
  rc::Seq<rc::Shrinkable<std::vector<sim::Action>>> shrinks = drawn.shrinks();
  int seen = 0;
  for (auto fewer = shrinks.next(); fewer && seen < 20; fewer = shrinks.next(), ++seen) {
    EXPECT_LE(fewer->value().size(), drawn.value().size());
    // Everything in it can be carried out: doing so leaves nothing out.
    sim::Simulator simulator(setup, nullptr);
    simulator.start();
    for (const sim::Action& action : fewer->value()) {
      ASSERT_EQ(simulator.why_not_enabled(action), "");
      simulator.execute(action);
    }
  }
  EXPECT_GT(seen, 10);
}

}  // namespace
}  // namespace mirrorproof::cli_tests
