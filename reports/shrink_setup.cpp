#include "reports/shrink_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scenarios/topic_name.h"

namespace mirrorproof::reports {
namespace {

using Consider = std::function<bool(ShrinkCandidate&&)>;

/// Ids above `removed` move down by one; `removed` itself is gone (false).
template <class Id>
bool renumber(Id& id, Id removed) {
  if (id == removed) {
    return false;
  }
  if (id > removed) {
    --id;
  }
  return true;
}

template <class List, class Keep>
void keep_if(List& list, Keep keep) {
  list.erase(std::remove_if(list.begin(), list.end(), [&](auto& item) { return !keep(item); }), list.end());
}

bool is_reader_step(const sim::ScriptStep& step) {
  return step.kind == sim::StepKind::action && (step.action.kind == sim::ActionClass::read ||
                                                step.action.kind == sim::ActionClass::commit_group_offset ||
                                                step.action.kind == sim::ActionClass::resume_reader);
}

/// The readers that `gone` selects go, with their steps.
template <class Gone>
void drop_readers(ShrinkCandidate& from, Gone gone) {
  for (std::size_t r = from.setup.readers.size(); r > 0; --r) {
    if (!gone(from.setup.readers[r - 1])) {
      continue;
    }
    from.setup.readers.erase(from.setup.readers.begin() + static_cast<std::ptrdiff_t>(r - 1));
    keep_if(from.script, [&](sim::ScriptStep& step) {
      return !is_reader_step(step) || renumber(step.action.producer, static_cast<std::int16_t>(r - 1));
    });
  }
}

std::optional<ShrinkCandidate> without_cluster(ShrinkCandidate from, ClusterId gone) {
  sim::Setup& setup = from.setup;
  for (const sim::InitialLog& log : setup.initial_logs) {
    // Records of other clusters' logs may come from there; their names would change their meaning.
    for (const Batch& batch : log.batches) {
      if (batch.first_id.origin() >= gone) {
        return std::nullopt;
      }
    }
  }
  drop_readers(from, [gone](sim::ReaderSetup& reader) { return !renumber(reader.cluster, gone); });
  setup.clusters.erase(setup.clusters.begin() + gone);
  for (sim::PartitionSetup& partition : setup.partitions) {
    partition.hosting.erase(partition.hosting.begin() + gone);
  }
  keep_if(setup.mirrors, [&](sim::MirrorSetup& mirror) {
    return renumber(mirror.source, gone) && renumber(mirror.destination, gone);
  });
  keep_if(setup.initial_logs, [&](sim::InitialLog& log) { return renumber(log.cluster, gone); });
  keep_if(from.script, [&](sim::ScriptStep& step) {
    return renumber(step.action.cluster, gone) && renumber(step.action.other_cluster, gone);
  });
  return from;
}

/// The broker leaves `cluster`; actions that name it go with it.
std::optional<ShrinkCandidate> without_broker(ShrinkCandidate from, ClusterId cluster, BrokerId gone) {
  sim::Setup& setup = from.setup;
  auto& brokers = setup.clusters[static_cast<std::size_t>(cluster)].brokers;
  brokers.erase(brokers.begin() + gone);
  for (sim::PartitionSetup& partition : setup.partitions) {
    sim::HostedPartition& hosting = partition.hosting[static_cast<std::size_t>(cluster)];
    const bool hosted = !hosting.replicas.empty();
    keep_if(hosting.replicas, [&](BrokerId& replica) { return renumber(replica, gone); });
    if (hosted && hosting.replicas.empty()) {
      return std::nullopt;
    }
    hosting.min_insync_replicas =
        std::max(1, std::min(hosting.min_insync_replicas, static_cast<int>(hosting.replicas.size())));
  }
  keep_if(setup.initial_logs, [&](sim::InitialLog& log) {
    return log.cluster != cluster || log.broker == kNoBroker || renumber(log.broker, gone);
  });
  keep_if(from.script, [&](sim::ScriptStep& step) {
    sim::Action& action = step.action;
    // A follower (isr_shrink) is of the action's own cluster.
    const ClusterId other = action.other_cluster == kNoCluster ? action.cluster : action.other_cluster;
    const bool broker_stays = action.cluster != cluster || renumber(action.broker, gone);
    return broker_stays && (other != cluster || renumber(action.other_broker, gone));
  });
  return from;
}

ShrinkCandidate without_partition(ShrinkCandidate from, PartitionId gone) {
  sim::Setup& setup = from.setup;
  drop_readers(from, [gone](sim::ReaderSetup& reader) { return !renumber(reader.partition, gone); });
  setup.partitions.erase(setup.partitions.begin() + gone);
  std::map<std::string, int> partitions_of_topic;
  for (sim::PartitionSetup& partition : setup.partitions) {
    const std::string topic{scenarios::topic_of(partition.name)};
    partition.name = fmt::format("{}-{}", topic, partitions_of_topic[topic]++);
  }
  keep_if(setup.mirrors, [&](sim::MirrorSetup& mirror) { return renumber(mirror.partition, gone); });
  keep_if(setup.initial_logs, [&](sim::InitialLog& log) { return renumber(log.partition, gone); });
  keep_if(from.script, [&](sim::ScriptStep& step) { return renumber(step.action.partition, gone); });
  return from;
}

bool fewer_clusters(const ShrinkCandidate& from, const Consider& consider) {
  const auto clusters = static_cast<ClusterId>(from.setup.clusters.size());
  for (ClusterId cluster = 0; clusters > 1 && cluster < clusters; ++cluster) {
    if (auto smaller = without_cluster(from, cluster); smaller && !consider(std::move(*smaller))) {
      return false;
    }
  }
  return true;
}

bool fewer_partitions(const ShrinkCandidate& from, const Consider& consider) {
  const auto partitions = static_cast<PartitionId>(from.setup.partitions.size());
  for (PartitionId partition = 0; partitions > 1 && partition < partitions; ++partition) {
    if (!consider(without_partition(from, partition))) {
      return false;
    }
  }
  return true;
}

bool fewer_brokers(const ShrinkCandidate& from, const Consider& consider) {
  for (std::size_t c = 0; c < from.setup.clusters.size(); ++c) {
    const auto brokers = static_cast<BrokerId>(from.setup.clusters[c].brokers.size());
    for (BrokerId broker = static_cast<BrokerId>(brokers - 1); brokers > 1 && broker >= 0; --broker) {
      auto smaller = without_broker(from, static_cast<ClusterId>(c), broker);
      if (smaller && !consider(std::move(*smaller))) {
        return false;
      }
    }
  }
  return true;
}

bool simpler_hosting(const ShrinkCandidate& from, const Consider& consider) {
  for (std::size_t p = 0; p < from.setup.partitions.size(); ++p) {
    for (std::size_t c = 0; c < from.setup.clusters.size(); ++c) {
      if (from.setup.partitions[p].hosting[c].min_insync_replicas > 1) {
        ShrinkCandidate smaller = from;
        smaller.setup.partitions[p].hosting[c].min_insync_replicas = 1;
        if (!consider(std::move(smaller))) {
          return false;
        }
      }
      const std::size_t replicas = from.setup.partitions[p].hosting[c].replicas.size();
      for (std::size_t r = 0; replicas > 1 && r < replicas; ++r) {
        ShrinkCandidate smaller = from;
        auto& list = smaller.setup.partitions[p].hosting[c].replicas;
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(r));
        if (!consider(std::move(smaller))) {
          return false;
        }
      }
    }
  }
  return true;
}

bool fewer_mirrors_and_logs(const ShrinkCandidate& from, const Consider& consider) {
  for (std::size_t m = 0; m < from.setup.mirrors.size(); ++m) {
    ShrinkCandidate smaller = from;
    smaller.setup.mirrors.erase(smaller.setup.mirrors.begin() + static_cast<std::ptrdiff_t>(m));
    if (!consider(std::move(smaller))) {
      return false;
    }
  }
  for (std::size_t l = 0; l < from.setup.initial_logs.size(); ++l) {
    ShrinkCandidate smaller = from;
    auto& logs = smaller.setup.initial_logs;
    logs.erase(logs.begin() + static_cast<std::ptrdiff_t>(l));
    if (!consider(std::move(smaller))) {
      return false;
    }
    if (from.setup.initial_logs[l].batches.size() > 1) {
      smaller = from;
      smaller.setup.initial_logs[l].batches.pop_back();
      if (!consider(std::move(smaller))) {
        return false;
      }
    }
    if (!from.setup.initial_logs[l].in_sync) {
      smaller = from;
      smaller.setup.initial_logs[l].in_sync = true;
      if (!consider(std::move(smaller))) {
        return false;
      }
    }
  }
  return true;
}

bool fewer_records(const ShrinkCandidate& from, const Consider& consider) {
  for (std::size_t s = 0; s < from.script.size(); ++s) {
    const sim::ScriptStep& step = from.script[s];
    const bool many = step.kind == sim::StepKind::action && step.action.kind == sim::ActionClass::produce &&
                      step.action.number > 1;
    if (many) {
      ShrinkCandidate smaller = from;
      smaller.script[s].action.number = 1;
      if (!consider(std::move(smaller))) {
        return false;
      }
    }
  }
  if (from.setup.run.fetch_max_batches != 0) {
    ShrinkCandidate smaller = from;
    smaller.setup.run.fetch_max_batches = 0;
    return consider(std::move(smaller));
  }
  return true;
}

bool fewer_readers(const ShrinkCandidate& from, const Consider& consider) {
  for (const sim::ReaderSetup& each : from.setup.readers) {
    ShrinkCandidate smaller = from;
    drop_readers(smaller, [&each](const sim::ReaderSetup& reader) { return reader.name == each.name; });
    if (!consider(std::move(smaller))) {
      return false;
    }
  }
  return true;
}

bool equal_versions(const ShrinkCandidate& from, const Consider& consider) {
  const auto with = [&](auto change) {
    ShrinkCandidate smaller = from;
    change(smaller.setup);
    return smaller.setup == from.setup || consider(std::move(smaller));
  };
  const KafkaVersion latest = latest_kafka_version();
  if (!with([&](sim::Setup& setup) {
        for (sim::ClusterSetup& cluster : setup.clusters) {
          std::fill(cluster.brokers.begin(), cluster.brokers.end(), latest);
        }
      })) {
    return false;
  }
  for (std::size_t c = 0; c < from.setup.clusters.size(); ++c) {
    const auto& brokers = from.setup.clusters[c].brokers;
    for (const KafkaVersion version : {latest, *std::max_element(brokers.begin(), brokers.end()),
                                       *std::min_element(brokers.begin(), brokers.end())}) {
      if (!with([&](sim::Setup& setup) {
            std::fill(setup.clusters[c].brokers.begin(), setup.clusters[c].brokers.end(), version);
          })) {
        return false;
      }
    }
    // A cluster that must be mixed is mixed as little as possible.
    const bool mixed = std::any_of(brokers.begin(), brokers.end(),
                                   [&](KafkaVersion version) { return version != brokers.front(); });
    for (std::size_t b = 0; mixed && b < brokers.size(); ++b) {
      if (!with([&](sim::Setup& setup) { setup.clusters[c].brokers[b] = latest; })) {
        return false;
      }
    }
  }
  return true;
}

/// The option at `place` as the proposal has it.
sim::Setup with_proposed_option(sim::Setup setup, std::string_view name) {
  const ProtocolOptions proposed;
  for_each_option(setup.protocol, [&](std::string_view mine, auto& field) {
    for_each_option(proposed, [&](std::string_view theirs, const auto& value) {
      if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::decay_t<decltype(value)>>) {
        if (mine == name && theirs == name) {
          field = value;
        }
      }
    });
  });
  return setup;
}

bool simpler_protocol(const ShrinkCandidate& from, const Consider& consider) {
  std::vector<std::string_view> names;
  for_each_option(from.setup.protocol, [&](std::string_view name, const auto&) { names.push_back(name); });
  for (const std::string_view name : names) {
    ShrinkCandidate smaller{with_proposed_option(from.setup, name), from.script};
    if (smaller.setup != from.setup && !consider(std::move(smaller))) {
      return false;
    }
  }
  return true;
}

bool plain_faults(const ShrinkCandidate& from, const Consider& consider) {
  ShrinkCandidate smaller = from;
  smaller.setup.faults = sim::default_faults();
  return smaller.setup == from.setup || consider(std::move(smaller));
}

}  // namespace

void for_each_smaller_setup(const ShrinkCandidate& from,
                            const std::function<bool(ShrinkCandidate&&)>& consider) {
  for (const auto& ways :
       {plain_faults, fewer_clusters, fewer_partitions, fewer_brokers, simpler_hosting,
        fewer_mirrors_and_logs, fewer_readers, fewer_records, equal_versions, simpler_protocol}) {
    if (!ways(from, consider)) {
      return;
    }
  }
}

}  // namespace mirrorproof::reports
