#include "reports/page_timeline.h"

#include <fmt/format.h>

#include <map>

#include "reports/page_event.h"

namespace mirrorproof::reports {
namespace {

/// A request and its answer: places of their events, -1 for a leg that never came.
struct PageMessage {
  std::ptrdiff_t sent = -1;
  std::ptrdiff_t handled = -1;
  std::ptrdiff_t received = -1;
  bool failed = false;
  bool diverging = false;
  bool ignored = false;
  bool quiet = false;  ///< a fetch that found nothing new
};

/// Finds the legs of each exchange through their causes.
class MessageCollector {
 public:
  void observe(const Event& event, std::ptrdiff_t place) {
    if (std::holds_alternative<RequestSent>(event.payload)) {
      add().sent = place;
      by_sent_[event.id] = static_cast<std::ptrdiff_t>(messages_.size()) - 1;
    } else if (const auto* handled = std::get_if<RequestHandled>(&event.payload)) {
      PageMessage& message = of(event, by_sent_);
      message.handled = place;
      message.failed = handled->error != ErrorCode::none;
      message.diverging = handled->diverging;
      message.quiet = handled->api == ApiKey::fetch && !message.failed && !message.diverging &&
                      handled->first_offset == kUndefinedOffset;
      by_handled_[event.id] = &message - messages_.data();
    } else if (const auto* received = std::get_if<ResponseReceived>(&event.payload)) {
      PageMessage& message = of(event, by_handled_);
      message.received = place;
      message.ignored = received->ignored;
    }
  }

  const std::vector<PageMessage>& messages() const { return messages_; }

 private:
  using Exchanges = std::map<EventId, std::ptrdiff_t>;

  PageMessage& add() { return messages_.emplace_back(); }
  PageMessage& of(const Event& event, const Exchanges& exchanges) {
    for (const EventId cause : event.causes) {
      const auto found = exchanges.find(cause);
      if (found != exchanges.end()) {
        return messages_[static_cast<std::size_t>(found->second)];
      }
    }
    return add();
  }

  std::vector<PageMessage> messages_;
  Exchanges by_sent_;
  Exchanges by_handled_;
};

/// [sent, handled, received, flags]
Json messages_json(const std::vector<PageMessage>& messages, std::vector<bool>& quiet_events) {
  Json out = Json::array();
  for (const PageMessage& message : messages) {
    // A request that got no answer is worth a look.
    const bool quiet = message.quiet && message.received >= 0 && !message.ignored;
    const int flags =
        (message.failed ? 1 : 0) + (message.diverging ? 2 : 0) + (message.ignored ? 4 : 0) + (quiet ? 8 : 0);
    out.push_back({message.sent, message.handled, message.received, flags});
    for (const std::ptrdiff_t place : {message.sent, message.handled, message.received}) {
      if (quiet && place >= 0) {
        quiet_events[static_cast<std::size_t>(place)] = true;
      }
    }
  }
  return out;
}

/// Appends base offset, last offset, epoch, kind, origin and serial of each batch.
void add_batches(Json& row, const Batch& batch) {
  row.push_back(batch.base_offset);
  row.push_back(batch.last_offset);
  row.push_back(batch.epoch);
  row.push_back(static_cast<int>(batch.kind));
  row.push_back(batch.first_id.origin());
  row.push_back(batch.first_id.serial());
}

/// Replicas in the order of the header, numbered.
class PageReplicas {
 public:
  explicit PageReplicas(const TraceHeader& header) {
    for (std::size_t p = 0; p < header.partitions.size(); ++p) {
      for (std::size_t c = 0; c < header.clusters.size(); ++c) {
        const auto& replicas = header.partitions[p].replicas;
        for (BrokerId b = 0; c < replicas.size() && b < header.clusters[c].brokers; ++b) {
          if (replicas[c].contains(b)) {
            add({static_cast<ClusterId>(c), b, static_cast<PartitionId>(p)});
          }
        }
      }
    }
  }

  /// Replicas that a reassignment or an odd trace brings along are added.
  std::size_t number_of(const Event& event) {
    const ReplicaKey key{event.cluster, event.broker, event.partition};
    const auto found = numbers_.find(key);
    return found == numbers_.end() ? add(key) : found->second;
  }

  /// [lane, partition]
  Json json(const TraceHeader& header) const {
    Json out = Json::array();
    for (const ReplicaKey& key : keys_) {
      out.push_back({lane_of(header, key.cluster, key.broker), key.partition});
    }
    return out;
  }

  /// [log start, log end, high watermark, batches...] of each replica known so far.
  Json logs_json(const LogReplay& logs) const {
    Json out = Json::array();
    for (const ReplicaKey& key : keys_) {
      const ReplayedLog* log = logs.find(key);
      Json row = Json::array({log == nullptr ? 0 : log->log_start, log == nullptr ? 0 : log->log_end,
                              log == nullptr ? 0 : log->high_watermark});
      for (std::size_t i = 0; log != nullptr && i < log->batches.size(); ++i) {
        add_batches(row, log->batches[i]);
      }
      out.push_back(std::move(row));
    }
    return out;
  }

 private:
  std::size_t add(const ReplicaKey& key) {
    numbers_.emplace(key, keys_.size());
    keys_.push_back(key);
    return keys_.size() - 1;
  }

  std::vector<ReplicaKey> keys_;
  std::map<ReplicaKey, std::size_t> numbers_;
};

/// [event, replica, what it did: 0 append, 1 truncate, 2 log start, 3 high watermark; then its numbers]; null
/// if the event leaves logs alone.
Json log_change_json(const Event& event, std::ptrdiff_t place, PageReplicas& replicas) {
  const auto row = [&](int change) { return Json::array({place, replicas.number_of(event), change}); };
  if (const auto* appended = std::get_if<Appended>(&event.payload)) {
    Json out = row(0);
    for (const Batch& batch : appended->batches) {
      if (batch.has_records()) {
        add_batches(out, batch);
      }
    }
    return out;
  }
  if (const auto* cut = std::get_if<Truncated>(&event.payload)) {
    Json out = row(1);
    out.push_back(cut->target);
    out.push_back(cut->log_start);
    return out;
  }
  if (const auto* moved = std::get_if<LogStartMoved>(&event.payload)) {
    Json out = row(2);
    out.push_back(moved->log_start);
    return out;
  }
  if (const auto* cleaned = std::get_if<LogCleaned>(&event.payload)) {
    Json out = row(4);
    out.push_back(cleaned->base_offset);
    out.push_back(cleaned->last_offset);
    return out;
  }
  if (const auto* moved = std::get_if<HighWatermarkMoved>(&event.payload)) {
    Json out = row(3);
    out.push_back(moved->high_watermark);
    return out;
  }
  return nullptr;
}

Json kind_names() {
  Json out = Json::array();
  for (const auto& [kind, name] : EnumNames<MarkKind>::entries) {
    out.push_back(name);
  }
  return out;
}

/// [id, step, lane, partition, kind, quiet, label, text, causes...]
Json event_row(const TraceHeader& header, const ReportWindow& window, std::size_t place, bool quiet) {
  const Event& event = window.events[place];
  const PageMark mark = mark_of(event);
  Json row = Json::array({event.id, event.step, lane_of(header, event.cluster, event.broker), event.partition,
                          static_cast<int>(mark.kind), quiet || mark.quiet ? 1 : 0, mark.label,
                          window.texts[place]});
  for (const EventId cause : event.causes) {
    const std::ptrdiff_t found = window.place_of(cause);
    if (found >= 0) {
      row.push_back(found);
    }
  }
  return row;
}

}  // namespace

int lane_of(const TraceHeader& header, ClusterId cluster, BrokerId broker) {
  int lane = 0;
  for (ClusterId c = 0; c < cluster && static_cast<std::size_t>(c) < header.clusters.size(); ++c) {
    lane += 1 + header.clusters[static_cast<std::size_t>(c)].brokers;
  }
  return lane + 1 + broker;  // kController is -1: the first lane of its cluster
}

Json lanes_json(const TraceHeader& header) {
  const TraceNames names(header);
  Json out = Json::array();
  for (std::size_t c = 0; c < header.clusters.size(); ++c) {
    const auto cluster = static_cast<ClusterId>(c);
    out.push_back({{"cluster", c}, {"broker", nullptr}, {"name", names.cluster(cluster) + " controller"}});
    for (BrokerId b = 0; b < header.clusters[c].brokers; ++b) {
      out.push_back({{"cluster", c}, {"broker", b}, {"name", names.broker(cluster, b)}});
    }
  }
  return out;
}

void add_timeline(Json& page, const TraceHeader& header, const ReportWindow& window) {
  static_assert(EnumNames<MarkKind>::entries.back().first == MarkKind::note, "names in order of the kinds");
  MessageCollector collector;
  PageReplicas replicas(header);
  Json changes = Json::array();
  for (std::size_t i = 0; i < window.events.size(); ++i) {
    const auto place = static_cast<std::ptrdiff_t>(i);
    collector.observe(window.events[i], place);
    Json change = log_change_json(window.events[i], place, replicas);
    if (!change.is_null()) {
      changes.push_back(std::move(change));
    }
  }
  std::vector<bool> quiet(window.events.size(), false);
  Json messages = messages_json(collector.messages(), quiet);
  Json events = Json::array();
  for (std::size_t i = 0; i < window.events.size(); ++i) {
    events.push_back(event_row(header, window, i, quiet[i]));
  }
  page["kinds"] = kind_names();
  page["lanes"] = lanes_json(header);
  page["replicas"] = replicas.json(header);
  page["logs_before"] = replicas.logs_json(window.logs_before);
  page["log_changes"] = std::move(changes);
  page["messages"] = std::move(messages);
  page["events"] = std::move(events);
}

}  // namespace mirrorproof::reports
