#include "explore/moves.h"

#include <algorithm>

#include "model/check.h"
#include "sim/runner.h"

namespace mirrorproof::explore {
namespace {

using sim::Action;
using sim::ActionClass;
using sim::ActionFlag;

/// More in a row is a loop, which the rules of `coarse` must not have.
constexpr int kMostAtOnce = 10'000;

constexpr std::array kAtOnce{ActionClass::metadata_apply,  ActionClass::fence,
                             ActionClass::unfence,         ActionClass::alter_partition,
                             ActionClass::epoch_bump,      ActionClass::position_write,
                             ActionClass::fetcher_backoff, ActionClass::mirror_step};

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

/// A failback: the source has mirrored from this destination before.
bool reverses_a_mirror(const sim::Simulator& simulator, const Action& action) {
  return simulator.world()
             .clusters[action.other_cluster]
             .mirrors[static_cast<std::size_t>(action.partition)]
             .source == action.cluster;
}

}  // namespace

std::array<std::int32_t, sim::kActionClassCount> search_budgets(const scenarios::Bounds& bounds) {
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
  return budgets;
}

JudgedWorld::JudgedWorld(const sim::Setup& setup)
    : simulator(setup, &events), judge(checker::Checker::forgetful(sim::make_trace_header(setup, 0))) {}

void JudgedWorld::observe() {
  for (const Event& event : events) {
    judge.observe(event);
  }
  events.clear();
  judge.end_step();
}

void JudgedWorld::take(const Action& action) {
  simulator.execute(action);
  observe();
}

void Moves::enumerate(const sim::Simulator& simulator, std::vector<Action>& out) {
  out.clear();
  const bool coarse = granularity_ == Granularity::coarse;
  for (int i = 0; i < sim::kActionClassCount; ++i) {
    const auto kind = static_cast<ActionClass>(i);
    if (coarse && is_at_once(kind) && kind != ActionClass::mirror_step) {
      continue;
    }
    simulator.enumerate(kind, some_);
    for (Action& action : some_) {
      if (kind == ActionClass::start_mirror && !reverses_a_mirror(simulator, action)) {
        continue;
      }
      if (coarse && kind == ActionClass::mirror_step && !is_retry(simulator, action)) {
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

void Moves::settle_start(JudgedWorld& world, std::vector<Action>* taken) {
  if (granularity_ == Granularity::coarse) {
    happen_at_once(world, taken);
  }
}

void Moves::carry_out(const Action& move, JudgedWorld& world, std::vector<Action>* taken) {
  take(move, world, taken);
  if (granularity_ == Granularity::fine || world.broken()) {
    return;
  }
  if (move.kind == ActionClass::fetcher_send) {
    Action next = move;
    next.kind = ActionClass::server_handle;
    if (world.simulator.why_not_enabled(next).empty()) {
      take(next, world, taken);
      next.kind = ActionClass::fetcher_receive;
      if (!world.broken() && move.cluster == move.other_cluster &&
          world.simulator.why_not_enabled(next).empty()) {
        take(next, world, taken);
      }
    }
  }
  happen_at_once(world, taken);
}

}  // namespace mirrorproof::explore
