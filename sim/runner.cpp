#include "sim/runner.h"

#include <fmt/format.h>

#include "sim/convergence.h"
#include "sim/strategy.h"

namespace mirrorproof::sim {
namespace {

/// Steps may leave the broker to "whoever leads when the step runs".
bool resolve_leader(const Simulator& simulator, Action& action) {
  if (action.kind == ActionClass::read) {
    const auto reader = static_cast<std::size_t>(action.producer);
    action.cluster = simulator.world().readers[reader].cluster;
    if (action.broker == kNoBroker) {
      action.broker = simulator.leader_of(action.cluster, simulator.setup().readers[reader].partition);
    }
    return action.broker != kNoBroker;
  }
  if (action.kind == ActionClass::commit_group_offset) {
    action.cluster = simulator.world().readers[static_cast<std::size_t>(action.producer)].cluster;
    return true;
  }
  const bool needs_leader =
      action.kind == ActionClass::produce || action.kind == ActionClass::produce_again ||
      action.kind == ActionClass::produce_late || action.kind == ActionClass::end_transaction ||
      action.kind == ActionClass::alter_partition || action.kind == ActionClass::mirror_step ||
      action.kind == ActionClass::isr_shrink;
  if (!needs_leader || action.broker != kNoBroker) {
    return true;
  }
  action.broker = simulator.leader_of(action.cluster, action.partition);
  return action.broker != kNoBroker;
}

std::string never_rests_text(const RestReport& report) {
  const std::string cycle = report.cycle > 0
                                ? fmt::format("the same state comes back every {} rounds", report.cycle)
                                : "no state was seen to come back";
  return fmt::format("the world does not come to rest in {} rounds; {}; the last rounds: {}", report.rounds,
                     cycle, report.activity);
}

}  // namespace

FaultSetup default_faults() {
  FaultSetup faults;
  using Class = ActionClass;
  const auto set = [&faults](Class kind, int weight, int budget) {
    faults.weights[static_cast<int>(kind)] = weight;
    faults.budgets[static_cast<int>(kind)] = budget;
  };
  set(Class::fetcher_send, 40, -1);
  set(Class::server_handle, 40, -1);
  set(Class::fetcher_receive, 40, -1);
  set(Class::fetcher_backoff, 8, -1);
  set(Class::isr_shrink, 8, -1);
  set(Class::alter_partition, 12, -1);
  set(Class::metadata_apply, 25, -1);
  set(Class::fence, 8, -1);
  set(Class::unfence, 8, -1);
  set(Class::mirror_step, 25, -1);
  set(Class::epoch_bump, 12, -1);
  set(Class::position_write, 10, -1);
  set(Class::source_refresh, 8, -1);
  set(Class::group_look_up, 4, -1);
  set(Class::group_write, 4, -1);
  set(Class::produce, 10, -1);
  set(Class::produce_again, 1, -1);
  set(Class::produce_late, 0, 0);
  set(Class::end_transaction, 4, -1);
  set(Class::read, 6, -1);
  set(Class::commit_group_offset, 3, -1);
  set(Class::resume_reader, 1, 4);
  set(Class::clean_election, 2, 6);
  set(Class::unclean_election, 12, 4);
  set(Class::preferred_election, 0, 0);
  set(Class::crash, 3, 8);
  set(Class::restart, 6, -1);
  set(Class::power_loss, 0, 0);
  set(Class::shut_down, 0, 0);
  set(Class::flush, 0, -1);
  set(Class::change_version, 1, 4);
  set(Class::drop_connection, 2, 6);
  set(Class::cut_clusters, 1, 2);
  set(Class::heal_clusters, 3, -1);
  set(Class::cut_controller, 1, 3);
  set(Class::heal_controller, 3, -1);
  set(Class::delete_records, 0, 0);
  set(Class::compact, 0, 0);
  set(Class::recreate_topic, 0, 0);
  set(Class::set_min_insync_replicas, 0, 0);
  set(Class::reassign, 0, 0);
  set(Class::cancel_reassignment, 0, 0);
  set(Class::coordinator_failover, 1, 6);
  set(Class::start_mirror, 2, 4);
  set(Class::stop_mirror, 1, 4);
  set(Class::pause_mirror, 1, 2);
  set(Class::resume_mirror, 2, -1);
  set(Class::delete_mirror, 0, 0);
  set(Class::recover_mirror, 0, 0);
  return faults;
}

Runner::Runner(const Setup& setup) : setup_(&setup) {}

bool Runner::hand_over(const EventObserver& observer) {
  if (!observer) {
    return true;
  }
  const bool go_on = observer(events_, *simulator_);
  events_.clear();
  return go_on;
}

RunOutcome Runner::run(Choices& choices, const EventObserver& observer) {
  RunOutcome outcome;
  events_.clear();
  simulator_.emplace(*setup_, &events_);
  simulator_->start();
  DrawingStrategy random(*setup_);
  RoundRobinStrategy round_robin;
  script_position_ = 0;
  converging_ = false;
  bool go_on = hand_over(observer);
  const AfterAction after_action = [&] {
    go_on = hand_over(observer);
    return go_on;
  };
  for (; script_position_ < setup_->steps.size() && go_on; ++script_position_) {
    const ScriptStep& step = setup_->steps[script_position_];
    switch (step.kind) {
      case StepKind::action: {
        Action action = step.action;
        const std::string blocked = resolve_leader(*simulator_, action) ? simulator_->why_not_enabled(action)
                                                                        : "the partition has no leader";
        if (!blocked.empty()) {
          outcome.end = RunEnd::step_disabled;
          outcome.problem =
              fmt::format("{}: step {} cannot be taken: {}", step.pointer, to_string(action.kind), blocked);
          go_on = false;
          break;
        }
        simulator_->execute(action);
        go_on = hand_over(observer);
        break;
      }
      case StepKind::settle: {
        const int rounds = step.count > 0 ? step.count : kDefaultSettleRounds;
        const RestReport report = run_to_rest(*simulator_, round_robin, rounds, after_action);
        if (!report.rested && go_on) {
          outcome.end = RunEnd::never_rests;
          outcome.problem = fmt::format("{}: {}", step.pointer, never_rests_text(report));
          go_on = false;
        }
        break;
      }
      case StepKind::converge:
        converging_ = true;
        converge(*simulator_, round_robin, step.count > 0 ? step.count : kDefaultSettleRounds, after_action);
        converging_ = false;
        break;
      case StepKind::random:
        for (int i = 0; i < step.count && go_on && random.step(*simulator_, choices); ++i) {
          go_on = hand_over(observer);
        }
        break;
      case StepKind::hold:
      case StepKind::release: {
        std::uint8_t& held =
            simulator_->world().clusters[step.action.cluster].brokers[step.action.broker].held;
        const auto bit = static_cast<std::uint8_t>(1U << static_cast<int>(step.held));
        held = static_cast<std::uint8_t>(step.kind == StepKind::hold ? held | bit : held & ~bit);
        break;
      }
      case StepKind::mark:
        break;
    }
  }
  if (setup_->run.strategy == Strategy::round_robin) {
    for (int i = 0; i < setup_->run.max_actions && go_on && round_robin.round(*simulator_, after_action);
         ++i) {
    }
  } else if (draws(setup_->run.strategy)) {
    for (int i = 0; i < setup_->run.max_actions && go_on && random.step(*simulator_, choices); ++i) {
      go_on = hand_over(observer);
    }
  }
  converging_ = setup_->run.converge;
  if (setup_->run.converge && go_on) {
    converge(*simulator_, round_robin, kDefaultSettleRounds, after_action);
  }
  outcome.actions = simulator_->steps();
  outcome.choices = choices.drawn();
  return outcome;
}

TraceHeader make_trace_header(const Setup& setup, std::uint64_t seed) {
  TraceHeader header;
  header.scenario = setup.name;
  header.seed = seed;
  header.protocol = setup.protocol;
  header.reports_losses = true;
  for (const ClusterSetup& cluster : setup.clusters) {
    header.clusters.push_back({cluster.name, static_cast<int>(cluster.brokers.size())});
  }
  for (const PartitionSetup& partition : setup.partitions) {
    TracePartition traced;
    traced.name = partition.name;
    for (const HostedPartition& hosting : partition.hosting) {
      BrokerSet replicas;
      for (const BrokerId replica : hosting.replicas) {
        replicas.insert(replica);
      }
      traced.replicas.push_back(replicas);
    }
    header.partitions.push_back(std::move(traced));
  }
  return header;
}

RunResult run_choices(const Setup& setup, Choices& choices, std::uint64_t seed) {
  Runner runner(setup);
  RunResult result;
  result.outcome = runner.run(choices);
  result.trace.header = make_trace_header(setup, seed);
  result.trace.events = std::move(runner.events());
  result.world = runner.simulator().world();
  return result;
}

RunResult run_seed(const Setup& setup, std::uint64_t seed) {
  SeededChoices choices(seed);
  return run_choices(setup, choices, seed);
}

}  // namespace mirrorproof::sim
