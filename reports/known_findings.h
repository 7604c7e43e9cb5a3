#pragma once
// Known findings: ways in which a protocol preset is known to break an invariant. A campaign reports them by
// name, not as failures, so that a new one does not drown in them. Each has a minimal scenario that shows it.

#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "checker/checker.h"
#include "model/protocol_presets.h"

namespace mirrorproof::reports {

struct KnownFinding {
  std::string_view name;  ///< stable, kebab-case; scenarios/findings/NAME.json shows it
  /// The presets that have it. A protocol that differs from these in any option is somebody's question: there
  /// it is reported like any other failure.
  std::vector<Preset> presets;
  checker::Invariant invariant = checker::Invariant::truncation_provenance;
  std::string_view kind;       ///< Violation::kind
  std::string_view text = {};  ///< must occur in Violation::message; empty = anything
  /// What it cannot come about without: a run without it has found another hole that looks alike.
  checker::Circumstances needs = {};

  bool matches(const checker::Violation& violation) const;
};

/// The table.
std::span<const KnownFinding> known_findings();

/// Those that concern this protocol.
std::vector<KnownFinding> known_findings_of(const ProtocolOptions& protocol,
                                            std::span<const KnownFinding> table = known_findings());

/// What a run broke, apart from what is known. Once a known hole has been fallen into, what breaks later in
/// that partition is its consequence.
struct SortedViolations {
  std::vector<const checker::Violation*> unknown;  ///< in the order of the run
  std::set<std::string_view> known;                ///< names of the findings met
  std::uint64_t consequences = 0;
};
/// Points into both arguments.
SortedViolations sort_violations(std::span<const checker::Violation> violations,
                                 std::span<const KnownFinding> known);

}  // namespace mirrorproof::reports
