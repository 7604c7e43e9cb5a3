#include "reports/known_findings.h"

#include <algorithm>
#include <iterator>

namespace mirrorproof::reports {

std::span<const KnownFinding> known_findings() {
  static const std::vector<KnownFinding> table = {};
  return table;
}

bool KnownFinding::matches(const checker::Violation& violation) const {
  return violation.invariant == invariant && violation.kind == kind &&
         violation.message.find(text) != std::string::npos;
}

std::vector<KnownFinding> known_findings_of(const ProtocolOptions& protocol,
                                            std::span<const KnownFinding> table) {
  std::vector<KnownFinding> out;
  std::copy_if(table.begin(), table.end(), std::back_inserter(out), [&](const KnownFinding& finding) {
    return std::any_of(finding.presets.begin(), finding.presets.end(),
                       [&](Preset preset) { return preset_options(preset) == protocol; });
  });
  return out;
}

}  // namespace mirrorproof::reports
