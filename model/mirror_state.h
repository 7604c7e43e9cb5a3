#pragma once
// The nine states of a mirrored partition and the transitions between them (protocol.md M7).

#include "model/enum_names.h"
#include "model/types.h"

namespace mirrorproof {

enum class MirrorState : std::int8_t {
  log_alignment = 0,
  epoch_fencing = 1,
  ule_recovery = 2,
  mirroring = 3,
  pausing = 4,
  paused = 5,
  stopping = 6,
  stopped = 7,
  failed = 8,
  unknown = -1,
};

template <>
struct EnumNames<MirrorState> {
  static constexpr EnumTable<MirrorState, 10> entries{{
      {MirrorState::log_alignment, "LOG_ALIGNMENT"},
      {MirrorState::epoch_fencing, "EPOCH_FENCING"},
      {MirrorState::ule_recovery, "ULE_RECOVERY"},
      {MirrorState::mirroring, "MIRRORING"},
      {MirrorState::pausing, "PAUSING"},
      {MirrorState::paused, "PAUSED"},
      {MirrorState::stopping, "STOPPING"},
      {MirrorState::stopped, "STOPPED"},
      {MirrorState::failed, "FAILED"},
      {MirrorState::unknown, "UNKNOWN"},
  }};
};

/// M7. A transition to the same state is always valid.
constexpr bool is_valid_transition(MirrorState from, MirrorState to) {
  using enum MirrorState;
  if (from == to) {
    return true;
  }
  switch (to) {
    case log_alignment:
      return from == unknown || from == stopped || from == failed;
    case epoch_fencing:
    case ule_recovery:
    case pausing:
      return from == mirroring;
    case mirroring:
      return from == log_alignment || from == epoch_fencing || from == paused || from == ule_recovery ||
             from == failed;
    case paused:
      return from == pausing;
    case stopping:
      return from == log_alignment || from == epoch_fencing || from == mirroring || from == pausing ||
             from == paused || from == ule_recovery || from == failed;
    case stopped:
      return from == stopping;
    case failed:
      return true;
    case unknown:
      return false;
  }
  return false;
}

}  // namespace mirrorproof
