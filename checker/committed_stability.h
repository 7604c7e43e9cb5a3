#pragma once
// Invariant committed-stability: without ULE, power loss, or an operator's or retention's order, no committed
// record disappears; log start, high watermark and log end stay in order; a leader's high watermark goes back
// only through a truncation.

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

/// After the lineage heard of the take-over.
void check_take_over(const Replay& replay, Findings& findings, const Event& event, const TakeOver& take_over);
/// STOPPING cut its own log (open_transactions_at_stop: truncate); `removed` is what is gone.
void check_stop_truncation(const Replay& replay, Findings& findings, const Event& event,
                           const std::vector<LogEntry>& removed);
/// Before the replica hears of it.
void check_high_watermark(const Replay& replay, Findings& findings, const Event& event,
                          const HighWatermarkMoved& moved);
/// A log that was dropped and started anew above its high watermark: the move of the high watermark must be
/// told in the same step.
class RestartedLogs {
 public:
  /// Before the replica hears of it.
  void truncated(const Replay& replay, const Event& event, const Truncated& cut);
  void high_watermark_moved(const Event& event);
  /// The trace has told some high watermark.
  bool told_any() const { return told_any_; }
  void end_step(const Replay& replay, Findings& findings);

 private:
  friend struct JudgeState;
  friend class JudgeMemory;

  struct Restart {
    Event place;
    Offset log_start = 0;
    Offset high_watermark = 0;
  };
  std::vector<Restart> restarts_;  ///< of the running step
  bool told_any_ = false;          ///< a high watermark, of any replica
};

/// Before the replica hears of it.
void check_log_start(const Replay& replay, Findings& findings, const Event& event,
                     const LogStartMoved& moved);

}  // namespace mirrorproof::checker
