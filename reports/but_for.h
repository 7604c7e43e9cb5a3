#pragma once
// But-for replay: to name a cause is to claim that without it the effect is gone. The run's actions are
// carried out once more with an unclean leader election taken out, and the mirror truncations that were
// blamed on it are looked for. Nothing takes the election's place: the partition stays without a leader until
// a later action, or a replica that comes back, makes one. Actions that are not enabled any more are skipped.
// Afterwards the world is healed and run to rest, with no unclean election ordered, so that a truncation that
// was only put off has its chance.

#include <optional>
#include <vector>

#include "reports/evaluation.h"

namespace mirrorproof::reports {

enum class ButForVerdict : std::uint8_t {
  confirmed,      ///< named as the cause, and without it the records stay
  other_cause,    ///< named, but without it another unclean election takes the same records away
  named_wrongly,  ///< named, but without it the records go all the same
  no_cause,       ///< not named, and without it the records go all the same
  precondition,   ///< not named, but without it there is no such truncation (or there are no such records)
};

/// What became of one mirror truncation of the run.
struct ButForTruncation {
  std::size_t truncation = 0;  ///< its place in Judgement::mirror_truncations
  ButForVerdict verdict = ButForVerdict::confirmed;
  std::int64_t records = 0;        ///< blamed on the elections taken out; all of them if none is
  std::int64_t still_removed = 0;  ///< of those, by some mirror truncation of the same partition there
  std::int64_t held_at_end = 0;    ///< of those, by the mirror's leader (or the same broker, if none leads)
  /// The elections of the run to which the judge traces what is still removed. Those that only happened in
  /// the replay have no number.
  std::vector<EventId> other_elections;
};

struct ButForReplay {
  std::vector<EventId> without;  ///< the elections taken out
  std::size_t carried_over = 0;  ///< actions of the run
  std::size_t skipped = 0;       ///< actions that were not enabled
  std::size_t afterwards = 0;    ///< actions until the world rested
  bool rested = true;
  std::vector<ButForTruncation> truncations;  ///< all, in trace order
};

struct ButForReport {
  /// Each named election alone; then, if they are several, all of them together.
  std::vector<ButForReplay> replays;
  std::size_t left_out = 0;  ///< named elections beyond kMaxButForReplays
  bool holds() const;        ///< no cause was named wrongly
};

inline constexpr std::size_t kMaxButForReplays = 50;

/// Every unclean leader election of the run, oldest first.
std::vector<EventId> unclean_elections_of(const scenarios::Scenario& scenario, const RunKey& key);

/// `judgement` is that of the run. Without `only`: every election that it names as a cause. `only` must be
/// one of unclean_elections_of().
ButForReport but_for(const scenarios::Scenario& scenario, const RunKey& key,
                     const checker::Judgement& judgement, std::optional<EventId> only = std::nullopt);

}  // namespace mirrorproof::reports

namespace mirrorproof {
template <>
struct EnumNames<reports::ButForVerdict> {
  static constexpr EnumTable<reports::ButForVerdict, 5> entries{{
      {reports::ButForVerdict::confirmed, "confirmed"},
      {reports::ButForVerdict::other_cause, "other-cause"},
      {reports::ButForVerdict::named_wrongly, "named-wrongly"},
      {reports::ButForVerdict::no_cause, "no-cause"},
      {reports::ButForVerdict::precondition, "precondition"},
  }};
};
}  // namespace mirrorproof
