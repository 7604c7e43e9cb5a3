#include "checker/follower_truncation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "checker/describe.h"
#include "checker/provenance.h"

namespace mirrorproof::checker {
namespace {

/// The removal of a batch the leader lacks is licensed.
bool licensed(const Replay& replay, const Lineage& lineage, const Batch& batch, const Event& event,
              const Replica& follower, const Replica* current) {
  const Fate* fate = latest_fate_in_past(replay, lineage, batch, event.id);
  if (fate != nullptr && fate->kills()) {
    const bool by_order =
        fate->kind == Fate::Kind::alignment || fate->after_mirror_cut || killed_by_ule(replay, *fate);
    return by_order || fate->after_power_loss || !fate->committed;
  }
  // Not killed as far as this broker can know: it must not be committed. What a later leader than the one it
  // follows has committed was committed without it, and it will copy that again once it hears of that leader.
  const bool committed =
      current != nullptr && batch.last_offset < lineage.committed_end() && lineage.alive(batch, *current);
  const Epoch committed_in = lineage.committed_in(batch.last_offset);
  if (!committed || committed_in > follower.leader_epoch) {
    return true;
  }
  // A leader that takes over after a later one did kills nothing in the lineage; for its followers the ULE
  // that made it is the cause all the same.
  const bool late_leader = lineage.reign() && follower.leader_epoch < lineage.reign()->epoch;
  return late_leader && lineage.unclean_election_within(committed_in, follower.leader_epoch);
}

/// `leader`, which the follower asked, is the mirror's leader no longer, has not heard of that, and cut the
/// batch off because of a ULE of the source. The lineage here does not know: its reigning leader still has
/// the batch.
bool went_with_a_deposed_mirror_leader(const Replay& replay, const Event& event, const Batch& batch,
                                       const Replica& leader) {
  const ClusterId source = replay.mirror(event.cluster, event.partition).source;
  if (source == kNoCluster || !leader.mirror_lost.contains(batch.first_id.packed)) {
    return false;
  }
  const Fate* fate = latest_fate_in_past(replay, replay.lineage(source, event.partition), batch, event.id);
  return fate != nullptr && fate->kills() && killed_by_ule(replay, *fate);
}

/// What took the batch from the lineage that the follower of `event` belongs to, or from its source if only a
/// deposed leader has cut it off: a cut of the mirror, and for what reason; nullopt: something else.
std::optional<Fate> cut_by_mirror(const Replay& replay, const Event& event, const Batch& batch) {
  const Fate* own =
      latest_fate_in_past(replay, replay.lineage(event.cluster, event.partition), batch, event.id);
  if (own != nullptr && own->kills()) {
    const bool by_mirror = own->kind == Fate::Kind::alignment || own->kind == Fate::Kind::mirror_truncation ||
                           own->after_mirror_cut;
    return by_mirror ? std::optional(*fate_behind(replay, event.cluster, batch, event, own)) : std::nullopt;
  }
  const Answer* answer =
      replay.replica(event.cluster, event.broker, event.partition).answers.caused_by(event.causes);
  const bool cut_there =
      answer != nullptr && replay.replica(answer->server_cluster, answer->server_broker, event.partition)
                               .mirror_lost.contains(batch.first_id.packed);
  if (!cut_there) {
    return std::nullopt;
  }
  const ClusterId source = replay.mirror(event.cluster, event.partition).source;
  const Fate* theirs =
      source == kNoCluster
          ? nullptr
          : latest_fate_in_past(replay, replay.lineage(source, event.partition), batch, event.id);
  if (theirs != nullptr && killed_by_ule(replay, *theirs)) {
    return *theirs;
  }
  Fate fate;
  fate.kind = Fate::Kind::clean_election;  // by order, for all that the lineage can tell
  fate.after_mirror_cut = true;
  return fate;
}

}  // namespace

void check_follower_truncation(const Replay& replay, Findings& findings, const Event& event,
                               const Truncated& cut, const std::vector<LogEntry>& removed) {
  const TraceHeader& header = replay.header();
  const Lineage& lineage = replay.lineage(event.cluster, event.partition);
  const Replica* current = replay.leader(event.cluster, event.partition);
  const Replica& follower = replay.replica(event.cluster, event.broker, event.partition);
  // Its own word counts only while nobody else was elected: a trace may leave out that it became a follower.
  if (follower.leads && lineage.leader() == event.broker) {
    findings.report(Invariant::follower_truncation, "leader-cut-its-log", event, [&] {
      return fmt::format(
          "{}: the truncation to offset {} removed {}, although this replica leads epoch {}: no answer of "
          "another replica of the cluster may cut a leader's log",
          replica_name(header, event), cut.target, batch_name(header, removed.front().batch),
          follower.leader_epoch);
    });
    return;
  }
  const Answer* answer = follower.answers.caused_by(event.causes);
  const bool answered = answer != nullptr && answer->server_cluster == event.cluster;
  const Replica* leader =
      answered ? &replay.replica(answer->server_cluster, answer->server_broker, event.partition) : current;
  const BrokerId leader_broker = answered ? answer->server_broker : lineage.leader();

  bool told_shared = false;
  bool told_committed = false;
  for (const LogEntry& entry : removed) {
    const LogEntry* theirs = leader == nullptr ? nullptr : leader->log.find_same(entry.batch);
    if (theirs != nullptr && !theirs->batch.has_records()) {
      continue;  // the leader's log cleaner took it
    }
    // What the leader appended after it answered, it lacked when it answered.
    const bool shared = theirs != nullptr && (!answered || theirs->appended <= answer->handled);
    if (shared && !told_shared) {
      told_shared = true;
      findings.report(Invariant::follower_truncation, "removed-record-the-leader-has", event, [&] {
        return fmt::format("{}: the truncation to offset {} ({}) removed {}, which its leader {} has",
                           replica_name(header, event), cut.target,
                           cut.reason == TruncationReason::high_watermark ? "to the high watermark"
                                                                          : "by the leader's answer",
                           batch_name(header, entry.batch),
                           broker_name(header, event.cluster, leader_broker));
      });
    }
    // A leader that got the batch after it answered committed it without this follower, which copies it
    // again.
    const bool gained_later = theirs != nullptr && !shared;
    const bool retained = leader == nullptr || entry.batch.last_offset >= leader->log.log_start();
    const bool aligned_by_leader =
        leader != nullptr && leader->alignment_lost.contains(entry.batch.first_id.packed);
    if (!shared && !gained_later && !aligned_by_leader && retained && !told_committed &&
        !licensed(replay, lineage, entry.batch, event, follower, current) &&
        !(leader != nullptr && went_with_a_deposed_mirror_leader(replay, event, entry.batch, *leader))) {
      told_committed = true;
      findings.report(Invariant::follower_truncation, "removed-committed-record", event, [&] {
        return fmt::format(
            "{}: the truncation to offset {} removed {}, which was committed in {}; no unclean "
            "election, power loss or mirror took it from its leader",
            replica_name(header, event), cut.target, batch_name(header, entry.batch),
            cluster_name(header, event.cluster));
      });
    }
    if (told_shared && told_committed) {
      break;
    }
  }
}

void give_up_gaps(Replay& replay, const Event& event, const std::vector<LogEntry>& removed) {
  const auto gap = [](const LogEntry& entry) { return !entry.batch.has_records(); };
  if (std::none_of(removed.begin(), removed.end(), gap)) {
    return;
  }
  std::optional<Fate> fate;
  for (auto entry = removed.begin(); entry != removed.end() && !fate; ++entry) {
    if (!gap(*entry)) {
      fate = cut_by_mirror(replay, event, entry->batch);
    }
  }
  if (!fate) {
    return;
  }
  Replica& follower = replay.replica(event.cluster, event.broker, event.partition);
  for (const LogEntry& entry : removed) {
    if (gap(entry)) {
      follower.mirror_lost.insert(entry.batch.first_id.packed);
      if (fate->kind != Fate::Kind::clean_election) {
        follower.gave_up.insert_or_assign(entry.batch.first_id.packed, *fate);
      }
    }
  }
}

}  // namespace mirrorproof::checker
