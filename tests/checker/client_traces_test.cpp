// Traces that leave something out about clients, and replica sets that change: nobody is accused of what the
// trace does not tell, and nobody goes free of what it does.

#include <gtest/gtest.h>

#include <algorithm>

#include "checker/checker.h"

namespace mirrorproof::checker {
namespace {

class ClientTrace {
 public:
  ClientTrace() {
    trace_.header.clusters = {{"A", 2}, {"B", 2}};
    BrokerSet both;
    both.insert(0);
    both.insert(1);
    trace_.header.partitions = {{"topic-0", {both, both}}};
  }

  template <class Payload>
  EventId add(ClusterId cluster, BrokerId broker, Payload payload) {
    Event event;
    event.id = trace_.events.size() + 1;
    event.step = static_cast<std::uint32_t>(event.id);
    event.cluster = cluster;
    event.broker = broker;
    event.partition = 0;
    event.payload = std::move(payload);
    trace_.events.push_back(std::move(event));
    return trace_.events.back().id;
  }

  /// A/0 leads epoch 0 and writes three records.
  void lead_and_write() {
    Election election;
    election.leader = 0;
    election.isr.insert(0);
    add(0, kController, election);
    add(0, 0, BecameLeader{0});
    Appended appended;
    Batch batch;
    batch.base_offset = 0;
    batch.last_offset = 2;
    batch.epoch = 0;
    batch.first_id = RecordId::make(0, 1);
    appended.batches.push_back(batch);
    add(0, 0, appended);
  }

  bool accuses(Invariant invariant, std::string_view kind) const {
    const Judgement judgement = judge(trace_);
    return std::any_of(judgement.violations.begin(), judgement.violations.end(), [&](const Violation& each) {
      return each.invariant == invariant && each.kind == kind;
    });
  }

 private:
  Trace trace_;
};

ProduceAcked acked_to(Offset last) {
  return {0, last, RecordId::make(0, 1), true};
}

TEST(AckTraces, WithoutHighWatermarksAreNotAccused) {
  ClientTrace trace;
  trace.lead_and_write();
  trace.add(0, 0, acked_to(2));
  EXPECT_FALSE(trace.accuses(Invariant::ack_means_stored, "acked-above-high-watermark"));
}

TEST(AckTraces, WithHighWatermarksAreEvenIfTheFirstComesLater) {
  ClientTrace trace;
  trace.lead_and_write();
  trace.add(0, 0, acked_to(2));
  trace.add(0, 0, HighWatermarkMoved{3});
  EXPECT_TRUE(trace.accuses(Invariant::ack_means_stored, "acked-above-high-watermark"));

  ClientTrace in_order;
  in_order.lead_and_write();
  in_order.add(0, 0, HighWatermarkMoved{3});
  in_order.add(0, 0, acked_to(2));
  EXPECT_FALSE(in_order.accuses(Invariant::ack_means_stored, "acked-above-high-watermark"));
}

TEST(AckTraces, AreAccusedOfWhatIsNotStoredAllTheSame) {
  ClientTrace trace;
  trace.lead_and_write();
  trace.add(0, 0, ProduceAcked{1, 1, RecordId::make(0, 9), true});
  EXPECT_TRUE(trace.accuses(Invariant::ack_means_stored, "acked-record-not-there"));
}

/// Two groups synced to the same offset; a reader takes over one of them, then the mirror cuts its log.
ClientTrace two_groups(std::int64_t taken_over) {
  ClientTrace trace;
  trace.lead_and_write();
  trace.add(1, kController, MirrorStateChanged{MirrorState::unknown, MirrorState::log_alignment});
  trace.add(1, kController, MirrorStateChanged{MirrorState::log_alignment, MirrorState::mirroring});
  Election election;
  election.leader = 0;
  election.isr.insert(0);
  trace.add(1, kController, election);
  trace.add(1, 0, BecameLeader{0});
  Appended appended;
  appended.origin = AppendOrigin::mirror;
  appended.source_cluster = 0;
  appended.source_broker = 0;
  Batch batch;
  batch.last_offset = 2;
  batch.first_id = RecordId::make(0, 1);
  appended.batches.push_back(batch);
  trace.add(1, 0, appended);
  for (const std::int64_t group : {0, 1}) {
    trace.add(1, kController, GroupOffsetSynced{group, 3, 0, 3, 3, 0});
  }
  trace.add(1, kController, ReaderMoved{0, 3, true, taken_over});
  Truncated cut;
  cut.reason = TruncationReason::alignment;
  cut.by_mirror = true;
  cut.target = 0;
  cut.log_end_before = 3;
  cut.removed_records = 3;
  trace.add(1, 0, cut);
  return trace;
}

TEST(GroupTraces, NameWhoseOffsetAReaderTookOver) {
  EXPECT_TRUE(two_groups(0).accuses(Invariant::group_offset_range, "group-beyond-log-end"))
      << "group 1 is still the mirror's business";
  EXPECT_FALSE(two_groups(-1).accuses(Invariant::group_offset_range, "group-beyond-log-end"))
      << "without a name it may have been either";
}

TEST(ReplicaTraces, WhoIsNoReplicaAnyMoreOwesNothing) {
  const auto rested = [](bool removed) {
    ClientTrace trace;
    trace.lead_and_write();
    if (removed) {
      ReplicasChanged changed;
      changed.replicas.insert(0);
      trace.add(0, kController, changed);
    }
    trace.add(0, kController, WorldRested{});
    return trace;
  };
  EXPECT_TRUE(rested(false).accuses(Invariant::convergence, "replica-differs"));
  EXPECT_FALSE(rested(true).accuses(Invariant::convergence, "replica-differs"));
}

TEST(ReplicaTraces, ARemovedReplicaMayDeleteCommittedRecords) {
  const auto deleted = [](TruncationReason reason) {
    ClientTrace trace;
    trace.lead_and_write();
    trace.add(0, 0, HighWatermarkMoved{3});
    Appended copy;
    copy.origin = AppendOrigin::replication;
    copy.source_cluster = 0;
    copy.source_broker = 0;
    Batch batch;
    batch.last_offset = 2;
    batch.first_id = RecordId::make(0, 1);
    copy.batches.push_back(batch);
    trace.add(0, 1, copy);
    Truncated cut;
    cut.reason = reason;
    cut.log_end_before = 3;
    cut.removed_records = 3;
    trace.add(0, 1, cut);
    return trace;
  };
  EXPECT_TRUE(deleted(TruncationReason::diverging_epoch)
                  .accuses(Invariant::follower_truncation, "removed-record-the-leader-has"));
  EXPECT_FALSE(deleted(TruncationReason::replica_removed)
                   .accuses(Invariant::follower_truncation, "removed-record-the-leader-has"));
}

}  // namespace
}  // namespace mirrorproof::checker
