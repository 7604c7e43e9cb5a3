#include "sim/swarm.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/choices.h"

namespace mirrorproof::sim {
namespace {

using C = ActionClass;

class Drawer {
 public:
  explicit Drawer(std::uint64_t seed) : choices_(seed) {}
  /// In [low, high].
  int between(int low, int high) {
    return low +
           static_cast<int>(choices_.choose(Stream::topology, static_cast<std::uint32_t>(high - low + 1)));
  }
  bool one_in(int n) { return between(1, n) == 1; }
  KafkaVersion version() {
    return KafkaVersion{static_cast<std::int8_t>(between(0, kafka_version_count() - 1))};
  }

 private:
  SeededChoices choices_;
};

void draw_clusters(Setup& setup, const SwarmOptions& options, Drawer& drawer) {
  const int clusters = drawer.one_in(4) ? drawer.between(2, options.max_clusters) : 2;
  for (int c = 0; c < clusters; ++c) {
    ClusterSetup cluster;
    cluster.name = std::string(1, static_cast<char>('A' + c));
    // Only the head of a chain may lack cluster mirroring.
    const bool head_is_old = c == 0 && drawer.one_in(2);
    const KafkaVersion common = head_is_old ? drawer.version() : latest_kafka_version();
    const int brokers = drawer.between(1, options.max_brokers);
    for (int b = 0; b < brokers; ++b) {
      cluster.brokers.push_back(head_is_old && drawer.one_in(4) ? drawer.version() : common);
    }
    setup.clusters.push_back(std::move(cluster));
  }
}

void draw_partitions(Setup& setup, const SwarmOptions& options, Drawer& drawer) {
  const int partitions = drawer.one_in(4) ? drawer.between(1, options.max_partitions) : 1;
  for (int p = 0; p < partitions; ++p) {
    PartitionSetup partition;
    partition.name = fmt::format("orders-{}", p);
    for (const ClusterSetup& cluster : setup.clusters) {
      HostedPartition hosting;
      const auto brokers = static_cast<int>(cluster.brokers.size());
      for (int b = 0; b < brokers; ++b) {
        hosting.replicas.push_back(static_cast<BrokerId>((b + p) % brokers));
      }
      hosting.min_insync_replicas = drawer.one_in(3) ? drawer.between(1, brokers) : 1;
      partition.hosting.push_back(std::move(hosting));
    }
    setup.partitions.push_back(std::move(partition));
  }
}

void draw_mirrors(Setup& setup, Drawer& drawer) {
  const auto clusters = static_cast<ClusterId>(setup.clusters.size());
  const bool fan_out = clusters > 2 && drawer.one_in(3);
  for (std::size_t p = 0; p < setup.partitions.size(); ++p) {
    for (ClusterId destination = 1; destination < clusters; ++destination) {
      MirrorSetup mirror;
      mirror.source = fan_out ? ClusterId{0} : static_cast<ClusterId>(destination - 1);
      mirror.destination = destination;
      mirror.partition = static_cast<PartitionId>(p);
      setup.mirrors.push_back(mirror);
    }
  }
}

void draw_readers(Setup& setup, Drawer& drawer) {
  const int readers = drawer.one_in(2) ? 0 : drawer.between(1, 2);
  for (int r = 0; r < readers; ++r) {
    ReaderSetup reader;
    reader.name = fmt::format("reader-{}", r);
    reader.cluster = static_cast<ClusterId>(drawer.between(0, static_cast<int>(setup.clusters.size()) - 1));
    reader.partition = 0;
    reader.read_committed = drawer.one_in(2);
    if (!drawer.one_in(3)) {
      reader.group = static_cast<int>(setup.groups.size());
      setup.groups.push_back(fmt::format("group-{}", r));
    }
    setup.readers.push_back(std::move(reader));
  }
}

void draw_faults(Setup& setup, Drawer& drawer) {
  setup.faults = default_faults();
  auto& weights = setup.faults.weights;
  // Swarm: a fault class is switched off, or made frequent, as a whole.
  for (int i = kProtocolClassCount; i < kActionClassCount; ++i) {
    const auto kind = static_cast<C>(i);
    const bool heals = kind == C::restart || kind == C::heal_clusters || kind == C::heal_controller ||
                       kind == C::resume_mirror || (kind >= C::produce && kind <= C::resume_reader);
    if (heals || weights[i] == 0) {
      continue;
    }
    switch (drawer.between(0, 3)) {
      case 0:
        weights[i] = 0;
        break;
      case 1:
        weights[i] *= 4;
        break;
      default:
        break;
    }
  }
  // Faults that a scenario must ask for by name.
  const auto sometimes = [&](C kind, int weight, int budget) {
    weights[static_cast<int>(kind)] = weight;
    setup.faults.budgets[static_cast<int>(kind)] = budget;
  };
  if (drawer.one_in(3)) {
    sometimes(C::power_loss, drawer.between(1, 4), drawer.between(1, 4));
    sometimes(C::flush, drawer.between(1, 12), -1);
  }
  if (drawer.one_in(8)) {
    sometimes(C::delete_mirror, 1, 1);
  }
  if (drawer.one_in(4)) {
    sometimes(C::delete_records, drawer.between(1, 4), drawer.between(1, 4));
  }
  weights[static_cast<int>(C::produce)] = drawer.between(2, 20);
  weights[static_cast<int>(C::fetcher_send)] = drawer.between(10, 60);
  weights[static_cast<int>(C::metadata_apply)] = drawer.between(5, 40);
  const int versions = drawer.between(0, 3);
  for (int i = 0; i < versions; ++i) {
    setup.faults.versions.push_back(drawer.version());
  }
  // Sources before 2.8 tell no topic ids: a topic created again looks like the old one.
  const auto& head = setup.clusters.front().brokers;
  if (drawer.one_in(8) && std::all_of(head.begin(), head.end(), metadata_tells_topic_ids) &&
      std::all_of(setup.faults.versions.begin(), setup.faults.versions.end(), metadata_tells_topic_ids)) {
    sometimes(C::recreate_topic, 1, 1);
  }
}

}  // namespace

Setup swarm_setup(const SwarmOptions& options, std::uint64_t seed) {
  Drawer drawer(seed);
  Setup setup;
  setup.name = fmt::format("swarm-{}", seed);
  setup.protocol = options.protocol;
  draw_clusters(setup, options, drawer);
  draw_partitions(setup, options, drawer);
  draw_mirrors(setup, drawer);
  draw_readers(setup, drawer);
  draw_faults(setup, drawer);
  setup.run.first_seed = seed;
  setup.run.max_actions = drawer.between(options.max_actions / 4, options.max_actions);
  setup.run.converge = drawer.one_in(4);
  setup.run.fetch_max_batches = drawer.one_in(2) ? 0 : drawer.between(1, 3);
  return setup;
}

}  // namespace mirrorproof::sim
