#pragma once
// Explanation: which known findings may be behind a violation. A smaller scenario in which others may be
// behind it fails in another way, even if it breaks the same.

#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "reports/known_findings.h"

namespace mirrorproof::reports {

/// Names of known findings. Empty: none of them can be behind it.
using FindingNames = std::set<std::string_view>;

/// A violation of a run, and what may be behind it.
struct Explained {
  const checker::Violation* violation = nullptr;
  FindingNames findings;
};

/// Those that break `invariant` as `kind`, in the order of their events. What bears the sign of a finding
/// that the protocol has no mend for, and what breaks after it in the same partition, may be the finding's
/// work. Points into `violations`.
std::vector<Explained> explain_all(std::span<const checker::Violation> violations,
                                   const ProtocolOptions& protocol, checker::Invariant invariant,
                                   std::string_view kind);

}  // namespace mirrorproof::reports
