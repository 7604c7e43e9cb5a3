#pragma once
// Property tests of cluster mirroring, for GoogleTest and RapidCheck, in this repository and in others
// (find_package(mirrorproof), link mirrorproof::property). docs/property-tests.md shows how.
//
//   MIRRORPROOF_PROPERTY(Failback, holds, with_preset(Preset::hardened)) { run.expect_holds(); }
//
// Each case draws a world and a run of it. What fails is shrunk to a short scripted scenario, printed as
// JSON, saved, and told with the command that replays it. RC_PARAMS sets the number of cases as in any
// RapidCheck property ("max_success=1000"); MIRRORPROOF_PROPERTY_TIME ends each property after a time
// ("30s"); MIRRORPROOF_PROPERTY_OUT is the folder for scenarios (default: mirrorproof-out/property).

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/protocol_presets.h"
#include "reports/evaluation.h"
#include "sim/swarm.h"

namespace mirrorproof::property {

/// What a property is tried on.
struct Options {
  /// Decisions of the protocol, and how large worlds may get.
  sim::SwarmOptions world;
  /// A scenario file; empty: each case draws its own world. Its random part is drawn anew in every case, and
  /// its protocol counts, not `world`.
  std::string scenario;
  /// Known findings of the protocol are no failures (reports/known_findings.h).
  bool known_findings_are_failures = false;
};

/// Options for a preset, or for one with some rules changed.
Options with_preset(Preset preset);
Options with_protocol(const ProtocolOptions& protocol);
Options with_scenario(std::string path);

/// One run, for the body of a property. The first failure counts.
class PropertyRun {
 public:
  PropertyRun(const scenarios::Scenario& scenario, const reports::Evaluation& evaluation,
              const Options& options)
      : scenario_(scenario), evaluation_(evaluation), options_(options) {}

  const scenarios::Scenario& scenario() const { return scenario_; }
  const reports::Evaluation& evaluation() const { return evaluation_; }
  const checker::Judgement& judgement() const { return evaluation_.judgement; }

  /// Every invariant holds.
  void expect_holds();
  /// This one does.
  void expect_holds(checker::Invariant invariant);
  /// Anything else that must be true of a run.
  void expect(bool condition, std::string_view what);

  bool failed() const { return !failure_.empty(); }
  const std::string& failure() const { return failure_; }  ///< in words
  /// The violation that failed it; nullptr if it failed for another reason.
  const checker::Violation* violation() const { return violation_; }

 private:
  void expect_no_violation(const std::function<bool(const checker::Violation&)>& counts);

  const scenarios::Scenario& scenario_;
  const reports::Evaluation& evaluation_;
  const Options& options_;
  std::string failure_;
  const checker::Violation* violation_ = nullptr;
};

using Body = std::function<void(PropertyRun&)>;

/// What MIRRORPROOF_PROPERTY calls. Reports failures to GoogleTest.
void check_property(const std::string& name, const Options& options, const Body& body);

// --- generators, for properties of one's own (RC_GTEST_PROP, rc::check)

/// Worlds as campaigns draw them.
rc::Gen<sim::Setup> worlds(const sim::SwarmOptions& options = {});
/// Protocols that differ from a preset in a few options; shrinks to the preset.
rc::Gen<ProtocolOptions> protocols(Preset preset = Preset::as_proposed);
/// What happens in a random run of the world, action by action; shrinks by leaving actions out, so that each
/// list can be carried out as it stands.
rc::Gen<std::vector<sim::Action>> commands(const sim::Setup& setup);
/// Whole scenarios: a world, a protocol that differs from the preset in a few options, and a script of what
/// happens in a random run of them, which can be carried out to its end. Shrinks to the preset and to shorter
/// scripts. A file with it reads as an equal scenario (scenarios::to_json).
rc::Gen<scenarios::Scenario> scripted_scenarios(const sim::SwarmOptions& options = {},
                                                Preset preset = Preset::as_proposed);
/// The trace of the actions; what is not enabled is left out.
Trace carry_out(const sim::Setup& setup, const std::vector<sim::Action>& actions);

}  // namespace mirrorproof::property

namespace rc {
template <>
struct Arbitrary<mirrorproof::sim::Setup> {
  static Gen<mirrorproof::sim::Setup> arbitrary() { return mirrorproof::property::worlds(); }
};
template <>
struct Arbitrary<mirrorproof::ProtocolOptions> {
  static Gen<mirrorproof::ProtocolOptions> arbitrary() { return mirrorproof::property::protocols(); }
};
template <>
struct Arbitrary<mirrorproof::scenarios::Scenario> {
  static Gen<mirrorproof::scenarios::Scenario> arbitrary() {
    return mirrorproof::property::scripted_scenarios();
  }
};
}  // namespace rc

// For RapidCheck's counterexamples.
namespace mirrorproof {
void showValue(const ProtocolOptions& protocol, std::ostream& out);  ///< what differs from the proposal
namespace sim {
void showValue(const Setup& setup, std::ostream& out);  ///< as a scenario
void showValue(const Action& action, std::ostream& out);
}  // namespace sim
namespace scenarios {
void showValue(const Scenario& scenario, std::ostream& out);
}  // namespace scenarios
}  // namespace mirrorproof

/// MIRRORPROOF_PROPERTY(Suite, name, options) { ... run.expect_holds(); ... }
/// The options are an expression of type mirrorproof::property::Options, evaluated inside that namespace;
/// left out: the proposal.
#define MIRRORPROOF_PROPERTY(suite, name, ...)                                                               \
  static void mirrorproof_property_##suite##_##name(::mirrorproof::property::PropertyRun& run);              \
  TEST(suite, name) {                                                                                        \
    using namespace ::mirrorproof;           /* NOLINT */                                                    \
    using namespace ::mirrorproof::property; /* NOLINT */                                                    \
    ::mirrorproof::property::check_property(#suite "." #name, ::mirrorproof::property::Options{__VA_ARGS__}, \
                                            &mirrorproof_property_##suite##_##name);                         \
  }                                                                                                          \
  static void mirrorproof_property_##suite##_##name(                                                         \
      [[maybe_unused]] ::mirrorproof::property::PropertyRun& run)
