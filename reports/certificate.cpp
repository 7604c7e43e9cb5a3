#include "reports/certificate.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "checker/causal_graph.h"
#include "checker/causal_order.h"

namespace mirrorproof::reports {
namespace {

using checker::MirrorTruncation;
using checker::RemovedRecords;

/// A batch: its first record, and where it lies.
using Tracked = std::pair<std::uint64_t, Offset>;
using Replica = std::tuple<ClusterId, BrokerId, PartitionId>;
using PartitionOfCluster = std::pair<ClusterId, PartitionId>;

Tracked tracked(const RemovedRecords& removed) {
  return {removed.first_id.packed, removed.base_offset};
}

struct Hold {
  EventId appended = 0;
  EventId became_leader = 0;
  Epoch epoch = 0;
};
struct Reign {
  EventId event = 0;
  Epoch epoch = 0;
};
struct Fetch {
  EventId sent = 0, handled = 0, received = 0;
};

/// One walk through the run: whatever a certificate may have to name.
class Evidence {
 public:
  Evidence(const TraceHeader& header, const checker::Judgement& judgement) : order(header) {
    for (const MirrorTruncation& truncation : judgement.mirror_truncations) {
      for (const RemovedRecords& removed : truncation.removed) {
        last_offset_.emplace(tracked(removed), removed.last_offset);
      }
    }
  }

  void observe(const Event& event) {
    order.add(event);
    events += 1;
    const Replica replica{event.cluster, event.broker, event.partition};
    const PartitionOfCluster partition{event.cluster, event.partition};
    if (std::holds_alternative<RequestHandled>(event.payload)) {
      note_cause(event, sent_of_);
    } else if (std::holds_alternative<ResponseReceived>(event.payload)) {
      note_cause(event, handled_of_);
    } else if (const auto* appended = std::get_if<Appended>(&event.payload)) {
      append(event, *appended, replica, partition);
    } else if (const auto* cut = std::get_if<Truncated>(&event.payload)) {
      const bool mirror = cut->by_mirror && cut->reason != TruncationReason::alignment &&
                          cut->reason != TruncationReason::topic_deleted && cut->removed_records > 0;
      if (mirror) {
        mirror_cuts.push_back(event.id);
        arrivals_at_.emplace(event.id, logs_[replica]);
        causes_of_.emplace(event.id, std::vector<EventId>(event.causes.begin(), event.causes.end()));
      }
      remove(replica, cut->target, cut->log_start);
    } else if (const auto* moved = std::get_if<LogStartMoved>(&event.payload)) {
      remove(replica, std::numeric_limits<Offset>::max(), moved->log_start);
    } else if (const auto* became = std::get_if<BecameLeader>(&event.payload)) {
      become_leader(event, *became, replica, partition);
    } else if (std::holds_alternative<BecameFollower>(event.payload)) {
      leads_.erase(replica);
    } else if (std::holds_alternative<BrokerStopped>(event.payload) ||
               std::holds_alternative<BrokerStarted>(event.payload)) {
      std::erase_if(leads_, [&event](const auto& lead) {
        return std::get<0>(lead.first) == event.cluster && std::get<1>(lead.first) == event.broker;
      });
    } else if (std::holds_alternative<TopicRecreated>(event.payload)) {
      recreations_[partition].push_back(event.id);
    }
  }

  /// The exchange that ended in one of the causes.
  std::optional<Fetch> exchange_behind(const std::vector<EventId>& causes) const {
    for (const EventId received : causes) {
      const auto handled = handled_of_.find(received);
      const auto sent = handled == handled_of_.end() ? sent_of_.end() : sent_of_.find(handled->second);
      if (sent != sent_of_.end()) {
        return Fetch{sent->second, handled->second, received};
      }
    }
    return std::nullopt;
  }
  const std::vector<EventId>& causes_of(EventId event) const { return causes_of_.at(event); }
  bool received(EventId event) const { return handled_of_.contains(event); }

  std::optional<EventId> origin(const Tracked& batch) const {
    const auto found = origins_.find(batch);
    return found == origins_.end() ? std::nullopt : std::optional(found->second);
  }
  /// The Appended that brought the batch to where the truncation removed it.
  std::optional<EventId> arrival(EventId truncation, const Tracked& batch) const {
    const auto log = arrivals_at_.find(truncation);
    const auto found = log == arrivals_at_.end() ? LogMap::const_iterator{} : log->second.find(batch);
    return log == arrivals_at_.end() || found == log->second.end() ? std::nullopt
                                                                   : std::optional(found->second);
  }
  bool fetched(EventId appended) const { return fetched_.contains(appended); }

  /// The latest reign below `epoch` whose leader held the batch.
  std::optional<Hold> hold(const PartitionOfCluster& partition, const Tracked& batch, Epoch below,
                           EventId truncation) const {
    const auto [from, end] = incarnation(partition, truncation);
    std::optional<Hold> best;
    if (const auto found = holds_.find({partition, batch}); found != holds_.end()) {
      for (const Hold& each : found->second) {
        const bool counts = each.became_leader > from && each.became_leader < end && each.epoch < below;
        if (counts && (!best || each.epoch >= best->epoch)) {
          best = each;
        }
      }
    }
    return best;
  }
  /// The latest one of that broker before the event.
  std::optional<Hold> hold_before(const PartitionOfCluster& partition, const Tracked& batch,
                                  EventId before) const {
    std::optional<Hold> best;
    if (const auto found = holds_.find({partition, batch}); found != holds_.end()) {
      for (const Hold& each : found->second) {
        if (std::max(each.became_leader, each.appended) < before) {
          best = each;
        }
      }
    }
    return best;
  }
  /// The first to take over in that epoch or a later one.
  std::optional<Reign> heir(const PartitionOfCluster& partition, Epoch epoch, EventId truncation) const {
    const auto [from, end] = incarnation(partition, truncation);
    if (const auto found = reigns_.find(partition); found != reigns_.end()) {
      for (const Reign& reign : found->second) {
        if (reign.event > from && reign.event < end && reign.epoch >= epoch) {
          return reign;
        }
      }
    }
    return std::nullopt;
  }

  checker::CausalOrder order;
  std::uint64_t events = 0;
  std::vector<EventId> mirror_cuts;
  std::map<EventId, Epoch> unclean_elections;

 private:
  using LogMap = std::map<Tracked, EventId>;

  static void note_cause(const Event& event, std::map<EventId, EventId>& map) {
    if (!event.causes.empty()) {
      map.emplace(event.id, event.causes.front());
    }
  }

  std::pair<EventId, EventId> incarnation(const PartitionOfCluster& partition, EventId at) const {
    std::pair<EventId, EventId> range{0, std::numeric_limits<EventId>::max()};
    if (const auto found = recreations_.find(partition); found != recreations_.end()) {
      for (const EventId recreation : found->second) {
        range.first = recreation < at ? recreation : range.first;
        range.second = recreation > at ? std::min(range.second, recreation) : range.second;
      }
    }
    return range;
  }

  void append(const Event& event, const Appended& append, const Replica& replica,
              const PartitionOfCluster& partition) {
    for (const Batch& batch : append.batches) {
      const Tracked key{batch.first_id.packed, batch.base_offset};
      const auto wanted = last_offset_.find(key);
      if (wanted == last_offset_.end() || wanted->second != batch.last_offset) {
        continue;
      }
      logs_[replica][key] = event.id;
      origins_.emplace(key, event.id);
      if (append.origin == AppendOrigin::mirror || append.origin == AppendOrigin::replication) {
        fetched_.insert(event.id);
        causes_of_.emplace(event.id, std::vector<EventId>(event.causes.begin(), event.causes.end()));
      }
      if (const auto lead = leads_.find(replica); lead != leads_.end()) {
        // A mirror's append tells the source's epoch.
        if (append.origin == AppendOrigin::mirror || append.leader_epoch == lead->second.epoch) {
          holds_[{partition, key}].push_back({event.id, lead->second.event, lead->second.epoch});
        }
      }
    }
  }

  void remove(const Replica& replica, Offset target, Offset log_start) {
    std::erase_if(logs_[replica], [&](const auto& entry) {
      const Offset last = last_offset_.at(entry.first);
      return last >= target || last < log_start;
    });
  }

  void become_leader(const Event& event, const BecameLeader& became, const Replica& replica,
                     const PartitionOfCluster& partition) {
    const auto& recreations = recreations_[partition];
    const bool of_deleted_topic =
        !recreations.empty() && !event.causes.empty() &&
        *std::max_element(event.causes.begin(), event.causes.end()) < recreations.back();
    if (of_deleted_topic) {
      leads_.erase(replica);
      return;
    }
    const Reign reign{event.id, became.epoch};
    leads_[replica] = reign;
    reigns_[partition].push_back(reign);
    for (const auto& [key, appended] : logs_[replica]) {
      holds_[{partition, key}].push_back({appended, reign.event, reign.epoch});
    }
  }

  std::map<Tracked, Offset> last_offset_;
  std::map<Tracked, EventId> origins_;
  std::map<EventId, EventId> sent_of_;     ///< by RequestHandled
  std::map<EventId, EventId> handled_of_;  ///< by ResponseReceived
  std::map<Replica, LogMap> logs_;         ///< tracked batches that are there, and since when
  std::map<Replica, Reign> leads_;
  std::map<PartitionOfCluster, std::vector<Reign>> reigns_;
  std::map<PartitionOfCluster, std::vector<EventId>> recreations_;
  std::map<std::pair<PartitionOfCluster, Tracked>, std::vector<Hold>> holds_;
  std::map<EventId, LogMap> arrivals_at_;  ///< by mirror truncation
  std::map<EventId, std::vector<EventId>> causes_of_;
  std::set<EventId> fetched_;
};

Json exchange_json(const std::optional<Fetch>& fetch) {
  if (!fetch) {
    return nullptr;
  }
  return {{"sent", fetch->sent}, {"handled", fetch->handled}, {"received", fetch->received}};
}

class Certifier {
 public:
  Certifier(const TraceHeader& header, const Evidence& evidence)
      : header_(header), evidence_(evidence), paths_(evidence.order.graph()) {}

  /// Nothing where the trace lacks an event that has to be named.
  std::optional<Json> truncation(const MirrorTruncation& cut) {
    Json out;
    out["event"] = cut.event;
    out["cluster"] = header_.clusters[static_cast<std::size_t>(cut.cluster)].name;
    out["broker"] = cut.broker;
    out["partition"] = header_.partitions[static_cast<std::size_t>(cut.partition)].name;
    out["source"] = header_.clusters[static_cast<std::size_t>(cut.source)].name;
    out["offset"] = cut.offset;
    const std::vector<EventId>& causes = evidence_.causes_of(cut.event);
    const std::optional<Fetch> answer = evidence_.exchange_behind(causes);
    const bool answered = std::any_of(causes.begin(), causes.end(),
                                      [this](EventId cause) { return evidence_.received(cause); });
    if (answered && !answer) {
      return std::nullopt;
    }
    out["answer"] = exchange_json(answer);
    out["records"] = Json::array();
    for (const RemovedRecords& removed : cut.removed) {
      std::optional<Json> record = record_of(cut, removed);
      if (!record) {
        return std::nullopt;
      }
      out["records"].push_back(std::move(*record));
    }
    return out;
  }

 private:
  std::optional<Json> record_of(const MirrorTruncation& cut, const RemovedRecords& removed) {
    const Tracked key = tracked(removed);
    const PartitionOfCluster source{cut.source, cut.partition};
    const auto origin = evidence_.origin(key);
    const auto arrival = evidence_.arrival(cut.event, key);
    const auto election = evidence_.unclean_elections.find(removed.killer);
    const bool upstream = election == evidence_.unclean_elections.end();
    const auto hold = upstream ? evidence_.hold_before(source, key, removed.killer)
                               : evidence_.hold(source, key, election->second, cut.event);
    const auto heir = upstream ? std::nullopt : evidence_.heir(source, election->second, cut.event);
    const ClusterId first = removed.first_id.origin();
    const bool known = first >= 0 && static_cast<std::size_t>(first) < header_.clusters.size();
    if (!origin || !arrival || !hold || !known) {
      return std::nullopt;
    }
    std::optional<Fetch> fetch;
    if (evidence_.fetched(*arrival)) {
      fetch = evidence_.exchange_behind(evidence_.causes_of(*arrival));
      if (!fetch) {
        return std::nullopt;
      }
    }
    const std::vector<EventId> path = path_from(removed.killer, cut.event);
    if (path.empty()) {
      return std::nullopt;
    }
    Json out;
    out["base_offset"] = removed.base_offset;
    out["last_offset"] = removed.last_offset;
    out["epoch"] = removed.epoch;
    out["first_record"] = {{"cluster", header_.clusters[static_cast<std::size_t>(first)].name},
                           {"serial", removed.first_id.serial()}};
    out["origin"] = *origin;
    out["held"] = {{"appended", hold->appended}, {"became_leader", hold->became_leader}};
    out["arrived"] = *arrival;
    out["fetch"] = exchange_json(fetch);
    out["killer"] = removed.killer;
    out["heir"] = heir ? Json(heir->event) : Json(nullptr);
    out["path"] = path;
    return out;
  }

  std::vector<EventId> path_from(EventId killer, EventId effect) {
    const auto known = known_paths_.find({killer, effect});
    if (known != known_paths_.end()) {
      return known->second;
    }
    std::vector<EventId> path;
    const checker::EventIndex root = evidence_.order.index_of(killer);
    for (const checker::EventIndex event :
         paths_.shortest_path(std::span(&root, 1), evidence_.order.index_of(effect))) {
      path.push_back(evidence_.order.id_of(event));
    }
    known_paths_.emplace(std::pair(killer, effect), path);
    return path;
  }

  const TraceHeader& header_;
  const Evidence& evidence_;
  checker::PathFinder paths_;
  std::map<std::pair<EventId, EventId>, std::vector<EventId>> known_paths_;
};

}  // namespace

Json certificate_json(const TraceHeader& header, const EventSource& source,
                      const checker::Judgement& judgement) {
  Evidence evidence(header, judgement);
  source([&evidence](const Event& event) {
    evidence.observe(event);
    const auto* election = std::get_if<Election>(&event.payload);
    if (election != nullptr && election->kind == ElectionKind::unclean) {
      evidence.unclean_elections.emplace(event.id, election->epoch);
    }
  });
  Certifier certifier(header, evidence);
  std::set<EventId> certified;
  Json truncations = Json::array();
  for (const MirrorTruncation& cut : judgement.mirror_truncations) {
    // What rests on an upstream truncation falls with it; that one came first.
    const bool rests =
        std::all_of(cut.removed.begin(), cut.removed.end(), [&](const RemovedRecords& removed) {
          return evidence.unclean_elections.contains(removed.killer) || certified.contains(removed.killer);
        });
    std::optional<Json> claim = cut.justified && rests ? certifier.truncation(cut) : std::nullopt;
    if (claim) {
      certified.insert(cut.event);
      truncations.push_back(std::move(*claim));
    }
  }
  Json out;
  out["mirrorproof_certificate"] = 1;
  out["program"] = MIRRORPROOF_VERSION;
  out["scenario"] = header.scenario;
  out["seed"] = header.seed;
  out["events"] = evidence.events;
  out["truncations"] = std::move(truncations);
  out["uncertified"] = Json::array();
  for (const EventId cut : evidence.mirror_cuts) {
    if (!certified.contains(cut)) {
      out["uncertified"].push_back(cut);
    }
  }
  return out;
}

}  // namespace mirrorproof::reports
