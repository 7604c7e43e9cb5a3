#pragma once
// What mends each known finding: under a protocol that has the mend, the finding explains nothing.

#include <span>
#include <string_view>

#include "model/protocol_options.h"

namespace mirrorproof::reports {

struct FindingMend {
  std::string_view finding;
  void (*apply)(ProtocolOptions&);  ///< sets every option that it takes
};

/// One row for each finding that a protocol option mends.
std::span<const FindingMend> finding_mends();

/// True also for a finding without a mend.
bool may_come_about(std::string_view finding, const ProtocolOptions& protocol);

}  // namespace mirrorproof::reports
