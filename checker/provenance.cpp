#include "checker/provenance.h"

#include <fmt/format.h>

#include <algorithm>

#include "checker/describe.h"
#include "checker/log_matching.h"

namespace mirrorproof::checker {
namespace {

/// Different ways to break the rule that one truncation may be charged with.
constexpr std::size_t kMaxCharges = 4;
/// Removed batches looked at for them.
constexpr std::size_t kMaxDescribed = 16;

/// Why a removed batch is not the work of a ULE.
struct Charge {
  std::string_view kind;
  std::string reason;
  EventId evidence = 0;
};

Charge charge_without_fate(const Replay& replay, const Lineage& lineage, ClusterId source, const Event& event,
                           const Truncated& cut, const Batch& batch) {
  const TraceHeader& header = replay.header();
  const std::string name = cluster_name(header, source);
  const Fates::History* fates = lineage.fates().of(batch);
  if (fates != nullptr && fates->front().kills()) {
    return {"killer-not-in-causal-past",
            fmt::format("{} lost it in event {}, which nothing {} knew can go back to", name,
                        fates->front().event, broker_name(header, event.cluster, event.broker)),
            fates->front().event};
  }
  const Replica* leader =
      lineage.reign() ? &replay.replica(source, lineage.leader(), event.partition) : nullptr;
  if (leader == nullptr) {
    return {"never-in-source-lineage", fmt::format("{} never had a leader", name)};
  }
  const std::string leader_name = broker_name(header, source, lineage.leader());
  const LogEntry* theirs = leader->log.find_same(batch);
  if (theirs != nullptr && !theirs->batch.has_records()) {
    return {"taken-by-log-cleaner",
            fmt::format("no election of {} killed it: the log cleaner of its leader {} took it", name,
                        leader_name),
            lineage.reign()->became_leader};
  }
  if (lineage.alive(batch, *leader)) {
    return {"not-killed", fmt::format("no election of {} killed it: its leader {} has it", name, leader_name),
            lineage.reign()->became_leader};
  }
  if (batch.last_offset < leader->log.log_start()) {
    const bool gave_up = cut.reason == TruncationReason::out_of_range;
    return {gave_up ? "retention-overtook-mirror" : "not-killed",
            fmt::format("no election of {} killed it: {}'s log starts at {} (retention)", name, leader_name,
                        leader->log.log_start())};
  }
  return {"never-in-source-lineage",
          fmt::format("no leader of {} ever held it, so no unclean election there can explain its removal",
                      name)};
}

Charge charge_with_fate(const Replay& replay, ClusterId source, const Fate& fate) {
  const std::string name = cluster_name(replay.header(), source);
  switch (fate.kind) {
    case Fate::Kind::clean_election:
      if (fate.after_power_loss) {
        return {"killed-after-power-loss",
                fmt::format("{} lost it in a power loss, and the election of event {} that followed is clean",
                            name, fate.event),
                fate.event};
      }
      return {"killed-by-clean-election",
              fmt::format("{} lost it in the election of event {}, which is clean", name, fate.event),
              fate.event};
    case Fate::Kind::alignment:
      return {"killed-by-upstream-alignment",
              fmt::format("{} removed it itself in LOG_ALIGNMENT (event {})", name, fate.event), fate.event};
    case Fate::Kind::mirror_truncation:
      return {
          "killed-by-unjustified-upstream-truncation",
          fmt::format("{} truncated it as a mirror (event {}), and that truncation goes back to no unclean "
                      "election",
                      name, fate.event),
          fate.event};
    case Fate::Kind::revival:
      return {"not-killed",
              fmt::format("the leader of {} that took over in event {} brought it back", name, fate.event),
              fate.event};
    case Fate::Kind::unclean_election:
      break;
  }
  return {"not-killed", "", fate.event};
}

void add_roots(const Replay& replay, const Fate& fate, std::vector<EventId>& roots) {
  if (fate.kind == Fate::Kind::unclean_election) {
    roots.push_back(fate.event);
  } else {
    const std::vector<EventId>& upstream = replay.mirror_truncations[fate.truncation].unclean_elections;
    roots.insert(roots.end(), upstream.begin(), upstream.end());
  }
}

}  // namespace

bool killed_by_ule(const Replay& replay, const Fate& fate) {
  return fate.kind == Fate::Kind::unclean_election || (fate.kind == Fate::Kind::mirror_truncation &&
                                                       replay.mirror_truncations[fate.truncation].licensed());
}

const Fate* latest_fate_in_past(const Replay& replay, const Lineage& lineage, const Batch& batch,
                                EventId event) {
  const Fates::History* fates = lineage.fates().of(batch);
  if (fates == nullptr) {
    return nullptr;
  }
  const auto found = std::find_if(fates->rbegin(), fates->rend(), [&](const Fate& fate) {
    return fate.event != event && replay.order.in_past(fate.event, event);
  });
  return found == fates->rend() ? nullptr : &*found;
}

const Fate* fate_behind(const Replay& replay, ClusterId source, const Batch& batch, const Event& event,
                        const Fate* fate) {
  const Fate* behind = fate;
  for (std::size_t hops = 0; hops < replay.header().clusters.size(); ++hops) {
    if (behind == nullptr || behind->kind != Fate::Kind::clean_election || !behind->after_mirror_cut) {
      break;
    }
    source = replay.mirror(source, event.partition).source;
    behind = source == kNoCluster
                 ? nullptr
                 : latest_fate_in_past(replay, replay.lineage(source, event.partition), batch, event.id);
  }
  return behind != nullptr && killed_by_ule(replay, *behind) ? behind : fate;
}

std::size_t Provenance::judge(Replay& replay, Findings& findings, const Event& event, const Truncated& cut,
                              const std::vector<LogEntry>& removed) {
  MirrorTruncation& truncation = replay.mirror_truncations.emplace_back();
  truncation.event = event.id;
  truncation.cluster = event.cluster;
  truncation.broker = event.broker;
  truncation.partition = event.partition;
  truncation.source = replay.mirror(event.cluster, event.partition).source;
  truncation.offset = cut.target;
  truncation.records = record_count(removed);  // those that are there

  Undecided open;
  open.truncation = replay.mirror_truncations.size() - 1;
  open.event.id = event.id;
  open.event.cluster = event.cluster;
  open.event.broker = event.broker;
  open.event.partition = event.partition;
  open.event.step = event.step;
  open.cut = cut;
  open.removed = removed;
  const Answer* answer =
      replay.replica(event.cluster, event.broker, event.partition).answers.caused_by(event.causes);
  if (answer != nullptr && answer->server_cluster == truncation.source) {
    const Replica& server = replay.replica(answer->server_cluster, answer->server_broker, event.partition);
    open.after_deletion = answer->of_deleted_topic;
    open.of_deleted_topic = answer->of_deleted_topic || answer->handled < server.topic_recreated;
  }
  const std::size_t place = open.truncation;
  if (!decide(replay, findings, open, undecided_.size() >= kMaxUndecided)) {
    undecided_.push_back(std::move(open));
  }
  return place;
}

bool Provenance::waits(const Fate& fate) const {
  return fate.kind == Fate::Kind::mirror_truncation &&
         std::any_of(undecided_.begin(), undecided_.end(),
                     [&](const Undecided& open) { return open.truncation == fate.truncation; });
}

bool Provenance::decide(Replay& replay, Findings& findings, const Undecided& open, bool last_word) {
  const TraceHeader& header = replay.header();
  const Event& event = open.event;
  MirrorTruncation& truncation = replay.mirror_truncations[open.truncation];
  const ClusterId source = truncation.source;
  const Lineage* lineage = source == kNoCluster    ? nullptr
                           : open.of_deleted_topic ? &replay.deleted_lineage(source, event.partition)
                                                   : &replay.lineage(source, event.partition);
  const ElectionRecord* pending = nullptr;
  if (lineage != nullptr) {
    pending = lineage->pending_unclean_election();
    if (pending != nullptr && !replay.order.in_past(pending->event, event.id)) {
      pending = nullptr;
    }
  }
  const auto heir_lacks = [&](const Batch& batch) {
    return pending != nullptr && replay.known(source, pending->leader) &&
           replay.replica(source, pending->leader, event.partition).log.find_same(batch) == nullptr;
  };

  truncation.justified = true;
  truncation.excuse = TruncationExcuse::none;
  truncation.removed.clear();
  truncation.unclean_elections.clear();
  std::vector<Charge> charges;
  std::vector<const Batch*> charged;
  std::size_t described = 0;
  EventId last_killer = 0;
  bool only_gaps_unexplained = false;
  bool goes_back_to_deleted_topic = false;
  for (const LogEntry& entry : open.removed) {
    const Batch& batch = entry.batch;
    const Fate* last = lineage == nullptr ? nullptr : latest_fate_in_past(replay, *lineage, batch, event.id);
    const Fate* fate = open.of_deleted_topic ? last : fate_behind(replay, source, batch, event, last);
    const bool justified = fate != nullptr && killed_by_ule(replay, *fate);
    const bool open_question = (fate != nullptr && waits(*fate)) || (!justified && pending != nullptr);
    if (open_question && !last_word) {
      return false;
    }
    // The trace ends before the heir takes over: its log at the end speaks for it.
    const bool foretold = !justified && last_word && heir_lacks(batch);
    const EventId killer = foretold ? pending->event : last != nullptr && last->kills() ? last->event : 0;
    if (batch.has_records()) {
      truncation.removed.push_back(
          {batch.base_offset, batch.last_offset, batch.epoch, batch.first_id, killer});
    }
    if (justified || foretold) {
      goes_back_to_deleted_topic |= !foretold && fate->kind == Fate::Kind::mirror_truncation &&
                                    !replay.mirror_truncations[fate->truncation].justified;
      // Neighbours mostly fell to the same election.
      const EventId goes_back_to = foretold ? killer : fate->event;
      if (goes_back_to != last_killer) {
        if (foretold) {
          truncation.unclean_elections.push_back(killer);
        } else {
          add_roots(replay, *fate, truncation.unclean_elections);
        }
        last_killer = goes_back_to;
      }
      continue;
    }
    if (!batch.has_records()) {
      only_gaps_unexplained = true;
      continue;
    }
    if (open.after_deletion) {
      goes_back_to_deleted_topic = true;
      continue;
    }
    truncation.justified = false;
    // Every batch counts, a few speak for all: to describe one may cost a walk through what its leader lost.
    if (charges.size() < kMaxCharges && described < kMaxDescribed) {
      described += 1;
      Charge charge = lineage == nullptr ? Charge{"no-source", "nothing says which cluster is mirrored", 0}
                      : fate == nullptr
                          ? charge_without_fate(replay, *lineage, source, event, open.cut, batch)
                          : charge_with_fate(replay, source, *fate);
      const bool repeated = std::any_of(charges.begin(), charges.end(),
                                        [&](const Charge& other) { return other.kind == charge.kind; });
      if (!repeated) {
        charges.push_back(std::move(charge));
        charged.push_back(&batch);
      }
    }
  }
  if (only_gaps_unexplained && truncation.removed.empty()) {
    // Nothing was lost here, and nothing follows from it for mirrors of this one.
    truncation.justified = false;
    truncation.excuse = TruncationExcuse::only_gaps;
  } else if (truncation.justified && goes_back_to_deleted_topic) {
    truncation.justified = false;
    truncation.excuse = TruncationExcuse::source_topic_deleted;
  }
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const Charge& charge = charges[i];
    findings.report(
        Invariant::truncation_provenance, charge.kind, event,
        [&] {
          return fmt::format(
              "{}: the mirror truncation to offset {} ({} records) removed {} without an unclean "
              "leader election of {} behind it: {}",
              replica_name(header, event), open.cut.target, truncation.records,
              batch_name(header, *charged[i]), cluster_name(header, source), charge.reason);
        },
        charge.evidence == 0 ? std::vector<EventId>{} : std::vector<EventId>{charge.evidence});
  }
  std::vector<EventId>& roots = truncation.unclean_elections;
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  return true;
}

void Provenance::reign_began(Replay& replay, Findings& findings, ClusterId cluster, PartitionId partition) {
  // Decided in trace order: one may wait for another of a mirror upstream, which came before it.
  const bool concerned = std::any_of(undecided_.begin(), undecided_.end(), [&](const Undecided& open) {
    return open.event.partition == partition && replay.mirror_truncations[open.truncation].source == cluster;
  });
  for (std::size_t i = 0; concerned && i < undecided_.size();) {
    if (undecided_[i].event.partition == partition && decide(replay, findings, undecided_[i], false)) {
      undecided_.erase(undecided_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

void Provenance::finish(Replay& replay, Findings& findings) {
  while (!undecided_.empty()) {
    const Undecided open = std::move(undecided_.front());
    undecided_.erase(undecided_.begin());
    decide(replay, findings, open, true);
  }
}

void find_paths(Replay& replay) {
  // A path is short unless a trace is built to make it long; never let paths dominate the cost of judging.
  PathFinder finder(replay.order.graph(), 10'000'000 + 16 * std::uint64_t{replay.order.graph().size()});
  std::vector<EventIndex> roots;
  for (MirrorTruncation& truncation : replay.mirror_truncations) {
    roots.clear();
    for (const EventId election : truncation.unclean_elections) {
      roots.push_back(replay.order.index_of(election));
    }
    for (const EventIndex event : finder.shortest_path(roots, replay.order.index_of(truncation.event))) {
      truncation.path.push_back(replay.order.id_of(event));
    }
  }
}

}  // namespace mirrorproof::checker
