#pragma once
// Scenario texts that several tests use.

#include <string>
#include <string_view>

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

}  // namespace mirrorproof::cli_tests
