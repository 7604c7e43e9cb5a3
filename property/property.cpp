#include "mirrorproof/property.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "model/check.h"
#include "model/protocol_presets.h"
#include "reports/atomic_file.h"
#include "reports/campaign.h"
#include "reports/duration.h"
#include "reports/html_report.h"
#include "reports/known_findings.h"
#include "reports/shrink.h"
#include "reports/shrink_trial.h"
#include "sim/convergence.h"

namespace mirrorproof::property {
namespace {

using Clock = std::chrono::steady_clock;

/// Candidates that shrinking a failure may run: a few seconds.
constexpr std::uint64_t kShrinkRuns = 20'000;

std::string variable(const char* name, const char* usual) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? usual : value;
}

/// One case, kept when it fails.
struct Case {
  scenarios::Scenario scenario;
  reports::RunKey key;
  std::string failure;
  std::optional<reports::ShrinkTarget> target;
};

Case draw_case(const Options& options, const std::optional<scenarios::Scenario>& given) {
  // Not shrunk by RapidCheck: another seed is another world, not a smaller one.
  const std::uint64_t seed =
      *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint32_t>()));
  Case drawn;
  drawn.key.seed = seed;
  if (given) {
    drawn.scenario = *given;
  } else {
    drawn.scenario.setup = sim::swarm_setup(options.world, seed);
    drawn.scenario.description = "Drawn by a property test.";
  }
  return drawn;
}

void try_case(Case& one, const Options& options, const Body& body) {
  const reports::Evaluation evaluation = reports::evaluate(one.scenario, one.key);
  PropertyRun run(one.scenario, evaluation, options);
  body(run);
  one.failure = run.failure();
  one.target.reset();
  if (const checker::Violation* violation = run.violation()) {
    one.target = reports::ShrinkTarget{violation->invariant, violation->kind};
  }
}

/// A scripted scenario whose run is `script`, without what cannot be carried out.
Case scripted_case(const scenarios::Scenario& scenario, const reports::Script& script) {
  Case one;
  one.scenario = scenario;
  one.scenario.setup.run = sim::RunSetup{};
  one.scenario.setup.run.fetch_max_batches = scenario.setup.run.fetch_max_batches;
  one.scenario.setup.run.strategy = sim::Strategy::scripted;
  one.scenario.setup.steps.clear();
  sim::Simulator simulator(one.scenario.setup, nullptr);
  simulator.start();
  sim::RoundRobinStrategy round_robin;
  for (const sim::ScriptStep& step : script) {
    if (step.kind == sim::StepKind::converge) {
      sim::converge(simulator, round_robin, sim::kDefaultSettleRounds, {});
    } else if (simulator.why_not_enabled(step.action).empty()) {
      simulator.execute(step.action);
    } else {
      continue;
    }
    one.scenario.setup.steps.push_back(step);
  }
  return one;
}

/// Delta debugging, for what is no violation of an invariant.
Case shrink_by_body(const Case& failed, const Options& options, const Body& body) {
  reports::Script script = reports::script_of_run(failed.scenario, failed.key);
  Case best = scripted_case(failed.scenario, script);
  try_case(best, options, body);
  if (best.failure.empty()) {
    return failed;
  }
  std::uint64_t runs = 0;
  for (std::size_t piece = std::max<std::size_t>(script.size() / 2, 1); piece > 0 && runs < kShrinkRuns;) {
    bool smaller = false;
    script = best.scenario.setup.steps;
    for (std::size_t at = 0; at < script.size() && runs < kShrinkRuns; at += piece) {
      reports::Script shorter = script;
      const std::size_t end = std::min(at + piece, script.size());
      shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(at),
                    shorter.begin() + static_cast<std::ptrdiff_t>(end));
      Case candidate = scripted_case(failed.scenario, shorter);
      try_case(candidate, options, body);
      runs += 1;
      if (!candidate.failure.empty()) {
        best = std::move(candidate);
        smaller = true;
        break;
      }
    }
    piece = smaller ? std::min(piece, std::max<std::size_t>(best.scenario.setup.steps.size(), 1)) : piece / 2;
  }
  return best;
}

struct Shrunk {
  std::string json;
  std::string from_to;  ///< "173 actions to 9 steps"
};

Shrunk shrink_case(const Case& failed, const Options& options, const Body& body) {
  if (failed.target) {
    reports::ShrinkLimits limits;
    limits.max_runs = kShrinkRuns;
    const reports::ShrinkResult shrunk = reports::shrink(failed.scenario, failed.key, *failed.target, limits);
    return {shrunk.json, fmt::format("{} actions to {} steps", shrunk.actions_before, shrunk.steps)};
  }
  const std::size_t before = reports::script_of_run(failed.scenario, failed.key).size();
  Case best = shrink_by_body(failed, options, body);
  best.scenario.setup.name = "property-failure";
  best.scenario.description = fmt::format("Fails a property test: {}.", best.failure);
  return {scenarios::to_json(best.scenario),
          fmt::format("{} actions to {} steps", before, best.scenario.setup.steps.size())};
}

std::string page_of(const std::string& json, const std::string& path) {
  const scenarios::LoadResult loaded = scenarios::load_scenario(json, path);
  MP_CHECK(loaded.scenario.has_value(), "what was shrunk is a valid scenario");
  const reports::RunKey key{loaded.scenario->setup.run.first_seed, std::nullopt};
  const std::string file = reports::shell_word(path);
  return reports::run_page(*loaded.scenario, key, reports::evaluate_single(*loaded.scenario, key),
                           {{"Judge the run again", "mirrorproof run " + file},
                            {"Step through it", "mirrorproof replay " + file}});
}

std::string failure_report(const std::string& name, const Case& failed, const Options& options,
                           const Body& body) {
  const Shrunk shrunk = shrink_case(failed, options, body);
  const std::filesystem::path folder = variable("MIRRORPROOF_PROPERTY_OUT", "mirrorproof-out/property");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::string path = (folder / (name + ".json")).string();
  const std::string problem = error ? error.message() : reports::write_file(path, shrunk.json);
  std::string out = fmt::format("{} does not hold: {}\nShrunk from {}:\n{}", name, failed.failure,
                                shrunk.from_to, shrunk.json);
  if (!problem.empty()) {
    return out + fmt::format("It could not be saved: {}\n", problem);
  }
  out +=
      fmt::format("Saved as {}. To replay it:\n  mirrorproof replay {}\n", path, reports::shell_word(path));
  const std::string page = (folder / (name + ".html")).string();
  const std::string page_problem = reports::write_file(page, page_of(shrunk.json, path));
  return out + (page_problem.empty() ? fmt::format("Report: {}\n", page)
                                     : fmt::format("No report: {}\n", page_problem));
}

}  // namespace

Options with_preset(Preset preset) {
  return with_protocol(preset_options(preset));
}

Options with_protocol(const ProtocolOptions& protocol) {
  Options options;
  options.world.protocol = protocol;
  return options;
}

Options with_scenario(std::string path) {
  Options options;
  options.scenario = std::move(path);
  return options;
}

void PropertyRun::expect_no_violation(const std::function<bool(const checker::Violation&)>& counts) {
  if (failed()) {
    return;
  }
  std::vector<reports::KnownFinding> known;
  if (!options_.known_findings_are_failures) {
    known = reports::known_findings_of(scenario_.setup.protocol);
  }
  for (const checker::Violation* violation :
       reports::sort_violations(judgement().violations, known).unknown) {
    if (counts(*violation)) {
      violation_ = violation;
      failure_ =
          fmt::format("{} ({}): {}", to_string(violation->invariant), violation->kind, violation->message);
      return;
    }
  }
}

void PropertyRun::expect_holds() {
  expect_no_violation([](const checker::Violation&) { return true; });
}

void PropertyRun::expect_holds(checker::Invariant invariant) {
  expect_no_violation(
      [invariant](const checker::Violation& violation) { return violation.invariant == invariant; });
}

void PropertyRun::expect(bool condition, std::string_view what) {
  if (!condition && !failed()) {
    failure_ = what.empty() ? "expectation not met" : std::string(what);
  }
}

void check_property(const std::string& name, const Options& options, const Body& body) {
  std::optional<scenarios::Scenario> given;
  if (!options.scenario.empty()) {
    scenarios::LoadResult loaded = scenarios::load_scenario_file(options.scenario);
    for (const scenarios::Problem& problem : loaded.problems) {
      ADD_FAILURE() << scenarios::format_problem(problem);
    }
    if (!loaded.scenario) {
      return;
    }
    given = std::move(loaded.scenario);
  }
  std::optional<Clock::time_point> deadline;
  if (const std::string time = variable("MIRRORPROOF_PROPERTY_TIME", ""); !time.empty()) {
    const auto budget = reports::parse_duration(time);
    if (!budget) {
      ADD_FAILURE() << "MIRRORPROOF_PROPERTY_TIME: found \"" << time
                    << "\", expected a duration such as 500ms, 30s, 2m or 1h";
      return;
    }
    deadline = Clock::now() + *budget;
  }

  std::optional<Case> failed;
  std::uint64_t cases = 0;
  bool out_of_time = false;
  rc::detail::TestMetadata metadata;
  metadata.id = name;
  metadata.description = name;
  const rc::detail::TestResult result = rc::detail::checkTestable(
      [&] {
        out_of_time = deadline && Clock::now() >= *deadline;
        if (out_of_time) {
          return;
        }
        Case one = draw_case(options, given);
        try_case(one, options, body);
        cases += 1;
        if (!one.failure.empty()) {
          failed = one;
          RC_FAIL(one.failure);
        }
      },
      metadata);
  if (result.is<rc::detail::SuccessResult>()) {
    if (out_of_time) {
      std::cout << name << ": the time was up after " << cases << " cases\n";
    }
    return;
  }
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  ADD_FAILURE() << text.str() << "\n\n" << (failed ? failure_report(name, *failed, options, body) : "");
}

}  // namespace mirrorproof::property
