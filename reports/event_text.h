#pragma once
// EventNarrator: one readable line for each event of a trace, from the events alone. It watches the whole
// trace, so that a line can say what its event leaves out: who asked the question that is answered, where a
// log ended.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.h"
#include "reports/log_replay.h"

namespace mirrorproof::reports {

/// Names of clusters, brokers and partitions, made safe to print.
class TraceNames {
 public:
  explicit TraceNames(const TraceHeader& header);

  /// "A"
  const std::string& cluster(ClusterId cluster) const;
  /// "A/1", "A's controller"
  std::string broker(ClusterId cluster, BrokerId broker) const;
  /// "orders-0"
  const std::string& partition(PartitionId partition) const;
  /// " [orders-0]" when the trace has several partitions, else nothing.
  std::string partition_mark(PartitionId partition) const;

 private:
  std::vector<std::string> clusters_;
  std::vector<std::string> partitions_;
};

class EventNarrator {
 public:
  explicit EventNarrator(const TraceHeader& header) : names_(header) {}

  /// Every event once, in order. True if it changed what a log shows.
  bool observe(const Event& event);
  /// "B/0 truncated its log to 1: 1 record removed (diverging_epoch)". Of the event observed last.
  std::string text(const Event& event) const;

  const TraceNames& names() const { return names_; }
  const LogReplay& logs() const { return logs_; }

 private:
  struct Endpoint {
    ClusterId cluster = kNoCluster;
    BrokerId broker = kNoBroker;
  };
  /// Requests on their way, by the event that the next leg will name as its cause.
  using Exchanges = std::map<EventId, Endpoint>;

  const Endpoint* other_end(const Event& event, const Exchanges& exchanges) const;

  TraceNames names_;
  LogReplay logs_;
  Exchanges sent_;           ///< by RequestSent: the client
  Exchanges handled_;        ///< by RequestHandled: the server
  Endpoint last_other_end_;  ///< of the event observed last; kNoCluster = not known
};

}  // namespace mirrorproof::reports
