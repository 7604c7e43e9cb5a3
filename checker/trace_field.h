#pragma once
// What a field of a trace may hold (shape), and what a table of fields looks like (TraceFields).

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mirrorproof::checker {

/// Values larger than this are refused, so that the sum of any two fits an Offset.
inline constexpr std::int64_t kMaxTraceOffset = std::int64_t{1} << 62;
inline constexpr std::int64_t kMaxBatchRecords = std::int64_t{1} << 31;
/// Serials of RecordId are below this.
inline constexpr std::uint64_t kRecordSerials = std::uint64_t{1} << 48;
/// Longest cluster or partition name, in bytes (a Kafka topic name has at most 249 characters).
inline constexpr std::size_t kMaxTraceName = 300;
inline constexpr int kTraceVersion = 1;

/// What a field may hold and how it is written. Numbers are JSON integers.
namespace shape {
struct Text {};           ///< string
struct Flag {};           ///< true or false
struct Enum {};           ///< string out of EnumNames
struct Release {};        ///< string: a Kafka release, "3.9"
struct Version {};        ///< API version, >= 0
struct VersionOrNone {};  ///< API version, >= -1
struct Offset {};         ///< 0..kMaxTraceOffset
struct OffsetOrNone {};   ///< -1..kMaxTraceOffset
struct Count {};          ///< 0..kMaxTraceOffset
struct Epoch {};          ///< >= 0
struct EpochOrNone {};    ///< >= -1
struct ProducerId {};     ///< 16 bits; negative = none
struct Cluster {};        ///< string: name of a cluster
struct Broker {};         ///< id of a broker of the event's cluster; -1 = none
struct RemoteBroker {};   ///< id of a broker of the cluster the event names; -1 = none (or its controller)
struct Brokers {};        ///< array of broker ids of the event's cluster, ascending
struct Record {};         ///< string "A:17": cluster of origin and serial
struct Object {};         ///< object with a table of its own
struct List {};           ///< array of such objects
}  // namespace shape

/// `required` fields are in every line; the others are left out when they hold the struct's default.
template <class ShapeType, class Struct, class Value>
struct TraceField {
  using Shape = ShapeType;
  std::string_view name;
  Value Struct::*member;
  bool required;
};

template <class Shape, class Struct, class Value>
constexpr TraceField<Shape, Struct, Value> required(std::string_view name, Value Struct::*member) {
  return {name, member, true};
}
template <class Shape, class Struct, class Value>
constexpr TraceField<Shape, Struct, Value> optional(std::string_view name, Value Struct::*member) {
  return {name, member, false};
}

/// Where an event may happen.
enum class TraceActor : std::uint8_t { broker, controller, any };
/// Whether the event names a partition.
enum class TracePartitionUse : std::uint8_t { required, optional };

/// For objects inside events: `fields`. For events also `type`, `actor` and `partition`.
template <class Struct>
struct TraceFields;

}  // namespace mirrorproof::checker
