#include "model/producer_state.h"

#include <algorithm>

#include "model/mutant.h"

namespace mirrorproof {
namespace {

/// Negative ids mean "no producer", wherever they come from.
bool in_transaction(const Batch& batch) {
  return batch.kind == BatchKind::data && batch.transactional && batch.producer_id >= 0;
}

bool has_sequence(const Batch& batch) {
  return batch.kind == BatchKind::data && batch.base_sequence >= 0;
}

}  // namespace

SequenceCheck check_sequence(const Log& log, std::int16_t producer_id, std::int16_t producer_epoch,
                             std::int32_t base_sequence, std::int64_t records) {
  const auto batches = log.batches();
  const Batch* last = nullptr;
  for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch) {
    if (batch->kind == BatchKind::pid_reset) {
      break;
    }
    if (batch->producer_id == producer_id && batch->is_marker() && batch->producer_epoch > producer_epoch) {
      return {SequenceCheck::Result::stale_producer, kUndefinedOffset, kUndefinedOffset};
    }
    if (batch->producer_id != producer_id || batch->kind != BatchKind::data || batch->base_sequence < 0) {
      continue;
    }
    const bool same = batch->producer_epoch == producer_epoch && batch->base_sequence == base_sequence &&
                      batch->record_count() == records;
    if (same && mutated(Mutant::duplicate_batch_appended)) {
      return {};
    }
    if (same) {
      return {SequenceCheck::Result::duplicate, batch->base_offset, batch->last_offset};
    }
    if (last == nullptr) {
      last = &*batch;
    }
  }
  if (last == nullptr) {
    return {};  // An unknown producer may begin anywhere.
  }
  if (producer_epoch < last->producer_epoch) {
    return {SequenceCheck::Result::stale_producer, kUndefinedOffset, kUndefinedOffset};
  }
  const std::int64_t expected =
      producer_epoch > last->producer_epoch ? 0 : last->base_sequence + last->record_count();
  const bool follows = base_sequence == expected || mutated(Mutant::sequence_gap_accepted);
  return {follows ? SequenceCheck::Result::append : SequenceCheck::Result::out_of_order, kUndefinedOffset,
          kUndefinedOffset};
}

bool sequences_follow(const Log& log, std::span<const Batch> batches) {
  const auto last_of = [](std::span<const Batch> some, const Batch& next) {
    const auto found = std::find_if(some.rbegin(), some.rend(), [&next](const Batch& batch) {
      return batch.kind == BatchKind::pid_reset ||
             (batch.producer_id == next.producer_id && has_sequence(batch));
    });
    return found == some.rend() ? nullptr : &*found;
  };
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const Batch& batch = batches[i];
    if (batch.producer_id < 0 || !has_sequence(batch)) {
      continue;
    }
    const Batch* last = last_of(batches.first(i), batch);
    last = last != nullptr ? last : last_of(log.batches(), batch);
    const bool known = last != nullptr && last->kind != BatchKind::pid_reset;
    const std::int64_t expected = known && last->producer_epoch == batch.producer_epoch
                                      ? last->base_sequence + last->record_count()
                                      : 0;
    if (batch.base_sequence != expected) {
      return false;
    }
  }
  return true;
}

std::optional<Offset> first_unstable_offset(const Log& log) {
  struct Open {
    std::int16_t producer;
    Offset first;
  };
  boost::container::small_vector<Open, 4> open;
  for (const Batch& batch : log.batches()) {
    const auto found = std::find_if(open.begin(), open.end(), [&batch](const Open& transaction) {
      return transaction.producer == batch.producer_id;
    });
    if (in_transaction(batch) && found == open.end()) {
      open.push_back({batch.producer_id, batch.base_offset});
    } else if (batch.is_marker() && found != open.end()) {
      open.erase(found);
    }
  }
  if (mutated(Mutant::stable_offset_of_newest_transaction) && !open.empty()) {
    return open.back().first;
  }
  return open.empty() ? std::nullopt : std::optional(open.front().first);
}

Offset last_stable_offset(const Log& log) {
  return std::min(first_unstable_offset(log).value_or(log.high_watermark()), log.high_watermark());
}

TransactionFate transaction_fate(const Log& log, std::size_t batch_index) {
  const auto batches = log.batches();
  const Batch& batch = batches[batch_index];
  if (!in_transaction(batch)) {
    return TransactionFate::none;
  }
  for (std::size_t i = batch_index + 1; i < batches.size(); ++i) {
    if (batches[i].is_marker() && (batches[i].producer_id == batch.producer_id ||
                                   mutated(Mutant::marker_of_any_producer_ends_transaction))) {
      return batches[i].kind == BatchKind::commit_marker ? TransactionFate::committed
                                                         : TransactionFate::aborted;
    }
  }
  return TransactionFate::open;
}

}  // namespace mirrorproof
