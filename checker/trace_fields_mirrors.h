#pragma once
// Tables of the events of mirrors, clients and the whole world.

#include <string_view>
#include <tuple>

#include "checker/trace_field.h"
#include "model/event.h"

namespace mirrorproof::checker {

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

}  // namespace mirrorproof::checker
