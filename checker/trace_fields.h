#pragma once
// One table per event: its name in a trace, who may emit it, and its fields (trace_fields_*.h). The writer,
// the reader, the digest and the tests of trace.schema.json and docs/traces.md all walk these tables, so that
// none of them can forget a field.

#include <array>
#include <boost/pfr/tuple_size.hpp>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "checker/trace_fields_mirrors.h"
#include "checker/trace_fields_replicas.h"
#include "checker/trace_names.h"
#include "model/event.h"

namespace mirrorproof::checker {

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
              "a struct of model/event.h has a field that its table in trace_fields_*.h lacks");
static_assert(complete<Batch>() && complete<ApiVersionRange>() && complete<EpochEndOffset>() &&
                  complete<EpochEntry>() && complete<MirrorPosition>(),
              "a struct inside events has a field that its table in trace_fields_*.h lacks");
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
