#pragma once
// EventJudge: what each event means to each invariant. One pass: judged first, with what was true before the
// event, then replayed.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "checker/ack_means_stored.h"
#include "checker/circumstances.h"
#include "checker/committed_stability.h"
#include "checker/convergence.h"
#include "checker/epoch_identity.h"
#include "checker/epoch_order.h"
#include "checker/findings.h"
#include "checker/group_offset_range.h"
#include "checker/judge_state.h"
#include "checker/late_batches.h"
#include "checker/loss_report.h"
#include "checker/over_truncation.h"
#include "checker/provenance.h"
#include "checker/reader_continuity.h"
#include "checker/replay.h"
#include "checker/ule_policy.h"
#include "checker/version_safety.h"

namespace mirrorproof::checker {

/// One overload per payload.
class EventJudge {
 public:
  /// `forgetful`: for exhaustive search (Checker::forgetful).
  EventJudge(TraceHeader header, bool forgetful);
  EventJudge(const EventJudge&) = delete;  // parts refer to one another
  EventJudge& operator=(const EventJudge&) = delete;

  void observe(const Event& event);
  /// What is judged when a step is over is judged now.
  void end_step();
  /// Once, after the last event.
  Judgement finish();

  std::size_t violation_count() const { return findings_.count(); }
  bool found(Invariant invariant, std::string_view kind) const { return findings_.found(invariant, kind); }
  std::span<const Violation> violations_so_far() const { return findings_.so_far(); }
  bool has_undecided() const { return provenance_.has_undecided(); }

  /// What of it is saved and loaded.
  JudgeParts parts() {
    return {replay_, provenance_, epoch_order_, epoch_identity_, version_safety_, restarted_logs_};
  }
  /// As if nothing had been found and counted so far; the parts are loaded.
  void forget_findings() {
    findings_.clear();
    statistics_ = Statistics{};
  }

 private:
  bool forgetful() { return replay_.order.landmarks().has_value(); }

  Replica& replica_of(const Event& event);
  Lineage& lineage_of(const Event& event) { return replay_.lineage(event.cluster, event.partition); }
  void forget_roles(const Event& event);

  // --- brokers and leadership
  void on(const Event& event, const BrokerStarted& started);
  void on(const Event& event, const BrokerStopped& stopped);
  void on(const Event& event, const Election& election);
  void on(const Event& event, const ReplicasChanged& changed);
  void on(const Event& event, const BecameLeader& became);
  void on(const Event& event, const BecameFollower& became);

  // --- logs
  void on(const Event& event, const Appended& append);
  void on(const Event& event, const Truncated& cut);
  void give_up_deleted(const Event& event, const Truncated& cut);
  void on(const Event& event, const LogStartMoved& moved);
  void on(const Event& event, const LogCleaned& cleaned);
  void on(const Event& event, const HighWatermarkMoved& moved);
  void on(const Event& event, const EpochCacheChanged& cache);

  // --- requests
  void on(const Event& event, const RequestSent& request);
  void on(const Event& event, const RequestHandled& request);
  void on(const Event& event, const ResponseReceived&);

  // --- mirrors
  void on(const Event& event, const MirrorStateChanged& change);
  void on(const Event& event, const MirrorPositionStored&);
  void on(const Event& event, const MirrorActionStarted& action);
  void on(const Event& event, const MirrorPositionRead& read);
  void on(const Event& event, const MirrorAligned& aligned);
  void on(const Event& event, const DivergenceDetected& divergence);
  void on(const Event& event, const OperatorOrdered& order);

  // --- clients
  void on(const Event& event, const ProduceAcked& acked);
  void on(const Event& event, const ReaderFetched& fetched);
  void on(const Event& event, const ReaderTold& told);
  void on(const Event& event, const ReaderMoved& moved);
  void on(const Event& event, const GroupOffsetCommitted& committed);
  void on(const Event& event, const GroupOffsetSynced& synced);
  void on(const Event& event, const LossReported& loss);

  // --- the whole
  void on(const Event& event, const TopicRecreated&);
  void on(const Event& event, const WorldRested& world);

  // --- not judged
  void on(const Event&, const IsrChanged&) {}
  void on(const Event&, const UnsupportedVersion&) {}
  void on(const Event&, const Disconnected&) {}
  void on(const Event&, const Note&) {}

  Replay replay_;
  CircumstanceTracker circumstances_;
  Findings findings_;
  Provenance provenance_;
  EpochOrder epoch_order_;
  EpochIdentity epoch_identity_;
  UlePolicy ule_policy_;
  VersionSafety version_safety_;
  ReaderContinuity reader_continuity_;
  GroupOffsetRange group_offset_range_;
  LossReport loss_report_;
  Convergence convergence_;
  RestartedLogs restarted_logs_;
  AckMeansStored ack_means_stored_;
  LateBatches late_batches_;
  OverTruncation over_truncation_;
  Statistics statistics_;
  std::uint32_t step_ = 0;
  bool cleaned_ = false;  ///< some log was
  bool aborts_ = false;   ///< some transaction was aborted
  std::vector<LogEntry> removed_;
  std::vector<LogEntry> removed_records_;
};

}  // namespace mirrorproof::checker
