#pragma once
// Invariant version-safety: no request is served at a version the broker lacks; no non-ignorable field is
// dropped silently (protocol.md V1, V2).

#include <vector>

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

class VersionSafety {
 public:
  explicit VersionSafety(const Replay& replay);

  void started(const Event& event, const BrokerStarted& started);
  static void check_sent(const Replay& replay, Findings& findings, const Event& event,
                         const RequestSent& request);
  void check_handled(const Replay& replay, Findings& findings, const Event& event,
                     const RequestHandled& request) const;

 private:
  friend struct JudgeState;
  friend class JudgeMemory;

  struct Ranges {
    bool known = false;
    KafkaVersion version;
    ApiVersionRange fetch;
    ApiVersionRange offset_for_leader_epoch;
  };
  std::vector<std::vector<Ranges>> brokers_;  // by cluster, broker
  bool touched_ = true;                       ///< since a JudgeMemory looked
};

}  // namespace mirrorproof::checker
