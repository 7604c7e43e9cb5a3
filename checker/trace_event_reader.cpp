#include "checker/trace_event_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace mirrorproof::checker {
namespace {

struct EventRules {
  TraceActor actor;
  TracePartitionUse partition;
};
template <std::size_t... Index>
constexpr std::array<EventRules, sizeof...(Index)> event_rules(std::index_sequence<Index...>) {
  return {EventRules{TraceFields<std::variant_alternative_t<Index, EventPayload>>::actor,
                     TraceFields<std::variant_alternative_t<Index, EventPayload>>::partition}...};
}
constexpr auto kEventRules = event_rules(std::make_index_sequence<kEventTypeCount>{});

/// A field that contradicts another field of its event.
struct Misfit {
  std::string_view field;
  std::string found;
  std::string expected;
};

std::optional<Misfit> misfit_server(const TraceValueReader& values, std::string_view field, ClusterId cluster,
                                    BrokerId broker) {
  if (broker < values.broker_count(cluster)) {
    return std::nullopt;
  }
  return Misfit{field, std::to_string(broker), values.broker_range(cluster, true) + " of that cluster"};
}

template <class Payload>
std::optional<Misfit> misfit(const TraceValueReader&, const Payload&) {
  return std::nullopt;
}
std::optional<Misfit> misfit(const TraceValueReader& values, const Appended& event) {
  const bool copied = event.origin == AppendOrigin::replication || event.origin == AppendOrigin::mirror;
  if (copied && event.source_cluster == kNoCluster) {
    return Misfit{"source_cluster", "nothing", "the cluster that served the copy"};
  }
  if (copied && event.source_broker == kNoBroker) {
    return Misfit{"source_broker", "no broker", "the broker that served the copy"};
  }
  if (event.source_cluster == kNoCluster && event.source_broker != kNoBroker) {
    return Misfit{"source_broker", std::to_string(event.source_broker), "a source_cluster beside it"};
  }
  return misfit_server(values, "source_broker", event.source_cluster, event.source_broker);
}
std::optional<Misfit> misfit(const TraceValueReader& values, const RequestSent& event) {
  return misfit_server(values, "server_broker", event.server_cluster, event.server_broker);
}
std::optional<Misfit> misfit(const TraceValueReader& values, const UnsupportedVersion& event) {
  return misfit_server(values, "server_broker", event.server_cluster, event.server_broker);
}
std::optional<Misfit> misfit(const TraceValueReader& values, const Disconnected& event) {
  return misfit_server(values, "server_broker", event.server_cluster, event.server_broker);
}
std::optional<Misfit> misfit(const TraceValueReader&, const OperatorOrdered& event) {
  if (event.action == OperatorAction::start_mirror && event.source == kNoCluster) {
    return Misfit{"source", "nothing", "the cluster to mirror from"};
  }
  return std::nullopt;
}

}  // namespace

bool SeenEventIds::contains(EventId id) const {
  if (runs_.empty()) {
    return false;
  }
  if (id >= runs_.back().first) {
    return id <= runs_.back().second;
  }
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), id,
                                      [](EventId value, const auto& run) { return value < run.first; });
  return after != runs_.begin() && id <= std::prev(after)->second;
}

void SeenEventIds::add(EventId id, bool bridge) {
  if (!runs_.empty() && (bridge || id == runs_.back().second + 1)) {
    runs_.back().second = id;
  } else {
    // Before the first readable id a bridge reaches down to 1.
    runs_.emplace_back(bridge ? EventId{1} : id, id);
  }
}

bool TraceEventReader::read(std::string_view text, std::size_t line, Event& event) {
  event = Event{};
  text_ = text;
  values_.start_line(text, line);
  if (auto problem = scan_json_object(text, members_)) {
    unreadable_before_ = true;
    return values_.fail(problem->at, std::move(problem->found), problem->expected);
  }
  // Members come in any order, but a payload can only be read once the type and the actor's cluster are
  // known.
  bool good = sort_members();
  if (is_second_header()) {
    return values_.fail_line("another header", "an event: a file holds one trace");
  }
  const bool id_good = read_id(event);
  const std::size_t type = read_type();
  good = id_good && type != kEventTypeCount && good;
  good = read_actor(type, event) && good;
  good = read_partition(type, event) && good;
  good = read_step(event) && good;
  good = read_causes(event) && good;
  good = read_payload(type, event) && good;

  // An event whose id is readable exists for the causes of later ones, whatever else is wrong with it.
  if (id_good) {
    seen_.add(event.id, unreadable_before_);
    unreadable_before_ = false;
  } else {
    unreadable_before_ = true;
  }
  return good;
}

bool TraceEventReader::accept(const Event& event) {
  const auto is_seen = [&](EventId cause) { return seen_.contains(cause); };
  if (unreadable_before_ || event.id <= seen_.last() ||
      !std::all_of(event.causes.begin(), event.causes.end(), is_seen)) {
    return false;
  }
  seen_.add(event.id, false);
  return true;
}

bool TraceEventReader::sort_members() {
  value_at_.fill(kAbsent);
  payload_members_.clear();
  bool good = true;
  for (const JsonMember& member : members_) {
    values_.move_to(member.key_at);
    const std::string_view key = values_.cursor().key(scratch_);
    const auto field = static_cast<std::size_t>(std::find(kEventFields.begin(), kEventFields.end(), key) -
                                                kEventFields.begin());
    if (field == kCommonCount) {
      payload_members_.push_back(member);
    } else if (value_at_[field] != kAbsent) {
      good = values_.fail_repeated(member.key_at, kEventFields[field]);
    } else {
      value_at_[field] = member.value_at;
    }
  }
  return good;
}

bool TraceEventReader::is_second_header() const {
  return value_at_[kType] == kAbsent && value_at_[kId] == kAbsent && !payload_members_.empty() &&
         JsonCursor(text_, payload_members_.front().key_at).raw_string() == "trace";
}

bool TraceEventReader::enter(Common field) {
  if (value_at_[field] == kAbsent) {
    return false;
  }
  values_.move_to(value_at_[field]);
  values_.enter_field(kEventFields[field]);
  return true;
}

bool TraceEventReader::fail_missing(Common field) {
  return values_.fail_missing(0, kEventFields[field]);
}

bool TraceEventReader::read_id(Event& event) {
  if (!enter(kId)) {
    return fail_missing(kId);
  }
  bool good = values_.read_unsigned(1, static_cast<std::uint64_t>(kMaxTraceOffset), event.id);
  if (good && event.id <= seen_.last()) {
    good =
        values_.fail(value_at_[kId], std::to_string(event.id),
                     seen_.contains(event.id) ? fmt::format("an id not used before, above {}", seen_.last())
                                              : fmt::format("an id above {}, the one before", seen_.last()));
  }
  values_.leave();
  if (!good) {
    event.id = 0;
  }
  return good;
}

std::size_t TraceEventReader::read_type() {
  if (!enter(kType)) {
    fail_missing(kType);
    return kEventTypeCount;
  }
  std::size_t type = kEventTypeCount;
  std::string_view name;
  if (values_.read_string("the name of an event", name)) {
    type = static_cast<std::size_t>(std::find(kEventTypes.begin(), kEventTypes.end(), name) -
                                    kEventTypes.begin());
    if (type == kEventTypeCount) {
      values_.fail(value_at_[kType], describe_json_value(text_, value_at_[kType]), one_of(kEventTypes));
    }
  }
  values_.leave();
  return type;
}

bool TraceEventReader::read_actor(std::size_t type, Event& event) {
  if (!enter(kAt)) {
    return fail_missing(kAt);
  }
  bool good = values_.read_actor(event.cluster, event.broker);
  values_.set_event_cluster(good ? event.cluster : kNoCluster);
  if (good && type != kEventTypeCount && kEventRules[type].actor != TraceActor::any) {
    const bool wants_controller = kEventRules[type].actor == TraceActor::controller;
    if (wants_controller != (event.broker == kController)) {
      good = values_.fail(
          value_at_[kAt], describe_json_value(text_, value_at_[kAt]),
          fmt::format("a {} for {}", wants_controller ? "controller" : "broker", kEventTypes[type]));
    }
  }
  values_.leave();
  return good;
}

bool TraceEventReader::read_partition(std::size_t type, Event& event) {
  if (!enter(kPartition)) {
    const bool required =
        type != kEventTypeCount && kEventRules[type].partition == TracePartitionUse::required;
    return !required || fail_missing(kPartition);
  }
  const bool good = values_.read_partition_name(event.partition);
  values_.leave();
  return good;
}

bool TraceEventReader::read_step(Event& event) {
  if (!enter(kStep)) {
    return true;
  }
  std::uint64_t step = 0;
  const bool good = values_.read_unsigned(0, std::numeric_limits<std::uint32_t>::max(), step);
  event.step = static_cast<std::uint32_t>(step);
  values_.leave();
  return good;
}

bool TraceEventReader::read_causes(Event& event) {
  if (!enter(kCauses)) {
    return true;
  }
  if (!values_.is(JsonKind::array)) {
    values_.fail_here("an array of event ids");
    values_.leave();
    return false;
  }
  bool good = true;
  values_.cursor().enter();
  for (std::size_t index = 0; values_.cursor().next(); ++index) {
    values_.enter_element(index);
    EventId cause = 0;
    good = read_cause(event.id, cause) && good;
    if (good) {
      event.causes.push_back(cause);
    }
    values_.leave();
  }
  values_.leave();
  return good;
}

bool TraceEventReader::read_cause(EventId before, EventId& cause) {
  const std::size_t at = values_.cursor().at();
  if (!values_.read_unsigned(1, static_cast<std::uint64_t>(kMaxTraceOffset), cause)) {
    return false;
  }
  if (before != 0 && cause >= before) {
    return values_.fail(at, std::to_string(cause),
                        fmt::format("an id below {}: a cause comes before its event", before));
  }
  const bool may_be_unreadable = unreadable_before_ && cause > seen_.last();
  return causes_ == Causes::trusted || seen_.contains(cause) || may_be_unreadable ||
         values_.fail(at, std::to_string(cause), "the id of an event before this one");
}

bool TraceEventReader::read_payload(std::size_t type, Event& event) {
  return type != kEventTypeCount && read_payload_of(type, event, std::make_index_sequence<kEventTypeCount>{});
}

template <std::size_t... Index>
bool TraceEventReader::read_payload_of(std::size_t type, Event& event, std::index_sequence<Index...>) {
  using Reader = bool (TraceEventReader::*)(Event&);
  static constexpr std::array<Reader, sizeof...(Index)> readers{
      &TraceEventReader::read_payload_as<std::variant_alternative_t<Index, EventPayload>>...};
  return (this->*readers[type])(event);
}

template <class Payload>
bool TraceEventReader::read_payload_as(Event& event) {
  auto& payload = event.payload.emplace<Payload>();
  bool good = true;
  std::uint32_t seen = 0;
  for (const JsonMember& member : payload_members_) {
    values_.move_to(member.key_at);
    const std::string_view key = values_.cursor().key(scratch_);
    good = values_.read_member(member.key_at, key, payload, seen) && good;
  }
  good = values_.template require_members<Payload>(0, seen) && good;
  if constexpr (std::is_same_v<Payload, ProduceAcked>) {
    good = good && values_.check_records(0, payload.base_offset, payload.last_offset, payload.first_id);
  }
  if (good) {
    if (auto wrong = misfit(values_, payload)) {
      good = values_.fail_field(0, wrong->field, std::move(wrong->found), wrong->expected);
    }
  }
  return good;
}

}  // namespace mirrorproof::checker
