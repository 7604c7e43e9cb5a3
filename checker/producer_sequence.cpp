#include "checker/producer_sequence.h"

#include <fmt/format.h>

#include "checker/describe.h"

namespace mirrorproof::checker {
namespace {

/// Batches looked back at, of whatever producer.
constexpr ReplicaLog::Index kRememberedBatches = 64;

bool is_sequenced(const Batch& batch) {
  return batch.kind == BatchKind::data && batch.producer_id >= 0 && batch.base_sequence >= 0;
}

/// What the log remembers of the batch's producer.
struct Remembered {
  const Batch* newest = nullptr;
  const Batch* same = nullptr;  ///< stored with the very same sequence numbers
};

Remembered remembered(const ReplicaLog& log, const Batch& batch) {
  Remembered found;
  for (ReplicaLog::Index back = 0; back < kRememberedBatches; ++back) {
    if (back >= log.end_index() - log.first_index()) {
      break;
    }
    const Batch& earlier = log.at(log.end_index() - 1 - back).batch;
    if (earlier.kind == BatchKind::pid_reset) {
      break;
    }
    if (!is_sequenced(earlier) || earlier.producer_id != batch.producer_id) {
      continue;
    }
    // What the log cleaner has dropped with its batch, the log does not remember; nobody sends it again
    // either.
    if (found.newest == nullptr && is_present(earlier)) {
      found.newest = &earlier;
    }
    if (earlier.producer_epoch == batch.producer_epoch && earlier.base_sequence == batch.base_sequence) {
      found.same = &earlier;
      break;
    }
  }
  return found;
}

/// May `batch` be stored after `newest`, which its producer wrote before?
bool follows(const Batch& batch, const Batch& newest) {
  if (batch.producer_epoch != newest.producer_epoch) {
    return batch.producer_epoch > newest.producer_epoch && batch.base_sequence == 0;
  }
  return batch.base_sequence == newest.base_sequence + newest.record_count();
}

}  // namespace

void check_sequences(const Replay& replay, Findings& findings, const Event& event, const Appended& append) {
  if (append.origin != AppendOrigin::local || append.batches.size() != 1 ||
      !is_sequenced(append.batches.front())) {
    return;
  }
  const TraceHeader& header = replay.header();
  const Batch& batch = append.batches.front();
  const Remembered known =
      remembered(replay.replica(event.cluster, event.broker, event.partition).log, batch);
  if (known.same != nullptr) {
    findings.report(Invariant::ack_means_stored, "batch-stored-twice", event, [&] {
      return fmt::format("{}: {} of producer {} (epoch {}, sequence {}) is stored already, at offset {}",
                         replica_name(header, event), batch_name(header, batch), batch.producer_id,
                         batch.producer_epoch, batch.base_sequence, known.same->base_offset);
    });
  } else if (known.newest != nullptr && !follows(batch, *known.newest)) {
    findings.report(Invariant::ack_means_stored, "sequence-gap", event, [&] {
      return fmt::format(
          "{}: {} of producer {} (epoch {}, sequence {}) does not follow what it wrote last, {} records from "
          "sequence {} on with epoch {}",
          replica_name(header, event), batch_name(header, batch), batch.producer_id, batch.producer_epoch,
          batch.base_sequence, known.newest->record_count(), known.newest->base_sequence,
          known.newest->producer_epoch);
    });
  }
}

}  // namespace mirrorproof::checker
