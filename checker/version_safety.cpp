#include "checker/version_safety.h"

#include <fmt/format.h>

#include "checker/describe.h"

namespace mirrorproof::checker {

VersionSafety::VersionSafety(const Replay& replay) {
  for (const TraceCluster& cluster : replay.header().clusters) {
    brokers_.emplace_back(static_cast<std::size_t>(cluster.brokers));
  }
}

void VersionSafety::started(const Event& event, const BrokerStarted& started) {
  touched_ = true;
  brokers_[static_cast<std::size_t>(event.cluster)][static_cast<std::size_t>(event.broker)] = {
      true, started.version, started.fetch, started.offset_for_leader_epoch};
}

void VersionSafety::check_sent(const Replay& replay, Findings& findings, const Event& event,
                               const RequestSent& request) {
  if (request.api != ApiKey::fetch || request.epoch_offered == kUndefinedEpoch ||
      request.epoch_carried != kUndefinedEpoch) {
    return;
  }
  const TraceHeader& header = replay.header();
  findings.report(Invariant::version_safety, "field-dropped-silently", event, [&] {
    return fmt::format(
        "{}: lastFetchedEpoch {} was left out of a fetch to {} because version {} cannot carry it; {} "
        "cannot notice a divergence",
        replica_name(header, event), request.epoch_offered,
        broker_name(header, request.server_cluster, request.server_broker), request.version,
        broker_name(header, request.server_cluster, request.server_broker));
  });
}

void VersionSafety::check_handled(const Replay& replay, Findings& findings, const Event& event,
                                  const RequestHandled& request) const {
  const Ranges& ranges =
      brokers_[static_cast<std::size_t>(event.cluster)][static_cast<std::size_t>(event.broker)];
  const bool has_range = request.api == ApiKey::fetch || request.api == ApiKey::offset_for_leader_epoch;
  if (!ranges.known || !has_range) {
    return;
  }
  const ApiVersionRange range = request.api == ApiKey::fetch ? ranges.fetch : ranges.offset_for_leader_epoch;
  if (!range.supports(request.version)) {
    const TraceHeader& header = replay.header();
    findings.report(Invariant::version_safety, "version-not-served", event, [&] {
      return fmt::format("{}: a {} request of version {} was handled, but this broker serves {}-{}",
                         replica_name(header, event), to_string(request.api), request.version, range.min,
                         range.max);
    });
  }
}

}  // namespace mirrorproof::checker
