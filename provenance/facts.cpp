#include "provenance/facts.h"

#include <fmt/format.h>

#include <algorithm>

namespace mirrorproof::provenance {
namespace {

BatchKey key_of(const Batch& batch) {
  return {batch.first_id.packed, batch.base_offset, batch.last_offset};
}

bool earlier(const Event& event, EventId id) {
  return event.id < id;
}

}  // namespace

Facts::Facts(const Trace& trace, const std::set<BatchKey>& watched) : trace_(trace), watched_(watched) {
  std::map<std::pair<ClusterId, BrokerId>, EventId> latest;
  const auto partitions = static_cast<PartitionId>(trace.header.partitions.size());
  for (const Event& event : trace.events) {
    EventId& previous = latest[{event.cluster, event.broker}];
    previous_.push_back(previous);
    previous = event.id;
    const Place place{event.cluster, event.broker, event.partition};
    const std::pair partition(event.cluster, event.partition);
    if (const auto* appended = std::get_if<Appended>(&event.payload)) {
      append(event, *appended);
    } else if (const auto* truncated = std::get_if<Truncated>(&event.payload)) {
      cut(event, truncated->target, truncated->log_start);
    } else if (const auto* moved = std::get_if<LogStartMoved>(&event.payload)) {
      cut(event, std::numeric_limits<Offset>::max(), moved->log_start);
    } else if (const auto* cleaned = std::get_if<LogCleaned>(&event.payload)) {
      clean(event, *cleaned);
    } else if (const auto* became = std::get_if<BecameLeader>(&event.payload)) {
      // A broker that has not heard of the new topic takes over the old one: no affair of this partition.
      const auto& recreations = recreations_[partition];
      const bool stale = !recreations.empty() && !event.causes.empty() &&
                         *std::max_element(event.causes.begin(), event.causes.end()) < recreations.back();
      if (!stale) {
        take_overs_[partition].push_back({event.id, became->epoch, event.broker});
      }
      role_ends_[place].push_back(event.id);
    } else if (std::holds_alternative<BecameFollower>(event.payload)) {
      role_ends_[place].push_back(event.id);
    } else if (std::holds_alternative<BrokerStopped>(event.payload) ||
               std::holds_alternative<BrokerStarted>(event.payload)) {
      for (PartitionId each = 0; each < partitions; ++each) {
        role_ends_[{event.cluster, event.broker, each}].push_back(event.id);
      }
    } else if (const auto* election = std::get_if<Election>(&event.payload)) {
      if (election->kind == ElectionKind::unclean) {
        unclean_elections_[partition].emplace(event.id, election->epoch);
      }
    } else if (std::holds_alternative<TopicRecreated>(event.payload)) {
      recreations_[partition].push_back(event.id);
    }
  }
}

void Facts::append(const Event& event, const Appended& append) {
  const Place place{event.cluster, event.broker, event.partition};
  NaiveLog& log = logs_[place];
  if (append.origin == AppendOrigin::initial && log.batches.empty() && !append.batches.empty()) {
    log.start = append.batches.front().base_offset;
  }
  for (const Batch& batch : append.batches) {
    if (!log.batches.empty() && batch.base_offset <= log.batches.back().last_offset && problem_.empty()) {
      problem_ = fmt::format("event {}: a batch is appended below the end of the log", event.id);
    }
    log.batches.push_back(batch);
    note(place, batch, event.id, true);
    if (watched_.contains(key_of(batch))) {
      origins_.emplace(key_of(batch), event.id);
    }
  }
}

void Facts::cut(const Event& event, Offset target, Offset start) {
  const Place place{event.cluster, event.broker, event.partition};
  NaiveLog& log = logs_[place];
  log.start = std::max(log.start, start);
  std::vector<Batch> kept;
  std::vector<Batch> removed;
  for (const Batch& batch : log.batches) {
    const bool stays = batch.last_offset < target && batch.last_offset >= log.start;
    if (stays) {
      kept.push_back(batch);
    } else {
      if (batch.has_records()) {
        removed.push_back(batch);
      }
      note(place, batch, event.id, false);
    }
  }
  log.start = start;
  log.batches = std::move(kept);
  const auto* truncated = std::get_if<Truncated>(&event.payload);
  if (truncated != nullptr && truncated->by_mirror && truncated->reason != TruncationReason::alignment &&
      truncated->reason != TruncationReason::topic_deleted && !removed.empty()) {
    mirror_cuts_.emplace(event.id, std::move(removed));
  }
}

/// The log cleaner takes records, and the batch counts as held all the same: what it removes is no loss. A
/// truncation that comes later removes nothing of it.
void Facts::clean(const Event& event, const LogCleaned& cleaned) {
  for (Batch& batch : logs_[{event.cluster, event.broker, event.partition}].batches) {
    if (batch.base_offset == cleaned.base_offset && batch.last_offset == cleaned.last_offset) {
      batch.content = BatchContent::gone;
    }
  }
}

void Facts::note(const Place& place, const Batch& batch, EventId event, bool there) {
  if (watched_.contains(key_of(batch))) {
    whereabouts_[{place, key_of(batch)}].push_back({event, there});
  }
}

const Event* Facts::event(EventId id) const {
  const auto found = std::lower_bound(trace_.events.begin(), trace_.events.end(), id, earlier);
  return found == trace_.events.end() || found->id != id ? nullptr : &*found;
}

EventId Facts::previous(EventId id) const {
  const Event* found = event(id);
  return found == nullptr ? 0 : previous_[static_cast<std::size_t>(found - trace_.events.data())];
}

bool Facts::needs(EventId effect, EventId cause) const {
  const Event* found = event(effect);
  return found != nullptr &&
         std::find(found->causes.begin(), found->causes.end(), cause) != found->causes.end();
}

bool Facts::held(const Place& place, const BatchKey& batch, EventId after) const {
  const auto found = whereabouts_.find({place, batch});
  bool there = false;
  if (found != whereabouts_.end()) {
    for (const Change& change : found->second) {
      there = change.event <= after ? change.there : there;
    }
  }
  return there;
}

EventId Facts::arrival(const Place& place, const BatchKey& batch, EventId before) const {
  const auto found = whereabouts_.find({place, batch});
  EventId arrived = 0;
  if (found != whereabouts_.end()) {
    for (const Change& change : found->second) {
      if (change.event < before) {
        arrived = change.there ? change.event : 0;
      }
    }
  }
  return arrived;
}

EventId Facts::origin(const BatchKey& batch) const {
  const auto found = origins_.find(batch);
  return found == origins_.end() ? 0 : found->second;
}

std::pair<EventId, EventId> Facts::incarnation(ClusterId cluster, PartitionId partition,
                                               EventId until) const {
  std::pair<EventId, EventId> range{0, std::numeric_limits<EventId>::max()};
  if (const auto found = recreations_.find({cluster, partition}); found != recreations_.end()) {
    for (const EventId recreation : found->second) {
      range.first = recreation < until ? recreation : range.first;
      range.second = recreation > until ? std::min(range.second, recreation) : range.second;
    }
  }
  return range;
}

std::vector<TakeOver> Facts::take_overs(ClusterId cluster, PartitionId partition, EventId until) const {
  const std::pair<EventId, EventId> range = incarnation(cluster, partition, until);
  std::vector<TakeOver> out;
  if (const auto found = take_overs_.find({cluster, partition}); found != take_overs_.end()) {
    std::copy_if(found->second.begin(), found->second.end(), std::back_inserter(out),
                 [&](const TakeOver& each) { return each.event > range.first && each.event < range.second; });
  }
  return out;
}

std::map<EventId, Epoch> Facts::unclean_elections(ClusterId cluster, PartitionId partition,
                                                  EventId until) const {
  const auto found = unclean_elections_.find({cluster, partition});
  if (found == unclean_elections_.end()) {
    return {};
  }
  const std::pair<EventId, EventId> range = incarnation(cluster, partition, until);
  return {found->second.upper_bound(range.first), found->second.lower_bound(range.second)};
}

bool Facts::led_throughout(const Place& place, EventId from, EventId until) const {
  const auto found = role_ends_.find(place);
  return found == role_ends_.end() ||
         std::none_of(found->second.begin(), found->second.end(),
                      [from, until](EventId end) { return end > from && end < until; });
}

bool Facts::in_past(EventId cause, EventId effect) const {
  std::set<EventId> seen{effect};
  std::vector<EventId> open{effect};
  while (!open.empty()) {
    const EventId id = open.back();
    open.pop_back();
    if (id == cause) {
      return true;
    }
    const Event* found = event(id);
    if (found == nullptr || id < cause) {
      continue;
    }
    const auto visit = [&](EventId before) {
      if (before != 0 && before >= cause && seen.insert(before).second) {
        open.push_back(before);
      }
    };
    visit(previous(id));
    std::for_each(found->causes.begin(), found->causes.end(), visit);
  }
  return false;
}

}  // namespace mirrorproof::provenance
