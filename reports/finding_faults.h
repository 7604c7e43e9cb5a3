#pragma once
// What each known finding cannot come about without: a campaign that leaves it out hunts for findings beyond
// the known ones, and says how far the protocol holds without its mends.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/known_findings.h"
#include "sim/action.h"
#include "sim/swarm.h"

namespace mirrorproof::reports {

struct FindingFaults {
  std::string_view finding;
  /// Without all of these it cannot come about. Chosen so that what the claim is about stays: crashes,
  /// unclean elections, versions.
  std::vector<sim::ActionClass> faults;
  bool destination_followers = false;  ///< a destination with more than one replica
  bool old_source = false;             ///< a source before Fetch v12
  bool old_format = false;             ///< records without epochs, which no swarm draws
};

/// One row for each finding in known_findings().
std::span<const FindingFaults> finding_faults();

/// Takes from what the swarm draws whatever one of the findings needs. Returns what was taken, for a person:
/// "start_mirror", "destinations with more than one broker".
std::vector<std::string> leave_out(std::span<const KnownFinding> findings, sim::SwarmOptions& swarm);

}  // namespace mirrorproof::reports
