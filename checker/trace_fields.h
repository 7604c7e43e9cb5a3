#pragma once
// One table per event: its name in a trace, who may emit it, and its fields. The writer, the reader, the
// digest and the tests of trace.schema.json and docs/traces.md all walk these tables, so that none of them
// can forget a field.

#include <array>
#include <boost/pfr/tuple_size.hpp>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "checker/trace_names.h"
#include "model/event.h"

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

template <>
struct TraceFields<Batch> {
  static constexpr auto fields = std::make_tuple(
      required<shape::Offset>("base_offset", &Batch::base_offset),
      required<shape::Offset>("last_offset", &Batch::last_offset),
      optional<shape::EpochOrNone>("epoch", &Batch::epoch), required<shape::Record>("id", &Batch::first_id),
      optional<shape::Enum>("kind", &Batch::kind),
      optional<shape::ProducerId>("producer_id", &Batch::producer_id),
      optional<shape::Flag>("transactional", &Batch::transactional),
      optional<shape::ProducerId>("producer_epoch", &Batch::producer_epoch),
      optional<shape::Enum>("content", &Batch::content),
      optional<shape::EpochOrNone>("base_sequence", &Batch::base_sequence));
};

template <>
struct TraceFields<ApiVersionRange> {
  static constexpr auto fields =
      std::make_tuple(required<shape::Version>("min", &ApiVersionRange::min),
                      required<shape::VersionOrNone>("max", &ApiVersionRange::max));
};

template <>
struct TraceFields<EpochEndOffset> {
  static constexpr auto fields =
      std::make_tuple(required<shape::EpochOrNone>("epoch", &EpochEndOffset::epoch),
                      required<shape::OffsetOrNone>("end_offset", &EpochEndOffset::end_offset));
};

template <>
struct TraceFields<EpochEntry> {
  static constexpr auto fields =
      std::make_tuple(required<shape::Epoch>("epoch", &EpochEntry::epoch),
                      required<shape::Offset>("start_offset", &EpochEntry::start_offset));
};

template <>
struct TraceFields<MirrorPosition> {
  static constexpr auto fields =
      std::make_tuple(required<shape::EpochOrNone>("epoch", &MirrorPosition::epoch),
                      required<shape::OffsetOrNone>("offset", &MirrorPosition::offset));
};

template <>
struct TraceFields<BrokerStarted> {
  static constexpr std::string_view type = "broker_started";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::optional;
  static constexpr auto fields = std::make_tuple(
      required<shape::Release>("version", &BrokerStarted::version),
      required<shape::Object>("fetch", &BrokerStarted::fetch),
      required<shape::Object>("offset_for_leader_epoch", &BrokerStarted::offset_for_leader_epoch));
};

template <>
struct TraceFields<BrokerStopped> {
  static constexpr std::string_view type = "broker_stopped";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::optional;
  static constexpr auto fields = std::make_tuple(required<shape::Enum>("kind", &BrokerStopped::kind));
};

template <>
struct TraceFields<Election> {
  static constexpr std::string_view type = "election";
  static constexpr TraceActor actor = TraceActor::controller;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields = std::make_tuple(
      required<shape::Enum>("kind", &Election::kind), required<shape::Broker>("leader", &Election::leader),
      required<shape::Epoch>("epoch", &Election::epoch), required<shape::Brokers>("isr", &Election::isr));
};

template <>
struct TraceFields<IsrChanged> {
  static constexpr std::string_view type = "isr_changed";
  static constexpr TraceActor actor = TraceActor::controller;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields = std::make_tuple(required<shape::Epoch>("epoch", &IsrChanged::epoch),
                                                 required<shape::Brokers>("isr", &IsrChanged::isr));
};

template <>
struct TraceFields<ReplicasChanged> {
  static constexpr std::string_view type = "replicas_changed";
  static constexpr TraceActor actor = TraceActor::controller;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Brokers>("replicas", &ReplicasChanged::replicas),
                      optional<shape::Broker>("preferred", &ReplicasChanged::preferred),
                      optional<shape::Brokers>("adding", &ReplicasChanged::adding),
                      optional<shape::Brokers>("removing", &ReplicasChanged::removing));
};

template <>
struct TraceFields<BecameLeader> {
  static constexpr std::string_view type = "became_leader";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields = std::make_tuple(required<shape::Epoch>("epoch", &BecameLeader::epoch));
};

template <>
struct TraceFields<BecameFollower> {
  static constexpr std::string_view type = "became_follower";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields = std::make_tuple(required<shape::Epoch>("epoch", &BecameFollower::epoch),
                                                 required<shape::Broker>("leader", &BecameFollower::leader));
};

template <>
struct TraceFields<Appended> {
  static constexpr std::string_view type = "appended";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Enum>("origin", &Appended::origin),
                      optional<shape::Cluster>("source_cluster", &Appended::source_cluster),
                      optional<shape::RemoteBroker>("source_broker", &Appended::source_broker),
                      required<shape::Epoch>("leader_epoch", &Appended::leader_epoch),
                      required<shape::List>("batches", &Appended::batches));
};

template <>
struct TraceFields<Truncated> {
  static constexpr std::string_view type = "truncated";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Enum>("reason", &Truncated::reason),
                      optional<shape::Flag>("by_mirror", &Truncated::by_mirror),
                      required<shape::Offset>("target", &Truncated::target),
                      required<shape::Offset>("log_end_before", &Truncated::log_end_before),
                      required<shape::Offset>("log_start", &Truncated::log_start),
                      required<shape::Count>("removed_records", &Truncated::removed_records));
};

template <>
struct TraceFields<LogStartMoved> {
  static constexpr std::string_view type = "log_start_moved";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Enum>("reason", &LogStartMoved::reason),
                      required<shape::Offset>("log_start", &LogStartMoved::log_start));
};

template <>
struct TraceFields<LogCleaned> {
  static constexpr std::string_view type = "log_cleaned";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Offset>("base_offset", &LogCleaned::base_offset),
                      required<shape::Offset>("last_offset", &LogCleaned::last_offset),
                      optional<shape::Flag>("batch_kept", &LogCleaned::batch_kept));
};

template <>
struct TraceFields<HighWatermarkMoved> {
  static constexpr std::string_view type = "high_watermark_moved";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Offset>("high_watermark", &HighWatermarkMoved::high_watermark));
};

template <>
struct TraceFields<EpochCacheChanged> {
  static constexpr std::string_view type = "epoch_cache_changed";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::List>("entries", &EpochCacheChanged::entries));
};

template <>
struct TraceFields<RequestSent> {
  static constexpr std::string_view type = "request_sent";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields = std::make_tuple(
      required<shape::Enum>("api", &RequestSent::api),
      required<shape::Version>("version", &RequestSent::version),
      required<shape::Cluster>("server_cluster", &RequestSent::server_cluster),
      optional<shape::RemoteBroker>("server_broker", &RequestSent::server_broker),
      optional<shape::OffsetOrNone>("fetch_offset", &RequestSent::fetch_offset),
      optional<shape::EpochOrNone>("current_leader_epoch", &RequestSent::current_leader_epoch),
      optional<shape::EpochOrNone>("epoch_offered", &RequestSent::epoch_offered),
      optional<shape::EpochOrNone>("epoch_carried", &RequestSent::epoch_carried));
};

template <>
struct TraceFields<RequestHandled> {
  static constexpr std::string_view type = "request_handled";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Enum>("api", &RequestHandled::api),
                      required<shape::Version>("version", &RequestHandled::version),
                      optional<shape::Enum>("error", &RequestHandled::error),
                      optional<shape::Flag>("diverging", &RequestHandled::diverging),
                      optional<shape::Object>("answer", &RequestHandled::answer),
                      optional<shape::OffsetOrNone>("first_offset", &RequestHandled::first_offset),
                      optional<shape::OffsetOrNone>("high_watermark", &RequestHandled::high_watermark));
};

template <>
struct TraceFields<ResponseReceived> {
  static constexpr std::string_view type = "response_received";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Enum>("api", &ResponseReceived::api),
                      optional<shape::Enum>("error", &ResponseReceived::error),
                      optional<shape::Flag>("ignored", &ResponseReceived::ignored));
};

template <>
struct TraceFields<UnsupportedVersion> {
  static constexpr std::string_view type = "unsupported_version";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::optional;
  static constexpr auto fields =
      std::make_tuple(required<shape::Enum>("api", &UnsupportedVersion::api),
                      required<shape::Cluster>("server_cluster", &UnsupportedVersion::server_cluster),
                      optional<shape::RemoteBroker>("server_broker", &UnsupportedVersion::server_broker));
};

template <>
struct TraceFields<Disconnected> {
  static constexpr std::string_view type = "disconnected";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::optional;
  static constexpr auto fields =
      std::make_tuple(required<shape::Cluster>("server_cluster", &Disconnected::server_cluster),
                      optional<shape::RemoteBroker>("server_broker", &Disconnected::server_broker));
};

template <>
struct TraceFields<MirrorStateChanged> {
  static constexpr std::string_view type = "mirror_state_changed";
  static constexpr TraceActor actor = TraceActor::controller;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Enum>("from", &MirrorStateChanged::from),
                      required<shape::Enum>("to", &MirrorStateChanged::to),
                      optional<shape::Enum>("reason", &MirrorStateChanged::reason),
                      optional<shape::Flag>("retryable", &MirrorStateChanged::retryable),
                      required<shape::Cluster>("source", &MirrorStateChanged::source));
};

template <>
struct TraceFields<MirrorActionStarted> {
  static constexpr std::string_view type = "mirror_action_started";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Enum>("state", &MirrorActionStarted::state),
                      required<shape::Cluster>("source", &MirrorActionStarted::source));
};

template <>
struct TraceFields<MirrorPositionStored> {
  static constexpr std::string_view type = "mirror_position_stored";
  static constexpr TraceActor actor = TraceActor::controller;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Object>("position", &MirrorPositionStored::position));
};

template <>
struct TraceFields<MirrorPositionRead> {
  static constexpr std::string_view type = "mirror_position_read";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Object>("position", &MirrorPositionRead::position),
                      required<shape::Cluster>("source", &MirrorPositionRead::source));
};

template <>
struct TraceFields<MirrorAligned> {
  static constexpr std::string_view type = "mirror_aligned";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Object>("position", &MirrorAligned::position),
                      required<shape::Offset>("target", &MirrorAligned::target),
                      required<shape::Cluster>("source", &MirrorAligned::source));
};

template <>
struct TraceFields<DivergenceDetected> {
  static constexpr std::string_view type = "divergence_detected";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Enum>("how", &DivergenceDetected::how),
                      required<shape::Offset>("target", &DivergenceDetected::target),
                      required<shape::Cluster>("source", &DivergenceDetected::source));
};

template <>
struct TraceFields<OperatorOrdered> {
  static constexpr std::string_view type = "operator_ordered";
  static constexpr TraceActor actor = TraceActor::controller;
  static constexpr TracePartitionUse partition = TracePartitionUse::optional;
  static constexpr auto fields =
      std::make_tuple(required<shape::Enum>("action", &OperatorOrdered::action),
                      optional<shape::Cluster>("source", &OperatorOrdered::source));
};

template <>
struct TraceFields<ProduceAcked> {
  static constexpr std::string_view type = "produce_acked";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Offset>("base_offset", &ProduceAcked::base_offset),
                      required<shape::Offset>("last_offset", &ProduceAcked::last_offset),
                      required<shape::Record>("first_id", &ProduceAcked::first_id),
                      optional<shape::Flag>("acks_all", &ProduceAcked::acks_all));
};

template <>
struct TraceFields<ReaderFetched> {
  static constexpr std::string_view type = "reader_fetched";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Count>("reader", &ReaderFetched::reader),
                      optional<shape::Flag>("read_committed", &ReaderFetched::read_committed),
                      required<shape::Offset>("from", &ReaderFetched::from),
                      required<shape::Offset>("next", &ReaderFetched::next),
                      optional<shape::List>("batches", &ReaderFetched::batches));
};

template <>
struct TraceFields<ReaderTold> {
  static constexpr std::string_view type = "reader_told";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields = std::make_tuple(required<shape::Count>("reader", &ReaderTold::reader),
                                                 required<shape::Enum>("news", &ReaderTold::news),
                                                 required<shape::Offset>("offset", &ReaderTold::offset));
};

template <>
struct TraceFields<ReaderMoved> {
  static constexpr std::string_view type = "reader_moved";
  static constexpr TraceActor actor = TraceActor::controller;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Count>("reader", &ReaderMoved::reader),
                      required<shape::Offset>("offset", &ReaderMoved::offset),
                      optional<shape::Flag>("from_group", &ReaderMoved::from_group),
                      optional<shape::OffsetOrNone>("group", &ReaderMoved::group));
};

template <>
struct TraceFields<GroupOffsetCommitted> {
  static constexpr std::string_view type = "group_offset_committed";
  static constexpr TraceActor actor = TraceActor::controller;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Count>("group", &GroupOffsetCommitted::group),
                      required<shape::Offset>("offset", &GroupOffsetCommitted::offset),
                      optional<shape::EpochOrNone>("epoch", &GroupOffsetCommitted::epoch));
};

template <>
struct TraceFields<GroupOffsetSynced> {
  static constexpr std::string_view type = "group_offset_synced";
  static constexpr TraceActor actor = TraceActor::controller;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Count>("group", &GroupOffsetSynced::group),
                      required<shape::Offset>("source_offset", &GroupOffsetSynced::source_offset),
                      required<shape::Offset>("log_start", &GroupOffsetSynced::log_start),
                      required<shape::Offset>("log_end", &GroupOffsetSynced::log_end),
                      required<shape::Offset>("offset", &GroupOffsetSynced::offset),
                      optional<shape::EpochOrNone>("epoch", &GroupOffsetSynced::epoch));
};

template <>
struct TraceFields<LossReported> {
  static constexpr std::string_view type = "loss_reported";
  static constexpr TraceActor actor = TraceActor::broker;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields = std::make_tuple(required<shape::Enum>("kind", &LossReported::kind),
                                                 required<shape::Offset>("first", &LossReported::first),
                                                 required<shape::Offset>("end", &LossReported::end),
                                                 required<shape::Count>("records", &LossReported::records));
};

template <>
struct TraceFields<TopicRecreated> {
  static constexpr std::string_view type = "topic_recreated";
  static constexpr TraceActor actor = TraceActor::controller;
  static constexpr TracePartitionUse partition = TracePartitionUse::required;
  static constexpr auto fields =
      std::make_tuple(required<shape::Count>("topic_id", &TopicRecreated::topic_id));
};

template <>
struct TraceFields<WorldRested> {
  static constexpr std::string_view type = "world_rested";
  static constexpr TraceActor actor = TraceActor::controller;
  static constexpr TracePartitionUse partition = TracePartitionUse::optional;
  static constexpr auto fields = std::make_tuple(optional<shape::Flag>("rested", &WorldRested::rested),
                                                 optional<shape::Count>("rounds", &WorldRested::rounds),
                                                 optional<shape::Count>("cycle", &WorldRested::cycle));
};

template <>
struct TraceFields<Note> {
  static constexpr std::string_view type = "note";
  static constexpr TraceActor actor = TraceActor::any;
  static constexpr TracePartitionUse partition = TracePartitionUse::optional;
  static constexpr auto fields = std::make_tuple(required<shape::Text>("text", &Note::text));
};

/// The fields that every event may have.
inline constexpr std::array<std::string_view, 6> kEventFields{"id",        "type", "at",
                                                              "partition", "step", "causes"};

inline constexpr std::size_t kEventTypeCount = std::variant_size_v<EventPayload>;

namespace trace_fields_detail {
template <std::size_t... Index>
constexpr std::array<std::string_view, sizeof...(Index)> type_names(std::index_sequence<Index...>) {
  return {TraceFields<std::variant_alternative_t<Index, EventPayload>>::type...};
}
template <class Struct>
constexpr bool complete() {
  return std::tuple_size_v<std::remove_cvref_t<decltype(TraceFields<Struct>::fields)>> ==
         boost::pfr::tuple_size_v<Struct>;
}
template <std::size_t... Index>
constexpr bool all_events_complete(std::index_sequence<Index...>) {
  return (complete<std::variant_alternative_t<Index, EventPayload>>() && ...);
}
static_assert(all_events_complete(std::make_index_sequence<kEventTypeCount>{}),
              "a struct of model/event.h has a field that its table in trace_fields.h lacks");
static_assert(complete<Batch>() && complete<ApiVersionRange>() && complete<EpochEndOffset>() &&
                  complete<EpochEntry>() && complete<MirrorPosition>(),
              "a struct inside events has a field that its table in trace_fields.h lacks");
}  // namespace trace_fields_detail

/// Event names by index of EventPayload.
inline constexpr std::array<std::string_view, kEventTypeCount> kEventTypes =
    trace_fields_detail::type_names(std::make_index_sequence<kEventTypeCount>{});

inline std::string_view event_type_name(const EventPayload& payload) {
  return kEventTypes[payload.index()];
}

/// Calls visit(field) for every TraceField of `Struct`, in the order in which the writer writes them.
template <class Struct, class Visitor>
constexpr void for_each_trace_field(Visitor&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, TraceFields<Struct>::fields);
}

/// The struct as event.h initialises it: what an absent optional field means.
template <class Struct>
inline const Struct kTraceDefaults{};

}  // namespace mirrorproof::checker
