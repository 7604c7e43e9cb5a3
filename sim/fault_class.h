#pragma once
// Fault classes: what a hunt may throw at the world, by name. A run of one class has all of the protocol's
// own actions, clients and repairs, and no other fault than those of its class.

#include <cstdint>
#include <string_view>

#include "model/enum_names.h"
#include "sim/setup.h"

namespace mirrorproof::sim {

enum class FaultClass : std::uint8_t {
  none,               ///< leaders move cleanly, nothing else
  crashes,            ///< processes die and connections drop; only clean elections
  unclean_elections,  ///< crashes, and elections outside the ISR
  power_loss,         ///< crashes that take the unflushed tail
  versions,           ///< brokers up- and downgraded under load
  network,            ///< connections dropped, clusters and controllers cut off
  retention,          ///< log start offsets moved on the source
  compaction,         ///< every replica's log cleaner at work, with crashes
  operations,         ///< mirrors started, stopped, paused, reversed, deleted; coordinator failovers
  failover_and_ule,   ///< operations and unclean elections together
  all,                ///< everything a swarm draws
};

inline constexpr int kFaultClassCount = 11;

/// Switches every fault off that is not of the class, and on (if it is off) what is. `all` changes nothing.
void restrict_faults(Setup& setup, FaultClass faults);

/// For a reader: "processes die, connections drop; clean elections only".
std::string_view description_of(FaultClass faults);

}  // namespace mirrorproof::sim

template <>
struct mirrorproof::EnumNames<mirrorproof::sim::FaultClass> {
  using F = mirrorproof::sim::FaultClass;
  static constexpr EnumTable<F, mirrorproof::sim::kFaultClassCount> entries{{
      {F::none, "none"},
      {F::crashes, "crashes"},
      {F::unclean_elections, "unclean-elections"},
      {F::power_loss, "power-loss"},
      {F::versions, "versions"},
      {F::network, "network"},
      {F::retention, "retention"},
      {F::compaction, "compaction"},
      {F::operations, "operations"},
      {F::failover_and_ule, "failover-and-ule"},
      {F::all, "all"},
  }};
};
