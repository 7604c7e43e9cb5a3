#pragma once
// Invariant ule-policy: with mirror ULE support off, a detected divergence ends in FAILED (never retried) and
// removes nothing; with it on, a divergence that removes records ends in ULE_RECOVERY.

#include <vector>

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

class UlePolicy {
 public:
  /// For mirror truncations that removed records.
  static void check_truncation(const Replay& replay, Findings& findings, const Event& event,
                               const Truncated& cut);

  void detected(const Replay& replay, const Event& event, const DivergenceDetected& divergence);
  void state_changed(const Event& event, const MirrorStateChanged& change);
  /// The consequence had to come in the same step.
  void end_step(const Replay& replay, Findings& findings);

 private:
  struct Pending {
    Event place;  // of the DivergenceDetected; without payload
    Offset target = 0;
  };
  std::vector<Pending> pending_;
};

}  // namespace mirrorproof::checker
