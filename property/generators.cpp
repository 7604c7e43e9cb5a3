// What RapidCheck draws, and how it shrinks.

#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <type_traits>

#include "mirrorproof/property.h"
#include "model/protocol_presets.h"
#include "sim/strategy.h"

namespace mirrorproof::property {
namespace {

using Commands = std::vector<sim::Action>;

/// An option of ProtocolOptions by its place, and a number that picks one of its values.
using Change = std::pair<std::uint32_t, std::uint32_t>;

void apply(ProtocolOptions& protocol, const Change& change) {
  std::uint32_t options = 0;
  for_each_option(protocol, [&options](std::string_view, auto&) { ++options; });
  std::uint32_t place = 0;
  for_each_option(protocol, [&](std::string_view, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    if (place++ != change.first % options) {
      return;
    }
    if constexpr (std::is_same_v<Field, bool>) {
      field = change.second % 2 == 1;
    } else {
      const auto& entries = EnumNames<Field>::entries;
      field = entries[change.second % entries.size()].first;
    }
  });
}

Commands only_enabled(const sim::Setup& setup, const Commands& actions) {
  sim::Simulator simulator(setup, nullptr);
  simulator.start();
  Commands taken;
  for (const sim::Action& action : actions) {
    if (simulator.why_not_enabled(action).empty()) {
      simulator.execute(action);
      taken.push_back(action);
    }
  }
  return taken;
}

Commands random_commands(const sim::Setup& setup, std::uint64_t seed, std::size_t most) {
  sim::Simulator simulator(setup, nullptr);
  simulator.start();
  sim::SeededChoices choices(seed);
  sim::RandomStrategy random(setup);
  Commands actions;
  while (actions.size() < most && random.step(simulator, choices)) {
    actions.push_back(simulator.last_action());
  }
  return actions;
}

rc::Shrinkable<Commands> shrinkable(const std::shared_ptr<const sim::Setup>& setup, Commands actions) {
  return rc::shrinkable::shrinkRecur(std::move(actions), [setup](const Commands& all) {
    return rc::seq::map(rc::shrink::removeChunks(all),
                        [setup](const Commands& fewer) { return only_enabled(*setup, fewer); });
  });
}

scenarios::Scenario scripted(const sim::Setup& setup, const Commands& actions) {
  scenarios::Scenario scenario;
  scenario.setup = setup;
  scenario.setup.steps.clear();
  for (const sim::Action& action : actions) {
    scenario.setup.steps.emplace_back().action = action;
  }
  scenario.setup.run.strategy = sim::Strategy::scripted;
  scenario.setup.run.max_actions = 0;
  return scenario;
}

}  // namespace

rc::Gen<sim::Setup> worlds(const sim::SwarmOptions& options) {
  const auto seeds =
      rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint32_t>()));
  return rc::gen::map(seeds, [options](std::uint32_t seed) { return sim::swarm_setup(options, seed); });
}

rc::Gen<ProtocolOptions> protocols(Preset preset) {
  const auto changes =
      rc::gen::resize(4, rc::gen::container<std::vector<Change>>(rc::gen::pair(
                             rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint32_t>()),
                             rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint32_t>()))));
  return rc::gen::map(changes, [preset](const std::vector<Change>& all) {
    ProtocolOptions protocol = preset_options(preset);
    for (const Change& change : all) {
      apply(protocol, change);
    }
    return protocol;
  });
}

rc::Gen<std::vector<sim::Action>> commands(const sim::Setup& setup) {
  const auto shared = std::make_shared<const sim::Setup>(setup);
  return [shared](const rc::Random& random, int size) {
    rc::Random draw = random;
    constexpr std::size_t kActionsPerSize = 4;
    const auto most = static_cast<std::size_t>(size) * kActionsPerSize;
    return shrinkable(shared, random_commands(*shared, draw.next(), most));
  };
}

rc::Gen<scenarios::Scenario> scripted_scenarios(const sim::SwarmOptions& options, Preset preset) {
  return rc::gen::mapcat(
      rc::gen::pair(worlds(options), protocols(preset)), [](std::pair<sim::Setup, ProtocolOptions> drawn) {
        sim::Setup setup = std::move(drawn.first);
        setup.protocol = drawn.second;
        return rc::gen::map(commands(setup),
                            [setup](const Commands& actions) { return scripted(setup, actions); });
      });
}

Trace carry_out(const sim::Setup& setup, const std::vector<sim::Action>& actions) {
  Trace trace;
  trace.header = sim::make_trace_header(setup, 0);
  sim::Simulator simulator(setup, &trace.events);
  simulator.start();
  for (const sim::Action& action : actions) {
    if (simulator.why_not_enabled(action).empty()) {
      simulator.execute(action);
    }
  }
  return trace;
}

}  // namespace mirrorproof::property

namespace mirrorproof {
namespace {

std::string value_text(bool value) {
  return value ? "true" : "false";
}
template <class E>
std::string value_text(E value) {
  return std::string(to_string(value));
}

}  // namespace

void showValue(const ProtocolOptions& protocol, std::ostream& out) {
  const ProtocolOptions proposal;
  std::vector<std::string> proposed;
  for_each_option(proposal,
                  [&](std::string_view, const auto& value) { proposed.push_back(value_text(value)); });
  std::size_t place = 0;
  std::string text;
  for_each_option(protocol, [&](std::string_view name, const auto& value) {
    if (value_text(value) != proposed[place++]) {
      text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value_text(value));
    }
  });
  out << (text.empty() ? "as_proposed" : text);
}

namespace sim {

void showValue(const Setup& setup, std::ostream& out) {
  scenarios::Scenario scenario;
  scenario.setup = setup;
  out << scenarios::to_json(scenario);
}

void showValue(const Action& action, std::ostream& out) {
  out << fmt::format("{}(cluster {}, broker {}, partition {}, other cluster {}, other broker {}, number {})",
                     to_string(action.kind), action.cluster, action.broker, action.partition,
                     action.other_cluster, action.other_broker, action.number);
}

}  // namespace sim

void scenarios::showValue(const Scenario& scenario, std::ostream& out) {
  out << to_json(scenario);
}

}  // namespace mirrorproof
