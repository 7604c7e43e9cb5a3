#include "sim/convergence.h"

#include <fmt/format.h>

namespace mirrorproof::sim {
namespace {

/// Rounds watched for a state that comes back.
constexpr int kWatchedRounds = 64;

class Converger {
 public:
  Converger(Simulator& simulator, RoundRobinStrategy& round_robin, int max_rounds,
            const AfterAction& after_action, UncleanElections unclean)
      : simulator_(simulator),
        round_robin_(round_robin),
        max_rounds_(max_rounds),
        after_action_(after_action),
        unclean_(unclean) {}

  RestReport run() {
    release_and_heal();
    settle();
    for_each_broker([&](ClusterId cluster, BrokerId broker) {
      take(broker_action(ActionClass::fence, cluster, broker));
      take(broker_action(ActionClass::restart, cluster, broker));
    });
    settle();
    for (std::size_t c = 0; c < simulator_.world().clusters.size(); ++c) {
      elect_leaders(static_cast<ClusterId>(c));
    }
    settle();
    end_transactions();
    return settle();
  }

 private:
  RestReport settle() {
    if (!report_.rested || report_.told_to_end) {
      return report_;
    }
    report_ = run_to_rest(simulator_, round_robin_, max_rounds_, after_action_);
    return report_;
  }

  /// The action, if it can be taken.
  void take(const Action& action) {
    if (!report_.rested || report_.told_to_end || !simulator_.why_not_enabled(action).empty()) {
      return;
    }
    simulator_.execute(action);
    if (after_action_ && !after_action_()) {
      report_.told_to_end = true;
    }
  }

  static Action broker_action(ActionClass kind, ClusterId cluster, BrokerId broker) {
    Action action;
    action.kind = kind;
    action.cluster = cluster;
    action.broker = broker;
    return action;
  }

  template <class Visit>
  void for_each_broker(Visit visit) {
    for (std::size_t c = 0; c < simulator_.world().clusters.size(); ++c) {
      for (std::size_t b = 0; b < simulator_.world().clusters[c].brokers.size(); ++b) {
        visit(static_cast<ClusterId>(c), static_cast<BrokerId>(b));
      }
    }
  }

  void release_and_heal() {
    for_each_broker([&](ClusterId cluster, BrokerId broker) {
      simulator_.world().clusters[cluster].brokers[broker].held = 0;
      take(broker_action(ActionClass::heal_controller, cluster, broker));
    });
    const auto clusters = static_cast<ClusterId>(simulator_.world().clusters.size());
    for (ClusterId a = 0; a < clusters; ++a) {
      for (ClusterId b = static_cast<ClusterId>(a + 1); b < clusters; ++b) {
        Action action = broker_action(ActionClass::heal_clusters, a, kNoBroker);
        action.other_cluster = b;
        take(action);
      }
    }
  }

  void elect_leaders(ClusterId cluster) {
    const Controller& controller = simulator_.world().clusters[cluster].controller;
    for (std::size_t p = 0; p < controller.partition_count(); ++p) {
      const auto partition = static_cast<PartitionId>(p);
      for (const ActionClass kind : {ActionClass::clean_election, ActionClass::unclean_election}) {
        if (kind == ActionClass::unclean_election && unclean_ == UncleanElections::never) {
          continue;
        }
        const auto replicas = controller.partition(partition).replicas;
        for (const BrokerId replica : replicas) {
          if (controller.partition(partition).leader == kNoBroker) {
            Action action = broker_action(kind, cluster, replica);
            action.partition = partition;
            take(action);
          }
        }
      }
    }
  }

  /// The transaction coordinator's time-out.
  void end_transactions() {
    for (std::size_t i = 0; i < simulator_.world().producers.size(); ++i) {
      const Producer producer = simulator_.world().producers[i];
      const BrokerId leader = simulator_.leader_of(producer.cluster, producer.partition);
      if (!producer.in_transaction || leader == kNoBroker) {
        continue;
      }
      Action action = broker_action(ActionClass::end_transaction, producer.cluster, leader);
      action.partition = producer.partition;
      action.producer = producer.id;
      action.flags = simulator_.aborts_transaction(action, true)
                         ? static_cast<std::uint8_t>(ActionFlag::abort)
                         : std::uint8_t{0};
      take(action);
    }
  }

  Simulator& simulator_;
  RoundRobinStrategy& round_robin_;
  int max_rounds_;
  const AfterAction& after_action_;
  UncleanElections unclean_;
  RestReport report_;
};

}  // namespace

RestReport run_to_rest(Simulator& simulator, RoundRobinStrategy& round_robin, int max_rounds,
                       const AfterAction& after_action) {
  RestReport report;
  bool go_on = true;
  std::array<int, kActionClassCount> taken{};
  const AfterAction count = [&] {
    taken[static_cast<std::size_t>(simulator.last_action().kind)] += 1;
    go_on = !after_action || after_action();
    return go_on;
  };
  if (round_robin.settle(simulator, max_rounds, count)) {
    report.told_to_end = !go_on;
    return report;
  }
  report.rested = false;
  report.rounds = max_rounds;
  taken.fill(0);
  const World before = simulator.world();
  for (int round = 1; round <= kWatchedRounds && go_on; ++round) {
    round_robin.round(simulator, count);
    if (simulator.world() == before) {
      report.cycle = round;
      break;
    }
  }
  report.told_to_end = !go_on;
  for (int kind = 0; kind < kActionClassCount; ++kind) {
    const auto times = taken[static_cast<std::size_t>(kind)];
    if (times > 0) {
      report.activity += fmt::format("{}{} {} times", report.activity.empty() ? "" : ", ",
                                     to_string(static_cast<ActionClass>(kind)), times);
    }
  }
  return report;
}

RestReport converge(Simulator& simulator, RoundRobinStrategy& round_robin, int max_rounds,
                    const AfterAction& after_action, UncleanElections unclean) {
  RestReport report = Converger(simulator, round_robin, max_rounds, after_action, unclean).run();
  if (!report.told_to_end) {
    simulator.recorder().emit(0, kController, kNoPartition,
                              WorldRested{report.rested, report.rounds, report.cycle});
    if (after_action) {
      after_action();
    }
  }
  return report;
}

}  // namespace mirrorproof::sim
