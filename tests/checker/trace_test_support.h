#pragma once
// Random traces that keep the reader's rules, and field-by-field comparison. Both walk trace_fields.h, whose
// completeness the compiler checks.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "checker/trace_fields.h"
#include "checker/trace_reader.h"
#include "model/event.h"

namespace mirrorproof::checker {

/// Draws an integer from [low, high].
using Draw = std::function<std::int64_t(std::int64_t low, std::int64_t high)>;

/// splitmix64: the same numbers everywhere.
class TestRandom {
 public:
  explicit TestRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  std::int64_t operator()(std::int64_t low, std::int64_t high) {
    const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const std::uint64_t offset = span == 0 ? next() : next() % span;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
  }

 private:
  std::uint64_t state_;
};

class TraceMaker {
 public:
  explicit TraceMaker(Draw draw) : draw_(std::move(draw)) {}

  TraceHeader header();
  /// `events` events; the first kEventTypeCount of them are one of each type, then any.
  Trace trace(std::int64_t events);

 private:
  std::int64_t pick(std::int64_t low, std::int64_t high);
  std::string text();
  std::string fresh_name(std::vector<std::string>& taken);
  BrokerSet brokers(int count);
  ClusterId any_cluster();
  template <class Payload>
  EventPayload payload(Event& event);

  template <class Struct>
  void fill(Struct& value);
  void fill_value(shape::Text, std::string& out) { out = text(); }
  void fill_value(shape::Flag, bool& out) { out = pick(0, 1) == 1; }
  void fill_value(shape::Release, KafkaVersion& out) {
    out.index = static_cast<std::int8_t>(pick(0, kafka_version_count() - 1));
  }
  void fill_value(shape::Version, std::int16_t& out) { out = static_cast<std::int16_t>(pick(0, 32767)); }
  void fill_value(shape::VersionOrNone, std::int16_t& out) {
    out = static_cast<std::int16_t>(pick(-1, 32767));
  }
  void fill_value(shape::ProducerId, std::int16_t& out) {
    out = static_cast<std::int16_t>(pick(-32768, 32767));
  }
  void fill_value(shape::Epoch, Epoch& out) { out = static_cast<Epoch>(pick(0, 2147483647)); }
  void fill_value(shape::EpochOrNone, Epoch& out) { out = static_cast<Epoch>(pick(-1, 2147483647)); }
  void fill_value(shape::Offset, Offset& out) { out = pick(0, kMaxTraceOffset); }
  void fill_value(shape::OffsetOrNone, Offset& out) { out = pick(-1, kMaxTraceOffset); }
  void fill_value(shape::Count, std::int64_t& out) { out = pick(0, kMaxTraceOffset); }
  void fill_value(shape::Cluster, ClusterId& out) { out = any_cluster(); }
  void fill_value(shape::Broker, BrokerId& out);
  void fill_value(shape::RemoteBroker, BrokerId& out) { out = 0; }
  void fill_value(shape::Brokers, BrokerSet& out);
  void fill_value(shape::Record, RecordId& out) {
    out = RecordId::make(any_cluster(), static_cast<std::uint64_t>(pick(0, std::int64_t{1} << 47)));
  }
  template <class Enumeration>
  void fill_value(shape::Enum, Enumeration& out) {
    const auto& entries = EnumNames<Enumeration>::entries;
    out = entries[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(entries.size()) - 1))].first;
  }
  template <class Struct>
  void fill_value(shape::Object, Struct& out) {
    fill(out);
  }
  template <class List>
  void fill_value(shape::List, List& out) {
    const std::int64_t count = pick(0, 4);
    for (std::int64_t i = 0; i < count; ++i) {
      fill(out.emplace_back());
    }
  }

  /// Rules between fields.
  void mend(Batch& batch) { mend_records(batch.base_offset, batch.last_offset); }
  void mend(ProduceAcked& acked) { mend_records(acked.base_offset, acked.last_offset); }
  void mend(Appended& append);
  void mend(OperatorOrdered& order) {
    if (order.action == OperatorAction::start_mirror) {
      order.source = any_cluster();
    }
  }
  template <class Struct>
  void mend(Struct&) {}
  void mend_records(Offset& base, Offset& last);

  Draw draw_;
  TraceHeader header_;
  ClusterId event_cluster_ = 0;
};

/// "" when equal; otherwise where the traces first differ.
std::string difference(const Trace& left, const Trace& right);

ReadTraceResult read_text(std::string text);

}  // namespace mirrorproof::checker
