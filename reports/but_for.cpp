#include "reports/but_for.h"

#include <algorithm>
#include <map>
#include <set>

#include "model/check.h"
#include "sim/convergence.h"

namespace mirrorproof::reports {
namespace {

using checker::Judgement;
using checker::MirrorTruncation;
using checker::RemovedRecords;

/// Of the events before the first action, and of those after the last one.
constexpr std::size_t kNoAction = static_cast<std::size_t>(-1);

/// Names records by the action that wrote them, since in another run the same write has another id.
class Writes {
 public:
  void observe(std::size_t action, const Event& event) {
    const auto* append = std::get_if<Appended>(&event.payload);
    if (append == nullptr || append->origin != AppendOrigin::local) {
      return;
    }
    for (const Batch& batch : append->batches) {
      for (Offset offset = batch.base_offset; offset <= batch.last_offset; ++offset) {
        const std::uint64_t id = batch.id_at(offset).packed;
        const std::size_t place = action == kNoAction ? 0 : written_by_[action]++;
        place_of_.emplace(id, std::pair(action, place));
        if (action != kNoAction) {
          id_at_.emplace(std::pair(action, place), id);
        }
      }
    }
  }

  /// The same record in `run`: 0 if that run never wrote it. Records of initial logs are the same everywhere.
  std::uint64_t in(const Writes& run, std::uint64_t id) const {
    const auto place = place_of_.find(id);
    if (place == place_of_.end()) {
      return id;
    }
    const auto found = run.id_at_.find(place->second);
    return found == run.id_at_.end() ? 0 : found->second;
  }

 private:
  std::map<std::size_t, std::size_t> written_by_;
  std::map<std::uint64_t, std::pair<std::size_t, std::size_t>> place_of_;
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> id_at_;
};

/// The run as a list of actions.
struct RecordedRun {
  std::vector<sim::Action> actions;
  std::map<EventId, std::size_t> unclean_elections;  ///< and the action that held each
  std::map<std::size_t, EventId> election_of;        ///< the other way round
  Writes writes;
};

RecordedRun record_run(const scenarios::Scenario& scenario, const RunKey& key) {
  RecordedRun run;
  walk_actions(scenario, key, [&](const std::vector<Event>& events, const sim::Runner& runner) {
    // The start, and the verdict on a world at rest, come without an action.
    const bool acted = runner.simulator().steps() > run.actions.size();
    if (acted) {
      run.actions.push_back(runner.simulator().last_action());
    }
    const std::size_t action = acted ? run.actions.size() - 1 : kNoAction;
    for (const Event& event : events) {
      run.writes.observe(action, event);
      const auto* election = std::get_if<Election>(&event.payload);
      if (election != nullptr && election->kind == ElectionKind::unclean && acted) {
        run.unclean_elections.emplace(event.id, action);
        run.election_of.emplace(action, event.id);
      }
    }
  });
  return run;
}

/// The run without some of its elections.
class ElectionlessRun {
 public:
  ElectionlessRun(const scenarios::Scenario& scenario, const RecordedRun& run,
                  const std::set<std::size_t>& without)
      : checker_(sim::make_trace_header(scenario.setup, 0)), simulator_(scenario.setup, &events_) {
    simulator_.start();
    observe(kNoAction);
    for (std::size_t i = 0; i < run.actions.size(); ++i) {
      if (without.contains(i)) {
        continue;
      }
      if (!simulator_.why_not_enabled(run.actions[i]).empty()) {
        skipped_ += 1;
        continue;
      }
      simulator_.execute(run.actions[i]);
      carried_over_ += 1;
      observe(i);
    }
    sim::RoundRobinStrategy round_robin;
    const std::uint32_t before = simulator_.steps();
    rested_ = sim::converge(
                  simulator_, round_robin, sim::kDefaultSettleRounds,
                  [this] {
                    observe(kNoAction);
                    return true;
                  },
                  sim::UncleanElections::never)
                  .rested;
    afterwards_ = simulator_.steps() - before;
    judgement_ = checker_.finish();
  }

  void report(ButForReplay& replay) const {
    replay.carried_over = carried_over_;
    replay.skipped = skipped_;
    replay.afterwards = afterwards_;
    replay.rested = rested_;
  }

  const Judgement& judgement() const { return judgement_; }
  const Writes& writes() const { return writes_; }
  /// The action that held the election; kNoAction if none of the run did.
  std::size_t action_of(EventId election) const {
    const auto found = elections_.find(election);
    return found == elections_.end() ? kNoAction : found->second;
  }

  bool holds(const MirrorTruncation& truncation, std::uint64_t id) const {
    const sim::Cluster& cluster = simulator_.world().clusters[static_cast<std::size_t>(truncation.cluster)];
    const BrokerId leader = simulator_.leader_of(truncation.cluster, truncation.partition);
    const sim::Broker& broker =
        cluster.brokers[static_cast<std::size_t>(leader == kNoBroker ? truncation.broker : leader)];
    const auto batches = broker.partitions[static_cast<std::size_t>(truncation.partition)].log.batches();
    return std::any_of(batches.begin(), batches.end(), [id](const Batch& batch) {
      return id >= batch.first_id.packed && id <= batch.id_at(batch.last_offset).packed;
    });
  }

 private:
  void observe(std::size_t action) {
    for (const Event& event : events_) {
      checker_.observe(event);
      writes_.observe(action, event);
      const auto* election = std::get_if<Election>(&event.payload);
      if (election != nullptr && election->kind == ElectionKind::unclean) {
        elections_.emplace(event.id, action);
      }
    }
    events_.clear();
  }

  checker::Checker checker_;
  std::vector<Event> events_;
  sim::Simulator simulator_;
  Writes writes_;
  std::map<EventId, std::size_t> elections_;
  Judgement judgement_;
  std::size_t carried_over_ = 0;
  std::size_t skipped_ = 0;
  std::size_t afterwards_ = 0;
  bool rested_ = true;
};

template <class Visit>
void for_each_id(const RemovedRecords& removed, const Visit& visit) {
  for (Offset i = 0; i <= removed.last_offset - removed.base_offset; ++i) {
    visit(removed.first_id.packed + static_cast<std::uint64_t>(i));
  }
}

/// The elections at the root of what killed the records: one, or those of a mirror truncation upstream.
std::vector<EventId> roots_of(const Judgement& judgement, const MirrorTruncation& truncation,
                              const RemovedRecords& removed) {
  if (removed.killer == 0) {
    return {};
  }
  const std::vector<EventId>& named = truncation.unclean_elections;
  if (std::binary_search(named.begin(), named.end(), removed.killer)) {
    return {removed.killer};
  }
  const auto upstream =
      std::find_if(judgement.mirror_truncations.begin(), judgement.mirror_truncations.end(),
                   [&removed](const MirrorTruncation& other) { return other.event == removed.killer; });
  return upstream == judgement.mirror_truncations.end() ? std::vector<EventId>{}
                                                        : upstream->unclean_elections;
}

ButForTruncation fate_of(const Judgement& judgement, std::size_t index, const RecordedRun& run,
                         const ElectionlessRun& replay, const std::vector<EventId>& without) {
  const MirrorTruncation& truncation = judgement.mirror_truncations[index];
  ButForTruncation result;
  result.truncation = index;
  const auto is_out = [&without](EventId election) {
    return std::find(without.begin(), without.end(), election) != without.end();
  };
  const bool named =
      std::any_of(truncation.unclean_elections.begin(), truncation.unclean_elections.end(), is_out);
  std::set<std::uint64_t> records;
  for (const RemovedRecords& removed : truncation.removed) {
    const std::vector<EventId> roots = roots_of(judgement, truncation, removed);
    if (!named || std::any_of(roots.begin(), roots.end(), is_out)) {
      for_each_id(removed, [&records](std::uint64_t id) { records.insert(id); });
    }
  }
  result.records = static_cast<std::int64_t>(records.size());

  bool explained = true;
  std::set<std::uint64_t> still;
  for (const MirrorTruncation& there : replay.judgement().mirror_truncations) {
    if (there.cluster != truncation.cluster || there.partition != truncation.partition) {
      continue;
    }
    bool concerned = false;
    for (const RemovedRecords& removed : there.removed) {
      for_each_id(removed, [&](std::uint64_t id) {
        const std::uint64_t here = replay.writes().in(run.writes, id);
        if (records.contains(here)) {
          still.insert(here);
          concerned = true;
          explained = explained && removed.killer != 0;
        }
      });
    }
    if (concerned) {
      explained = explained && there.justified;
      for (const EventId election : there.unclean_elections) {
        const auto same = run.election_of.find(replay.action_of(election));
        if (same != run.election_of.end()) {
          result.other_elections.push_back(same->second);
        }
      }
    }
  }
  std::sort(result.other_elections.begin(), result.other_elections.end());
  result.other_elections.erase(std::unique(result.other_elections.begin(), result.other_elections.end()),
                               result.other_elections.end());
  result.still_removed = static_cast<std::int64_t>(still.size());
  for (const std::uint64_t id : records) {
    const std::uint64_t there = run.writes.in(replay.writes(), id);
    result.held_at_end += there != 0 && replay.holds(truncation, there) ? 1 : 0;
  }
  const bool gone = still.empty();
  if (named) {
    result.verdict = gone        ? ButForVerdict::confirmed
                     : explained ? ButForVerdict::other_cause
                                 : ButForVerdict::named_wrongly;
  } else {
    result.verdict = gone ? ButForVerdict::precondition : ButForVerdict::no_cause;
  }
  return result;
}

ButForReplay replay_without(const scenarios::Scenario& scenario, const Judgement& judgement,
                            const RecordedRun& run, std::vector<EventId> without) {
  std::set<std::size_t> actions;
  for (const EventId election : without) {
    const auto found = run.unclean_elections.find(election);
    MP_CHECK(found != run.unclean_elections.end(), "only unclean elections of the run can be taken out");
    actions.insert(found->second);
  }
  ButForReplay result;
  result.without = std::move(without);
  const ElectionlessRun replay(scenario, run, actions);
  replay.report(result);
  for (std::size_t i = 0; i < judgement.mirror_truncations.size(); ++i) {
    result.truncations.push_back(fate_of(judgement, i, run, replay, result.without));
  }
  return result;
}

}  // namespace

bool ButForReport::holds() const {
  return std::none_of(replays.begin(), replays.end(), [](const ButForReplay& replay) {
    return std::any_of(replay.truncations.begin(), replay.truncations.end(),
                       [](const ButForTruncation& truncation) {
                         return truncation.verdict == ButForVerdict::named_wrongly;
                       });
  });
}

std::vector<EventId> unclean_elections_of(const scenarios::Scenario& scenario, const RunKey& key) {
  std::vector<EventId> elections;
  for (const auto& [election, action] : record_run(scenario, key).unclean_elections) {
    elections.push_back(election);
  }
  return elections;
}

ButForReport but_for(const scenarios::Scenario& scenario, const RunKey& key, const Judgement& judgement,
                     std::optional<EventId> only) {
  const RecordedRun run = record_run(scenario, key);
  ButForReport report;
  if (only) {
    report.replays.push_back(replay_without(scenario, judgement, run, {*only}));
    return report;
  }
  std::set<EventId> named;
  for (const MirrorTruncation& truncation : judgement.mirror_truncations) {
    named.insert(truncation.unclean_elections.begin(), truncation.unclean_elections.end());
  }
  for (const EventId election : named) {
    if (report.replays.size() == kMaxButForReplays) {
      report.left_out += 1;
    } else {
      report.replays.push_back(replay_without(scenario, judgement, run, {election}));
    }
  }
  if (named.size() > 1) {
    report.replays.push_back(replay_without(scenario, judgement, run, {named.begin(), named.end()}));
  }
  return report;
}

}  // namespace mirrorproof::reports
