#pragma once
// Scenario texts that several tests use.

#include <string>
#include <string_view>

#include "tests/sim/test_setups.h"

namespace mirrorproof::cli_tests {

/// Two clusters of two brokers, B mirrors A. `rest` continues the object: ", \"run\": {...}".
inline std::string small_world(std::string_view rest) {
  return R"({
  "name": "small-world",
  "clusters": [{"name": "A", "brokers": 2}, {"name": "B", "brokers": 2}],
  "topics": [{"name": "orders"}],
  "mirrors": [{"source": "A", "destination": "B"}])" +
         std::string(rest) + "\n}\n";
}

/// Everything happens at random.
inline std::string random_world(int actions, int seeds) {
  return small_world(R"(, "run": {"max_actions": )" + std::to_string(actions) + R"(, "seeds": )" +
                     std::to_string(seeds) + "}");
}

/// The third step names a broker that is not in sync with anything: it cannot be taken.
inline std::string impossible_world(std::string_view rest) {
  return small_world(R"(, "steps": [{"do": "produce", "cluster": "A"}, {"do": "settle"},
    {"do": "unclean_election", "cluster": "A", "broker": 1}])" +
                     std::string(rest));
}

/// Many crashes and unclean elections under a mirror, of a source that lags: mirror truncations are common.
/// Odd seeds have an old source.
inline sim::Setup stormy_world(std::uint64_t seed) {
  sim::Setup setup =
      sim::two_clusters(2, seed % 2 == 0 ? latest_kafka_version() : *parse_kafka_version("2.4"));
  setup.name = "stormy-world";
  setup.run.strategy = sim::Strategy::random;
  setup.run.max_actions = 500;
  const auto set = [&setup](sim::ActionClass kind, int weight, int budget) {
    setup.faults.weights[static_cast<int>(kind)] = weight;
    setup.faults.budgets[static_cast<int>(kind)] = budget;
  };
  set(sim::ActionClass::isr_shrink, 40, -1);
  set(sim::ActionClass::unclean_election, 60, -1);
  set(sim::ActionClass::crash, 6, -1);
  for (const sim::ActionClass kind :
       {sim::ActionClass::start_mirror, sim::ActionClass::stop_mirror, sim::ActionClass::pause_mirror,
        sim::ActionClass::change_version, sim::ActionClass::cut_clusters, sim::ActionClass::cut_controller}) {
    set(kind, 0, 0);
  }
  return setup;
}

}  // namespace mirrorproof::cli_tests
