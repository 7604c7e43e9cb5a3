// How many seeds each strategy needs until a wrong variant of the protocol is caught. Prints
// docs/strategies.md:
//
//   build/release/tests/mirrorproof_strategies > docs/strategies.md
//
// The figures depend on the seeds alone, not on the machine. With --verify FILE the page is checked instead:
// its rows, and every figure that is small enough to be measured anew at once.

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/swarm.h"
#include "tests/sim/judged_seed.h"
#include "tests/sim/wrong_variants.h"

namespace mirrorproof::sim {
namespace {

constexpr int kRepeats = 5;
/// A search that has not found the fault after so many seeds is given up.
constexpr std::uint64_t kMostSeeds = 5'000;
/// Figures up to here are measured anew by --verify.
constexpr std::uint64_t kMostVerified = 100;
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
  const std::vector<checker::Violation> violations = violations_of(setup, seed);
  return std::any_of(violations.begin(), violations.end(), [&](const checker::Violation& violation) {
    return violation.invariant == variant.invariant &&
           (variant.kind == nullptr || violation.kind == variant.kind);
  });
}

/// Seeds until the fault is caught; nothing if `most` do not catch it.
std::optional<std::uint64_t> seeds_needed(const Row& row, const Search& search, int repeat,
                                          std::uint64_t most) {
  SwarmOptions options;
  row.variant.change(options.protocol);
  const std::uint64_t first = 1 + static_cast<std::uint64_t>(repeat) * kSeedsApart;
  for (std::uint64_t i = 0; i < most; ++i) {
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
    const auto seeds = seeds_needed(row, search, repeat, kMostSeeds);
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

/// On all cores: what comes out does not depend on them.
std::string beginning_of(const Row& row) {
  return fmt::format("| `{}`{} | {}", row.name, report_of(row.name), to_string(row.variant.invariant));
}

void print_table(const std::vector<Row>& rows, const std::vector<std::string>& cells, bool cluster) {
  fmt::print("| variant | invariant");
  for (const Search& search : kSearches) {
    fmt::print(" | {}", search.name);
  }
  fmt::print(" |\n|---|---");
  for ([[maybe_unused]] const Search& search : kSearches) {
    fmt::print("|---:");
  }
  fmt::print("|\n");
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].cluster != cluster) {
      continue;
    }
    fmt::print("{}", beginning_of(rows[r]));
    for (std::size_t i = 0; i < std::size(kSearches); ++i) {
      fmt::print(" | {}", cells[r * std::size(kSearches) + i]);
    }
    fmt::print(" |\n");
  }
}

void print_page(std::string_view only) {
  std::vector<Row> rows = all_rows();
  std::erase_if(rows, [&](const Row& row) { return row.name.find(only) == std::string::npos; });
  std::vector<std::string> cells(rows.size() * std::size(kSearches));
  oneapi::tbb::parallel_for(std::size_t{0}, cells.size(), [&](std::size_t i) {
    cells[i] = cell(rows[i / std::size(kSearches)], kSearches[i % std::size(kSearches)]);
  });
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

and the same on every machine. A test measures anew what takes at most {} seeds.

## Inside one cluster

Three replicas, leaders move cleanly, nothing fails; 250 actions a seed. The `replication` rows are
the historic rules of Kafka.

)",
      kRepeats, kMostSeeds, kMostVerified);
  print_table(rows, cells, true);
  fmt::print(R"(
## Mirrors

Two replicas on each side, one source broker of release 2.4, every fault that a scenario has by
default; 250 actions a seed.

)");
  print_table(rows, cells, false);
}

/// Whether half of the repeats need at most `median` seeds, and not fewer.
bool is_median(const Row& row, const Search& search, std::uint64_t median) {
  int within = 0;
  int sooner = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto needed = seeds_needed(row, search, repeat, median);
    within += needed ? 1 : 0;
    sooner += needed && *needed < median ? 1 : 0;
  }
  return within > kRepeats / 2 && sooner <= kRepeats / 2;
}

/// The figures of a line of the table, without the row's name and invariant.
std::vector<std::string> figures_of(std::string_view line) {
  std::vector<std::string> figures;
  for (std::size_t at = line.find(" | "); at != std::string_view::npos;) {
    const std::size_t end = line.find(" |", at + 3);
    if (end == std::string_view::npos) {
      break;
    }
    figures.emplace_back(line.substr(at + 3, end - at - 3));
    at = end;
  }
  return figures;
}

/// Complains on stderr; the number of complaints.
int verify_page(const char* path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  struct Figure {
    const Row* row;
    const Search* search;
    std::uint64_t median;
  };
  const std::vector<Row> rows = all_rows();
  std::vector<Figure> figures;
  std::atomic<int> complaints{0};
  const auto complain = [&](const std::string& text) {
    fmt::print(stderr, "{}\n", text);
    complaints += 1;
  };
  for (const Row& row : rows) {
    const std::string beginning = beginning_of(row);
    const auto line = std::find_if(lines.begin(), lines.end(),
                                   [&](const std::string& each) { return each.starts_with(beginning); });
    const std::vector<std::string> texts =
        line == lines.end() ? std::vector<std::string>{} : figures_of(line->substr(beginning.size()));
    if (texts.size() != std::size(kSearches)) {
      complain(fmt::format("no row with {} figures that begins with: {}", std::size(kSearches), beginning));
      continue;
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::uint64_t median = 0;
      const auto [end, error] = std::from_chars(texts[i].data(), texts[i].data() + texts[i].size(), median);
      const bool number = error == std::errc{} && end == texts[i].data() + texts[i].size();
      if (!number && texts[i] != fmt::format("> {}", kMostSeeds)) {
        complain(fmt::format("{}, {}: \"{}\" is no figure", row.name, kSearches[i].name, texts[i]));
      } else if (number && median <= kMostVerified) {
        figures.push_back({&row, &kSearches[i], median});
      }
    }
  }
  oneapi::tbb::parallel_for(std::size_t{0}, figures.size(), [&](std::size_t i) {
    const Figure& figure = figures[i];
    if (!is_median(*figure.row, *figure.search, figure.median)) {
      complain(fmt::format("{}, {}: the page says {} seeds, and this program needs another number",
                           figure.row->name, figure.search->name, figure.median));
    }
  });
  fmt::print("{} figures of {} measured anew.\n", figures.size(), rows.size() * std::size(kSearches));
  if (figures.empty()) {
    complain("nothing to measure");
  }
  if (complaints > 0) {
    fmt::print(stderr, "Make the page anew: mirrorproof_strategies > {}\n", path);
  }
  return complaints;
}

}  // namespace
}  // namespace mirrorproof::sim

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--verify") {
    return mirrorproof::sim::verify_page(argv[2]) == 0 ? 0 : 1;
  }
  mirrorproof::sim::print_page(argc > 1 ? argv[1] : "");
  return 0;
}
