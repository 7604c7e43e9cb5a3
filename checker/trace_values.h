#pragma once
// Reads the values of one line of a trace, shape by shape (trace_fields.h), and reports what is wrong with
// them. Part of the reader; its users are trace_event_reader and trace_header_reader.

#include <fmt/core.h>

#include <boost/container/static_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/trace_fields.h"
#include "checker/trace_json.h"
#include "checker/trace_reader.h"
#include "model/event.h"

namespace mirrorproof::checker {

/// "one of a, b, c"
std::string one_of(std::span<const std::string_view> names);

/// Where the lines' problems end up: the first kMaxTraceProblems, those of one line sorted by column.
class TraceProblemList {
 public:
  void add(TraceProblem problem);
  void end_line();
  std::uint64_t total() const { return problems_.size() + suppressed_; }
  void move_to(std::vector<TraceProblem>& problems, std::uint64_t& suppressed);

 private:
  std::vector<TraceProblem> problems_;
  std::size_t line_start_ = 0;
  std::uint64_t suppressed_ = 0;
};

/// What the header said. Where it could not be read, names and indices that depend on it are not checked, so
/// that one wrong header does not condemn every line.
struct TraceWorld {
  TraceHeader header;
  bool clusters_known = false;
  bool partitions_known = false;
};

/// One line that scan_json_object accepted. Every read_value returns false after reporting a problem; the
/// value is consumed either way.
class TraceValueReader {
 public:
  TraceValueReader(const TraceWorld& world, TraceProblemList& problems)
      : world_(world), problems_(problems) {}

  void start_line(std::string_view text, std::size_t line) {
    text_ = text;
    line_ = line;
    path_.clear();
    event_cluster_ = kNoCluster;
  }
  void move_to(std::size_t at) { cursor_ = JsonCursor(text_, at); }
  JsonCursor& cursor() { return cursor_; }
  const TraceWorld& world() const { return world_; }

  /// Against which broker ids of the event's own cluster are checked. kNoCluster: not known, the widest
  /// range.
  void set_event_cluster(ClusterId cluster) { event_cluster_ = cluster; }

  /// Names the value being read, for JSON pointers; undone by leave().
  void enter_field(std::string_view raw_key) { path_.push_back(Step{raw_key, 0}); }
  void enter_element(std::size_t index) { path_.push_back(Step{{}, index}); }
  void leave() { path_.pop_back(); }

  /// Always false. The first reports at the value the cursor stands at, and consumes it.
  bool fail_here(std::string_view expected);
  bool fail(std::size_t at, std::string found, std::string_view expected);
  /// As fail(), for a field of the current object.
  bool fail_field(std::size_t at, std::string_view raw_key, std::string found, std::string_view expected);
  bool fail_line(std::string found, std::string_view expected);

  bool is(JsonKind kind) const { return cursor_.kind() == kind; }
  bool read_integer(std::int64_t min, std::int64_t max, std::int64_t& out);
  bool read_unsigned(std::uint64_t min, std::uint64_t max, std::uint64_t& out);
  /// The text is valid until the next read.
  bool read_string(std::string_view expected, std::string_view& out);
  bool read_cluster_name(ClusterId& out);
  bool read_partition_name(PartitionId& out);
  /// "A/1" or "A/controller".
  bool read_actor(ClusterId& cluster, BrokerId& broker);
  /// Brokers of `cluster` (kNoCluster: any broker id there can be).
  bool read_brokers(ClusterId cluster, BrokerSet& out);
  std::string broker_range(ClusterId cluster, bool or_none) const;
  int broker_count(ClusterId cluster) const;

  bool read_value(shape::Text, std::string& out);
  bool read_value(shape::Flag, bool& out);
  bool read_value(shape::Release, KafkaVersion& out);
  bool read_value(shape::Version, std::int16_t& out) { return read_narrow(0, out); }
  bool read_value(shape::VersionOrNone, std::int16_t& out) { return read_narrow(-1, out); }
  bool read_value(shape::ProducerId, std::int16_t& out) { return read_narrow(-32768, out); }
  bool read_value(shape::Epoch, Epoch& out) { return read_narrow(0, out); }
  bool read_value(shape::EpochOrNone, Epoch& out) { return read_narrow(-1, out); }
  bool read_value(shape::Offset, std::int64_t& out) { return read_integer(0, kMaxTraceOffset, out); }
  bool read_value(shape::OffsetOrNone, std::int64_t& out) { return read_integer(-1, kMaxTraceOffset, out); }
  bool read_value(shape::Count, std::int64_t& out) { return read_integer(0, kMaxTraceOffset, out); }
  bool read_value(shape::Cluster, ClusterId& out) { return read_cluster_name(out); }
  bool read_value(shape::Broker, BrokerId& out) { return read_broker(event_cluster_, out); }
  /// Whether that cluster has the broker is checked once the whole event is read.
  bool read_value(shape::RemoteBroker, BrokerId& out) { return read_broker(kNoCluster, out); }
  bool read_value(shape::Brokers, BrokerSet& out) { return read_brokers(event_cluster_, out); }
  bool read_value(shape::Record, RecordId& out);

  template <class Enumeration>
  bool read_value(shape::Enum, Enumeration& out) {
    std::string_view name;
    if (cursor_.kind() == JsonKind::string) {
      const std::size_t at = cursor_.at();
      name = cursor_.string(scratch_);
      if (const auto value = parse_enum<Enumeration>(name)) {
        out = *value;
        return true;
      }
      return fail(at, describe_json_value(text_, at), names_of<Enumeration>());
    }
    return fail_here(names_of<Enumeration>());
  }

  template <class Struct>
  bool read_value(shape::Object, Struct& out) {
    if (!is(JsonKind::object)) {
      return fail_here("an object");
    }
    const std::size_t at = cursor_.at();
    std::uint32_t seen = 0;
    bool good = true;
    cursor_.enter();
    while (cursor_.next()) {
      const std::size_t key_at = cursor_.at();
      const std::string_view key = cursor_.key(scratch_);
      good = read_member(key_at, key, out, seen) && good;
    }
    good = require_members<Struct>(at, seen) && good;
    return good && check_struct(at, out);
  }

  template <class List>
  bool read_value(shape::List, List& out) {
    if (!is(JsonKind::array)) {
      return fail_here("an array");
    }
    bool good = true;
    cursor_.enter();
    for (std::size_t index = 0; cursor_.next(); ++index) {
      enter_element(index);
      typename List::value_type element;
      if (!read_value(shape::Object{}, element)) {
        good = false;
      } else if (good) {
        out.push_back(element);
      }
      leave();
    }
    return good;
  }

  /// Reads the value of member `key` into its field of `out`; the cursor stands at the value. Unknown and
  /// repeated members are problems.
  template <class Struct>
  bool read_member(std::size_t key_at, std::string_view key, Struct& out, std::uint32_t& seen) {
    const std::string_view raw_key = JsonCursor(text_, key_at).raw_string();
    std::uint32_t bit = 1;
    bool known = false;
    bool good = true;
    for_each_trace_field<Struct>([&](const auto& field) {
      if (!known && key == field.name) {
        known = true;
        if ((seen & bit) != 0) {
          good = fail_repeated(key_at, raw_key);
        } else {
          seen |= bit;
          enter_field(raw_key);
          good = read_value(typename std::remove_cvref_t<decltype(field)>::Shape{}, out.*(field.member));
          leave();
        }
      }
      bit <<= 1;
    });
    return known ? good : fail_unknown(key_at, raw_key, field_names<Struct>());
  }

  template <class Struct>
  bool require_members(std::size_t object_at, std::uint32_t seen) {
    std::uint32_t bit = 1;
    bool good = true;
    for_each_trace_field<Struct>([&](const auto& field) {
      if (field.required && (seen & bit) == 0) {
        good = fail_missing(object_at, field.name);
      }
      bit <<= 1;
    });
    return good;
  }

  bool fail_repeated(std::size_t key_at, std::string_view raw_key);
  bool fail_unknown(std::size_t key_at, std::string_view raw_key, std::string_view expected);
  bool fail_missing(std::size_t object_at, std::string_view name);

  /// "first_id .. first_id + last_offset - base_offset": the offsets and serials of consecutive records.
  bool check_records(std::size_t at, Offset base_offset, Offset last_offset, RecordId first_id);

 private:
  struct Step {
    std::string_view key;  ///< no data: an index
    std::size_t index = 0;
  };

  template <class Enumeration>
  static const std::string& names_of() {
    static const std::string names = [] {
      std::vector<std::string_view> list;
      for (const auto& [value, name] : EnumNames<Enumeration>::entries) {
        list.push_back(name);
      }
      return one_of(list);
    }();
    return names;
  }

  template <class Struct>
  static const std::string& field_names() {
    static const std::string names = [] {
      std::vector<std::string_view> list;
      if constexpr (requires { TraceFields<Struct>::type; }) {
        list.assign(kEventFields.begin(), kEventFields.end());
      }
      for_each_trace_field<Struct>([&](const auto& field) { list.push_back(field.name); });
      return one_of(list);
    }();
    return names;
  }

  template <class Narrow>
  bool read_narrow(int min, Narrow& out) {
    std::int64_t value = 0;
    if (!read_integer(min, std::numeric_limits<Narrow>::max(), value)) {
      return false;
    }
    out = static_cast<Narrow>(value);
    return true;
  }

  bool check_struct(std::size_t at, const Batch& batch) {
    return check_records(at, batch.base_offset, batch.last_offset, batch.first_id);
  }
  template <class Struct>
  bool check_struct(std::size_t, const Struct&) {
    return true;
  }

  bool read_broker(ClusterId cluster, BrokerId& out);
  /// Index of the cluster with this name, or kNoCluster.
  ClusterId find_cluster(std::string_view name) const;
  std::string pointer() const;
  std::string cluster_names() const;

  const TraceWorld& world_;
  TraceProblemList& problems_;
  std::string_view text_;
  std::size_t line_ = 0;
  JsonCursor cursor_{std::string_view{}};
  ClusterId event_cluster_ = kNoCluster;
  PartitionId last_partition_ = 0;
  boost::container::static_vector<Step, 8> path_;
  std::string scratch_;
};

}  // namespace mirrorproof::checker
