#pragma once
// The FetcherHosts of the simulated brokers: what a fetcher's decisions do to the broker's logs, and the
// mirror's rules (protocol.md M16-M26, N3).

#include <boost/container/small_vector.hpp>

#include "model/fetcher.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {

/// An ordinary follower's replicas (Kafka: ReplicaFetcherThread).
class ReplicaHost : public FetcherHost {
 public:
  ReplicaHost(Simulator& simulator, ClusterId cluster, BrokerId broker, ClusterId server_cluster,
              BrokerId server)
      : simulator_(simulator),
        cluster_(cluster),
        broker_(broker),
        server_cluster_(server_cluster),
        server_(server) {}

  /// The event that everything done for this partition from now on is caused by.
  void set_cause(PartitionId partition, EventId event) { causes_.push_back({partition, event}); }

  Offset log_start_offset(PartitionId partition) override { return log(partition).log_start_offset(); }
  Offset log_end_offset(PartitionId partition) override { return log(partition).log_end_offset(); }
  std::optional<Epoch> latest_epoch(PartitionId partition) override { return log(partition).latest_epoch(); }
  EpochEndOffset end_offset_for_epoch(PartitionId partition, Epoch epoch) override {
    return log(partition).end_offset_for_epoch(epoch);
  }
  HostVerdict truncate(PartitionId partition, Offset target, TruncationReason reason,
                       bool completed) override;
  HostVerdict truncate_fully_and_start_at(PartitionId partition, Offset start) override;
  HostVerdict on_diverging_answer(const PartitionFetchState& state,
                                  const FetchPartitionResponse& answer) override;
  ProcessedData process_data(const PartitionFetchState& state, const FetchPartitionResponse& data) override;

 protected:
  Partition& partition_at(PartitionId partition) {
    return simulator_.partition_at(cluster_, broker_, partition);
  }
  Log& log(PartitionId partition) { return partition_at(partition).log; }
  EventId cause(PartitionId partition) const;
  /// L4-L8 with its events; then high watermark and log start as `follow_leader` says.
  ProcessedData append(const PartitionFetchState& state, std::span<const Batch> batches, AppendOrigin origin,
                       bool epoch_guard, Epoch newest_epoch);
  void move_log_start(PartitionId partition, Offset leader_log_start);
  const ProtocolOptions& protocol() const { return simulator_.setup().protocol; }

  Simulator& simulator_;
  ClusterId cluster_;
  BrokerId broker_;
  ClusterId server_cluster_;
  BrokerId server_;

 private:
  struct PartitionCause {
    PartitionId partition;
    EventId event;
  };
  boost::container::small_vector<PartitionCause, 2> causes_;
};

/// A destination leader that fetches from the source (Kafka prototype: MirrorFetcherThread).
class MirrorHost final : public ReplicaHost {
 public:
  using ReplicaHost::ReplicaHost;

  std::optional<Epoch> metadata_leader_epoch(PartitionId partition) override;
  HostVerdict truncate(PartitionId partition, Offset target, TruncationReason reason,
                       bool completed) override;
  HostVerdict truncate_fully_and_start_at(PartitionId partition, Offset start) override;
  HostVerdict on_diverging_answer(const PartitionFetchState& state,
                                  const FetchPartitionResponse& answer) override;
  ProcessedData process_data(const PartitionFetchState& state, const FetchPartitionResponse& data) override;
  ErrorDecision on_fetch_error(const PartitionFetchState& state,
                               const FetchPartitionResponse& answer) override;
  ErrorDecision on_truncation_error(const PartitionFetchState& state, ErrorCode error) override;
  ErrorDecision on_request_failed(const PartitionFetchState& state, bool io_error) override;

  /// M25: partitions to be handed to the fetcher of another source broker, once the current answer is dealt
  /// with.
  struct Redirect {
    PartitionId partition;
    TopicId topic_id;
    BrokerId broker;
    Epoch epoch;
    Offset fetch_offset;
  };
  std::span<const Redirect> redirects() const { return {redirects_.data(), redirects_.size()}; }

 private:
  /// positions_end_with_alignment: what the source cut by LOG_ALIGNMENT is no unclean election's work;
  /// FAILED.
  bool refuses_realigned_source(PartitionId partition);
  ErrorDecision fail(const PartitionFetchState& state, MirrorReason reason, bool needs_news);

  boost::container::small_vector<Redirect, 1> redirects_;
};

}  // namespace mirrorproof::sim
