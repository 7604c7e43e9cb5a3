#pragma once
// Reads the event lines of a trace. Part of the reader.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/trace_json.h"
#include "checker/trace_values.h"
#include "model/event.h"

namespace mirrorproof::checker {

/// The event ids so far, as runs of consecutive ids: one run for a trace without gaps, however long.
class SeenEventIds {
 public:
  EventId last() const { return runs_.empty() ? 0 : runs_.back().second; }
  bool contains(EventId id) const;
  /// `id` > last(). With `bridge`, the ids in between count as seen too.
  void add(EventId id, bool bridge);

 private:
  std::vector<std::pair<EventId, EventId>> runs_;  ///< ascending, disjoint, both ends inclusive
};

class TraceEventReader {
 public:
  /// `trusted`: lines are read without those before them, which may hold the causes.
  enum class Causes : std::uint8_t { checked, trusted };

  TraceEventReader(const TraceWorld& world, TraceProblemList& problems, Causes causes = Causes::checked)
      : values_(world, problems), causes_(causes) {}

  /// A line was no event at all: causes that it may have held are taken on trust.
  void skip_line() { unreadable_before_ = true; }
  /// False after reporting at least one problem; `event` is then of no use.
  bool read(std::string_view text, std::size_t line, Event& event);
  /// As read(), for an event that a reader with trusted causes found sound: only what the events before it
  /// decide is looked at. False without a report: read its line to learn why.
  bool accept(const Event& event);

 private:
  /// Indices into kEventFields.
  enum Common : std::size_t { kId, kType, kAt, kPartition, kStep, kCauses, kCommonCount };
  static_assert(kCommonCount == kEventFields.size());
  static constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

  /// Finds the common fields; everything else is payload.
  bool sort_members();
  bool is_second_header() const;

  /// Steps to a common field's value; false if the line lacks it. Undone by values_.leave().
  bool enter(Common field);
  bool fail_missing(Common field);

  bool read_id(Event& event);
  /// Index into kEventTypes, or kEventTypeCount.
  std::size_t read_type();
  /// `type`: from read_type(), kEventTypeCount if it could not be read.
  bool read_actor(std::size_t type, Event& event);
  bool read_partition(std::size_t type, Event& event);
  bool read_step(Event& event);
  bool read_causes(Event& event);
  bool read_cause(EventId before, EventId& cause);
  bool read_payload(std::size_t type, Event& event);
  template <class Payload>
  bool read_payload_as(Event& event);
  template <std::size_t... Index>
  bool read_payload_of(std::size_t type, Event& event, std::index_sequence<Index...>);

  TraceValueReader values_;
  Causes causes_;
  SeenEventIds seen_;
  bool unreadable_before_ = false;  ///< lines without a usable id lie between the last id and this line
  std::string_view text_;
  std::vector<JsonMember> members_;
  std::vector<JsonMember> payload_members_;
  std::array<std::size_t, kCommonCount> value_at_{};
  std::string scratch_;
};

}  // namespace mirrorproof::checker
