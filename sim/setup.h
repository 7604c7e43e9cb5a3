#pragma once
// Setup: everything a run starts from, as plain data. scenarios/ builds it from JSON; tests build it by hand.

#include <array>
#include <string>
#include <vector>

#include "model/api_versions.h"
#include "model/batch.h"
#include "model/protocol_options.h"
#include "model/types.h"
#include "sim/action.h"

namespace mirrorproof::sim {

struct ClusterSetup {
  std::string name;
  std::vector<KafkaVersion> brokers;  ///< one Kafka version per broker, 1..kMaxBrokers
  friend bool operator==(const ClusterSetup&, const ClusterSetup&) = default;
};

/// One partition in one cluster. Empty replicas: the cluster does not host it.
struct HostedPartition {
  std::vector<BrokerId> replicas;  ///< assignment order; the first is the preferred leader
  int min_insync_replicas = 1;
  friend bool operator==(const HostedPartition&, const HostedPartition&) = default;
};

struct PartitionSetup {
  std::string name;                      ///< "topic-0"
  std::vector<HostedPartition> hosting;  ///< by ClusterId
  /// message.format.version below 2: leaders of clusters that still honour it write records without epochs.
  bool epochless = false;
  friend bool operator==(const PartitionSetup&, const PartitionSetup&) = default;
};

/// A mirror of one partition. Several mirrors with the same destination and partition are allowed (chains of
/// orders over time), but only one of them starts by itself.
struct MirrorSetup {
  ClusterId source = kNoCluster;
  ClusterId destination = kNoCluster;
  PartitionId partition = kNoPartition;
  bool start = true;  ///< ordered to start before the first action
  friend bool operator==(const MirrorSetup&, const MirrorSetup&) = default;
};

/// A consumer of one partition.
struct ReaderSetup {
  std::string name;
  ClusterId cluster = kNoCluster;  ///< where it reads first
  PartitionId partition = kNoPartition;
  bool read_committed = false;
  bool sends_epochs = true;  ///< KIP-320; off, or with the option reader_epochs off, it knows offsets only
  int group = -1;            ///< index of its group among the names in use, -1 = none
  friend bool operator==(const ReaderSetup&, const ReaderSetup&) = default;
};

/// The log a replica has when the run starts. Epochs must not decrease; replicas of a cluster that are not
/// named start with the log of the first named one of that cluster, or empty.
struct InitialLog {
  ClusterId cluster = kNoCluster;
  PartitionId partition = kNoPartition;
  BrokerId broker = kNoBroker;  ///< kNoBroker: every replica of the cluster
  /// Records of equal (cluster of origin, label) are the same record everywhere.
  std::vector<Batch> batches;
  bool in_sync = true;  ///< false: the replica starts outside the ISR
  friend bool operator==(const InitialLog&, const InitialLog&) = default;
};

enum class StepKind : std::uint8_t {
  action,    ///< exactly this action; if it is not enabled the script fails with the reason
  settle,    ///< protocol actions, fairly, until nothing changes any more
  random,    ///< `count` actions of the scenario's random strategy
  hold,      ///< from now on `held` activities of the broker are not scheduled
  release,   ///< the opposite
  converge,  ///< heals everything, then settles, and has the result judged (invariant convergence)
  mark,      ///< the state from which a bounded search or a random walk may start
};

/// What `hold` can stop.
enum class Held : std::uint8_t { fetch, metadata, mirror, source_metadata };

/// One step of a script. `Action::broker` may be kNoBroker for produce, isr_shrink, alter_partition and
/// mirror_step: the current leader when it runs.
struct ScriptStep {
  StepKind kind = StepKind::action;
  Action action;
  int count = 0;  ///< random: actions; settle: upper bound of rounds (0 = default)
  Held held = Held::fetch;
  std::string pointer;  ///< JSON pointer of the step, for messages
  std::string note;     ///< free text of the author, shown by replay
  friend bool operator==(const ScriptStep&, const ScriptStep&) = default;
};

/// How actions are chosen where no script says so (sim/strategy.h).
enum class Strategy : std::uint8_t { scripted, random, round_robin, uniform, pct };

struct FaultSetup {
  /// Relative weight of each class in the random strategy; 0 = never. Protocol classes must be > 0.
  std::array<int, kActionClassCount> weights{};
  /// How many actions of each class a run may take; -1 = no limit. Protocol classes are always -1.
  std::array<int, kActionClassCount> budgets{};
  /// Versions that change_version may pick (empty: change_version never happens).
  std::vector<KafkaVersion> versions;
  friend bool operator==(const FaultSetup&, const FaultSetup&) = default;
};

/// Weights and budgets a scenario has when it says nothing.
FaultSetup default_faults();

struct RunSetup {
  std::uint64_t first_seed = 1;
  int seeds = 1;
  int max_actions = 0;  ///< random actions after the script (0: only the script)
  Strategy strategy = Strategy::random;
  int change_points = 3;      ///< of Strategy::pct
  int fetch_max_batches = 0;  ///< 0 = no limit
  bool converge = false;      ///< at the end of the run: StepKind::converge
  friend bool operator==(const RunSetup&, const RunSetup&) = default;
};

struct Setup {
  std::string name;
  std::vector<ClusterSetup> clusters;
  std::vector<PartitionSetup> partitions;
  std::vector<MirrorSetup> mirrors;
  std::vector<ReaderSetup> readers;
  std::vector<std::string> groups;  ///< names, by ReaderSetup::group
  std::vector<InitialLog> initial_logs;
  ProtocolOptions protocol;
  FaultSetup faults;
  std::vector<ScriptStep> steps;
  RunSetup run;
  friend bool operator==(const Setup&, const Setup&) = default;
};

}  // namespace mirrorproof::sim

namespace mirrorproof {
template <>
struct EnumNames<sim::Held> {
  static constexpr EnumTable<sim::Held, 4> entries{{
      {sim::Held::fetch, "fetch"},
      {sim::Held::metadata, "metadata"},
      {sim::Held::mirror, "mirror"},
      {sim::Held::source_metadata, "source_metadata"},
  }};
};
template <>
struct EnumNames<sim::Strategy> {
  static constexpr EnumTable<sim::Strategy, 5> entries{{
      {sim::Strategy::scripted, "scripted"},
      {sim::Strategy::random, "random"},
      {sim::Strategy::round_robin, "round_robin"},
      {sim::Strategy::uniform, "uniform"},
      {sim::Strategy::pct, "pct"},
  }};
};
}  // namespace mirrorproof
