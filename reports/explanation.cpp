#include "reports/explanation.h"

#include <algorithm>
#include <map>

#include "reports/finding_mends.h"

namespace mirrorproof::reports {

std::vector<Explained> explain_all(std::span<const checker::Violation> violations,
                                   const ProtocolOptions& protocol, checker::Invariant invariant,
                                   std::string_view kind) {
  std::vector<const KnownFinding*> findings;
  for (const KnownFinding& finding : known_findings()) {
    if (may_come_about(finding.name, protocol)) {
      findings.push_back(&finding);
    }
  }
  std::vector<const checker::Violation*> in_order;
  for (const checker::Violation& violation : violations) {
    in_order.push_back(&violation);
  }
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const auto* left, const auto* right) { return left->event < right->event; });
  std::map<PartitionId, FindingNames> seen;
  std::vector<Explained> out;
  for (const checker::Violation* violation : in_order) {
    FindingNames& behind = seen[violation->partition];
    for (const KnownFinding* finding : findings) {
      if (finding->matches(*violation)) {
        behind.insert(finding->name);
      }
    }
    if (violation->invariant == invariant && violation->kind == kind) {
      out.push_back({violation, behind});
    }
  }
  return out;
}

}  // namespace mirrorproof::reports
