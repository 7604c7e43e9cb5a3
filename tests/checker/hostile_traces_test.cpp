// Whatever a trace claims, the judge neither crashes nor hangs: traces that keep the promises of
// trace_reader.h and make no sense otherwise.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/checker/trace_builder.h"

namespace mirrorproof::checker::testing {
namespace {

/// splitmix64: fast nonsense; RapidCheck gives the seed.
class Nonsense {
 public:
  explicit Nonsense(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t value = state_;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
  }
  /// In [low, high].
  template <class Integer>
  Integer between(Integer low, Integer high) {
    return static_cast<Integer>(
        static_cast<std::int64_t>(low) +
        static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1)));
  }
  template <class Enum>
  Enum any(int count) {
    return static_cast<Enum>(between(0, count - 1));
  }
  bool one_in(int count) { return between(1, count) == 1; }

 private:
  std::uint64_t state_;
};

/// Mostly what a log could hold next, sometimes anything.
class NonsenseTrace {
 public:
  explicit NonsenseTrace(std::uint64_t seed) : random_(seed), builder_(3, 2) {}

  Trace make(int events) {
    for (int i = 0; i < events; ++i) {
      if (random_.one_in(3)) {
        builder_.step();
      }
      builder_.partition(random_.between<PartitionId>(0, 1));
      place_ = {random_.between<ClusterId>(0, 2), random_.between<BrokerId>(0, 2)};
      causes_.clear();
      for (int causes = random_.between(0, 2); i > 0 && causes > 0; --causes) {
        const auto newest = static_cast<EventId>(i);
        causes_.push_back(random_.one_in(3) ? random_.between<EventId>(1, newest) : newest);
      }
      one_event();
    }
    return builder_.trace;
  }

 private:
  Offset offset() {
    const Offset end = builder_.log_end(place_);
    return random_.one_in(10) ? random_.between<Offset>(-1, 1'000'000) : random_.between<Offset>(0, end + 1);
  }
  MirrorState state() { return static_cast<MirrorState>(random_.between(-1, 8)); }
  Epoch epoch() { return random_.between<Epoch>(-1, 12); }

  Batch batch() {
    Batch batch;
    batch.base_offset = random_.one_in(10) ? std::max<Offset>(0, offset()) : builder_.log_end(place_);
    batch.last_offset = batch.base_offset + random_.between<Offset>(0, 3);
    // Few ids, so that copies, other offsets and overlaps all happen.
    const auto serial = random_.one_in(3) ? random_.between<std::uint64_t>(0, 20)
                                          : static_cast<std::uint64_t>(batch.base_offset);
    batch.first_id = RecordId::make(random_.between<ClusterId>(0, 2), serial);
    batch.epoch = epoch();
    batch.kind = random_.any<BatchKind>(4);
    return batch;
  }

  void emit(EventPayload payload) {
    builder_.emit(place_.cluster, place_.broker, std::move(payload), causes_);
  }
  void emit_at_controller(EventPayload payload) {
    builder_.emit(place_.cluster, kController, std::move(payload), causes_);
  }

  void one_event() {
    switch (random_.between(0, 24)) {
      case 0:
        emit(BrokerStarted{
            {}, {0, random_.between<ApiVersion>(0, 19)}, {0, random_.between<ApiVersion>(-1, 4)}});
        break;
      case 1:
        emit(BrokerStopped{random_.any<StopKind>(3)});
        break;
      case 2:
      case 3:
        emit_at_controller(Election{random_.any<ElectionKind>(4), random_.between<BrokerId>(-1, 2),
                                    random_.one_in(4) ? epoch() : next_epoch_++, BrokerSet{}});
        break;
      case 4:
      case 5:
        emit(BecameLeader{random_.one_in(3) ? epoch() : next_epoch_ - 1});
        break;
      case 6:
        emit(BecameFollower{epoch(), random_.between<BrokerId>(-1, 2)});
        break;
      case 7:
      case 8:
      case 9:
      case 10: {
        Appended append;
        append.origin = random_.any<AppendOrigin>(4);
        append.source_cluster = random_.between<ClusterId>(-1, 2);
        append.source_broker = random_.between<BrokerId>(-1, 2);
        append.leader_epoch = epoch();
        append.batches.push_back(batch());
        if (random_.one_in(4)) {
          append.batches.push_back(batch());
        }
        emit(append);
        break;
      }
      case 11:
      case 12: {
        Truncated cut;
        cut.reason = random_.any<TruncationReason>(7);
        cut.by_mirror = random_.one_in(2);
        cut.target = offset();
        cut.log_end_before = offset();
        cut.log_start = random_.one_in(3) ? cut.target : random_.between<Offset>(-1, 3);
        cut.removed_records = random_.between<std::int64_t>(0, 3);
        emit(cut);
        break;
      }
      case 13:
        if (random_.one_in(2)) {
          emit(LogStartMoved{random_.any<LogStartMoved::Reason>(3), offset()});
        } else {
          const Offset base = offset();
          emit(LogCleaned{base, base + random_.between<Offset>(-1, 2), random_.one_in(2)});
        }
        break;
      case 14:
        emit(HighWatermarkMoved{offset()});
        break;
      case 15: {
        EpochCacheChanged changed;
        for (int entries = random_.between(0, 3); entries > 0; --entries) {
          changed.entries.push_back({epoch(), offset()});
        }
        emit(changed);
        break;
      }
      case 16: {
        RequestSent request;
        request.api = random_.any<ApiKey>(4);
        request.version = random_.between<ApiVersion>(0, 19);
        request.server_cluster = random_.between<ClusterId>(0, 2);
        request.server_broker = random_.between<BrokerId>(0, 2);
        request.epoch_offered = epoch();
        request.epoch_carried = epoch();
        emit(request);
        break;
      }
      case 17:
      case 18: {
        RequestHandled handled;
        handled.api = random_.any<ApiKey>(4);
        handled.version = random_.between<ApiVersion>(0, 19);
        handled.first_offset = offset();
        emit(handled);
        break;
      }
      case 19:
        emit(ResponseReceived{random_.any<ApiKey>(4), ErrorCode::none, random_.one_in(2)});
        break;
      case 20:
        emit_at_controller(MirrorStateChanged{state(), state(), MirrorReason::none, random_.one_in(2),
                                              random_.between<ClusterId>(-1, 2)});
        break;
      case 21:
        emit(MirrorActionStarted{MirrorState::mirroring, random_.between<ClusterId>(-1, 2)});
        break;
      case 22:
        emit(MirrorAligned{{epoch(), offset()}, offset(), random_.between<ClusterId>(-1, 2)});
        break;
      case 23:
        emit(DivergenceDetected{random_.any<TruncationReason>(7), offset(),
                                random_.between<ClusterId>(-1, 2)});
        break;
      default:
        emit_at_controller(
            OperatorOrdered{random_.any<OperatorAction>(5), random_.between<ClusterId>(-1, 2)});
    }
  }

  Nonsense random_;
  TraceBuilder builder_;
  Place place_;
  std::vector<EventId> causes_;
  Epoch next_epoch_ = 0;
};

RC_GTEST_PROP(HostileTraces, AreJudgedTheSameTwice, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  Trace trace = NonsenseTrace(seed).make(600);
  trace.header.protocol.ule_support = seed % 2 == 0;
  const Judgement first = judge(trace);
  const Judgement second = judge(trace);
  RC_ASSERT(first.violations.size() == second.violations.size());
  for (std::size_t i = 0; i < first.violations.size(); ++i) {
    RC_ASSERT(first.violations[i].message == second.violations[i].message);
    RC_ASSERT(first.violations[i].event >= 1);
    RC_ASSERT(first.violations[i].event <= trace.events.size());
  }
  for (const MirrorTruncation& truncation : first.mirror_truncations) {
    // A root and a path always go together.
    RC_ASSERT(truncation.unclean_elections.empty() == truncation.path.empty());
    if (!truncation.path.empty()) {
      RC_ASSERT(truncation.path.back() == truncation.event);
      RC_ASSERT(std::binary_search(truncation.unclean_elections.begin(), truncation.unclean_elections.end(),
                                   truncation.path.front()));
    }
    if (truncation.justified) {
      RC_ASSERT(!truncation.unclean_elections.empty());
    }
  }
}

TEST(HostileTraces, AnEmptyTraceHolds) {
  const Judgement judgement = judge(Trace{});
  EXPECT_TRUE(judgement.holds());
  EXPECT_EQ(judgement.statistics.events, 0U);
}

// The memory of a broken run stays bounded, and rare kinds are not drowned by frequent ones.
TEST(HostileTraces, ViolationsAreCountedAndTheCommonOnesCapped) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  for (int i = 0; i < 500; ++i) {
    trace.high_watermark(A0, 1000);
  }
  trace.lead(B0, 3);
  trace.write_with_epoch(B0, 7);
  Checker checker(trace.trace.header);
  for (const Event& event : trace.trace.events) {
    checker.observe(event);
  }
  EXPECT_EQ(checker.violation_count(), 501U);
  const Judgement judgement = checker.finish();
  EXPECT_EQ(judgement.violations.size(), 101U);
  EXPECT_EQ(judgement.violations.back().kind, "epoch-above-leader-epoch");
}

TEST(HostileTraces, StatisticsCountWhatHappened) {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.lead(A0, 1, ElectionKind::unclean);
  trace.write(A0, 4);
  trace.copy(A0, A1);
  const Statistics statistics = trace.judge().statistics;
  EXPECT_EQ(statistics.events, trace.trace.events.size());
  EXPECT_EQ(statistics.elections, 2U);
  EXPECT_EQ(statistics.unclean_elections, 1U);
  EXPECT_EQ(statistics.appended_records, 8U);
}

}  // namespace
}  // namespace mirrorproof::checker::testing
