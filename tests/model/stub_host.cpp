#include "stub_host.h"

namespace mirrorproof {

const FollowerStub* StubHost::stub(PartitionId partition) const {
  const auto found = stubs.find(partition);
  return found == stubs.end() ? nullptr : &found->second;
}

Offset StubHost::log_start_offset(PartitionId partition) {
  return stub(partition) != nullptr ? 0 : LogHost::log_start_offset(partition);
}

Offset StubHost::log_end_offset(PartitionId partition) {
  const FollowerStub* canned = stub(partition);
  return canned != nullptr ? canned->log_end_offset : LogHost::log_end_offset(partition);
}

std::optional<Epoch> StubHost::latest_epoch(PartitionId partition) {
  const FollowerStub* canned = stub(partition);
  if (canned == nullptr) {
    return LogHost::latest_epoch(partition);
  }
  return hide_latest_epoch ? std::nullopt : canned->latest_epoch;
}

EpochEndOffset StubHost::end_offset_for_epoch(PartitionId partition, Epoch epoch) {
  const FollowerStub* canned = stub(partition);
  if (canned == nullptr) {
    return LogHost::end_offset_for_epoch(partition, epoch);
  }
  const auto found = canned->lookup.find(epoch);
  return found == canned->lookup.end() ? EpochEndOffset{} : found->second;
}

HostVerdict StubHost::truncate(PartitionId partition, Offset target, TruncationReason reason,
                               bool completed) {
  if (stub(partition) == nullptr || failing_truncations.contains(partition)) {
    return LogHost::truncate(partition, target, reason, completed);
  }
  cuts.push_back({partition, target, reason, completed, false});
  return HostVerdict::proceed;
}

HostVerdict StubHost::truncate_fully_and_start_at(PartitionId partition, Offset start) {
  if (stub(partition) == nullptr || failing_truncations.contains(partition)) {
    return LogHost::truncate_fully_and_start_at(partition, start);
  }
  cuts.push_back({partition, start, TruncationReason::out_of_range, true, true});
  return HostVerdict::proceed;
}

ProcessedData StubHost::process_data(const PartitionFetchState& state, const FetchPartitionResponse& data) {
  if (stub(state.partition) == nullptr) {
    return LogHost::process_data(state, data);
  }
  ProcessedData result;
  if (failing_appends.contains(state.partition)) {
    result.verdict = HostVerdict::fail;
    return result;
  }
  result.next_offset = state.fetch_offset;
  if (data.records.empty()) {
    return result;
  }
  ++appends[state.partition];
  if (data.corrupt) {
    result.verdict = HostVerdict::delay;
    return result;
  }
  result.appended = true;
  result.next_offset = data.records.back().next_offset();
  result.last_epoch = data.records.back().epoch;
  return result;
}

}  // namespace mirrorproof
