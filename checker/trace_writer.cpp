#include "checker/trace_writer.h"

#include <charconv>
#include <type_traits>
#include <variant>

#include "checker/trace_fields.h"
#include "checker/trace_text.h"
#include "model/check.h"

namespace mirrorproof::checker {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 16;

template <class Integer>
void append_integer(std::string& out, Integer value) {
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, static_cast<std::size_t>(end - digits));
}

void append_brokers(std::string& out, BrokerSet brokers) {
  out.push_back('[');
  const char* separator = "";
  for (BrokerId broker = 0; broker < kMaxBrokers; ++broker) {
    if (brokers.contains(broker)) {
      out.append(separator);
      append_integer(out, broker);
      separator = ",";
    }
  }
  out.push_back(']');
}

template <class Element>
bool is_default(const Element& value, const Element& fallback) {
  return value == fallback;
}

/// Writes values shape by shape.
class ValueWriter {
 public:
  ValueWriter(std::string& out, const std::vector<std::string>& clusters) : out_(out), clusters_(clusters) {}

  void write(shape::Text, const std::string& text) { append_json_string(out_, text); }
  void write(shape::Flag, bool value) { out_.append(value ? "true" : "false"); }
  template <class Enumeration>
  void write(shape::Enum, Enumeration value) {
    quote(to_string(value));
  }
  void write(shape::Release, KafkaVersion version) { quote(kafka_version_name(version)); }
  void write(shape::Cluster, ClusterId cluster) { out_.append(cluster_name(cluster)); }
  void write(shape::Brokers, BrokerSet brokers) { append_brokers(out_, brokers); }
  void write(shape::Record, RecordId id) {
    const std::string& name = cluster_name(id.origin());
    out_.append(name, 0, name.size() - 1);
    out_.push_back(':');
    append_integer(out_, id.serial());
    out_.push_back('"');
  }
  template <class Struct>
  void write(shape::Object, const Struct& value) {
    out_.push_back('{');
    write_fields(value, "");
    out_.push_back('}');
  }
  template <class List>
  void write(shape::List, const List& list) {
    out_.push_back('[');
    const char* separator = "";
    for (const auto& element : list) {
      out_.append(separator);
      write(shape::Object{}, element);
      separator = ",";
    }
    out_.push_back(']');
  }
  /// Every other shape is a number.
  template <class Shape, class Integer>
  void write(Shape, Integer value) {
    static_assert(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>);
    append_integer(out_, value);
  }

  template <class Struct>
  void write_fields(const Struct& value, const char* separator) {
    for_each_trace_field<Struct>([&](const auto& field) {
      if (!field.required && is_default(value.*(field.member), kTraceDefaults<Struct>.*(field.member))) {
        return;
      }
      out_.append(separator);
      separator = ",";
      out_.push_back('"');
      out_.append(field.name);
      out_.append("\":", 2);
      write(typename std::remove_cvref_t<decltype(field)>::Shape{}, value.*(field.member));
    });
  }

 private:
  void quote(std::string_view name) {
    out_.push_back('"');
    out_.append(name);
    out_.push_back('"');
  }
  const std::string& cluster_name(ClusterId cluster) const {
    MP_CHECK(cluster >= 0 && static_cast<std::size_t>(cluster) < clusters_.size(),
             "an event names a cluster outside the trace's header");
    return clusters_[static_cast<std::size_t>(cluster)];
  }

  std::string& out_;
  const std::vector<std::string>& clusters_;
};

template <class Named>
std::vector<std::string> quoted_names(const std::vector<Named>& list) {
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const Named& item : list) {
    append_json_string(names.emplace_back(), item.name);
  }
  return names;
}

void append_protocol(std::string& out, const ProtocolOptions& protocol) {
  const char* separator = "{\"";
  for_each_option(protocol, [&](std::string_view name, const auto& option) {
    out.append(separator);
    out.append(name);
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(option)>, bool>) {
      out.append(option ? "\":true" : "\":false");
    } else {
      out.append("\":\"");
      out.append(to_string(option));
      out.push_back('"');
    }
    separator = ",\"";
  });
  out.push_back('}');
}

}  // namespace

TraceFormatter::TraceFormatter(const TraceHeader& header)
    : header_(header),
      clusters_(quoted_names(header.clusters)),
      partitions_(quoted_names(header.partitions)) {}

void TraceFormatter::append_header(std::string& out) const {
  out.append("{\"trace\":\"mirrorproof\",\"version\":");
  append_integer(out, kTraceVersion);
  out.append(",\"scenario\":");
  append_json_string(out, header_.scenario);
  out.append(",\"seed\":");
  append_integer(out, header_.seed);
  out.append(",\"protocol\":");
  append_protocol(out, header_.protocol);
  if (header_.reports_losses) {
    out.append(",\"reports_losses\":true");
  }
  out.append(",\"clusters\":[");
  for (std::size_t i = 0; i < header_.clusters.size(); ++i) {
    out.append(i == 0 ? "{\"name\":" : ",{\"name\":");
    out.append(clusters_[i]);
    out.append(",\"brokers\":");
    append_integer(out, header_.clusters[i].brokers);
    out.push_back('}');
  }
  out.append("],\"partitions\":[");
  for (std::size_t i = 0; i < header_.partitions.size(); ++i) {
    out.append(i == 0 ? "{\"name\":" : ",{\"name\":");
    out.append(partitions_[i]);
    out.append(",\"replicas\":{");
    const char* separator = "";
    const std::vector<BrokerSet>& replicas = header_.partitions[i].replicas;
    MP_CHECK(replicas.size() <= clusters_.size(),
             "a partition has replicas in clusters outside the trace's header");
    for (std::size_t cluster = 0; cluster < replicas.size(); ++cluster) {
      if (!replicas[cluster].empty()) {
        out.append(separator);
        out.append(clusters_[cluster]);
        out.push_back(':');
        append_brokers(out, replicas[cluster]);
        separator = ",";
      }
    }
    out.append("}}");
  }
  out.append("]}\n");
}

void TraceFormatter::append_event(std::string& out, const Event& event) const {
  MP_CHECK(event.cluster >= 0 && static_cast<std::size_t>(event.cluster) < clusters_.size(),
           "an event happens in a cluster outside the trace's header");
  out.append("{\"id\":");
  append_integer(out, event.id);
  out.append(",\"type\":\"");
  out.append(event_type_name(event.payload));
  out.append("\",\"at\":");
  const std::string& cluster = clusters_[static_cast<std::size_t>(event.cluster)];
  out.append(cluster, 0, cluster.size() - 1);
  if (event.broker == kController) {
    out.append("/controller\"");
  } else {
    out.push_back('/');
    append_integer(out, event.broker);
    out.push_back('"');
  }
  if (event.partition != kNoPartition) {
    MP_CHECK(event.partition >= 0 && static_cast<std::size_t>(event.partition) < partitions_.size(),
             "an event names a partition outside the trace's header");
    out.append(",\"partition\":");
    out.append(partitions_[static_cast<std::size_t>(event.partition)]);
  }
  if (event.step != 0) {
    out.append(",\"step\":");
    append_integer(out, event.step);
  }
  if (!event.causes.empty()) {
    const char* separator = ",\"causes\":[";
    for (const EventId cause : event.causes) {
      out.append(separator);
      append_integer(out, cause);
      separator = ",";
    }
    out.push_back(']');
  }
  std::visit([&](const auto& payload) { ValueWriter(out, clusters_).write_fields(payload, ","); },
             event.payload);
  out.append("}\n");
}

TraceWriter::TraceWriter(std::ostream& out, const TraceHeader& header) : out_(out), formatter_(header) {
  buffer_.reserve(2 * kFlushBytes);
  formatter_.append_header(buffer_);
}

TraceWriter::~TraceWriter() {
  flush();
}

void TraceWriter::write(const Event& event) {
  formatter_.append_event(buffer_, event);
  if (buffer_.size() >= kFlushBytes) {
    flush();
  }
}

bool TraceWriter::flush() {
  try {
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    good_ = good_ && out_.flush().good();
  } catch (...) {
    // A stream set to throw passes on whatever its buffer threw.
    good_ = false;
  }
  buffer_.clear();
  return good_;
}

bool write_trace(std::ostream& out, const Trace& trace) {
  TraceWriter writer(out, trace.header);
  for (const Event& event : trace.events) {
    writer.write(event);
  }
  return writer.flush();
}

std::string trace_to_text(const Trace& trace) {
  const TraceFormatter formatter(trace.header);
  std::string text;
  formatter.append_header(text);
  for (const Event& event : trace.events) {
    formatter.append_event(text, event);
  }
  return text;
}

}  // namespace mirrorproof::checker
