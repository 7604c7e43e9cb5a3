#include "checker/mirror_rules.h"

#include <fmt/format.h>

#include <array>

#include "checker/describe.h"

namespace mirrorproof::checker {
namespace {

using enum MirrorState;

struct Row {
  MirrorState to;
  std::array<MirrorState, 7> from;
  std::size_t count;
};

// protocol.md M7, row by row; a state may always be written again, FAILED may follow any.
constexpr std::array<Row, 8> kTransitions{{
    {log_alignment, {unknown, stopped, failed}, 3},
    {epoch_fencing, {mirroring}, 1},
    {ule_recovery, {mirroring}, 1},
    {pausing, {mirroring}, 1},
    {mirroring, {log_alignment, epoch_fencing, paused, ule_recovery, failed}, 5},
    {paused, {pausing}, 1},
    {stopping, {log_alignment, epoch_fencing, mirroring, pausing, paused, ule_recovery, failed}, 7},
    {stopped, {stopping}, 1},
}};

/// The fetcher is taken away in PAUSING (M29), not on the way into it: until then it may fetch and append.
bool may_fetch(MirrorState state) {
  return state == mirroring || state == pausing;
}

std::string mirror_name(const TraceHeader& header, const Event& event) {
  return fmt::format("the mirror of {} into {}", partition_name(header, event.partition),
                     cluster_name(header, event.cluster));
}

}  // namespace

bool transition_allowed(MirrorState from, MirrorState to) {
  if (from == to || to == failed) {
    return true;
  }
  for (const Row& row : kTransitions) {
    if (row.to != to) {
      continue;
    }
    for (std::size_t i = 0; i < row.count; ++i) {
      if (row.from[i] == from) {
        return true;
      }
    }
  }
  return false;
}

void check_transition(const Replay& replay, Findings& findings, const Event& event,
                      const MirrorStateChanged& change) {
  const TraceHeader& header = replay.header();
  const MirrorSession& mirror = replay.mirror(event.cluster, event.partition);
  const bool forgotten = mirror.deleted && change.from == unknown;
  if (change.from != mirror.state && !forgotten) {
    findings.report(Invariant::state_machine, "transition-from-another-state", event, [&] {
      return fmt::format("{}: a transition from {} to {} although the state is {}",
                         mirror_name(header, event), to_string(change.from), to_string(change.to),
                         to_string(mirror.state));
    });
  }
  if (!transition_allowed(change.from, change.to)) {
    findings.report(Invariant::state_machine, "forbidden-transition", event, [&] {
      return fmt::format("{}: {} must not follow {}", mirror_name(header, event), to_string(change.to),
                         to_string(change.from));
    });
  }
  if (change.to == stopped && change.from == stopping && mirror.has_mirrored && !mirror.position_stored) {
    findings.report(Invariant::state_machine, "stopped-without-position", event, [&] {
      return fmt::format(
          "{}: STOPPED although its last position was not stored since STOPPING began: a failback will not "
          "know "
          "what both clusters share",
          mirror_name(header, event));
    });
  }
  const Replica* leader = replay.leader(event.cluster, event.partition);
  const Offset committed = replay.lineage(event.cluster, event.partition).committed_end();
  if (change.to == stopped && change.from == stopping && leader != nullptr && !leader->log.empty() &&
      committed > 0 && leader->log.back().batch.kind == BatchKind::pid_reset &&
      committed <= leader->log.back().batch.base_offset) {
    findings.report(Invariant::state_machine, "stopped-before-pid-reset", event, [&] {
      return fmt::format(
          "{}: STOPPED although {} is not committed: a new leader might take writes without it",
          mirror_name(header, event), batch_name(header, leader->log.back().batch));
    });
  }
}

void check_mirrored_append(const Replay& replay, Findings& findings, const Event& event,
                           const Appended& append) {
  const TraceHeader& header = replay.header();
  const MirrorSession& mirror = replay.mirror(event.cluster, event.partition);
  if (!mirror.ever_started || !replay.lineage(event.cluster, event.partition).in_office(event.broker)) {
    return;
  }
  const Batch& first = append.batches.front();
  if (append.origin == AppendOrigin::mirror && !may_fetch(mirror.state)) {
    findings.report(
        Invariant::state_machine,
        mirror.state == stopped ? "stopped-mirror-appended" : "appended-outside-mirroring", event, [&] {
          return fmt::format("{}: {} was copied from the mirrored source while the mirror is {}",
                             replica_name(header, event), batch_name(header, first), to_string(mirror.state));
        });
  }
  if (append.origin != AppendOrigin::local || mirror.state == stopped || mirror.state == unknown) {
    return;
  }
  for (const Batch& batch : append.batches) {
    const bool stopping_record = mirror.state == stopping && (batch.kind == BatchKind::abort_marker ||
                                                              batch.kind == BatchKind::pid_reset);
    if (!stopping_record) {
      findings.report(Invariant::state_machine, "write-into-running-mirror", event, [&] {
        return fmt::format("{}: {} was written locally while the mirror is {}", replica_name(header, event),
                           batch_name(header, batch), to_string(mirror.state));
      });
      return;
    }
  }
}

void check_mirror_request(const Replay& replay, Findings& findings, const Event& event,
                          const RequestSent& request) {
  const TraceHeader& header = replay.header();
  const MirrorSession& mirror = replay.mirror(event.cluster, event.partition);
  const bool to_source = request.server_cluster != event.cluster;
  if (!to_source || may_fetch(mirror.state) ||
      !replay.lineage(event.cluster, event.partition).in_office(event.broker)) {
    return;
  }
  const auto report = [&](std::string_view kind) {
    findings.report(Invariant::state_machine, kind, event, [&] {
      return fmt::format("{}: sent a request to {} while the mirror is {}", replica_name(header, event),
                         broker_name(header, request.server_cluster, request.server_broker),
                         to_string(mirror.state));
    });
  };
  if (mirror.state == stopped) {
    report("stopped-mirror-sent-request");
  } else if (request.api == ApiKey::fetch) {
    report("fetch-outside-mirroring");
  }
}

}  // namespace mirrorproof::checker
