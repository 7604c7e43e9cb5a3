#pragma once
// The report of `mirrorproof replay`: a run step by step. Written as it goes, so that a run of any length can
// be shown.

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

#include "reports/evaluation.h"
#include "reports/judgement_report.h"
#include "reports/style.h"

namespace mirrorproof::reports {

/// Which actions are worth showing.
enum class ReplayFocus : std::uint8_t { everything, truncations, elections, states };

/// Which actions are shown: numbers from 0, both inclusive. What happens before the first action belongs to
/// action 0.
struct ReplayWindow {
  std::uint32_t from = 0;
  std::uint32_t until = std::numeric_limits<std::uint32_t>::max();
  ReplayFocus focus = ReplayFocus::everything;
  /// Is the event what the focus is on?
  bool focuses_on(const Event& event) const;
  bool contains(std::uint32_t action) const { return action >= from && action <= until; }
};

using TextSink = std::function<void(std::string_view)>;

/// For each action its events, then the logs it changed.
void replay_text(const scenarios::Scenario& scenario, const RunKey& key, const ReplayWindow& window,
                 const Style& style, const TextSink& sink);
/// The same as one JSON array.
void replay_json(const scenarios::Scenario& scenario, const RunKey& key, const ReplayWindow& window,
                 const TextSink& sink);

}  // namespace mirrorproof::reports

namespace mirrorproof {
template <>
struct EnumNames<reports::ReplayFocus> {
  static constexpr EnumTable<reports::ReplayFocus, 4> entries{{
      {reports::ReplayFocus::everything, "everything"},
      {reports::ReplayFocus::truncations, "truncations"},
      {reports::ReplayFocus::elections, "elections"},
      {reports::ReplayFocus::states, "states"},
  }};
};
}  // namespace mirrorproof
