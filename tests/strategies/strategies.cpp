// How many seeds each strategy needs until a wrong variant of the protocol is caught. Prints
// docs/strategies.md:
//
//   build/release/tests/mirrorproof_strategies > docs/strategies.md
//
// The figures depend on the seeds alone, not on the machine.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/runner.h"
#include "sim/swarm.h"
#include "tests/sim/wrong_variants.h"

namespace mirrorproof::sim {
namespace {

constexpr int kRepeats = 5;
/// A search that has not found the fault after so many seeds is given up.
constexpr std::uint64_t kMostSeeds = 5'000;
/// Each repeat has seeds of its own.
constexpr std::uint64_t kSeedsApart = 1'000'000;

using C = ActionClass;

void host_everywhere(Setup& setup) {
  PartitionSetup partition;
  partition.name = "orders-0";
  for (const ClusterSetup& cluster : setup.clusters) {
    HostedPartition hosting;
    for (std::size_t b = 0; b < cluster.brokers.size(); ++b) {
      hosting.replicas.push_back(static_cast<BrokerId>(b));
    }
    partition.hosting.push_back(std::move(hosting));
  }
  setup.partitions.push_back(std::move(partition));
}

/// Replication inside one cluster: three replicas, leaders move cleanly, nothing fails.
Setup cluster_world(const ProtocolOptions& protocol) {
  Setup setup;
  setup.name = "cluster";
  setup.protocol = protocol;
  setup.clusters.push_back({"A", std::vector<KafkaVersion>(3, latest_kafka_version())});
  host_everywhere(setup);
  setup.faults = default_faults();
  for (int i = kProtocolClassCount; i < kActionClassCount; ++i) {
    setup.faults.weights[static_cast<std::size_t>(i)] = 0;
  }
  const auto allow = [&](C kind, int weight) {
    setup.faults.weights[static_cast<std::size_t>(kind)] = weight;
    setup.faults.budgets[static_cast<std::size_t>(kind)] = -1;
  };
  allow(C::produce, 15);
  allow(C::clean_election, 15);
  // Rarely possible; then it is taken at once.
  allow(C::late_read, 400);
  setup.run.max_actions = 250;
  return setup;
}

/// Two clusters, B mirrors A, everything that goes wrong by default; brokers change their version.
Setup mirror_world(const ProtocolOptions& protocol) {
  Setup setup;
  setup.name = "mirror";
  setup.protocol = protocol;
  setup.clusters.push_back({"A", {latest_kafka_version(), *parse_kafka_version("2.4")}});
  setup.clusters.push_back({"B", std::vector<KafkaVersion>(2, latest_kafka_version())});
  host_everywhere(setup);
  MirrorSetup mirror;
  mirror.source = 0;
  mirror.destination = 1;
  mirror.partition = 0;
  setup.mirrors.push_back(mirror);
  setup.faults = default_faults();
  setup.faults.versions = {*parse_kafka_version("2.4"), latest_kafka_version()};
  setup.faults.weights[static_cast<std::size_t>(C::delete_records)] = 1;
  setup.faults.budgets[static_cast<std::size_t>(C::delete_records)] = 2;
  setup.run.max_actions = 250;
  return setup;
}

struct Search {
  std::string_view name;
  Strategy strategy;
  bool swarm;
};

constexpr Search kSearches[] = {
    {"class first", Strategy::random, false},
    {"uniform", Strategy::uniform, false},
    {"PCT", Strategy::pct, false},
    {"swarm, class first", Strategy::random, true},
    {"swarm, PCT", Strategy::pct, true},
};

struct Row {
  std::string name;
  WrongVariant variant;
  bool cluster;  ///< breaks inside one cluster
};

/// What the public bug report of a variant is called.
std::string report_of(std::string_view name) {
  if (name.starts_with("stale_response_guard of replica")) {
    return " (KAFKA-13207)";
  }
  return name.starts_with("batch_epoch_guard") ? " (KAFKA-18723)" : "";
}

std::vector<Row> all_rows() {
  constexpr std::string_view kInsideOneCluster[] = {"replication", "epoch_registration",
                                                    "isr_join",    "same_leader",
                                                    "diverging_",  "stale_response_guard of"};
  std::vector<Row> rows;
  rows.push_back({"batch_epoch_guard false",
                  {"batch_epoch_guard false", [](ProtocolOptions& p) { p.batch_epoch_guard = false; },
                   checker::Invariant::committed_stability, "committed-record-lost-in-clean-election"},
                  true});
  for (const WrongVariant& variant : kWrongVariants) {
    const std::string_view name = variant.name;
    const bool cluster = std::any_of(std::begin(kInsideOneCluster), std::end(kInsideOneCluster),
                                     [&](std::string_view beginning) { return name.starts_with(beginning); });
    rows.push_back({std::string(name), variant, cluster});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.cluster && !b.cluster; });
  return rows;
}

bool caught(const Setup& setup, std::uint64_t seed, const WrongVariant& variant) {
  SeededChoices choices(seed);
  Runner runner(setup);
  checker::Checker judge(make_trace_header(setup, seed));
  runner.run(choices, [&judge](const std::vector<Event>& events, const Simulator&) {
    for (const Event& event : events) {
      judge.observe(event);
    }
    return true;
  });
  const std::vector<checker::Violation> violations = judge.finish().violations;
  return std::any_of(violations.begin(), violations.end(), [&](const checker::Violation& violation) {
    return violation.invariant == variant.invariant &&
           (variant.kind == nullptr || violation.kind == variant.kind);
  });
}

/// Seeds until the fault is caught; nothing if it is not.
std::optional<std::uint64_t> seeds_needed(const Row& row, const Search& search, int repeat) {
  SwarmOptions options;
  row.variant.change(options.protocol);
  const std::uint64_t first = 1 + static_cast<std::uint64_t>(repeat) * kSeedsApart;
  for (std::uint64_t i = 0; i < kMostSeeds; ++i) {
    Setup setup = search.swarm  ? swarm_setup(options, first + i)
                  : row.cluster ? cluster_world(options.protocol)
                                : mirror_world(options.protocol);
    setup.run.strategy = search.strategy;
    if (caught(setup, first + i, row.variant)) {
      return i + 1;
    }
  }
  return std::nullopt;
}

std::string cell(const Row& row, const Search& search) {
  std::vector<std::uint64_t> needed;
  int missed = 0;
  // The median is known once more than half of the repeats have failed.
  for (int repeat = 0; repeat < kRepeats && missed <= kRepeats / 2; ++repeat) {
    const auto seeds = seeds_needed(row, search, repeat);
    if (seeds) {
      needed.push_back(*seeds);
    } else {
      ++missed;
    }
  }
  if (missed > kRepeats / 2) {
    return fmt::format("> {}", kMostSeeds);
  }
  needed.insert(needed.end(), static_cast<std::size_t>(missed), kMostSeeds + 1);
  std::sort(needed.begin(), needed.end());
  return fmt::format("{}", needed[kRepeats / 2]);
}

void print_table(const std::vector<Row>& rows, bool cluster) {
  fmt::print("| variant | invariant");
  for (const Search& search : kSearches) {
    fmt::print(" | {}", search.name);
  }
  fmt::print(" |\n|---|---");
  for ([[maybe_unused]] const Search& search : kSearches) {
    fmt::print("|---:");
  }
  fmt::print("|\n");
  for (const Row& row : rows) {
    if (row.cluster != cluster) {
      continue;
    }
    fmt::print("| `{}`{} | {}", row.name, report_of(row.name), to_string(row.variant.invariant));
    for (const Search& search : kSearches) {
      fmt::print(" | {}", cell(row, search));
      std::fflush(stdout);
    }
    fmt::print(" |\n");
  }
}

void print_page(std::string_view only) {
  std::vector<Row> rows = all_rows();
  std::erase_if(rows, [&](const Row& row) { return row.name.find(only) == std::string::npos; });
  fmt::print(
      R"(# Strategies

How a run chooses its actions decides how many runs it takes to hit a bug. `mirrorproof fuzz
--strategy NAME`, or `run.strategy` in a scenario, says how:

- `random`: class first. Draws the class of the action by weight, then one of its instances. The
  default.
- `uniform`: draws one of all possible actions.
- `pct`: probabilistic concurrency testing. Every activity (a class of actions of one broker or
  controller) has a random priority, and the best one acts for as long as it gets on; at
  `change_points` moments (3 unless told) the activity whose turn it is gets starved until the next
  such moment. In this world most activities never end, so an activity that moves nothing on gets a
  new priority, the worse the smaller its weight.

The table shows seeds until the variant was first caught by the named invariant: the median of {}
searches, each with seeds of its own (from 1, 1 000 001, ... on), given up after {} seeds. In the
first three columns every seed runs the same world; in the last two each seed draws its own (swarm),
as `fuzz` does without a scenario. Made by

    ninja -C build/release mirrorproof_strategies
    build/release/tests/mirrorproof_strategies > docs/strategies.md

and the same on every machine.

## Inside one cluster

Three replicas, leaders move cleanly, nothing fails; 250 actions a seed. The `replication` rows are
the historic rules of Kafka.

)",
      kRepeats, kMostSeeds);
  print_table(rows, true);
  fmt::print(R"(
## Mirrors

Two replicas on each side, one source broker of release 2.4, every fault that a scenario has by
default; 250 actions a seed.

)");
  print_table(rows, false);
}

}  // namespace
}  // namespace mirrorproof::sim

int main(int argc, char** argv) {
  mirrorproof::sim::print_page(argc > 1 ? argv[1] : "");
  return 0;
}
