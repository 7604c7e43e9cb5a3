#include "checker/group_offset_range.h"

#include <fmt/format.h>

#include <algorithm>

#include "checker/describe.h"

namespace mirrorproof::checker {

void GroupOffsetRange::check_synced(const Replay& replay, Findings& findings, const Event& event,
                                    const GroupOffsetSynced& synced) {
  const TraceHeader& header = replay.header();
  const std::string place = fmt::format("{} in {}: group {}", partition_name(header, event.partition),
                                        cluster_name(header, event.cluster), synced.group);
  const Offset expected = std::max(synced.log_start, std::min(synced.log_end, synced.source_offset));
  if (synced.offset != expected) {
    findings.report(Invariant::group_offset_range, "offset-not-clamped", event, [&] {
      return fmt::format(
          "{} was synced to offset {}; with {} committed on the source and a log from {} to {} it "
          "belongs at {}",
          place, synced.offset, synced.source_offset, synced.log_start, synced.log_end, expected);
    });
  }
  const MirrorState state = replay.mirror(event.cluster, event.partition).state;
  if (state == MirrorState::stopped || state == MirrorState::unknown) {
    findings.report(Invariant::group_offset_range, "synced-while-stopped", event, [&] {
      return fmt::format("{} was synced to offset {} while the mirror is {}", place, synced.offset,
                         to_string(state));
    });
  }
  const Epoch leader_epoch = replay.lineage(event.cluster, event.partition).latest_epoch();
  if (synced.epoch > leader_epoch) {
    findings.report(Invariant::epoch_order, "group-offset-epoch-above-leader-epoch", event, [&] {
      return fmt::format(
          "{} was synced with epoch {}, above the partition's leader epoch {}: no reader can resume "
          "from it",
          place, synced.epoch, leader_epoch);
    });
  }
  groups_[{event.cluster, event.partition}][synced.group] = {synced.offset, true};
}

void GroupOffsetRange::committed(const Event& event, const GroupOffsetCommitted& committed) {
  groups_[{event.cluster, event.partition}][committed.group] = {committed.offset, false};
}

void GroupOffsetRange::resumed(const Event& event, const ReaderMoved& moved) {
  const auto groups = groups_.find({event.cluster, event.partition});
  if (!moved.from_group || groups == groups_.end()) {
    return;
  }
  if (moved.group >= 0) {
    const auto named = groups->second.find(moved.group);
    if (named != groups->second.end()) {
      named->second.synced = false;
    }
    return;
  }
  // The trace does not name the group: it is one of those at this offset.
  for (auto& [group, committed] : groups->second) {
    committed.synced = committed.synced && committed.offset != moved.offset;
  }
}

void GroupOffsetRange::truncated(const Event& event) {
  if (groups_.empty()) {
    return;
  }
  Event place;
  place.id = event.id;
  place.cluster = event.cluster;
  place.broker = event.broker;
  place.partition = event.partition;
  place.step = event.step;
  truncations_.push_back(std::move(place));
}

void GroupOffsetRange::check_rested(const Replay& replay, Findings& findings, const Event& event) const {
  for (const auto& [place, theirs] : groups_) {
    for (std::size_t c = 0; c < replay.header().clusters.size(); ++c) {
      const auto cluster = static_cast<ClusterId>(c);
      const MirrorSession& mirror = replay.mirror(cluster, place.second);
      const Replica* leader = replay.leader(cluster, place.second);
      if (mirror.source != place.first || mirror.state != MirrorState::mirroring || leader == nullptr) {
        continue;
      }
      const auto ours = groups_.find({cluster, place.second});
      for (const auto& [group, committed] : theirs) {
        const Offset expected =
            std::max(leader->log.log_start(), std::min(leader->log.log_end(), committed.offset));
        const Committed* known = nullptr;
        if (ours != groups_.end() && ours->second.contains(group)) {
          known = &ours->second.at(group);
        }
        if (known != nullptr && (!known->synced || known->offset == expected)) {
          continue;
        }
        Event at;
        at.id = event.id;
        at.step = event.step;
        at.cluster = cluster;
        at.partition = place.second;
        findings.report(
            Invariant::convergence, "group-not-synced", at, [&, group = group, committed = committed] {
              return fmt::format(
                  "{} in {}: group {} has come to rest at {}; it is at {} on the source and belongs at {}",
                  partition_name(replay.header(), at.partition), cluster_name(replay.header(), cluster),
                  group, known == nullptr ? "no offset" : fmt::format("offset {}", known->offset),
                  committed.offset, expected);
            });
      }
    }
  }
}

void GroupOffsetRange::end_step(const Replay& replay, Findings& findings) {
  for (const Event& event : truncations_) {
    const auto groups = groups_.find({event.cluster, event.partition});
    // The log of a leader that was deposed is not the one that the groups read from.
    if (groups == groups_.end() || !replay.lineage(event.cluster, event.partition).in_office(event.broker)) {
      continue;
    }
    const Offset log_end = replay.replica(event.cluster, event.broker, event.partition).log.log_end();
    for (const auto& [group, committed] : groups->second) {
      if (!committed.synced || committed.offset <= log_end) {
        continue;
      }
      findings.report(Invariant::group_offset_range, "group-beyond-log-end", event,
                      [&, group = group, committed = committed] {
                        return fmt::format(
                            "{}: after the truncation the log ends at {}, and group {} is left at offset {}",
                            replica_name(replay.header(), event), log_end, group, committed.offset);
                      });
      break;
    }
  }
  truncations_.clear();
}

}  // namespace mirrorproof::checker
