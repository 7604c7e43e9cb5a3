#pragma once
// Swarm: each seed draws its own topology, versions, fault mix and sizes; never a subset of the protocol's
// own actions. Most seeds mix everything; a share of them is small and asks one question often: replication
// inside one cluster under many elections, an old source under many unclean elections, failovers and
// failbacks.

#include <bitset>
#include <optional>

#include "model/enum_names.h"
#include "sim/fault_class.h"
#include "sim/setup.h"

namespace mirrorproof::sim {

/// What a seed is about. The small worlds reach in few actions what needs luck in the mixed one.
enum class SwarmSubject : std::uint8_t {
  mixed,
  elections,   ///< one cluster, three replicas, leadership moves all the time, nothing crashes
  old_source,  ///< a source without truncation on fetch that elects uncleanly again and again
  source_ule,  ///< a source that loses what was mirrored, again and again; a destination with followers
  failback,    ///< two small clusters and an operator who moves between them
};
inline constexpr int kSwarmSubjectCount = 5;
using SwarmSubjects = std::bitset<kSwarmSubjectCount>;

/// Both ends included.
struct SwarmRange {
  int min = 1;
  int max = 1;
};

struct SwarmLimit {
  int most = -1;        ///< actions of the class in a seed; -1 = as drawn
  bool always = false;  ///< in every seed, even if it was not drawn
};

inline constexpr int kLeastSwarmActions = 4;

struct SwarmOptions {
  ProtocolOptions protocol;
  SwarmRange clusters{1, 3};
  SwarmRange brokers{1, 3};  ///< per cluster
  /// Of clusters that mirror another one, if not the same.
  std::optional<SwarmRange> destination_brokers;
  SwarmRange partitions{1, 2};
  SwarmRange actions{100, 400};
  /// Of clusters that nothing is mirrored into; the others run the newest release.
  KafkaVersion oldest{0};
  KafkaVersion newest = latest_kafka_version();
  SwarmSubjects subjects = SwarmSubjects{}.set();
  FaultClass faults = FaultClass::all;
  std::array<SwarmLimit, kActionClassCount> limits{};
};

/// Can the class be forced into every seed? Not if it fits only some of the worlds that seeds draw.
bool may_be_in_every_seed(ActionClass kind);

/// Those of options.subjects that the ranges leave possible.
SwarmSubjects possible_subjects(const SwarmOptions& options);

/// A pure function of its arguments. What was drawn is in the setup, which prints as a scenario. Some subject
/// must be possible.
Setup swarm_setup(const SwarmOptions& options, std::uint64_t seed);

}  // namespace mirrorproof::sim

template <>
struct mirrorproof::EnumNames<mirrorproof::sim::SwarmSubject> {
  using S = mirrorproof::sim::SwarmSubject;
  static constexpr EnumTable<S, mirrorproof::sim::kSwarmSubjectCount> entries{{
      {S::mixed, "mixed"},
      {S::elections, "elections"},
      {S::old_source, "old_source"},
      {S::source_ule, "source_ule"},
      {S::failback, "failback"},
  }};
};
