#include "sim/fault_class.h"

#include <bitset>
#include <initializer_list>

namespace mirrorproof::sim {
namespace {

using C = ActionClass;
using Classes = std::bitset<kActionClassCount>;

Classes classes(std::initializer_list<C> kinds) {
  Classes all;
  for (const C kind : kinds) {
    all.set(static_cast<std::size_t>(kind));
  }
  return all;
}

/// What heals, moves cleanly, or belongs to the clients; needed in every class.
bool is_always_on(C kind) {
  const bool of_clients = kind >= C::produce && kind <= C::resume_reader && kind != C::produce_late;
  return is_protocol_class(kind) || of_clients || kind == C::clean_election ||
         kind == C::preferred_election || kind == C::restart || kind == C::heal_clusters ||
         kind == C::heal_controller || kind == C::resume_mirror || kind == C::flush;
}

Classes faults_of(FaultClass faults) {
  const Classes crashes = classes({C::crash, C::drop_connection});
  const Classes ule = crashes | classes({C::unclean_election});
  const Classes operations =
      classes({C::start_mirror, C::stop_mirror, C::pause_mirror, C::delete_mirror, C::coordinator_failover,
               C::recover_mirror, C::shut_down, C::set_min_insync_replicas, C::recreate_topic, C::reassign,
               C::cancel_reassignment});
  switch (faults) {
    case FaultClass::none:
      return {};
    case FaultClass::crashes:
      return crashes;
    case FaultClass::unclean_elections:
      return ule;
    case FaultClass::power_loss:
      return crashes | classes({C::power_loss});
    case FaultClass::versions:
      return classes({C::change_version, C::drop_connection});
    case FaultClass::network:
      return classes({C::drop_connection, C::cut_clusters, C::cut_controller});
    case FaultClass::retention:
      return classes({C::delete_records});
    case FaultClass::compaction:
      return crashes | classes({C::compact});
    case FaultClass::operations:
      return operations;
    case FaultClass::failover_and_ule:
      return ule | operations;
    case FaultClass::all:
      break;
  }
  return Classes{}.set();
}

/// Too rare, or too much of a world's end, to be drawn in every run of their class.
bool stays_as_drawn(C kind) {
  return kind == C::delete_mirror || kind == C::recreate_topic || kind == C::recover_mirror ||
         kind == C::shut_down || kind == C::set_min_insync_replicas;
}

}  // namespace

void restrict_faults(Setup& setup, FaultClass faults) {
  if (faults == FaultClass::all) {
    return;
  }
  const Classes wanted = faults_of(faults);
  const FaultSetup defaults = default_faults();
  for (int i = kProtocolClassCount; i < kActionClassCount; ++i) {
    const auto kind = static_cast<C>(i);
    const auto index = static_cast<std::size_t>(i);
    if (is_always_on(kind)) {
      continue;
    }
    if (!wanted.test(index)) {
      setup.faults.weights[index] = 0;
      setup.faults.budgets[index] = 0;
      continue;
    }
    if (setup.faults.weights[index] == 0 && !stays_as_drawn(kind)) {
      setup.faults.weights[index] = defaults.weights[index] > 0 ? defaults.weights[index] : 2;
      setup.faults.budgets[index] = defaults.budgets[index] != 0 ? defaults.budgets[index] : 3;
    }
  }
  if (!wanted.test(static_cast<std::size_t>(C::change_version))) {
    setup.faults.versions.clear();
  } else if (setup.faults.versions.empty()) {
    setup.faults.versions = {*parse_kafka_version("2.4"), latest_kafka_version()};
  }
  const auto flush = static_cast<std::size_t>(C::flush);
  if (wanted.test(static_cast<std::size_t>(C::power_loss)) && setup.faults.weights[flush] == 0) {
    setup.faults.weights[flush] = 6;
    setup.faults.budgets[flush] = -1;
  }
}

std::string_view description_of(FaultClass faults) {
  switch (faults) {
    case FaultClass::none:
      return "leaders move cleanly, nothing fails";
    case FaultClass::crashes:
      return "brokers crash, connections drop; clean elections only";
    case FaultClass::unclean_elections:
      return "crashes, and elections outside the ISR";
    case FaultClass::power_loss:
      return "crashes, some of which lose the unflushed tail";
    case FaultClass::versions:
      return "brokers change their version under load";
    case FaultClass::network:
      return "connections drop, clusters and controllers are cut off";
    case FaultClass::retention:
      return "records are deleted from the front of the source";
    case FaultClass::compaction:
      return "log cleaners take overwritten records, each replica by itself; crashes";
    case FaultClass::operations:
      return "mirrors are started, stopped, paused, reversed, deleted; the coordinator moves";
    case FaultClass::failover_and_ule:
      return "operations and unclean elections together";
    case FaultClass::all:
      break;
  }
  return "everything at once, as a campaign draws it";
}

}  // namespace mirrorproof::sim
