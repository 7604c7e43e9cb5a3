#include <algorithm>

#include "checker/judge_state.h"

namespace mirrorproof::checker {

JudgeMemory::JudgeMemory(JudgeParts parts)
    : replicas_(parts.replay.replicas_),
      lineages_(parts.replay.lineages_),
      epoch_identity_(parts.epoch_identity),
      version_safety_(parts.version_safety) {}

void JudgeMemory::remember(JudgeParts parts, std::span<const SectionView> sections, bool all_lineages,
                           bool identities, bool versions) {
  Replay& replay = parts.replay;
  for (std::size_t i = 0; i < lineages_.size(); ++i) {
    if (all_lineages || sections[replicas_.size() + i].changed) {
      lineages_[i] = replay.lineages_[i];
    }
  }
  mirrors_ = replay.mirrors_;
  hosts_ = replay.hosts_;
  joining_ = replay.joining_;
  answers_ = replay.answers;
  truncations_ = replay.mirror_truncations;
  order_ = replay.order.landmarks();
  provenance_ = parts.provenance;
  largest_mirrored_ = parts.epoch_order.largest_mirrored_;
  told_any_ = parts.restarted_logs.told_any_;
  if (identities) {
    epoch_identity_ = parts.epoch_identity;
  }
  if (versions) {
    version_safety_ = parts.version_safety;
  }
  forget_touched(parts);
}

void JudgeMemory::go_back(JudgeParts parts) const {
  Replay& replay = parts.replay;
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    if (replay.touched_replicas_[i] != 0) {
      replay.replicas_[i] = replicas_[i];
    }
  }
  for (std::size_t i = 0; i < lineages_.size(); ++i) {
    if (replay.touched_lineages_[i] != 0) {
      replay.lineages_[i] = lineages_[i];
    }
  }
  replay.mirrors_ = mirrors_;
  replay.hosts_ = hosts_;
  replay.joining_ = joining_;
  replay.answers = answers_;
  replay.mirror_truncations = truncations_;
  replay.order.landmarks() = order_;
  parts.provenance = provenance_;
  parts.epoch_order.largest_mirrored_ = largest_mirrored_;
  parts.restarted_logs.told_any_ = told_any_;
  if (parts.epoch_identity.touched_) {
    parts.epoch_identity = epoch_identity_;
  }
  if (parts.version_safety.touched_) {
    parts.version_safety = version_safety_;
  }
  forget_touched(parts);
}

void JudgeMemory::forget_touched(JudgeParts parts) {
  std::fill(parts.replay.touched_replicas_.begin(), parts.replay.touched_replicas_.end(), false);
  std::fill(parts.replay.touched_lineages_.begin(), parts.replay.touched_lineages_.end(), false);
  parts.epoch_identity.touched_ = false;
  parts.version_safety.touched_ = false;
}

}  // namespace mirrorproof::checker
