#pragma once
// The wrong variants of the protocol, and the invariant that each of them breaks.

#include <ostream>

#include "checker/checker.h"
#include "model/protocol_options.h"

namespace mirrorproof::sim {

struct WrongVariant {
  const char* name;
  void (*change)(ProtocolOptions&);
  checker::Invariant invariant;
  /// The proposal breaks the invariant too; then this kind of violation must be new.
  const char* kind = nullptr;
};
inline void PrintTo(const WrongVariant& variant, std::ostream* out) {
  *out << variant.name;
}

inline const WrongVariant kWrongVariants[] = {
    {"alignment epoch_only", [](ProtocolOptions& p) { p.alignment = Alignment::epoch_only; },
     checker::Invariant::truncation_provenance},
    {"alignment epoch_and_offset_inclusive",
     [](ProtocolOptions& p) { p.alignment = Alignment::epoch_and_offset_inclusive; },
     checker::Invariant::truncation_provenance},
    {"alignment as_posted", [](ProtocolOptions& p) { p.alignment = Alignment::as_posted; },
     checker::Invariant::alignment_exactness, "removed-shared-record"},
    {"alignment none", [](ProtocolOptions& p) { p.alignment = Alignment::none; },
     checker::Invariant::alignment_exactness, "kept-foreign-record"},
    {"alignment_wait none", [](ProtocolOptions& p) { p.alignment_wait = AlignmentWait::none; },
     checker::Invariant::log_matching},
    {"version_detection drop_field",
     [](ProtocolOptions& p) { p.version_detection = VersionDetection::drop_field; },
     checker::Invariant::version_safety},
    {"mirror_epochs rewrite", [](ProtocolOptions& p) { p.mirror_epochs = MirrorEpochs::rewrite; },
     checker::Invariant::truncation_provenance},
    {"recovery_wait none", [](ProtocolOptions& p) { p.recovery_wait = RecoveryWait::none; },
     checker::Invariant::recovery_barrier},
    {"epoch_bump none", [](ProtocolOptions& p) { p.epoch_bump = EpochBump::none; },
     checker::Invariant::epoch_order},
    {"destination_high_watermark source",
     [](ProtocolOptions& p) { p.destination_high_watermark = DestinationHighWatermark::source; },
     checker::Invariant::committed_stability},
    {"stale_response_guard false", [](ProtocolOptions& p) { p.stale_response_guard = false; },
     checker::Invariant::state_machine},
    {"replication kip101", [](ProtocolOptions& p) { p.replication = Replication::kip101; },
     checker::Invariant::log_matching},
    {"replication kip279", [](ProtocolOptions& p) { p.replication = Replication::kip279; },
     checker::Invariant::committed_stability},
    {"replication kip320_first_try",
     [](ProtocolOptions& p) { p.replication = Replication::kip320_first_try; },
     checker::Invariant::committed_stability},
    {"replication kip320_unfenced_truncation",
     [](ProtocolOptions& p) { p.replication = Replication::kip320_unfenced_truncation; },
     checker::Invariant::committed_stability},
    {"stale_response_guard of replica fetchers false",
     [](ProtocolOptions& p) { p.stale_response_guard = false; }, checker::Invariant::follower_truncation,
     "leader-cut-its-log"},
    {"epoch_registration on_append",
     [](ProtocolOptions& p) { p.epoch_registration = EpochRegistration::on_append; },
     checker::Invariant::follower_truncation},
    {"isr_join high_watermark", [](ProtocolOptions& p) { p.isr_join = IsrJoin::high_watermark; },
     checker::Invariant::committed_stability, "committed-record-lost-in-clean-election"},
    {"same_leader_new_epoch keep_fetching",
     [](ProtocolOptions& p) {
       p.replication = Replication::kip320_unfenced_truncation;
       p.same_leader_new_epoch = SameLeaderNewEpoch::keep_fetching;
     },
     checker::Invariant::log_matching},
    {"diverging_fetch counted", [](ProtocolOptions& p) { p.diverging_fetch = DivergingFetch::counted; },
     checker::Invariant::committed_stability, "committed-record-lost-in-clean-election"},
    {"diverging_answer offsets_first",
     [](ProtocolOptions& p) { p.diverging_answer = DivergingAnswer::offsets_first; },
     checker::Invariant::committed_stability, "high-watermark-over-foreign-record"},
    {"log_restart keeps_high_watermark",
     [](ProtocolOptions& p) { p.log_restart = LogRestart::keeps_high_watermark; },
     checker::Invariant::committed_stability, "high-watermark-below-log-start"},
    {"noop_truncation keeps_epochs",
     [](ProtocolOptions& p) { p.noop_truncation = NoopTruncation::keeps_epochs; },
     checker::Invariant::epoch_order, "cache-entry-misplaced"},
    {"stop_position_write fire_and_forget",
     [](ProtocolOptions& p) { p.stop_position_write = StopPositionWrite::fire_and_forget; },
     checker::Invariant::state_machine, "stopped-without-position"},
    {"replication high_watermark", [](ProtocolOptions& p) { p.replication = Replication::high_watermark; },
     checker::Invariant::follower_truncation},
};

}  // namespace mirrorproof::sim
