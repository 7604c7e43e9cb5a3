#pragma once
// Small worlds that several tests start from.

#include "sim/setup.h"

namespace mirrorproof::sim {

inline Action action_of(ActionClass kind, ClusterId cluster, BrokerId broker = kNoBroker,
                        std::int64_t number = 0) {
  Action action;
  action.kind = kind;
  action.cluster = cluster;
  action.broker = broker;
  action.partition = 0;
  action.number = number;
  return action;
}

inline ScriptStep step_of(const Action& action) {
  ScriptStep step;
  step.action = action;
  step.pointer = "/steps/?";
  return step;
}

inline ScriptStep settle_step() {
  ScriptStep step;
  step.kind = StepKind::settle;
  step.pointer = "/steps/?";
  return step;
}

/// Cluster A (source) and B (mirrors it), one partition, `brokers` brokers each.
inline Setup two_clusters(int brokers, KafkaVersion source = latest_kafka_version()) {
  Setup setup;
  setup.name = "two-clusters";
  setup.clusters.push_back({"A", std::vector<KafkaVersion>(static_cast<std::size_t>(brokers), source)});
  setup.clusters.push_back(
      {"B", std::vector<KafkaVersion>(static_cast<std::size_t>(brokers), latest_kafka_version())});
  PartitionSetup partition;
  partition.name = "orders-0";
  HostedPartition hosting;
  for (int b = 0; b < brokers; ++b) {
    hosting.replicas.push_back(static_cast<BrokerId>(b));
  }
  partition.hosting = {hosting, hosting};
  setup.partitions.push_back(partition);
  MirrorSetup mirror;
  mirror.source = 0;
  mirror.destination = 1;
  mirror.partition = 0;
  setup.mirrors.push_back(mirror);
  setup.faults = default_faults();
  setup.run.strategy = Strategy::scripted;
  return setup;
}

}  // namespace mirrorproof::sim
