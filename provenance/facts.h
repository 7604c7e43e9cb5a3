#pragma once
// Facts: what the verifier looks up in a trace. One walk over the events notes where the claimed batches were
// at any moment, and who took over leadership when; nothing is concluded here.

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "model/event.h"

namespace mirrorproof::provenance {

/// A batch by its first record and where it lies.
struct BatchKey {
  std::uint64_t first_record = 0;
  Offset base_offset = 0;
  Offset last_offset = 0;
  friend auto operator<=>(const BatchKey&, const BatchKey&) = default;
};

struct Place {
  ClusterId cluster = kNoCluster;
  BrokerId broker = kNoBroker;
  PartitionId partition = kNoPartition;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct TakeOver {
  EventId event = 0;
  Epoch epoch = 0;
  BrokerId broker = kNoBroker;
};

class Facts {
 public:
  /// `watched`: the batches whose whereabouts are noted.
  Facts(const Trace& trace, const std::set<BatchKey>& watched);

  /// Why the trace is no history of logs; empty if it is one.
  const std::string& problem() const { return problem_; }
  /// nullptr: no such event.
  const Event* event(EventId id) const;
  /// The event before this one at the same actor; 0 if it is the first.
  EventId previous(EventId id) const;
  bool needs(EventId effect, EventId cause) const;

  /// Was the batch in that replica's log just after the event?
  bool held(const Place& place, const BatchKey& batch, EventId after) const;
  /// The Appended that brought it there last, before the event; 0 if it was not there.
  EventId arrival(const Place& place, const BatchKey& batch, EventId before) const;
  /// The first Appended of it anywhere; 0 if there is none.
  EventId origin(const BatchKey& batch) const;
  /// Batches that each mirror truncation after alignment removed.
  const std::map<EventId, std::vector<Batch>>& mirror_cuts() const { return mirror_cuts_; }
  /// Take-overs of the partition, in trace order, in the incarnation of the topic that `until` belongs to.
  std::vector<TakeOver> take_overs(ClusterId cluster, PartitionId partition, EventId until) const;
  /// Epochs of the partition's unclean elections, in the same incarnation, by event.
  std::map<EventId, Epoch> unclean_elections(ClusterId cluster, PartitionId partition, EventId until) const;
  /// The broker led without a break from one event to the other.
  bool led_throughout(const Place& place, EventId from, EventId until) const;
  /// Is `cause` in the causal past of `effect`?
  bool in_past(EventId cause, EventId effect) const;

 private:
  struct Change {
    EventId event = 0;
    bool there = false;
  };
  struct NaiveLog {
    std::vector<Batch> batches;
    Offset start = 0;
  };

  /// First and last event of the topic's incarnation that `until` belongs to, both exclusive.
  std::pair<EventId, EventId> incarnation(ClusterId cluster, PartitionId partition, EventId until) const;
  void append(const Event& event, const Appended& append);
  void cut(const Event& event, Offset target, Offset start);
  void clean(const Event& event, const LogCleaned& cleaned);
  void note(const Place& place, const Batch& batch, EventId event, bool there);

  const Trace& trace_;
  const std::set<BatchKey>& watched_;
  std::string problem_;
  std::map<Place, NaiveLog> logs_;
  std::map<std::pair<Place, BatchKey>, std::vector<Change>> whereabouts_;
  std::map<BatchKey, EventId> origins_;
  std::map<EventId, std::vector<Batch>> mirror_cuts_;
  std::map<std::pair<ClusterId, PartitionId>, std::vector<TakeOver>> take_overs_;
  std::map<std::pair<ClusterId, PartitionId>, std::map<EventId, Epoch>> unclean_elections_;
  std::map<std::pair<ClusterId, PartitionId>, std::vector<EventId>> recreations_;
  std::map<Place, std::vector<EventId>> role_ends_;  ///< BecameFollower, a take-over, a stop
  std::vector<EventId> previous_;                    ///< by place in the trace
};

}  // namespace mirrorproof::provenance
