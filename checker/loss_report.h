#pragma once
// Invariant loss-report: what the mirror reports as discarded, or as never to be copied, is exactly that.
// Judged per step, and only for traces whose header says that losses are reported.

#include <vector>

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

class LossReport {
 public:
  /// A truncation because of the mirrored source, or by alignment.
  void truncated(const Replay& replay, const Event& event, const Truncated& cut,
                 const std::vector<LogEntry>& removed);
  void reported(const Event& event, const LossReported& loss);
  void end_step(const Replay& replay, Findings& findings);

 private:
  struct Loss {
    Event event;  // place and id only
    LossReported what;
  };
  static Loss loss_of(const Event& event, const LossReported& what);

  std::vector<Loss> losses_;  // of the running step
  std::vector<Loss> reports_;
};

}  // namespace mirrorproof::checker
