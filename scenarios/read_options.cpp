// The sections that only set numbers and switches: protocol, faults, run, bounds.

#include <fmt/format.h>

#include <algorithm>

#include "model/protocol_presets.h"
#include "scenarios/reading.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::scenarios {
namespace {

constexpr int kMaxWeight = 1'000'000;
constexpr int kMaxBudget = 1'000'000'000;
constexpr int kMaxBound = 1'000;

void read_weights(const Cursor& weights, Reading& reading) {
  for (const auto& [name, value] : weights.members()) {
    const std::optional<sim::ActionClass> action = parse_enum<sim::ActionClass>(name);
    const std::optional<int> weight = value.integer(0, kMaxWeight);
    if (!action || !weight) {
      continue;
    }
    if (*weight == 0 && sim::is_protocol_class(*action)) {
      reading.problems.add(value.pointer(), "0",
                           fmt::format("at least 1: {} is one of the protocol's own actions, which are never "
                                       "switched off",
                                       name));
      continue;
    }
    reading.scenario.setup.faults.weights[static_cast<std::size_t>(*action)] = *weight;
  }
}

void read_budgets(const Cursor& budgets, Reading& reading) {
  for (const auto& [name, value] : budgets.members()) {
    const std::optional<sim::ActionClass> action = parse_enum<sim::ActionClass>(name);
    if (!action) {
      continue;
    }
    if (sim::is_protocol_class(*action)) {
      reading.problems.add_at_name(
          value.pointer(), "a budget for " + in_quotes(name),
          "budgets for clients, elections, faults and operators only: the protocol's own "
          "actions are never limited");
      continue;
    }
    int& budget = reading.scenario.setup.faults.budgets[static_cast<std::size_t>(*action)];
    if (value.string() == "unlimited") {
      budget = -1;
    } else if (const std::optional<int> limit = value.integer(0, kMaxBudget)) {
      budget = *limit;
    }
  }
}

}  // namespace

void read_protocol(const Cursor& protocol, Reading& reading) {
  const Cursor preset = protocol.is_string() ? protocol : protocol["preset"];
  ProtocolOptions& options = reading.scenario.setup.protocol;
  options = preset_options(read_enum<Preset>(preset).value_or(Preset::as_proposed));
  for_each_option(options, [&](std::string_view name, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    const Cursor value = protocol[name];
    if constexpr (std::is_same_v<Field, bool>) {
      field = value.boolean().value_or(field);
    } else {
      field = read_enum<Field>(value).value_or(field);
    }
  });
}

void read_faults(const Cursor& faults, Reading& reading) {
  reading.scenario.setup.faults = sim::default_faults();
  read_weights(faults["weights"], reading);
  read_budgets(faults["budgets"], reading);
  const Cursor versions = faults["versions"];
  std::vector<KafkaVersion>& known = reading.scenario.setup.faults.versions;
  if (versions.exists()) {
    known.clear();
  }
  for (const Cursor& name : versions.elements()) {
    const std::optional<KafkaVersion> version = reading.version(name);
    if (version) {
      known.push_back(*version);
    }
  }
}

void read_run(const Cursor& run, Reading& reading) {
  sim::RunSetup& setup = reading.scenario.setup.run;
  const Cursor seeds = run["seeds"];
  const Cursor first = seeds["first"];
  if (first.exists() && first.json().is_number_integer() && !first.unsigned_integer()) {
    reading.problems.add(first.pointer(), describe(first.json()), "a seed, at least 0");
  }
  setup.first_seed = first.unsigned_integer().value_or(setup.first_seed);
  const Cursor count = seeds.is_object() ? seeds["count"] : seeds;
  setup.seeds = count.integer(1, 1'000'000'000).value_or(setup.seeds);
  setup.max_actions = run["max_actions"].integer(0, 10'000'000).value_or(setup.max_actions);
  setup.strategy = read_enum<sim::Strategy>(run["strategy"]).value_or(setup.strategy);
  setup.change_points = run["change_points"].integer(0, 100).value_or(setup.change_points);
  setup.converge = run["converge"].boolean().value_or(setup.converge);
  setup.fetch_max_batches = run["fetch_max_batches"].integer(0, 1'000'000).value_or(setup.fetch_max_batches);
}

void read_bounds(const Cursor& bounds, Reading& reading) {
  for_each_bound(reading.scenario.bounds, [&](std::string_view name, int& field) {
    field = bounds[name].integer(0, kMaxBound).value_or(field);
  });
  Granularity& granularity = reading.scenario.bounds.granularity;
  granularity = read_enum<Granularity>(bounds["granularity"]).value_or(granularity);
}

}  // namespace mirrorproof::scenarios
