#include "explore/moves.h"

#include <algorithm>
#include <utility>

#include "explore/canonical_world.h"
#include "model/check.h"
#include "model/leader_epoch_check.h"
#include "sim/runner.h"

namespace mirrorproof::explore {
namespace {

using sim::Action;
using sim::ActionClass;
using sim::ActionFlag;

/// As many exchanges of a follower are taken together at most.
constexpr int kMostExchanges = 8;
/// More in a row is a loop, which the rules of `coarse` must not have.
constexpr int kMostAtOnce = 10'000;

constexpr std::array kAtOnce{ActionClass::metadata_apply,  ActionClass::fence,
                             ActionClass::unfence,         ActionClass::alter_partition,
                             ActionClass::epoch_bump,      ActionClass::position_write,
                             ActionClass::fetcher_backoff, ActionClass::mirror_step};

/// While some of these are left, it matters what a replica had when the leader changed.
constexpr std::array kChangesLeaders{ActionClass::clean_election,     ActionClass::unclean_election,
                                     ActionClass::preferred_election, ActionClass::crash,
                                     ActionClass::power_loss,         ActionClass::change_version};

bool is_at_once(ActionClass kind) {
  return std::find(kAtOnce.begin(), kAtOnce.end(), kind) != kAtOnce.end();
}

bool is_retry(const sim::Simulator& simulator, const Action& action) {
  return action.kind == ActionClass::mirror_step && simulator.world()
                                                            .clusters[action.cluster]
                                                            .brokers[action.broker]
                                                            .tasks[static_cast<std::size_t>(action.partition)]
                                                            .step == MirrorTask::Step::retry;
}

/// Unclean elections of replicas that could only take over if the leader stopped: nobody else is in the ISR.
void add_replacements(const sim::Simulator& simulator, sim::Actions& out) {
  const sim::World& world = simulator.world();
  if (world.budgets_left[static_cast<std::size_t>(ActionClass::unclean_election)] == 0) {
    return;
  }
  for (std::size_t c = 0; c < world.clusters.size(); ++c) {
    const sim::Cluster& cluster = world.clusters[c];
    for (std::size_t p = 0; p < cluster.mirrors.size(); ++p) {
      const auto partition = static_cast<PartitionId>(p);
      const PartitionRegistration& registration = cluster.controller.partition(partition);
      const BrokerId leader = registration.leader;
      if (leader == kNoBroker || !cluster.brokers[leader].alive ||
          (registration.isr.bits | registration.elr.bits) != 1U << leader) {
        continue;
      }
      for (std::size_t b = 0; b < cluster.brokers.size(); ++b) {
        const auto broker = static_cast<BrokerId>(b);
        if (broker != leader && registration.replica_set().contains(broker) &&
            cluster.controller.is_unfenced(broker) && cluster.brokers[b].alive) {
          Action election;
          election.kind = ActionClass::unclean_election;
          election.cluster = static_cast<ClusterId>(c);
          election.broker = broker;
          election.partition = partition;
          out.push_back(election);
        }
      }
    }
  }
}

/// A broker mirrors, or has a retry to make: news of its source's leader make a difference soon.
bool is_about_to_ask(const sim::Simulator& simulator, const Action& refresh) {
  const sim::Cluster& cluster = simulator.world().clusters[refresh.cluster];
  const sim::Broker& broker = cluster.brokers[refresh.broker];
  for (std::size_t p = 0; p < cluster.mirrors.size(); ++p) {
    if (cluster.mirrors[p].source == refresh.other_cluster &&
        (cluster.mirrors[p].state == MirrorState::mirroring ||
         broker.tasks[p].step == MirrorTask::Step::retry)) {
      return true;
    }
  }
  return false;
}

/// Anything is left that could make another broker the leader.
bool leaders_may_change(const sim::World& world) {
  return std::any_of(kChangesLeaders.begin(), kChangesLeaders.end(), [&](ActionClass kind) {
    return world.budgets_left[static_cast<std::size_t>(kind)] != 0;
  });
}

/// The follower has what its leader has, and they know it of one another: to fetch changes nothing.
bool has_followed(const sim::Cluster& cluster, const Action& fetch) {
  const sim::Broker& follower = cluster.brokers[fetch.broker];
  const sim::Broker& leader = cluster.brokers[fetch.other_broker];
  const auto found = std::find_if(follower.fetchers.begin(), follower.fetchers.end(), [&](const auto& slot) {
    return slot.server_cluster == fetch.cluster && slot.server == fetch.other_broker;
  });
  if (found == follower.fetchers.end() || !found->connected || !leader.alive) {
    return false;
  }
  return std::all_of(
      found->fetcher.states().begin(), found->fetcher.states().end(), [&](const PartitionFetchState& state) {
        const auto p = static_cast<std::size_t>(state.partition);
        const Partition& own = follower.partitions[p];
        const Partition& theirs = leader.partitions[p];
        const Epoch latest = theirs.log.latest_epoch().value_or(kUndefinedEpoch);
        return state.ready_to_fetch() && state.lag >= 0 && theirs.role == Role::leader &&
               theirs.isr.contains(fetch.broker) && !theirs.pending_isr &&
               theirs.leader_epoch == state.current_leader_epoch &&
               theirs.follower_end_offset[static_cast<std::size_t>(fetch.broker)] ==
                   own.log.log_end_offset() &&
               theirs.follower_broker_epoch[static_cast<std::size_t>(fetch.broker)] ==
                   follower.broker_epoch &&
               own.log.log_end_offset() == state.fetch_offset &&
               own.log.log_end_offset() == theirs.log.log_end_offset() &&
               own.log.high_watermark() == theirs.log.high_watermark() &&
               own.log.log_start_offset() == theirs.log.log_start_offset() &&
               state.last_fetched_epoch == own.log.latest_epoch().value_or(kUndefinedEpoch) &&
               check_fetch_epoch(theirs.log, state.fetch_offset, state.last_fetched_epoch).result ==
                   FetchCheck::Result::ok &&
               (!theirs.mirror_leader || state.mirror_leader_epoch >= latest);
      });
}

bool any_shrink_raises_epoch(const sim::World& world) {
  return std::any_of(world.clusters.begin(), world.clusters.end(), [](const sim::Cluster& cluster) {
    return cluster.controller.rules().shrink_bumps_epoch;
  });
}

/// A failback: the source has mirrored from this destination before.
bool reverses_a_mirror(const sim::Simulator& simulator, const Action& action) {
  return simulator.world()
             .clusters[action.other_cluster]
             .mirrors[static_cast<std::size_t>(action.partition)]
             .source == action.cluster;
}

}  // namespace

std::span<const std::string_view> left_out_by(Granularity granularity) {
  switch (granularity) {
    case Granularity::fine:
      return {};
    case Granularity::coarse:
      return kCoarseRules;
    case Granularity::rounds:
      return kRoundRules;
  }
  return {};
}

std::array<std::int32_t, sim::kActionClassCount> search_budgets(const scenarios::Bounds& bounds,
                                                                const sim::World& world) {
  std::array<std::int32_t, sim::kActionClassCount> budgets{};
  const auto set = [&budgets](ActionClass kind, int limit) {
    budgets[static_cast<std::size_t>(kind)] = limit;
  };
  for (int i = 0; i < sim::kProtocolClassCount; ++i) {
    budgets[static_cast<std::size_t>(i)] = -1;
  }
  set(ActionClass::isr_shrink, bounds.isr_shrinks);
  set(ActionClass::produce, bounds.records);
  set(ActionClass::clean_election, bounds.clean_elections);
  set(ActionClass::unclean_election, bounds.unclean_elections);
  set(ActionClass::crash, bounds.crashes);
  set(ActionClass::power_loss, bounds.power_losses);
  set(ActionClass::change_version, bounds.version_changes);
  set(ActionClass::drop_connection, bounds.link_drops);
  set(ActionClass::stop_mirror, bounds.failovers);
  set(ActionClass::start_mirror, bounds.failbacks);
  // Who is down may come back, as often as it went down.
  set(ActionClass::restart, -1);
  set(ActionClass::flush, bounds.power_losses > 0 ? -1 : 0);
  if (bounds.granularity == Granularity::rounds && bounds.isr_shrinks > 0 &&
      !any_shrink_raises_epoch(world)) {
    set(ActionClass::isr_shrink, -1);
  }
  return budgets;
}

JudgedWorld::JudgedWorld(const sim::Setup& setup)
    : JudgedWorld(setup, checker::Checker::forgetful(sim::make_trace_header(setup, 0))) {}

JudgedWorld::JudgedWorld(const sim::Setup& setup, checker::Checker of_its_events)
    : simulator(setup, &events), judge(std::move(of_its_events)) {}

void JudgedWorld::observe() {
  judge.observe_step(events);
  events.clear();
}

void JudgedWorld::take(const Action& action) {
  simulator.execute(action);
  observe();
}

void Moves::enumerate(const sim::Simulator& simulator, std::vector<Action>& out) {
  out.clear();
  const bool coarse = granularity_ != Granularity::fine;
  for (int i = 0; i < sim::kActionClassCount; ++i) {
    const auto kind = static_cast<ActionClass>(i);
    if (coarse && is_at_once(kind) && kind != ActionClass::mirror_step) {
      continue;
    }
    simulator.enumerate(kind, some_);
    if (granularity_ == Granularity::rounds && kind == ActionClass::unclean_election) {
      add_replacements(simulator, some_);
    }
    for (Action& action : some_) {
      if (kind == ActionClass::start_mirror && !reverses_a_mirror(simulator, action)) {
        continue;
      }
      if (coarse && kind == ActionClass::mirror_step && !is_retry(simulator, action)) {
        continue;
      }
      if (granularity_ == Granularity::rounds && kind == ActionClass::fetcher_send &&
          action.cluster == action.other_cluster &&
          has_followed(simulator.world().clusters[action.cluster], action)) {
        continue;
      }
      if (kind == ActionClass::source_refresh &&
          (!refresh_matters(simulator.world(), action.cluster, action.other_cluster) ||
           (granularity_ == Granularity::rounds && !is_about_to_ask(simulator, action)))) {
        continue;
      }
      // A scenario may list a mirror in both directions.
      if (std::find(out.begin(), out.end(), action) != out.end()) {
        continue;
      }
      out.push_back(action);
      // What a broker missed it may get record by record, or as one delta.
      const int behind =
          kind == ActionClass::metadata_apply ? simulator.records_to_apply(action.cluster, action.broker) : 0;
      if (behind > 1) {
        out.back().number = 1;
        action.number = behind;
        out.push_back(action);
      }
      // With one replica required a write with acks=1 is stored just as one with acks=all.
      const bool acks_matter =
          kind == ActionClass::produce &&
          simulator.setup().partitions[action.partition].hosting[action.cluster].min_insync_replicas > 1;
      if (acks_matter) {
        action.flags = 0;
        out.push_back(action);
      }
    }
  }
}

void Moves::take(const Action& action, JudgedWorld& world, std::vector<Action>* taken) {
  if (taken != nullptr) {
    taken->push_back(action);
  }
  world.take(action);
}

bool Moves::next_at_once(const sim::Simulator& simulator, Action& out) {
  for (const ActionClass kind : kAtOnce) {
    simulator.enumerate(kind, some_);
    for (const Action& action : some_) {
      if (!is_retry(simulator, action)) {
        out = action;
        return true;
      }
    }
  }
  return false;
}

void Moves::happen_at_once(JudgedWorld& world, std::vector<Action>* taken) {
  Action action;
  for (int i = 0; !world.broken() && next_at_once(world.simulator, action); ++i) {
    MP_CHECK(i < kMostAtOnce, "what happens at once comes to an end");
    take(action, world, taken);
  }
}

/// Who leads will lead for good: followers need not wait.
void Moves::all_catch_up(JudgedWorld& world, std::vector<Action>* taken) {
  const sim::Simulator& simulator = std::as_const(world.simulator);
  if (granularity_ != Granularity::rounds || leaders_may_change(simulator.world())) {
    return;
  }
  // What one of them fetches may be news for another.
  sim::Actions fetches;
  std::uint64_t before = simulator.progress() + 1;
  for (int i = 0; i < kMostExchanges && !world.broken() && before != simulator.progress(); ++i) {
    before = simulator.progress();
    simulator.enumerate(ActionClass::fetcher_send, fetches);
    for (const Action& fetch : fetches) {
      if (fetch.cluster == fetch.other_cluster &&
          !has_followed(simulator.world().clusters[fetch.cluster], fetch) &&
          take_if_enabled(fetch, world, taken)) {
        catch_up(fetch, world, taken);
      }
    }
  }
}

void Moves::settle_start(JudgedWorld& world, std::vector<Action>* taken) {
  if (granularity_ != Granularity::fine) {
    happen_at_once(world, taken);
    all_catch_up(world, taken);
  }
}

bool Moves::take_if_enabled(const Action& action, JudgedWorld& world, std::vector<Action>* taken) {
  if (world.broken() || !world.simulator.why_not_enabled(action).empty()) {
    return false;
  }
  take(action, world, taken);
  return true;
}

/// What was asked is handled, and, if so wanted, received.
void Moves::finish_exchange(const Action& sent, bool receive, JudgedWorld& world,
                            std::vector<Action>* taken) {
  Action next = sent;
  next.kind = ActionClass::server_handle;
  if (take_if_enabled(next, world, taken) && receive) {
    next.kind = ActionClass::fetcher_receive;
    take_if_enabled(next, world, taken);
  }
}

/// A follower fetches until nothing more comes. One exchange without news may be an answer about epochs, or
/// say what the next one acts on.
void Moves::catch_up(const Action& sent, JudgedWorld& world, std::vector<Action>* taken) {
  int quiet = 0;
  for (int i = 1; i < kMostExchanges; ++i) {
    const std::uint64_t before = world.simulator.progress();
    finish_exchange(sent, true, world, taken);
    quiet = world.simulator.progress() == before ? quiet + 1 : 0;
    happen_at_once(world, taken);
    const bool followed = has_followed(std::as_const(world.simulator).world().clusters[sent.cluster], sent);
    if (quiet == 2 || followed || !take_if_enabled(sent, world, taken)) {
      return;
    }
  }
  finish_exchange(sent, true, world, taken);
}

/// A broker has heard of its source's leader, and asks it or retries.
void Moves::ask_after_news(const Action& refresh, JudgedWorld& world, std::vector<Action>* taken) {
  for (const ActionClass kind : {ActionClass::fetcher_send, ActionClass::mirror_step}) {
    if (world.broken()) {
      return;
    }
    world.simulator.enumerate(kind, some_);
    const auto found = std::find_if(some_.begin(), some_.end(), [&](const Action& action) {
      return action.cluster == refresh.cluster && action.broker == refresh.broker &&
             (kind == ActionClass::fetcher_send ? action.other_cluster == refresh.other_cluster
                                                : is_retry(world.simulator, action));
    });
    if (found == some_.end()) {
      continue;
    }
    const Action next = *found;
    take(next, world, taken);
    if (kind == ActionClass::fetcher_send) {
      finish_exchange(next, true, world, taken);
    }
    return;
  }
}

/// The leader crashes, the replica takes over, and who led starts again.
void Moves::replace_leader(const Action& election, JudgedWorld& world, std::vector<Action>* taken) {
  const BrokerId leader = std::as_const(world.simulator)
                              .world()
                              .clusters[election.cluster]
                              .controller.partition(election.partition)
                              .leader;
  Action stop;
  stop.kind = ActionClass::crash;
  stop.cluster = election.cluster;
  stop.broker = leader;
  auto& budgets = world.simulator.world().budgets_left;
  const auto crashes = budgets[static_cast<std::size_t>(ActionClass::crash)];
  take(stop, world, taken);
  budgets[static_cast<std::size_t>(ActionClass::crash)] = crashes;
  happen_at_once(world, taken);
  take_if_enabled(election, world, taken);
  happen_at_once(world, taken);
  stop.kind = ActionClass::restart;
  take_if_enabled(stop, world, taken);
}

void Moves::carry_out(const Action& move, JudgedWorld& world, std::vector<Action>* taken) {
  const bool rounds = granularity_ == Granularity::rounds;
  if (rounds && move.kind == ActionClass::unclean_election &&
      std::as_const(world.simulator)
              .world()
              .clusters[move.cluster]
              .controller.partition(move.partition)
              .leader != kNoBroker) {
    replace_leader(move, world, taken);
    happen_at_once(world, taken);
    all_catch_up(world, taken);
    return;
  }
  take(move, world, taken);
  if (granularity_ == Granularity::fine || world.broken()) {
    return;
  }
  if (move.kind == ActionClass::fetcher_send) {
    const bool own = move.cluster == move.other_cluster;
    if (rounds && own) {
      catch_up(move, world, taken);
    } else {
      finish_exchange(move, own || rounds, world, taken);
    }
  } else if (rounds && move.kind == ActionClass::source_refresh) {
    happen_at_once(world, taken);
    ask_after_news(move, world, taken);
  }
  happen_at_once(world, taken);
  all_catch_up(world, taken);
}

}  // namespace mirrorproof::explore
