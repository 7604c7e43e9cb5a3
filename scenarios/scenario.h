#pragma once
// Scenarios: JSON files that say what world to build, what to do in it and what must come out
// (docs/scenarios.md). This header is all that other layers need: the data, the loader and the writer.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/enum_names.h"
#include "model/mirror_state.h"
#include "model/types.h"
#include "sim/setup.h"

namespace mirrorproof::scenarios {

/// What a file may contain at most; beyond it is a problem, never a crash or a hang.
inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
inline constexpr int kMaxDepth = 32;
inline constexpr int kMaxValues = 200'000;
inline constexpr int kMaxInitialRecords = 100'000;
inline constexpr std::size_t kMaxProblems = 1'000;

/// The invariants of design.md section 3: the names that `expect` may use.
inline constexpr std::array<std::string_view, 16> kInvariantNames{
    "truncation-provenance", "log-matching",      "alignment-exactness", "follower-truncation",
    "committed-stability",   "epoch-order",       "epoch-identity",      "state-machine",
    "recovery-barrier",      "ule-policy",        "version-safety",      "group-offset-range",
    "ack-means-stored",      "reader-continuity", "loss-report",         "convergence",
};

enum class Verdict : std::uint8_t { holds, violated, inconclusive };

/// One expected record: where, and the epoch stamped on it.
struct OffsetEpoch {
  Offset offset = 0;
  Epoch epoch = 0;
  friend bool operator==(const OffsetEpoch&, const OffsetEpoch&) = default;
};

/// The final log of a replica.
struct LogFact {
  ClusterId cluster = kNoCluster;
  PartitionId partition = kNoPartition;
  BrokerId broker = kNoBroker;  ///< kNoBroker: every replica of the cluster
  std::vector<OffsetEpoch> log;
  friend bool operator==(const LogFact&, const LogFact&) = default;
};

/// The final mirror state of a partition, as the destination's coordinator knows it.
struct StateFact {
  ClusterId cluster = kNoCluster;  ///< the destination
  PartitionId partition = kNoPartition;
  MirrorState state = MirrorState::mirroring;
  friend bool operator==(const StateFact&, const StateFact&) = default;
};

/// One mirror truncation (a destination leader's log cut after alignment).
struct TruncationFact {
  ClusterId cluster = kNoCluster;
  PartitionId partition = kNoPartition;
  Offset offset = 0;                     ///< the first offset removed
  std::int64_t records = 0;              ///< how many records were removed
  std::optional<int> unclean_elections;  ///< how many ULEs it goes back to
  friend bool operator==(const TruncationFact&, const TruncationFact&) = default;
};

/// What the runs of the scenario must end with: every one, or for `violated` one of them. What is absent is
/// not asked for.
struct Expect {
  Verdict verdict = Verdict::holds;
  /// Only with `violated`: each of these is among the broken invariants.
  std::vector<std::string> invariants;
  std::vector<LogFact> logs;
  std::vector<StateFact> states;
  /// The exact number of mirror truncations of the run.
  std::optional<int> mirror_truncations;
  /// If not empty: all mirror truncations of the run, in order.
  std::vector<TruncationFact> truncations;
  friend bool operator==(const Expect&, const Expect&) = default;
};

/// What one move of an exhaustive search is (explore/moves.h).
enum class Granularity : std::uint8_t { fine, coarse, rounds };

/// Budgets of an exhaustive search, each >= 0: how often a thing may happen beyond the script.
struct Bounds {
  Granularity granularity = Granularity::fine;
  int depth = 0;  ///< moves; 0 = no limit
  int records = 0;
  int clean_elections = 0;
  int unclean_elections = 0;
  int crashes = 0;
  int power_losses = 0;
  int version_changes = 0;
  int link_drops = 0;
  int failovers = 0;
  int failbacks = 0;
  int isr_shrinks = 0;
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

/// Calls visit(name, field) for every bound that is a number.
template <class B, class Visitor>
constexpr void for_each_bound(B& bounds, Visitor&& visit) {
  visit(std::string_view{"records"}, bounds.records);
  visit(std::string_view{"clean_elections"}, bounds.clean_elections);
  visit(std::string_view{"unclean_elections"}, bounds.unclean_elections);
  visit(std::string_view{"crashes"}, bounds.crashes);
  visit(std::string_view{"power_losses"}, bounds.power_losses);
  visit(std::string_view{"version_changes"}, bounds.version_changes);
  visit(std::string_view{"link_drops"}, bounds.link_drops);
  visit(std::string_view{"failovers"}, bounds.failovers);
  visit(std::string_view{"failbacks"}, bounds.failbacks);
  visit(std::string_view{"isr_shrinks"}, bounds.isr_shrinks);
  visit(std::string_view{"depth"}, bounds.depth);
}

struct Scenario {
  sim::Setup setup;
  std::string description;
  Bounds bounds;
  Expect expect;
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

/// One thing that is wrong with a file. Lines and columns count from 1, columns in characters; line 0: the
/// file as a whole (it cannot be read). An empty pointer is the document.
struct Problem {
  std::string file;
  int line = 0;
  int column = 0;
  std::string pointer;   ///< JSON pointer of the value
  std::string found;     ///< "a string \"two\""
  std::string expected;  ///< "an integer from 1 to 16"
  friend bool operator==(const Problem&, const Problem&) = default;
};

/// A scenario, or everything that is wrong with the text, in the order of the text (at most kMaxProblems and
/// a last entry with the number of those left out).
struct LoadResult {
  std::optional<Scenario> scenario;
  std::vector<Problem> problems;
};

/// `file_name` is only for messages. Never throws, whatever the text.
LoadResult load_scenario(std::string_view text, std::string_view file_name);

/// Reads at most kMaxFileBytes of a regular file.
LoadResult load_scenario_file(const std::string& path);

/// "file:line:column: /pointer: found X, expected Y", safe to print: control characters are escaped.
std::string format_problem(const Problem& problem);

/// The canonical JSON text: fixed order of fields, defaults left out, ends with a newline. Loading it gives
/// an equal scenario if `scenario` was loaded itself or changed in ways a file can express; of hand-made
/// setups it needs that partitions are named "topic-0", "topic-1"... in this order, topic by topic. Records
/// of initial logs keep which of them are the same; their serial numbers may change.
std::string to_json(const Scenario& scenario);

/// The JSON Schema (draft 7) that files are checked against: scenarios/scenario.schema.json.
std::string_view scenario_schema();

}  // namespace mirrorproof::scenarios

namespace mirrorproof {
template <>
struct EnumNames<scenarios::Granularity> {
  static constexpr EnumTable<scenarios::Granularity, 3> entries{{
      {scenarios::Granularity::fine, "fine"},
      {scenarios::Granularity::coarse, "coarse"},
      {scenarios::Granularity::rounds, "rounds"},
  }};
};
template <>
struct EnumNames<scenarios::Verdict> {
  static constexpr EnumTable<scenarios::Verdict, 3> entries{{
      {scenarios::Verdict::holds, "holds"},
      {scenarios::Verdict::violated, "violated"},
      {scenarios::Verdict::inconclusive, "inconclusive"},
  }};
};
}  // namespace mirrorproof
