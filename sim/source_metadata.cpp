// What a destination broker knows of the source's leaders, and what news of them does (protocol.md M35, N2).

#include "sim/fetch_hosts.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {
namespace {

/// M35: leaderless partitions are not updated, and an epoch never goes back.
bool is_news(const LeaderView& known, const LeaderView& told) {
  if (told.broker != kNoBroker && told.topic_id > known.topic_id && known.topic_id != 0) {
    return true;  // another topic of the same name: its epochs begin anew
  }
  if (told.broker == kNoBroker || told.epoch < known.epoch || told.topic_id < known.topic_id) {
    return false;
  }
  return told.epoch > known.epoch || told.broker != known.broker || told.topic_id != known.topic_id;
}

/// What the asked broker's Metadata answer says of a partition; a topic id once learned is not forgotten.
/// `keeps_broker`: without a leader in the answer, the one that was known stays, in the answer's epoch.
LeaderView metadata_answer(const Broker& asked, std::size_t partition, const LeaderView& known,
                           bool keeps_broker) {
  LeaderView told = asked.metadata[partition];
  if (keeps_broker && told.broker == kNoBroker && told.topic_id == known.topic_id) {
    told.broker = known.broker;
  }
  if (!metadata_tells_topic_ids(asked.version)) {
    told.topic_id = known.topic_id;
  }
  return told;
}

}  // namespace

bool Simulator::refresh_would_change(ClusterId cluster, BrokerId broker, ClusterId source,
                                     BrokerId source_broker) const {
  const Broker& asking = broker_at(cluster, broker);
  const Broker& asked = broker_at(source, source_broker);
  for (std::size_t i = 0; i < asking.source_views.size(); ++i) {
    if (world_.clusters[cluster].mirrors[i].source == source && asking.partitions[i].role == Role::leader &&
        is_news(asking.source_views[i], metadata_answer(asked, i, asking.source_views[i],
                                                        setup_->protocol.leaderless_source_keeps_broker))) {
      return true;
    }
  }
  return false;
}

void Simulator::refresh_source(ClusterId cluster, BrokerId broker, ClusterId source, BrokerId source_broker) {
  for (std::size_t i = 0; i < broker_at(cluster, broker).source_views.size(); ++i) {
    const auto id = static_cast<PartitionId>(i);
    LeaderView& known = broker_at(cluster, broker).source_views[i];
    const LeaderView told = metadata_answer(broker_at(source, source_broker), i, known,
                                            setup_->protocol.leaderless_source_keeps_broker);
    if (world_.clusters[cluster].mirrors[i].source != source) {
      continue;
    }
    if (known.topic_id == 0 && told.broker == kNoBroker) {
      known.topic_id = told.topic_id;  // a topic has its id also while nobody leads it
    }
    if (!is_news(known, told)) {
      continue;
    }
    const LeaderView before = known;
    known = told;
    note_progress();
    if (partition_at(cluster, broker, id).role == Role::leader) {
      source_view_changed(cluster, broker, id, before);
    }
  }
}

void Simulator::source_view_changed(ClusterId cluster, BrokerId broker, PartitionId id, LeaderView before) {
  Broker& leader = broker_at(cluster, broker);
  const LeaderView& now = leader.source_views[id];
  const ClusterId source = world_.clusters[cluster].mirrors[id].source;
  if (world_.clusters[cluster].mirrors[id].state == MirrorState::mirroring) {
    // M33: the periodic refresh keeps the own leader epoch ahead.
    request_epoch_bump(
        cluster, id,
        epoch_bump_target(setup_->protocol.epoch_bump, now.epoch, leader.partitions[id].leader_epoch));
  }
  if (topic_changed(cluster, broker, id)) {
    // Whatever the coordinator has been told by a later leader, this one fetches no further.
    remove_from_fetchers(cluster, broker, id, true);
    if (world_.clusters[cluster].mirrors[id].state == MirrorState::mirroring) {
      fail_mirror(cluster, broker, id, MirrorReason::topic_mismatch, false, false,
                  leader.source_views[id].event);
    }
    return;
  }
  FetcherSlot* slot =
      before.broker == kNoBroker ? nullptr : find_slot(cluster, broker, source, before.broker);
  if (slot == nullptr || slot->fetcher.find(id) == nullptr) {
    return;
  }
  if (before.broker == now.broker) {
    slot->fetcher.update_topic_id(id, now.topic_id);
    if (now.epoch != before.epoch) {
      slot->fetcher.update_leader_epoch(id, now.epoch);
    }
    return;
  }
  slot->fetcher.remove_partition(id);
  FetcherSlot& target = slot_for(cluster, broker, source, now.broker);
  MirrorHost host(*this, cluster, broker, source, now.broker);
  target.fetcher.add_partition(id, now.topic_id, leader.partitions[id].log.log_end_offset(), now.epoch, host);
  drop_idle_slots(leader);
}

}  // namespace mirrorproof::sim
