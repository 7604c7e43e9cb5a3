#include "tests/checker/trace_builder.h"

#include <algorithm>

#include "model/check.h"

namespace mirrorproof::checker::testing {

TraceBuilder::TraceBuilder(int clusters, int partitions) {
  BrokerSet all;
  for (BrokerId broker = 0; broker < 3; ++broker) {
    all.insert(broker);
  }
  for (int i = 0; i < clusters; ++i) {
    trace.header.clusters.push_back({std::string(1, static_cast<char>('A' + i)), 3});
  }
  for (int i = 0; i < partitions; ++i) {
    trace.header.partitions.push_back(
        {"topic-" + std::to_string(i), std::vector<BrokerSet>(static_cast<std::size_t>(clusters), all)});
  }
}

EventId TraceBuilder::emit(ClusterId cluster, BrokerId broker, EventPayload payload,
                           const std::vector<EventId>& causes) {
  Event& event = trace.events.emplace_back();
  event.id = trace.events.size();
  event.cluster = cluster;
  event.broker = broker;
  event.partition = partition_;
  event.step = step_;
  for (const EventId cause : causes) {
    if (cause != 0) {
      event.causes.push_back(cause);
    }
  }
  event.payload = std::move(payload);
  return event.id;
}

EventId TraceBuilder::elect(ClusterId cluster, BrokerId leader, Epoch epoch, ElectionKind kind) {
  BrokerSet isr;
  isr.insert(leader);
  const EventId id = emit(cluster, kController, Election{kind, leader, epoch, isr});
  elections_[{cluster, partition_}] = id;
  return id;
}

EventId TraceBuilder::take_over(Place place, Epoch epoch) {
  replica(place).epoch = epoch;
  return emit(place.cluster, place.broker, BecameLeader{epoch}, {elections_[{place.cluster, partition_}]});
}

EventId TraceBuilder::follow(Place place, Epoch epoch, BrokerId leader) {
  replica(place).epoch = epoch;
  return emit(place.cluster, place.broker, BecameFollower{epoch, leader},
              {elections_[{place.cluster, partition_}]});
}

EventId TraceBuilder::lead(Place place, Epoch epoch, ElectionKind kind) {
  elect(place.cluster, place.broker, epoch, kind);
  return take_over(place, epoch);
}

EventId TraceBuilder::start(Place place, std::string_view version) {
  const KafkaVersion parsed = *parse_kafka_version(version);
  return emit(place.cluster, place.broker,
              BrokerStarted{parsed, supported_range(parsed, ApiKey::fetch),
                            supported_range(parsed, ApiKey::offset_for_leader_epoch)});
}

EventId TraceBuilder::stop(Place place, StopKind kind) {
  return emit(place.cluster, place.broker, BrokerStopped{kind});
}

Batch TraceBuilder::write(Place place, int records, BatchKind kind) {
  return write_with_epoch(place, replica(place).epoch, records, kind);
}

Batch TraceBuilder::write_with_epoch(Place place, Epoch epoch, int records, BatchKind kind) {
  Batch batch;
  batch.base_offset = replica(place).log_end;
  batch.last_offset = batch.base_offset + records - 1;
  batch.first_id = RecordId::make(place.cluster, serials_[place.cluster]);
  batch.epoch = epoch;
  batch.kind = kind;
  serials_[place.cluster] += static_cast<std::uint64_t>(records);
  append(place, AppendOrigin::local, batch);
  return batch;
}

EventId TraceBuilder::append(Place place, AppendOrigin origin, const Batch& batch,
                             const std::vector<EventId>& causes) {
  LocalReplica& local = replica(place);
  if (origin == AppendOrigin::initial && local.batches.empty()) {
    local.log_start = batch.base_offset;
  }
  local.batches.push_back(batch);
  local.log_end = batch.next_offset();
  Appended appended;
  appended.origin = origin;
  appended.leader_epoch = local.epoch;
  appended.batches.push_back(batch);
  return emit(place.cluster, place.broker, appended, causes);
}

EventId TraceBuilder::copy(Place from, Place to, int batches) {
  const Offset end = replica(to).log_end;
  Appended appended;
  appended.origin = from.cluster == to.cluster ? AppendOrigin::replication : AppendOrigin::mirror;
  appended.source_cluster = from.cluster;
  appended.source_broker = from.broker;
  appended.leader_epoch = replica(to).epoch;
  for (const Batch& batch : replica(from).batches) {
    if (batch.last_offset >= end && static_cast<int>(appended.batches.size()) < batches) {
      appended.batches.push_back(batch);
    }
  }
  if (appended.batches.empty()) {
    return ask(to, from);
  }
  const EventId received = ask(to, from, ApiKey::fetch, appended.batches.front().base_offset);
  LocalReplica& local = replica(to);
  local.batches.insert(local.batches.end(), appended.batches.begin(), appended.batches.end());
  local.log_end = local.batches.back().next_offset();
  return emit(to.cluster, to.broker, appended, {received});
}

EventId TraceBuilder::ask(Place client, Place server, ApiKey api, Offset first_offset) {
  RequestSent request;
  request.api = api;
  request.version = api == ApiKey::fetch ? 12 : 3;
  request.server_cluster = server.cluster;
  request.server_broker = server.broker;
  request.fetch_offset = replica(client).log_end;
  const EventId sent = emit(client.cluster, client.broker, request);
  RequestHandled handling;
  handling.api = api;
  handling.version = request.version;
  handling.first_offset = first_offset;
  const EventId handled = emit(server.cluster, server.broker, handling, {sent});
  return emit(client.cluster, client.broker, ResponseReceived{api}, {handled});
}

EventId TraceBuilder::cut_after_answer(Place place, Place server, Offset target, TruncationReason reason) {
  const EventId received = ask(place, server);
  return cut(place, target, reason, place.cluster != server.cluster, {received});
}

EventId TraceBuilder::cut(Place place, Offset target, TruncationReason reason, bool by_mirror,
                          const std::vector<EventId>& causes, Offset log_start) {
  LocalReplica& local = replica(place);
  Truncated truncated;
  truncated.reason = reason;
  truncated.by_mirror = by_mirror;
  truncated.target = target;
  truncated.log_end_before = local.log_end;
  truncated.log_start = log_start < 0 ? std::min(local.log_start, target) : log_start;
  std::erase_if(local.batches, [&](const Batch& batch) {
    const bool gone = batch.last_offset >= target || batch.last_offset < truncated.log_start;
    truncated.removed_records += gone ? batch.stored_records() : 0;
    return gone;
  });
  local.log_start = truncated.log_start;
  local.log_end = target;
  return emit(place.cluster, place.broker, truncated, causes);
}

EventId TraceBuilder::lose_power(Place place, Offset kept_end) {
  stop(place, StopKind::power_loss);
  return cut(place, kept_end, TruncationReason::power_loss);
}

EventId TraceBuilder::high_watermark(Place place, Offset offset) {
  return emit(place.cluster, place.broker, HighWatermarkMoved{offset});
}

EventId TraceBuilder::log_start(Place place, Offset offset, LogStartMoved::Reason reason,
                                const std::vector<EventId>& causes) {
  LocalReplica& local = replica(place);
  local.log_start = offset;
  std::erase_if(local.batches, [&](const Batch& batch) { return batch.last_offset < offset; });
  return emit(place.cluster, place.broker, LogStartMoved{reason, offset}, causes);
}

EventId TraceBuilder::clean(Place place, Offset base_offset, bool batch_kept) {
  LocalReplica& local = replica(place);
  LogCleaned cleaned{base_offset, base_offset, batch_kept};
  for (Batch& batch : local.batches) {
    if (batch.base_offset == base_offset) {
      cleaned.last_offset = batch.last_offset;
      batch.content = batch_kept ? BatchContent::emptied : BatchContent::gone;
    }
  }
  std::erase_if(local.batches, [](const Batch& batch) { return batch.content == BatchContent::gone; });
  return emit(place.cluster, place.broker, cleaned);
}

EventId TraceBuilder::epoch_cache(Place place, std::vector<EpochEntry> entries) {
  EpochCacheChanged changed;
  changed.entries.assign(entries.begin(), entries.end());
  return emit(place.cluster, place.broker, changed);
}

EventId TraceBuilder::state(ClusterId cluster, MirrorState to, ClusterId source, bool retryable) {
  const auto known = states_.find({cluster, partition_});
  const MirrorState from = known == states_.end() ? MirrorState::unknown : known->second;
  if (to == MirrorState::stopped) {
    emit(cluster, kController, MirrorPositionStored{});
  }
  return state_from(cluster, from, to, source, retryable);
}

EventId TraceBuilder::state_from(ClusterId cluster, MirrorState from, MirrorState to, ClusterId source,
                                 bool retryable) {
  states_[{cluster, partition_}] = to;
  MirrorStateChanged change;
  change.from = from;
  change.to = to;
  change.retryable = retryable;
  change.source = source;
  return emit(cluster, kController, change);
}

void TraceBuilder::start_mirroring(ClusterId cluster, ClusterId source) {
  state(cluster, MirrorState::log_alignment, source);
  state(cluster, MirrorState::mirroring, source);
}

EventId TraceBuilder::aligned(Place place, Offset target, MirrorPosition position, ClusterId source) {
  return emit(place.cluster, place.broker, MirrorAligned{position, target, source});
}

EventId TraceBuilder::read_position(Place place, MirrorPosition position, ClusterId source) {
  const EventId stored = emit(source, kController, MirrorPositionStored{position});
  return emit(place.cluster, place.broker, MirrorPositionRead{position, source}, {stored});
}

EventId TraceBuilder::diverged(Place place, Offset target, ClusterId source, TruncationReason how) {
  return emit(place.cluster, place.broker, DivergenceDetected{how, target, source});
}

TraceBuilder world_without_its_past() {
  TraceBuilder trace;
  trace.lead(A0, 0);
  trace.write(A0);
  trace.copy(A0, A1);
  trace.write(A0, 4);
  trace.high_watermark(A0, 5);
  trace.log_start(A0, 5);
  return trace;
}

std::vector<std::string> names_of(const Judgement& judgement) {
  std::vector<std::string> names;
  for (const Violation& violation : judgement.violations) {
    names.push_back(std::string(to_string(violation.invariant)) + "/" + violation.kind);
  }
  return names;
}

std::vector<std::string> TraceBuilder::violations() const {
  return names_of(judge());
}

}  // namespace mirrorproof::checker::testing
