#pragma once
// How the HTML report shows an event: its kind, which decides the mark, and a few letters beside the mark.

#include <cstdint>
#include <string>

#include "model/enum_names.h"
#include "model/event.h"

namespace mirrorproof::reports {

/// Kinds of marks. The names are those that reports/html/ knows.
enum class MarkKind : std::uint8_t {
  started,
  stopped,
  crashed,
  power_lost,
  election,
  unclean_election,
  leaderless,
  epoch_bump,
  isr,
  leads,
  follows,
  initial,
  written,
  copied,
  mirrored,
  mirror_truncation,
  alignment,
  follower_truncation,
  other_truncation,
  log_start,
  cleaned,
  high_watermark,
  epoch_cache,
  request,
  answer,
  receipt,
  unsupported,
  disconnected,
  state,
  work,
  position,
  aligned,
  divergence,
  order,
  acked,
  note,
};

struct PageMark {
  MarkKind kind = MarkKind::note;
  std::string label;   ///< "e2", "4.1", "MIRRORING", "-2"; may be empty
  bool quiet = false;  ///< happens all the time and says little
};

PageMark mark_of(const Event& event);

}  // namespace mirrorproof::reports

namespace mirrorproof {
template <>
struct EnumNames<reports::MarkKind> {
  static constexpr EnumTable<reports::MarkKind, 36> entries{{
      {reports::MarkKind::started, "started"},
      {reports::MarkKind::stopped, "stopped"},
      {reports::MarkKind::crashed, "crashed"},
      {reports::MarkKind::power_lost, "power_lost"},
      {reports::MarkKind::election, "election"},
      {reports::MarkKind::unclean_election, "unclean_election"},
      {reports::MarkKind::leaderless, "leaderless"},
      {reports::MarkKind::epoch_bump, "epoch_bump"},
      {reports::MarkKind::isr, "isr"},
      {reports::MarkKind::leads, "leads"},
      {reports::MarkKind::follows, "follows"},
      {reports::MarkKind::initial, "initial"},
      {reports::MarkKind::written, "written"},
      {reports::MarkKind::copied, "copied"},
      {reports::MarkKind::mirrored, "mirrored"},
      {reports::MarkKind::mirror_truncation, "mirror_truncation"},
      {reports::MarkKind::alignment, "alignment"},
      {reports::MarkKind::follower_truncation, "follower_truncation"},
      {reports::MarkKind::other_truncation, "other_truncation"},
      {reports::MarkKind::log_start, "log_start"},
      {reports::MarkKind::cleaned, "cleaned"},
      {reports::MarkKind::high_watermark, "high_watermark"},
      {reports::MarkKind::epoch_cache, "epoch_cache"},
      {reports::MarkKind::request, "request"},
      {reports::MarkKind::answer, "answer"},
      {reports::MarkKind::receipt, "receipt"},
      {reports::MarkKind::unsupported, "unsupported"},
      {reports::MarkKind::disconnected, "disconnected"},
      {reports::MarkKind::state, "state"},
      {reports::MarkKind::work, "work"},
      {reports::MarkKind::position, "position"},
      {reports::MarkKind::aligned, "aligned"},
      {reports::MarkKind::divergence, "divergence"},
      {reports::MarkKind::order, "order"},
      {reports::MarkKind::acked, "acked"},
      {reports::MarkKind::note, "note"},
  }};
};
}  // namespace mirrorproof
