#pragma once
// Tables of the events of brokers, leadership, logs and requests, and of the objects inside events.

#include <string_view>
#include <tuple>

#include "checker/trace_field.h"
#include "model/event.h"

namespace mirrorproof::checker {

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

}  // namespace mirrorproof::checker
