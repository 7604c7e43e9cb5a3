#pragma once
// A follower's side in which some partitions are canned look-ups instead of logs (follower_stub rows).

#include "log_host.h"

namespace mirrorproof {

/// Answers as scripted, whatever was cut or appended.
struct FollowerStub {
  std::optional<Epoch> latest_epoch;
  Offset log_end_offset = 0;
  Offset high_watermark = 0;
  std::map<Epoch, EpochEndOffset> lookup;
};

class StubHost : public LogHost {
 public:
  std::map<PartitionId, FollowerStub> stubs;

  Offset log_start_offset(PartitionId partition) override;
  Offset log_end_offset(PartitionId partition) override;
  std::optional<Epoch> latest_epoch(PartitionId partition) override;
  EpochEndOffset end_offset_for_epoch(PartitionId partition, Epoch epoch) override;
  HostVerdict truncate(PartitionId partition, Offset target, TruncationReason reason,
                       bool completed) override;
  HostVerdict truncate_fully_and_start_at(PartitionId partition, Offset start) override;
  ProcessedData process_data(const PartitionFetchState& state, const FetchPartitionResponse& data) override;

 private:
  const FollowerStub* stub(PartitionId partition) const;
};

}  // namespace mirrorproof
