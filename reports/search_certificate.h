#pragma once
// Certificates: what a complete search that found nothing wrong has covered, so that anybody can have it
// searched again and compare. The scenario is inside.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/explore_report.h"

namespace mirrorproof::reports {

/// What a file may contain at most.
inline constexpr std::size_t kMaxSearchCertificateBytes = scenarios::kMaxFileBytes + (std::size_t{64} << 10);

/// Precondition: the search was complete.
Json search_certificate_json(const scenarios::Scenario& scenario, const explore::ExploreResult& result);

struct LoadedSearchCertificate {
  nlohmann::json document;
  std::optional<scenarios::Scenario> scenario;
  explore::ExploreReductions reductions{.symmetry = false, .partial_order = false};  ///< those of its search
  std::vector<scenarios::Problem> problems;
};

/// Never throws, whatever the file holds.
LoadedSearchCertificate load_search_certificate(const std::string& path);

/// Digest of the scenario's canonical text.
std::string scenario_digest(const scenarios::Scenario& scenario);

/// In what the certificate differs from that of a search of the same scenario by this program; the program's
/// version aside.
std::vector<std::string> search_certificate_differences(const nlohmann::json& found, const Json& again);

}  // namespace mirrorproof::reports
