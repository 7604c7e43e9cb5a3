#pragma once
// What a log says of its producers: sequences, open transactions, the last stable offset (protocol.md L20;
// Kafka: ProducerStateManager). Derived from the batches, never stored, so that every replica agrees with its
// own log. A PID_RESET batch ends what was known before it.

#include <optional>
#include <span>

#include "model/log.h"

namespace mirrorproof {

/// The leader's answer to an idempotent producer's batch.
struct SequenceCheck {
  enum class Result : std::uint8_t {
    append,
    duplicate,      ///< a retry: it is stored at base_offset already
    out_of_order,   ///< OUT_OF_ORDER_SEQUENCE_NUMBER: refused
    stale_producer  ///< INVALID_PRODUCER_EPOCH: refused
  } result = Result::append;
  Offset base_offset = kUndefinedOffset;  ///< duplicate: where
  Offset last_offset = kUndefinedOffset;
};
SequenceCheck check_sequence(const Log& log, std::int16_t producer_id, std::int16_t producer_epoch,
                             std::int32_t base_sequence, std::int64_t records);

/// True if batches copied from another log go on with the sequences of their producers where `log` ends, and
/// those of producers that it does not know begin at 0. Copies must not ask for it: what a producer wrote
/// first may be gone from the log that is copied (KAFKA-6003).
bool sequences_follow(const Log& log, std::span<const Batch> batches);

/// First offset of the oldest transaction without a marker, if there is one.
std::optional<Offset> first_unstable_offset(const Log& log);
/// L20.
Offset last_stable_offset(const Log& log);

/// What became of the transaction a batch belongs to, as far as this log tells.
enum class TransactionFate : std::uint8_t { none, open, committed, aborted };
TransactionFate transaction_fate(const Log& log, std::size_t batch_index);

}  // namespace mirrorproof
