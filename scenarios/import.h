#pragma once
// Import: the files of real replicas as a scenario. Each replica is a folder with the dumps of its segments
// and its leader-epoch-checkpoint; what is in their logs becomes `initial_logs`.
//
//   source/broker-0/00000000000000000000.txt    what kafka-dump-log.sh prints (any *.txt, in the order of
//   their names) source/broker-0/leader-epoch-checkpoint     as the broker has it (may be missing)
//   source/broker-1/...
//   destination/broker-0/...

#include <optional>
#include <string>
#include <vector>

#include "scenarios/scenario.h"

namespace mirrorproof::scenarios {

struct ImportRequest {
  std::string source;       ///< folder with a folder for each replica
  std::string destination;  ///< the same
  std::string name = "imported";
  std::string topic = "orders";
  std::string source_version;  ///< of the source's brokers; empty: the newest
  Offset from = 0;             ///< records below are left out
};

struct ImportResult {
  std::optional<Scenario> scenario;
  std::vector<Problem> problems;
  std::vector<std::string> warnings;  ///< what the files say and a scenario cannot
};

ImportResult import_replicas(const ImportRequest& request);

}  // namespace mirrorproof::scenarios
