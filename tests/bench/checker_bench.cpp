// How many events per second the judge reads: a steady mirror with replication on both sides, and one with
// unclean elections and recoveries in between.

#include <benchmark/benchmark.h>

#include <utility>

#include "checker/checker.h"

namespace mirrorproof {
namespace {

constexpr ClusterId kSource = 0;
constexpr ClusterId kDestination = 1;

/// Writes the trace of two clusters with three brokers each. Keeps offsets only: every log but the leader's
/// is a prefix.
class Recording {
 public:
  Recording() {
    BrokerSet all;
    all.bits = 0b111;
    trace.header.clusters = {{"A", 3}, {"B", 3}};
    trace.header.partitions = {{"topic-0", {all, all}}};
    lead(kSource, 0, ElectionKind::clean);
    lead(kDestination, 0, ElectionKind::clean);
    state(MirrorState::unknown, MirrorState::log_alignment);
    state(MirrorState::log_alignment, MirrorState::mirroring);
  }

  /// One produce request and everything that copies it.
  void round() {
    step_ += 1;
    Batch batch;
    batch.base_offset = end_;
    batch.last_offset = end_ + 4;
    batch.first_id = RecordId::make(kSource, serial_);
    batch.epoch = epoch_[kSource];
    serial_ += 7;  // another partition's records in between
    end_ += 5;
    Appended append;
    append.leader_epoch = epoch_[kSource];
    append.batches.push_back(batch);
    emit(kSource, leader_, append);
    for (BrokerId follower = 0; follower < 3; ++follower) {
      if (follower != leader_) {
        fetch(kSource, follower, kSource, leader_, AppendOrigin::replication, batch);
      }
    }
    high_watermark(kSource, leader_);
    fetch(kDestination, 0, kSource, leader_, AppendOrigin::mirror, batch);
    for (const BrokerId follower : {BrokerId{1}, BrokerId{2}}) {
      fetch(kDestination, follower, kDestination, 0, AppendOrigin::replication, batch);
    }
    high_watermark(kDestination, 0);
    last_ = batch;
  }

  /// The source's leader writes what only the mirror copies, and another broker is elected uncleanly.
  void unclean_election() {
    step_ += 1;
    Batch batch = last_;
    batch.base_offset = end_;
    batch.last_offset = end_;
    batch.first_id = RecordId::make(kSource, serial_);
    serial_ += 7;
    batch.epoch = epoch_[kSource];
    Appended append;
    append.leader_epoch = epoch_[kSource];
    append.batches.push_back(batch);
    emit(kSource, leader_, append);
    fetch(kDestination, 0, kSource, leader_, AppendOrigin::mirror, batch);
    const BrokerId old_leader = leader_;
    leader_ = static_cast<BrokerId>((leader_ + 1) % 3);
    lead(kSource, leader_, ElectionKind::unclean);
    lead(kDestination, 0, ElectionKind::epoch_bump);
    step_ += 1;
    const EventId told = ask(kDestination, 0, kSource, leader_, kUndefinedOffset);
    emit(kDestination, 0, DivergenceDetected{TruncationReason::diverging_epoch, end_, kSource}, told);
    state(MirrorState::mirroring, MirrorState::ule_recovery);
    cut(kDestination, 0, true, told);
    cut(kSource, old_leader, false, ask(kSource, old_leader, kSource, leader_, kUndefinedOffset));
    step_ += 1;
    state(MirrorState::ule_recovery, MirrorState::mirroring);
  }

  Trace trace;

 private:
  template <class Payload>
  EventId emit(ClusterId cluster, BrokerId broker, Payload payload, EventId cause = 0) {
    Event& event = trace.events.emplace_back();
    event.id = trace.events.size();
    event.cluster = cluster;
    event.broker = broker;
    event.partition = 0;
    event.step = step_;
    if (cause != 0) {
      event.causes.push_back(cause);
    }
    event.payload = std::move(payload);
    return event.id;
  }
  void lead(ClusterId cluster, BrokerId broker, ElectionKind kind) {
    epoch_[cluster] += cluster == kSource ? 1 : 20;
    const EventId election =
        emit(cluster, kController, Election{kind, broker, epoch_[cluster], BrokerSet{7}});
    became_[cluster] = emit(cluster, broker, BecameLeader{epoch_[cluster]}, election);
  }
  void state(MirrorState from, MirrorState to) {
    MirrorStateChanged change;
    change.from = from;
    change.to = to;
    change.source = kSource;
    emit(kDestination, kController, change);
  }
  EventId ask(ClusterId client_cluster, BrokerId client, ClusterId cluster, BrokerId broker, Offset first) {
    RequestSent request;
    request.version = 12;
    request.server_cluster = cluster;
    request.server_broker = broker;
    const EventId sent = emit(client_cluster, client, request);
    RequestHandled handled;
    handled.version = 12;
    handled.first_offset = first;
    const EventId handling = emit(cluster, broker, handled, sent);
    trace.events.back().causes.push_back(became_[cluster]);
    return emit(client_cluster, client, ResponseReceived{}, handling);
  }
  void fetch(ClusterId client_cluster, BrokerId client, ClusterId cluster, BrokerId broker,
             AppendOrigin origin, const Batch& batch) {
    const EventId received = ask(client_cluster, client, cluster, broker, batch.base_offset);
    Appended append;
    append.origin = origin;
    append.source_cluster = cluster;
    append.source_broker = broker;
    append.leader_epoch = epoch_[cluster];
    append.batches.push_back(batch);
    emit(client_cluster, client, append, received);
  }
  void high_watermark(ClusterId cluster, BrokerId broker) { emit(cluster, broker, HighWatermarkMoved{end_}); }
  void cut(ClusterId cluster, BrokerId broker, bool by_mirror, EventId cause) {
    Truncated truncated;
    truncated.by_mirror = by_mirror;
    truncated.target = end_;
    truncated.log_end_before = end_ + 1;
    truncated.removed_records = 1;
    emit(cluster, broker, truncated, cause);
  }

  std::uint32_t step_ = 0;
  std::uint64_t serial_ = 0;
  Offset end_ = 0;
  Epoch epoch_[2] = {0, 0};
  EventId became_[2] = {0, 0};
  BrokerId leader_ = 0;
  Batch last_;
};

void judge_trace(benchmark::State& state, const Trace& trace) {
  for (auto _ : state) {
    const checker::Judgement judgement = checker::judge(trace);
    if (!judgement.holds()) {
      state.SkipWithError(judgement.violations.front().message.c_str());
      return;
    }
    benchmark::DoNotOptimize(judgement.statistics.events);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(trace.events.size()));
}

void BM_JudgeSteadyMirror(benchmark::State& state) {
  Recording recording;
  while (static_cast<std::int64_t>(recording.trace.events.size()) < state.range(0)) {
    recording.round();
  }
  judge_trace(state, recording.trace);
}
BENCHMARK(BM_JudgeSteadyMirror)->Arg(1'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void BM_JudgeUncleanElections(benchmark::State& state) {
  Recording recording;
  for (int i = 1; static_cast<std::int64_t>(recording.trace.events.size()) < state.range(0); ++i) {
    recording.round();
    if (i % 5 == 0) {
      recording.unclean_election();
    }
  }
  judge_trace(state, recording.trace);
}
BENCHMARK(BM_JudgeUncleanElections)->Arg(1'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

/// What a campaign pays per seed.
void BM_JudgeEmptyTrace(benchmark::State& state) {
  const Recording recording;
  Trace trace;
  trace.header = recording.trace.header;
  judge_trace(state, trace);
}
BENCHMARK(BM_JudgeEmptyTrace);

}  // namespace
}  // namespace mirrorproof
