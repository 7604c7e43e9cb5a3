#include "trace_test_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <variant>

namespace mirrorproof::checker {
namespace {

template <class Value>
bool same(const Value& left, const Value& right) {
  return left == right;
}
template <class Value, std::size_t Inline>
bool same(const boost::container::small_vector<Value, Inline>& left,
          const boost::container::small_vector<Value, Inline>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

template <class Payload>
std::string payload_difference(const Payload& left, const Payload& right) {
  std::string text;
  for_each_trace_field<Payload>([&](const auto& field) {
    if (text.empty() && !same(left.*(field.member), right.*(field.member))) {
      text = field.name;
    }
  });
  return text;
}

std::string event_difference(const Event& left, const Event& right) {
  if (left.id != right.id) {
    return "id";
  }
  if (left.cluster != right.cluster || left.broker != right.broker) {
    return "at";
  }
  if (left.partition != right.partition) {
    return "partition";
  }
  if (left.step != right.step) {
    return "step";
  }
  if (!same(left.causes, right.causes)) {
    return "causes";
  }
  if (left.payload.index() != right.payload.index()) {
    return "type";
  }
  return std::visit(
      [&](const auto& payload) {
        return payload_difference(payload, std::get<std::remove_cvref_t<decltype(payload)>>(right.payload));
      },
      left.payload);
}

std::string header_difference(const TraceHeader& left, const TraceHeader& right) {
  if (left.scenario != right.scenario) {
    return "scenario";
  }
  if (left.seed != right.seed) {
    return "seed";
  }
  if (!(left.protocol == right.protocol)) {
    return "protocol";
  }
  const auto same_cluster = [](const TraceCluster& a, const TraceCluster& b) {
    return a.name == b.name && a.brokers == b.brokers;
  };
  if (!std::equal(left.clusters.begin(), left.clusters.end(), right.clusters.begin(), right.clusters.end(),
                  same_cluster)) {
    return "clusters";
  }
  const auto same_partition = [](const TracePartition& a, const TracePartition& b) {
    return a.name == b.name && a.replicas == b.replicas;
  };
  if (!std::equal(left.partitions.begin(), left.partitions.end(), right.partitions.begin(),
                  right.partitions.end(), same_partition)) {
    return "partitions";
  }
  return "";
}

}  // namespace

std::string difference(const Trace& left, const Trace& right) {
  if (std::string text = header_difference(left.header, right.header); !text.empty()) {
    return "header: " + text;
  }
  if (left.events.size() != right.events.size()) {
    return fmt::format("{} events and {} events", left.events.size(), right.events.size());
  }
  for (std::size_t i = 0; i < left.events.size(); ++i) {
    if (std::string text = event_difference(left.events[i], right.events[i]); !text.empty()) {
      return fmt::format("event {} ({}): {}", i, event_type_name(left.events[i].payload), text);
    }
  }
  return "";
}

/// Like the draw itself, but every third time one of the ends: that is where the bugs are.
std::int64_t TraceMaker::pick(std::int64_t low, std::int64_t high) {
  switch (draw_(0, 5)) {
    case 0:
      return low;
    case 1:
      return high;
    case 2:
      return draw_(low, std::min(high, low + 20));
    default:
      return draw_(low, high);
  }
}

std::string TraceMaker::text() {
  static constexpr std::array<std::string_view, 16> pieces{"a",
                                                           "b",
                                                           "topic-",
                                                           "\"",
                                                           "\\",
                                                           "\n",
                                                           "\t",
                                                           "/",
                                                           ":",
                                                           "{\"id\":1}",
                                                           std::string_view("\0", 1),
                                                           "é",
                                                           "\x7F",
                                                           "汉",
                                                           "😀",
                                                           "\xE2\x80\xA8"};
  std::string out;
  const std::int64_t count = draw_(0, 6);
  for (std::int64_t i = 0; i < count; ++i) {
    out += pieces[static_cast<std::size_t>(draw_(0, pieces.size() - 1))];
  }
  return out;
}

std::string TraceMaker::fresh_name(std::vector<std::string>& taken) {
  std::string name = text();
  name.erase(
      std::remove_if(name.begin(), name.end(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; }),
      name.end());
  while (name.empty() || std::find(taken.begin(), taken.end(), name) != taken.end()) {
    name += fmt::format("{}", taken.size());
  }
  taken.push_back(name);
  return name;
}

BrokerSet TraceMaker::brokers(int count) {
  return BrokerSet{static_cast<std::uint32_t>(draw_(0, (std::int64_t{1} << count) - 1))};
}

ClusterId TraceMaker::any_cluster() {
  return static_cast<ClusterId>(draw_(0, static_cast<std::int64_t>(header_.clusters.size()) - 1));
}

TraceHeader TraceMaker::header() {
  TraceHeader header;
  header.scenario = text();
  header.seed = static_cast<std::uint64_t>(draw_(0, INT64_MAX)) * 2 + static_cast<std::uint64_t>(draw_(0, 1));
  for_each_option(header.protocol, [&](std::string_view, auto& option) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(option)>, bool>) {
      option = draw_(0, 1) == 1;
    } else {
      fill_value(shape::Enum{}, option);
    }
  });
  std::vector<std::string> taken;
  const std::int64_t clusters = pick(1, kMaxClusters);
  for (std::int64_t i = 0; i < clusters; ++i) {
    header.clusters.push_back({fresh_name(taken), static_cast<int>(pick(1, kMaxBrokers))});
  }
  taken.clear();
  const std::int64_t partitions = pick(1, kMaxPartitions);
  for (std::int64_t i = 0; i < partitions; ++i) {
    TracePartition partition{fresh_name(taken), {}};
    for (const TraceCluster& cluster : header.clusters) {
      partition.replicas.push_back(brokers(cluster.brokers));
    }
    header.partitions.push_back(std::move(partition));
  }
  header_ = header;
  return header;
}

void TraceMaker::fill_value(shape::Broker, BrokerId& out) {
  out = static_cast<BrokerId>(
      draw_(-1, header_.clusters[static_cast<std::size_t>(event_cluster_)].brokers - 1));
}
void TraceMaker::fill_value(shape::Brokers, BrokerSet& out) {
  out = brokers(header_.clusters[static_cast<std::size_t>(event_cluster_)].brokers);
}

void TraceMaker::mend_records(Offset& base, Offset& last) {
  last = std::min(kMaxTraceOffset, base + pick(0, kMaxBatchRecords - 1));
}
void TraceMaker::mend(Appended& append) {
  const bool copied = append.origin == AppendOrigin::replication || append.origin == AppendOrigin::mirror;
  if (copied) {
    append.source_cluster = any_cluster();
    append.source_broker = 0;
  } else if (append.source_cluster == kNoCluster) {
    append.source_broker = kNoBroker;
  }
}

template <class Struct>
void TraceMaker::fill(Struct& value) {
  for_each_trace_field<Struct>([&](const auto& field) {
    if (field.required || draw_(0, 2) > 0) {
      fill_value(typename std::remove_cvref_t<decltype(field)>::Shape{}, value.*(field.member));
    }
  });
  mend(value);
}

template <class Payload>
EventPayload TraceMaker::payload(Event& event) {
  using Rules = TraceFields<Payload>;
  const int brokers_here = header_.clusters[static_cast<std::size_t>(event.cluster)].brokers;
  const bool at_controller =
      Rules::actor == TraceActor::controller || (Rules::actor == TraceActor::any && draw_(0, 3) == 0);
  event.broker = at_controller ? kController : static_cast<BrokerId>(draw_(0, brokers_here - 1));
  if (Rules::partition == TracePartitionUse::required || draw_(0, 1) == 0) {
    event.partition =
        static_cast<PartitionId>(draw_(0, static_cast<std::int64_t>(header_.partitions.size()) - 1));
  }
  Payload value;
  fill(value);
  return value;
}

Trace TraceMaker::trace(std::int64_t events) {
  Trace trace;
  trace.header = header();
  using Make = std::function<EventPayload(Event&)>;
  const auto makers = [this]<std::size_t... Index>(std::index_sequence<Index...>) {
    return std::array<Make, kEventTypeCount>{
        [this](Event& event) { return payload<std::variant_alternative_t<Index, EventPayload>>(event); }...};
  }
  (std::make_index_sequence<kEventTypeCount>{});
  EventId last = 0;
  for (std::int64_t i = 0; i < events; ++i) {
    Event event;
    last += static_cast<EventId>(draw_(0, 3) == 0 ? draw_(1, 1000) : 1);
    event.id = last;
    event.cluster = event_cluster_ = any_cluster();
    event.step = static_cast<std::uint32_t>(pick(0, UINT32_MAX));
    for (std::int64_t cause = draw_(0, 3); cause > 0 && !trace.events.empty(); --cause) {
      const auto earlier =
          static_cast<std::size_t>(draw_(0, static_cast<std::int64_t>(trace.events.size()) - 1));
      event.causes.push_back(trace.events[earlier].id);
    }
    const auto type = static_cast<std::size_t>(
        i < static_cast<std::int64_t>(kEventTypeCount) ? i : draw_(0, kEventTypeCount - 1));
    event.payload = makers[type](event);
    trace.events.push_back(std::move(event));
  }
  return trace;
}

ReadTraceResult read_text(std::string text) {
  std::istringstream in(std::move(text));
  return read_trace(in);
}

}  // namespace mirrorproof::checker
