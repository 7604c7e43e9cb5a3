#include "checker/ack_means_stored.h"

#include <fmt/format.h>

#include "checker/describe.h"

namespace mirrorproof::checker {

void AckMeansStored::check(const Replay& replay, Findings& findings, const Event& event,
                           const ProduceAcked& acked, bool told_any) {
  const TraceHeader& header = replay.header();
  const Replica& leader = replay.replica(event.cluster, event.broker, event.partition);
  const LogEntry* entry = leader.log.find(acked.base_offset);
  const bool stored = entry != nullptr && entry->batch.id_at(acked.base_offset) == acked.first_id &&
                      entry->batch.last_offset >= acked.last_offset;
  if (!stored) {
    findings.report(Invariant::ack_means_stored, "acked-record-not-there", event, [&] {
      return fmt::format(
          "{}: acknowledged {} at offset {}, where its log has {}", replica_name(header, event),
          record_name(header, acked.first_id), acked.base_offset,
          entry == nullptr ? "nothing" : record_name(header, entry->batch.id_at(acked.base_offset)));
    });
    return;
  }
  if (!acked.acks_all || acked.last_offset < leader.high_watermark) {
    return;
  }
  const auto message = [&] {
    return fmt::format("{}: acknowledged offset {} for acks=all with its high watermark at {}",
                       replica_name(header, event), acked.last_offset, leader.high_watermark);
  };
  if (told_any) {
    findings.report(Invariant::ack_means_stored, "acked-above-high-watermark", event, message);
  } else if (!put_off_) {
    put_off_ = PutOff{event, message()};
  }
}

void AckMeansStored::high_watermark_moved(Findings& findings) {
  if (put_off_) {
    findings.report(Invariant::ack_means_stored, "acked-above-high-watermark", put_off_->event,
                    [&] { return put_off_->message; });
    put_off_.reset();
  }
}

}  // namespace mirrorproof::checker
