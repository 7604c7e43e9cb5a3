// Events and logs in words.

#include "reports/event_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mirrorproof::reports {
namespace {

TraceHeader two_clusters(int partitions) {
  TraceHeader header;
  header.clusters = {{"A", 2}, {"B", 2}};
  for (int i = 0; i < partitions; ++i) {
    header.partitions.push_back({"orders-" + std::to_string(i), {BrokerSet{3}, BrokerSet{3}}});
  }
  return header;
}

Batch batch(Offset base, Offset last, Epoch epoch, BatchKind kind = BatchKind::data) {
  Batch out;
  out.base_offset = base;
  out.last_offset = last;
  out.epoch = epoch;
  out.kind = kind;
  return out;
}

/// Numbers events and has them told.
class Teller {
 public:
  explicit Teller(int partitions = 1) : narrator_(two_clusters(partitions)) {}

  std::string operator()(ClusterId cluster, BrokerId broker, EventPayload payload,
                         std::initializer_list<EventId> causes = {}) {
    Event event;
    event.id = ++last_;
    event.cluster = cluster;
    event.broker = broker;
    event.partition = 0;
    event.causes.assign(causes.begin(), causes.end());
    event.payload = std::move(payload);
    narrator_.observe(event);
    return narrator_.text(event);
  }
  EventId last() const { return last_; }

 private:
  EventNarrator narrator_;
  EventId last_ = 0;
};

TEST(EventText, TheLegsOfAnExchangeNameBothEnds) {
  Teller tell;
  RequestSent sent;
  sent.version = 12;
  sent.server_cluster = 0;
  sent.server_broker = 1;
  sent.fetch_offset = 3;
  sent.current_leader_epoch = 1;
  sent.epoch_offered = 0;
  sent.epoch_carried = 0;
  EXPECT_EQ(tell(1, 0, sent), "B/0 asked A/1 for offset 3 (fetch v12, leader epoch 1, last fetched epoch 0)");
  RequestHandled handled;
  handled.diverging = true;
  handled.answer = {0, 1};
  EXPECT_EQ(tell(0, 1, handled, {tell.last()}), "A/1 answered B/0's fetch: epoch 0 ends at 1");
  EXPECT_EQ(tell(1, 0, ResponseReceived{}, {tell.last()}), "B/0 received A/1's fetch answer");
}

TEST(EventText, WhatIsLeftOutOnTheWireIsSaid) {
  Teller tell;
  RequestSent sent;
  sent.version = 11;
  sent.server_cluster = 0;
  sent.server_broker = 0;
  sent.fetch_offset = 3;
  sent.current_leader_epoch = 1;
  sent.epoch_offered = 0;
  EXPECT_EQ(tell(1, 0, sent),
            "B/0 asked A/0 for offset 3 (fetch v11, leader epoch 1, last fetched epoch 0 left out)");
}

TEST(EventText, AnAnswerWithoutItsQuestionIsStillALine) {
  Teller tell;
  RequestHandled handled;
  handled.api = ApiKey::offset_for_leader_epoch;
  EXPECT_EQ(tell(0, 1, handled), "A/1 answered a OffsetsForLeaderEpoch request: it does not know");
  handled.error = ErrorCode::fenced_leader_epoch;
  EXPECT_EQ(tell(0, 1, handled), "A/1 answered a OffsetsForLeaderEpoch request: fenced leader epoch");
}

TEST(EventText, ElectionsAndLogsOfTheActor) {
  Teller tell;
  EXPECT_EQ(tell(0, kController, Election{ElectionKind::unclean, 1, 2, BrokerSet{2}}),
            "A/1 was elected uncleanly in epoch 2 (ISR 1)");
  EXPECT_EQ(tell(0, kController, Election{ElectionKind::leaderless, kNoBroker, 3, BrokerSet{}}),
            "A has no leader from epoch 3 on (ISR empty)");
  EXPECT_EQ(tell(0, 1, BecameLeader{2}), "A/1 took over in epoch 2 with log end 0");
  Appended appended;
  appended.batches = {batch(0, 2, 2), batch(3, 4, 2), batch(5, 5, 3, BatchKind::pid_reset)};
  EXPECT_EQ(tell(0, 1, appended), "A/1 wrote 0..4:2 5:3R");
  EXPECT_EQ(tell(0, 1, BecameLeader{4}), "A/1 took over in epoch 4 with log end 6");
  appended.origin = AppendOrigin::mirror;
  appended.source_cluster = 0;
  appended.source_broker = 1;
  EXPECT_EQ(tell(1, 0, appended), "B/0 mirrored 0..4:2 5:3R from A/1");
  Truncated cut;
  cut.reason = TruncationReason::diverging_epoch;
  cut.by_mirror = true;
  cut.target = 4;
  cut.removed_records = 3;
  EXPECT_EQ(tell(1, 0, cut), "B/0 truncated the mirror to 4: 3 records removed (diverging epoch)");
}

TEST(EventText, ThePartitionIsNamedWhenThereAreSeveral) {
  Teller tell(2);
  EXPECT_EQ(tell(0, 1, HighWatermarkMoved{7}), "A/1 moved its high watermark to 7 [orders-0]");
}

TEST(EventText, MirrorStates) {
  Teller tell;
  MirrorStateChanged changed;
  changed.from = MirrorState::mirroring;
  changed.to = MirrorState::failed;
  changed.reason = MirrorReason::divergence;
  changed.retryable = false;
  changed.source = 0;
  EXPECT_EQ(tell(1, kController, changed),
            "B's mirror of A went from MIRRORING to FAILED (divergence, for good)");
  EXPECT_EQ(tell(1, 0, MirrorPositionRead{{}, 0}), "B/0 learned A's last mirror position: none");
  EXPECT_EQ(tell(1, 0, MirrorPositionRead{{4, 10}, 0}),
            "B/0 learned A's last mirror position: (epoch 4, offset 10)");
}

TEST(EventText, NamesOfATraceCannotSteerATerminal) {
  TraceHeader header = two_clusters(1);
  header.clusters[0].name = "\x1b[2J";
  EventNarrator narrator(header);
  Event event;
  event.id = 1;
  event.cluster = 0;
  event.broker = 0;
  event.payload = Note{"a\nb\x1b"};
  narrator.observe(event);
  EXPECT_EQ(narrator.text(event), "\\x1b[2J/0: a\\x0ab\\x1b");
}

// --- logs ---

TEST(LogReplay, FollowsAppendsCutsAndLogStarts) {
  LogReplay replay;
  const auto show = [&](EventPayload payload) {
    Event event;
    event.cluster = 0;
    event.broker = 0;
    event.partition = 0;
    event.payload = std::move(payload);
    EXPECT_TRUE(replay.observe(event));
    return log_text(*replay.find({0, 0, 0}));
  };
  Appended appended;
  appended.batches = {batch(0, 1, 0), batch(2, 5, 1)};
  EXPECT_EQ(show(appended), "0..1:0 2..5:1  (high watermark 0, log end 6)");
  EXPECT_EQ(show(HighWatermarkMoved{6}), "0..1:0 2..5:1  (high watermark 6, log end 6)");
  // A cut inside a batch takes the batch and still ends where it was told to.
  Truncated cut;
  cut.target = 4;
  EXPECT_EQ(show(cut), "0..1:0  (high watermark 4, log end 4)");
  EXPECT_EQ(show(LogStartMoved{LogStartMoved::Reason::retention, 1}),
            "0..1:0  (log start 1, high watermark 4, log end 4)");
  EXPECT_EQ(show(LogStartMoved{LogStartMoved::Reason::retention, 2}),
            "empty  (log start 2, high watermark 4, log end 4)");
  appended.batches = {batch(4, 4, 1), batch(5, 5, 1), batch(6, 6, 1)};
  appended.batches[1].content = BatchContent::emptied;
  EXPECT_EQ(show(appended), "4:1 6:1  (log start 2, high watermark 4, log end 7)");
  EXPECT_EQ(show(LogCleaned{4, 4, false}), "6:1  (log start 2, high watermark 4, log end 7)");
  cut.target = 9;
  cut.log_start = 9;
  EXPECT_EQ(show(cut), "empty  (log start 9, high watermark 4, log end 9)");
  EXPECT_EQ(replay.find({0, 1, 0}), nullptr);
}

TEST(LogText, LongLogsAreShortenedInTheMiddle) {
  ReplayedLog log;
  for (Offset offset = 0; offset < 100; ++offset) {
    log.batches.push_back(batch(offset, offset, static_cast<Epoch>(offset)));
  }
  EXPECT_EQ(records_text(log, 4), "0:0 1:1 ...96 more... 98:98 99:99");
}

}  // namespace
}  // namespace mirrorproof::reports
