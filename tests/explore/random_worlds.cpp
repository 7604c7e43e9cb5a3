#include "tests/explore/random_worlds.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>

#include "sim/choices.h"

namespace mirrorproof::explore {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : choices_(seed) {}
  int below(int count) {
    return static_cast<int>(choices_.choose(sim::Stream::topology, static_cast<std::uint32_t>(count)));
  }
  bool one_in(int count) { return below(count) == 0; }
  template <std::size_t N>
  std::string of(const std::array<const char*, N>& texts) {
    return texts[static_cast<std::size_t>(below(static_cast<int>(N)))];
  }

 private:
  sim::SeededChoices choices_;
};

constexpr std::array kWrongSettings{
    R"("alignment": "none")",
    R"("alignment": "epoch_only")",
    R"("alignment": "as_posted")",
    R"("alignment": "epoch_and_offset_inclusive")",
    R"("alignment_wait": "none")",
    R"("recovery_wait": "none")",
    R"("epoch_bump": "none")",
    R"("mirror_epochs": "rewrite")",
    R"("version_detection": "drop_field")",
    R"("stale_response_guard": false)",
    R"("ule_support": false)",
    R"("destination_high_watermark": "source")",
    R"("replication": "kip101")",
    R"("replication": "high_watermark")",
    R"("pid_reset": false)",
};

constexpr std::array kScripts{
    R"({"do": "settle"})",
    R"({"do": "produce", "cluster": "A", "records": 2}, {"do": "settle"})",
    R"({"do": "settle"}, {"do": "hold", "cluster": "A", "broker": 0, "what": "mirror"})",
    R"({"do": "produce", "cluster": "A"}, {"do": "settle"},
       {"do": "stop_mirror", "source": "A", "destination": "B"}, {"do": "settle"},
       {"do": "produce", "cluster": "A"}, {"do": "produce", "cluster": "B"}, {"do": "settle"})",
    R"({"do": "settle"}, {"do": "produce", "cluster": "A"})",
    R"({"do": "settle"}, {"do": "crash", "cluster": "A", "broker": 0}, {"do": "settle"})",
};

}  // namespace

scenarios::Scenario random_world(std::uint64_t seed) {
  Draw draw(seed);
  const std::string version = draw.of(std::array{"4.3", "4.3", "4.1", "3.9", "2.4"});
  const int source = 1 + draw.below(3);
  const int destination = 1 + draw.below(2);
  // A third cluster that mirrors the source as well, or the mirror.
  const bool third = draw.one_in(4);
  const std::string third_from = draw.one_in(2) ? "A" : "B";
  const bool changes = draw.one_in(4);
  const std::string granularity = draw.one_in(3) ? "fine" : seed % 2 == 0 ? "coarse" : "rounds";
  std::string bounds = R"({"granularity": ")" + granularity + R"(")";
  const auto bound = [&](const char* name, int most, int one_in) {
    if (draw.one_in(one_in)) {
      bounds += std::string(R"(, ")") + name + R"(": )" + std::to_string(1 + draw.below(most));
    }
  };
  bound("records", 2, 2);
  bound("clean_elections", 1, 4);
  bound("unclean_elections", 1, 2);
  bound("crashes", 2, 2);
  bound("power_losses", 1, 5);
  bound("link_drops", 1, 5);
  bound("failovers", 1, 3);
  bound("failbacks", 1, 3);
  bound("isr_shrinks", 1, 5);
  if (changes) {
    bounds += R"(, "version_changes": 1)";
  }
  bounds += R"(, "depth": )" + std::to_string(5 + draw.below(4)) + "}";
  std::string protocol =
      R"({"preset": ")" + std::string(draw.one_in(2) ? "hardened" : "as_proposed") + R"(")";
  if (draw.one_in(2)) {
    protocol += ", " + draw.of(kWrongSettings);
  }
  protocol += "}";
  const std::string min_isr =
      source > 1 && destination > 1 && !third && draw.one_in(3) ? R"(, "min_insync_replicas": 2)" : "";
  const std::string text =
      R"({"name": "random", "clusters": [{"name": "A", "brokers": )" + std::to_string(source) +
      R"(, "version": ")" + version + R"("}, {"name": "B", "brokers": )" + std::to_string(destination) +
      R"(})" + (third ? R"(, {"name": "C", "brokers": 1})" : "") + R"(], "topics": [{"name": "orders")" +
      min_isr + R"(}], "mirrors": [{"source": "A", "destination": "B"})" +
      (third ? R"(, {"source": ")" + third_from + R"(", "destination": "C"})" : "") + R"(],
       "faults": {)" +
      (changes ? R"("versions": ["2.4", "4.1", "4.3"])" : R"("budgets": {"change_version": 0})") +
      R"(}, "protocol": )" + protocol + R"(, "steps": [)" + draw.of(kScripts) + R"(], "bounds": )" + bounds +
      "}";
  scenarios::LoadResult loaded = scenarios::load_scenario(text, "random");
  for (const scenarios::Problem& problem : loaded.problems) {
    ADD_FAILURE() << scenarios::format_problem(problem) << "\n" << text;
  }
  return loaded.scenario.value_or(scenarios::Scenario{});
}

int wanted_walks(int otherwise) {
  const char* wanted = std::getenv("MIRRORPROOF_WALKS");
  return wanted == nullptr ? otherwise : std::atoi(wanted);
}

}  // namespace mirrorproof::explore
