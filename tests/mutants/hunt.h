#pragma once
// Looks for a swarm seed at which a fault is caught.

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "checker/checker.h"
#include "tests/mutants/rows.h"

namespace mirrorproof::mutants {

struct Catch {
  std::uint64_t seed = 0;
  checker::Invariant invariant = checker::Invariant::truncation_provenance;
  std::string kind;
};

/// The first invariant that a seed breaks.
std::optional<Catch> first_failure(const ProtocolOptions& protocol, Mutant mutant, std::uint64_t seed);

/// The seeds first..first + seeds - 1 in order, until the fault is caught: by a failure of a kind that the
/// protocol without the fault shows at none of the seeds tried so far. Thread-safe.
class Hunter {
 public:
  std::optional<Catch> hunt(const Row& row, std::uint64_t first_seed, std::uint64_t seeds);

 private:
  /// What the protocol without the fault does at a seed; most rows have the same.
  std::optional<Catch> without_fault(const Row& row, std::uint64_t seed);

  std::mutex mutex_;
  std::map<std::pair<std::string, std::uint64_t>, std::optional<Catch>> known_;  // by base name and seed
};

}  // namespace mirrorproof::mutants
