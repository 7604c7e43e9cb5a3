#include "explore/symmetry.h"

#include <algorithm>
#include <utility>

#include "model/api_versions.h"
#include "model/state_fields.h"

namespace mirrorproof::explore {
namespace {

using sim::ActionClass;
using sim::Broker;
using sim::Cluster;

/// So many ways to break ties are tried; beyond it a state may be gone through under several names.
constexpr std::size_t kMostTies = 64;

bool may_happen(const sim::World& world, ActionClass kind) {
  return world.budgets_left[static_cast<std::size_t>(kind)] != 0;
}

/// Where may `destination` mirror from? Every mirror of a set-up may also be reversed.
std::vector<ClusterId> sources_of(const sim::Setup& setup, ClusterId destination) {
  std::vector<ClusterId> sources;
  for (const sim::MirrorSetup& mirror : setup.mirrors) {
    if (mirror.destination == destination) {
      sources.push_back(mirror.source);
    } else if (mirror.source == destination) {
      sources.push_back(mirror.destination);
    }
  }
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  return sources;
}

/// A session that is through LOG_ALIGNMENT, and that nobody orders to stop: no step leads back to it.
bool past_alignment(const MirrorRecord& record) {
  const auto past = [](MirrorState state) {
    return state == MirrorState::mirroring || state == MirrorState::epoch_fencing ||
           state == MirrorState::ule_recovery;
  };
  return past(record.state) || (record.state == MirrorState::failed && past(record.state_before_failing));
}

bool is_sorted(const Cluster& cluster, PartitionId partition) {
  const auto sorted = [](const PartitionRegistration& registration) {
    return std::is_sorted(registration.replicas.begin(), registration.replicas.end());
  };
  return sorted(cluster.controller.partition(partition)) &&
         std::all_of(cluster.metadata_log.records.begin(), cluster.metadata_log.records.end(),
                     [&](const MetadataRecord& record) {
                       return record.partition != partition || sorted(record.registration);
                     });
}

class Digest {
 public:
  template <class... T>
  void operator()(T... values) {
    (add(static_cast<std::uint64_t>(values)), ...);
  }
  std::uint64_t value() const { return hash_; }

 private:
  void add(std::uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9e3779b97f4a7c15ULL;
    hash_ ^= hash_ >> 29;
  }
  std::uint64_t hash_ = 0x51ed270b8a1c3f25ULL;
};

/// What can be seen of a broker without naming any other.
std::uint64_t digest_of(const Cluster& cluster, std::size_t place) {
  const Broker& broker = cluster.brokers[place];
  const auto id = static_cast<BrokerId>(place);
  Digest digest;
  digest(broker.alive, cluster.controller.is_unfenced(id), broker.version.index, broker.cut_from_controller,
         broker.unclean_stop, broker.held, broker.alive ? broker.applied_records : 0);
  for (std::size_t p = 0; p < broker.partitions.size(); ++p) {
    const PartitionRegistration& registration = cluster.controller.partition(static_cast<PartitionId>(p));
    digest(registration.leader == id, registration.isr.contains(id), registration.elr.contains(id),
           registration.last_known_leader == id, registration.replica_set().contains(id));
    const Partition& partition = broker.partitions[p];
    if (!partition.hosted) {
      continue;
    }
    const Log& log = partition.log;
    digest(partition.role, partition.read_only, log.log_start_offset(), log.log_end_offset(),
           log.high_watermark(), log.recovery_point(), log.batches().size());
    if (!log.batches().empty()) {
      digest(log.batches().back().first_id.packed, log.batches().back().epoch);
    }
    if (partition.role != Role::offline) {
      digest(partition.leader_epoch, partition.partition_epoch, partition.leader == id,
             partition.pending_isr.has_value());
    }
    std::uint64_t leaders = 0;  // a sum again, for those that are deposed and do not know it
    for (const Broker& other : cluster.brokers) {
      if (other.alive && other.partitions[p].role == Role::leader) {
        Digest one;
        one(other.partitions[p].leader_epoch, other.partitions[p].isr.contains(id),
            other.partitions[p].follower_end_offset[place]);
        leaders += one.value();
      }
    }
    digest(leaders);
    if (broker.alive) {
      digest(broker.tasks[p].step, broker.source_views[p].epoch, broker.metadata[p].epoch);
    }
  }
  std::uint64_t slots = 0;  // a sum: their order is that of their servers' names
  for (const sim::FetcherSlot& slot : broker.fetchers) {
    Digest one;
    one(slot.server_cluster, slot.stage, slot.connected, slot.connected ? slot.learned_version.index : 0);
    for (const PartitionFetchState& state : slot.fetcher.states()) {
      one(state.fetch_offset, state.current_leader_epoch, state.phase, state.delayed);
    }
    slots += one.value();
  }
  digest(slots);
  return digest.value();
}

/// Leaders, in-sync replicas and long logs come first: names that change less often from state to state than
/// those of a digest alone.
std::uint32_t rank_of(const Cluster& cluster, std::size_t place) {
  const auto id = static_cast<BrokerId>(place);
  std::uint32_t rank = 0;
  if (cluster.controller.partition_count() > 0) {
    const PartitionRegistration& registration = cluster.controller.partition(0);
    rank |= registration.leader == id ? 0U : 1U << 11;
    rank |= registration.isr.contains(id) ? 0U : 1U << 10;
    const Offset end = cluster.brokers[place].partitions[0].log.log_end_offset();
    rank |= 255U - static_cast<std::uint32_t>(std::min<Offset>(end, 255));
  }
  rank |= cluster.controller.is_unfenced(id) ? 0U : 1U << 9;
  rank |= cluster.brokers[place].alive ? 0U : 1U << 8;
  return rank;
}

struct Look {
  std::uint32_t rank = 0;
  std::uint64_t digest = 0;
  BrokerId broker = kNoBroker;

  bool looks_like(const Look& other) const { return rank == other.rank && digest == other.digest; }
  friend auto operator<=>(const Look&, const Look&) = default;
};

}  // namespace

Symmetry::Symmetry(const sim::Setup& setup, const scenarios::Bounds& bounds, const sim::World& start)
    : rules_(start.clusters.size()) {
  for (std::size_t c = 0; c < rules_.size(); ++c) {
    const auto id = static_cast<ClusterId>(c);
    const Cluster& cluster = start.clusters[c];
    // Brokers apply metadata at once, so that they all know the same; but old ones do not tell topic ids.
    bool same = bounds.granularity != scenarios::Granularity::fine;
    const bool tells = metadata_tells_topic_ids(cluster.brokers[0].version);
    for (const Broker& broker : cluster.brokers) {
      same = same && !broker.cut_from_controller && !broker.holds(sim::Held::metadata) &&
             metadata_tells_topic_ids(broker.version) == tells;
    }
    if (bounds.version_changes > 0) {
      for (const KafkaVersion version : setup.faults.versions) {
        same = same && metadata_tells_topic_ids(version) == tells;
      }
    }
    rules_[c].homogeneous_answers = same;
    for (std::size_t other = 0; other < rules_.size(); ++other) {
      const std::vector<ClusterId> sources = sources_of(setup, static_cast<ClusterId>(other));
      rules_[c].one_source =
          rules_[c].one_source && (sources.size() < 2 || bounds.failbacks == 0 ||
                                   std::find(sources.begin(), sources.end(), id) == sources.end());
    }
    for (std::size_t p = 0; p < cluster.mirrors.size(); ++p) {
      const PartitionRegistration& registration = cluster.controller.partition(static_cast<PartitionId>(p));
      const std::uint32_t eligible = registration.isr.bits | registration.elr.bits;
      if (registration.leader == kNoBroker && (eligible & cluster.controller.unfenced().bits) != 0) {
        rules_[c].one_candidate = false;
      }
    }
  }
}

bool Symmetry::may_look_up(const sim::World& world, ClusterId source) const {
  if (may_happen(world, ActionClass::start_mirror)) {
    return true;
  }
  for (const Cluster& cluster : world.clusters) {
    for (std::size_t p = 0; p < cluster.mirrors.size(); ++p) {
      const MirrorRecord& record = cluster.mirrors[p];
      const PartitionRegistration& registration = cluster.controller.partition(static_cast<PartitionId>(p));
      const bool mirrors = record.source == source || registration.mirror_source == source;
      const bool stays = past_alignment(record) && record.source == source &&
                         registration.mirror_source == source &&
                         registration.desired_mirror == DesiredMirror::running &&
                         !may_happen(world, ActionClass::stop_mirror);
      if (mirrors && !stays) {
        return true;
      }
    }
  }
  return false;
}

bool Symmetry::names_matter(const sim::World& world, ClusterId cluster) const {
  const ClusterRules& rules = rules_[static_cast<std::size_t>(cluster)];
  return !rules.one_source || (!rules.homogeneous_answers && may_look_up(world, cluster));
}

bool Symmetry::any() const {
  return std::any_of(rules_.begin(), rules_.end(),
                     [](const ClusterRules& rules) { return rules.one_source; });
}

/// 1. With two replicas, whoever the leader's fencing leaves is the only candidate; and while nobody leads
///    none is unfenced, for it would have been elected when it was: who is let in next is the only one.
/// 2. Else the order decides as long as a leader may still be fenced.
bool Symmetry::order_matters(const sim::World& world, std::size_t cluster, std::size_t partition) const {
  const Cluster& of = world.clusters[cluster];
  const PartitionRegistration& registration = of.controller.partition(static_cast<PartitionId>(partition));
  if (may_happen(world, ActionClass::preferred_election) || may_happen(world, ActionClass::reassign) ||
      registration.reassigning() || !rules_[cluster].one_candidate) {
    return true;
  }
  if (registration.replicas.size() <= 2) {
    return false;
  }
  bool someone_stops = false;
  for (std::size_t b = 0; b < of.brokers.size(); ++b) {
    someone_stops = someone_stops || (of.controller.is_unfenced(static_cast<BrokerId>(b)) &&
                                      (!of.brokers[b].alive || of.brokers[b].cut_from_controller));
  }
  return someone_stops || may_happen(world, ActionClass::crash) ||
         may_happen(world, ActionClass::power_loss) || may_happen(world, ActionClass::change_version) ||
         may_happen(world, ActionClass::cut_controller);
}

void Symmetry::forget_order(sim::World& world) const {
  for (std::size_t c = 0; c < world.clusters.size(); ++c) {
    for (std::size_t p = 0; p < std::as_const(world).clusters[c].mirrors.size(); ++p) {
      const auto partition = static_cast<PartitionId>(p);
      if (is_sorted(std::as_const(world).clusters[c], partition) || order_matters(world, c, p)) {
        continue;
      }
      Cluster& cluster = world.clusters[c];
      ReplicaList& replicas = StateFields::registration(cluster.controller, partition).replicas;
      std::sort(replicas.begin(), replicas.end());
      for (MetadataRecord& record : cluster.metadata_log.records) {
        if (record.partition == partition) {
          std::sort(record.registration.replicas.begin(), record.registration.replicas.end());
        }
      }
    }
  }
}

BrokerNames Symmetry::choose(const sim::World& world, std::vector<BrokerNames>& ties) const {
  ties.clear();
  BrokerNames chosen;
  for (std::size_t c = 0; c < world.clusters.size(); ++c) {
    const Cluster& cluster = world.clusters[c];
    const auto id = static_cast<ClusterId>(c);
    const std::size_t count = cluster.brokers.size();
    if (count < 2 || names_matter(world, id)) {
      continue;
    }
    std::array<Look, kMaxBrokers> sorted{};
    for (std::size_t b = 0; b < count; ++b) {
      sorted[b] = {rank_of(cluster, b), digest_of(cluster, b), static_cast<BrokerId>(b)};
    }
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count));
    const auto name_all = [&](BrokerNames& names) {
      for (std::size_t place = 0; place < count; ++place) {
        names.names(id)[static_cast<std::size_t>(sorted[place].broker)] = static_cast<BrokerId>(place);
      }
    };
    name_all(chosen);
    for (BrokerNames& tie : ties) {
      name_all(tie);
    }
    // Every order of those that look alike, with every tie of the clusters before.
    const std::vector<BrokerNames> before = ties;
    const auto next_order = [&] {
      for (std::size_t begin = 0; begin < count;) {
        std::size_t end = begin + 1;
        while (end < count && sorted[end].looks_like(sorted[begin])) {
          ++end;
        }
        if (std::next_permutation(sorted.begin() + static_cast<std::ptrdiff_t>(begin),
                                  sorted.begin() + static_cast<std::ptrdiff_t>(end))) {
          return true;
        }
        begin = end;
      }
      return false;
    };
    while (ties.size() < kMostTies && next_order()) {
      BrokerNames other = chosen;
      name_all(other);
      ties.push_back(other);
      for (const BrokerNames& tie : before) {
        other = tie;
        name_all(other);
        ties.push_back(other);
      }
    }
  }
  return chosen;
}

}  // namespace mirrorproof::explore
