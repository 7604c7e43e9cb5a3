// JudgeState::rename_brokers: everything a judge between two steps knows by a broker's name.

#include <algorithm>
#include <array>
#include <utility>

#include "checker/judge_state.h"

namespace mirrorproof::checker {

void JudgeState::rename_brokers(JudgeParts parts, ClusterId cluster, std::span<const BrokerId> names) {
  Replay& replay = parts.replay;
  const auto place = static_cast<std::size_t>(cluster);
  const auto count = static_cast<std::size_t>(replay.brokers(cluster));
  const auto rename = [&](BrokerId& broker) {
    broker = broker < 0 ? broker : names[static_cast<std::size_t>(broker)];
  };

  // What there is one of per broker goes to the place of its new name.
  std::array<BrokerId, kMaxBrokers> to{};
  std::copy_n(names.begin(), count, to.begin());
  for (std::size_t i = 0; i < count; ++i) {
    while (static_cast<std::size_t>(to[i]) != i) {
      const auto other = static_cast<std::size_t>(to[i]);
      for (PartitionId partition = 0; partition < replay.partitions(); ++partition) {
        std::swap(replay.replica(cluster, static_cast<BrokerId>(i), partition),
                  replay.replica(cluster, static_cast<BrokerId>(other), partition));
      }
      std::swap(parts.version_safety.brokers_[place][i], parts.version_safety.brokers_[place][other]);
      std::swap(to[i], to[other]);
    }
  }
  parts.version_safety.touched_ = true;
  replay.order.rename_brokers(cluster, names);

  for (PartitionId partition = 0; partition < replay.partitions(); ++partition) {
    Lineage& line = replay.lineage(cluster, partition);
    for (ElectionRecord& record : line.elections_) {
      rename(record.leader);
    }
    for (Reign& reign : line.reigns_) {
      rename(reign.leader);
    }
    if (line.reign_) {
      rename(line.reign_->leader);
    }
    const auto renamed = [&](BrokerSet brokers) {
      BrokerSet out;
      for (std::size_t i = 0; i < count; ++i) {
        if (brokers.contains(static_cast<BrokerId>(i))) {
          out.insert(names[i]);
        }
      }
      return out;
    };
    replay.set_hosts(cluster, partition, renamed(replay.hosts(cluster, partition)),
                     renamed(replay.joining(cluster, partition)));
  }
  for (Provenance::Undecided& open : parts.provenance.undecided_) {
    if (open.event.cluster == cluster) {
      rename(open.event.broker);
    }
  }
  for (auto& [handled, answer] : parts.replay.answers.by_handling_) {
    if (answer.server_cluster == cluster) {
      rename(answer.server_broker);
    }
  }
}

}  // namespace mirrorproof::checker
