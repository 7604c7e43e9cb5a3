// Fetchers at work: send, handle, receive - three actions, so that anything may happen between them.

#include <algorithm>
#include <utility>

#include "model/check.h"
#include "sim/fetch_hosts.h"
#include "sim/log_snapshot.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {
namespace {

/// Before KIP-320 the brokers of this model answer every request version, whatever their release.
constexpr ApiVersionRange kAnyFetch{0, 19};
constexpr ApiVersionRange kAnyOffsetForLeaderEpoch{0, 4};

std::size_t partition_count(const Request& request) {
  return std::visit([](const auto& typed) { return typed.partitions.size(); }, request);
}

/// What the trace says of one partition of a request: as built and as it went out.
RequestSent describe(const Request& built, const Request& wire, std::size_t i) {
  RequestSent sent;
  sent.api = api_of(built);
  if (const auto* fetch = std::get_if<FetchRequest>(&built)) {
    sent.fetch_offset = fetch->partitions[i].fetch_offset;
    sent.epoch_offered = fetch->partitions[i].last_fetched_epoch;
    sent.epoch_carried = std::get<FetchRequest>(wire).partitions[i].last_fetched_epoch;
    sent.current_leader_epoch = std::get<FetchRequest>(wire).partitions[i].current_leader_epoch;
  } else if (const auto* epochs = std::get_if<OffsetsForLeaderEpochRequest>(&built)) {
    sent.epoch_offered = epochs->partitions[i].leader_epoch;
    sent.epoch_carried = sent.epoch_offered;
    sent.current_leader_epoch =
        std::get<OffsetsForLeaderEpochRequest>(wire).partitions[i].current_leader_epoch;
  } else {
    sent.current_leader_epoch = std::get<ListOffsetsRequest>(wire).partitions[i].current_leader_epoch;
  }
  return sent;
}

PartitionId partition_of(const Request& request, std::size_t i) {
  return std::visit([i](const auto& typed) { return typed.partitions[i].partition; }, request);
}

}  // namespace

FetcherRules Simulator::fetcher_rules(ClusterId cluster, ClusterId server_cluster) const {
  const ProtocolOptions& protocol = setup_->protocol;
  FetcherRules rules;
  rules.stale_response_guard = protocol.stale_response_guard;
  rules.out_of_range_trims_epochs = protocol.out_of_range_trims_epochs;
  rules.empty_answer_forgets_epoch = protocol.empty_answer == EmptyAnswer::forgets_last_epoch;
  rules.in_range_restarts = protocol.out_of_range_restart == OutOfRangeRestart::unless_above_leader_end;
  if (server_cluster != cluster) {
    rules.mirror = true;
    rules.divergence_detection = protocol.divergence_detection;
    rules.version_detection = protocol.version_detection;
    rules.truncate_on_fetch = protocol.divergence_detection != DivergenceDetection::ofle_only;
    rules.undefined_is_out_of_range = protocol.unknown_epochs_diverge;
    rules.one_ofle_round = protocol.ofle_rounds == OfleRounds::one;
    rules.epoch_question_by_metadata = protocol.epoch_question_by_metadata;
    rules.start_truncating = protocol.mirror_initial_state == MirrorInitialState::truncating;
    rules.retruncate_on_epoch_change = protocol.on_source_epoch_change == OnSourceEpochChange::retruncate;
    rules.fetch_versions = {4, 19};
    if (protocol.divergence_detection == DivergenceDetection::fetch_only &&
        protocol.version_detection != VersionDetection::drop_field) {
      rules.fetch_versions.min = kFetchWithLastFetchedEpoch;
    }
    rules.offset_for_leader_epoch_versions = {kOfleWithCurrentLeaderEpoch, 4};
    rules.list_offsets_versions = {1, 11};
    return rules;
  }
  // Replication inside a cluster does not negotiate; the inter-broker protocol decides.
  rules.restart_at_leader_start = protocol.unknown_epochs_diverge;
  const KafkaVersion inter_broker = inter_broker_version_[cluster];
  rules.fetch_versions = supported_range(inter_broker, ApiKey::fetch);
  rules.offset_for_leader_epoch_versions = supported_range(inter_broker, ApiKey::offset_for_leader_epoch);
  rules.list_offsets_versions = supported_range(inter_broker, ApiKey::list_offsets);
  rules.truncate_on_fetch = rules.fetch_versions.max >= kFetchWithLastFetchedEpoch;
  rules.retruncate_on_epoch_change = protocol.same_leader_new_epoch == SameLeaderNewEpoch::reconcile;
  switch (protocol.replication) {
    case Replication::kip320:
      return rules;
    case Replication::kip320_unfenced_truncation:
      rules.fetch_versions = {kFetchWithCurrentLeaderEpoch, kFetchWithLastFetchedEpoch - 1};
      rules.truncate_on_fetch = false;
      // Fencing disappears below v2 (V4).
      rules.offset_for_leader_epoch_versions = {kOfleWithEpochInAnswer, kOfleWithEpochInAnswer};
      return rules;
    case Replication::kip320_first_try:
      rules.fetch_versions = {kFetchWithLastFetchedEpoch, kFetchWithLastFetchedEpoch};
      rules.truncate_on_fetch = true;
      rules.offset_for_leader_epoch_versions = {kOfleWithEpochInAnswer, kOfleWithEpochInAnswer};
      break;
    case Replication::kip279:
    case Replication::kip101:
    case Replication::high_watermark: {
      rules.fetch_versions = {4, kFetchWithCurrentLeaderEpoch - 1};
      rules.truncate_on_fetch = false;
      const ApiVersion epoch_version =
          protocol.replication == Replication::kip279 ? kOfleWithEpochInAnswer : ApiVersion{0};
      rules.offset_for_leader_epoch_versions = {epoch_version, epoch_version};
      rules.high_watermark_truncation = protocol.replication == Replication::high_watermark;
      break;
    }
  }
  rules.fenced = false;
  return rules;
}

const FetcherSlot* Simulator::find_slot(ClusterId cluster, BrokerId broker, ClusterId server_cluster,
                                        BrokerId server) const {
  for (const FetcherSlot& slot : broker_at(cluster, broker).fetchers) {
    if (slot.server_cluster == server_cluster && slot.server == server) {
      return &slot;
    }
  }
  return nullptr;
}

FetcherSlot* Simulator::find_slot(ClusterId cluster, BrokerId broker, ClusterId server_cluster,
                                  BrokerId server) {
  const FetcherSlot* found = std::as_const(*this).find_slot(cluster, broker, server_cluster, server);
  // Touched only if there is one.
  return found == nullptr ? nullptr
                          : &broker_at(cluster, broker)
                                 .fetchers[static_cast<std::size_t>(
                                     found - view_of(cluster).brokers[broker].fetchers.data())];
}

FetcherSlot& Simulator::slot_for(ClusterId cluster, BrokerId broker, ClusterId server_cluster,
                                 BrokerId server) {
  auto& slots = broker_at(cluster, broker).fetchers;
  const auto key = std::pair{server_cluster, server};
  const auto place = std::find_if(slots.begin(), slots.end(), [key](const FetcherSlot& slot) {
    return std::pair{slot.server_cluster, slot.server} >= key;
  });
  if (place != slots.end() && std::pair{place->server_cluster, place->server} == key) {
    return *place;
  }
  FetcherSlot slot;
  slot.server_cluster = server_cluster;
  slot.server = server;
  slot.fetcher = Fetcher(fetcher_rules(cluster, server_cluster));
  return *slots.insert(place, std::move(slot));
}

void Simulator::drop_idle_slots(Broker& broker) {
  auto& slots = broker.fetchers;
  for (auto slot = slots.begin(); slot != slots.end();) {
    if (slot->fetcher.idle() && slot->stage == FetcherSlot::Stage::idle) {
      branches_[slot->fetcher.rules().mirror ? 1 : 0].note_all(slot->fetcher.branches());
      slot = slots.erase(slot);
    } else {
      ++slot;
    }
  }
}

FetcherBranches Simulator::branches_taken(bool mirrors) const {
  FetcherBranches all = branches_[mirrors ? 1 : 0];
  for (const Cluster& cluster : world_.clusters) {
    for (const Broker& broker : cluster.brokers) {
      for (const FetcherSlot& slot : broker.fetchers) {
        if (slot.fetcher.rules().mirror == mirrors) {
          all.note_all(slot.fetcher.branches());
        }
      }
    }
  }
  return all;
}

void Simulator::break_connection(FetcherSlot& slot) {
  slot.connected = false;
  if (slot.stage != FetcherSlot::Stage::idle) {
    slot.stage = FetcherSlot::Stage::lost;
  }
}

/// A fetch answer names bytes of the server's log by position; they are read when they leave. A log that was
/// cut and written again in between has other records there. There are no more bytes than there were: nothing
/// beyond what was answered leaves, be the log shorter by what its cleaner took.
BatchSlice Simulator::read_again(const FetcherSlot& slot, const FetchPartitionResponse& answer) const {
  const Log& log = partition_at(slot.server_cluster, slot.server, answer.partition).log;
  const Offset first = answer.records.front().base_offset;
  const Batch* now = log.batch_at_or_after(first);
  if (now == nullptr || now->base_offset != first) {
    return {};
  }
  const auto batches =
      log.read(first, answer.records.back().next_offset(), static_cast<int>(answer.records.size()));
  return {batches.begin(), batches.end()};
}

bool Simulator::reads_differently_now(const FetcherSlot& slot) const {
  const auto* response = std::get_if<FetchResponse>(&slot.response);
  if (slot.stage != FetcherSlot::Stage::answered || response == nullptr ||
      !broker_at(slot.server_cluster, slot.server).alive) {
    return false;
  }
  return std::any_of(response->partitions.begin(), response->partitions.end(),
                     [&](const FetchPartitionResponse& answer) {
                       if (answer.records.empty()) {
                         return false;
                       }
                       const BatchSlice now = read_again(slot, answer);
                       return !now.empty() && now != answer.records;
                     });
}

void Simulator::drop_answers_of(ClusterId cluster, BrokerId broker, PartitionId partition, Offset from) {
  const auto has_some = [&](const FetcherSlot& slot) {
    const auto* response = std::get_if<FetchResponse>(&slot.response);
    return slot.server_cluster == cluster && slot.server == broker &&
           slot.stage == FetcherSlot::Stage::answered && response != nullptr &&
           slot.fetcher.find(partition) != nullptr &&
           std::any_of(response->partitions.begin(), response->partitions.end(),
                       [&](const FetchPartitionResponse& answer) {
                         return answer.partition == partition && !answer.records.empty() &&
                                answer.records.back().next_offset() > from;
                       });
  };
  for (std::size_t c = 0; c < world_.clusters.size(); ++c) {
    const auto client_cluster = static_cast<ClusterId>(c);
    for (std::size_t b = 0; b < view_of(client_cluster).brokers.size(); ++b) {
      const FetcherSlot* slot =
          std::as_const(*this).find_slot(client_cluster, static_cast<BrokerId>(b), cluster, broker);
      if (slot != nullptr && has_some(*slot)) {
        break_connection(*find_slot(client_cluster, static_cast<BrokerId>(b), cluster, broker));
      }
    }
  }
}

void Simulator::late_read(FetcherSlot& slot) {
  for (FetchPartitionResponse& answer : std::get<FetchResponse>(slot.response).partitions) {
    if (!answer.records.empty()) {
      if (BatchSlice now = read_again(slot, answer); !now.empty()) {
        answer.records = std::move(now);
      }
    }
  }
  note_progress();
  recorder_.emit(slot.server_cluster, slot.server, kNoPartition,
                 Note{"the records of an answer leave only now, read from a log that has changed"});
}

bool Simulator::reachable(ClusterId client_cluster, BrokerId client, const FetcherSlot& slot) const {
  (void)client;
  return !world_.is_cut(client_cluster, slot.server_cluster) &&
         broker_at(slot.server_cluster, slot.server).alive;
}

namespace {

/// Runs `call(host)` with the host that fits the slot, then `after(mirror host or nullptr)`.
template <class Call, class After>
void with_host(Simulator& simulator, ClusterId cluster, BrokerId broker, const FetcherSlot& slot, Call call,
               After after) {
  if (slot.server_cluster != cluster) {
    MirrorHost host(simulator, cluster, broker, slot.server_cluster, slot.server);
    call(host);
    after(&host);
  } else {
    ReplicaHost host(simulator, cluster, broker, slot.server_cluster, slot.server);
    call(host);
    after(static_cast<MirrorHost*>(nullptr));
  }
}

}  // namespace

void Simulator::fetcher_send(ClusterId cluster, BrokerId broker, FetcherSlot& slot) {
  MP_CHECK(slot.stage == FetcherSlot::Stage::idle, "a fetcher has one request in flight at most");
  const auto nothing_after = [](MirrorHost*) {};
  if (!reachable(cluster, broker, slot)) {
    const EventId lost =
        recorder_.emit(cluster, broker, kNoPartition, Disconnected{slot.server_cluster, slot.server});
    slot.connected = false;
    with_host(
        *this, cluster, broker, slot,
        [&](ReplicaHost& host) {
          for (const PartitionFetchState& state : slot.fetcher.states()) {
            host.set_cause(state.partition, lost);
          }
          slot.fetcher.handle_disconnect(host);
        },
        nothing_after);
    drop_idle_slots(broker_at(cluster, broker));
    return;
  }
  const KafkaVersion server_version = broker_at(slot.server_cluster, slot.server).version;
  if (!slot.connected) {
    slot.connected = true;
    slot.learned_version = server_version;
    slot.fetcher.handle_connected();
  }
  std::optional<Request> request;
  with_host(
      *this, cluster, broker, slot, [&](ReplicaHost& host) { request = slot.fetcher.next_request(host); },
      nothing_after);
  if (!request) {
    drop_idle_slots(broker_at(cluster, broker));
    return;
  }
  const bool historic = slot.server_cluster == cluster && setup_->protocol.replication != Replication::kip320;
  const KafkaVersion known = slot.learned_version;
  const std::optional<SerializedRequest> serialized =
      serialize(*request, slot.fetcher.rules(), historic ? kAnyFetch : supported_range(known, ApiKey::fetch),
                historic ? kAnyOffsetForLeaderEpoch : supported_range(known, ApiKey::offset_for_leader_epoch),
                supported_range(known, ApiKey::list_offsets));
  if (!serialized) {
    const ApiKey api = api_of(*request);
    const EventId refused = recorder_.emit(cluster, broker, kNoPartition,
                                           UnsupportedVersion{api, slot.server_cluster, slot.server});
    note_progress();
    with_host(
        *this, cluster, broker, slot,
        [&](ReplicaHost& host) {
          for (const PartitionFetchState& state : slot.fetcher.states()) {
            host.set_cause(state.partition, refused);
          }
          slot.fetcher.handle_unsupported_version(api, host);
        },
        nothing_after);
    drop_idle_slots(broker_at(cluster, broker));
    return;
  }
  slot.stage = FetcherSlot::Stage::requested;
  slot.sent = {serialized->version, std::move(*request)};
  slot.wire = serialized->wire;
  slot.exchange.clear();
  for (std::size_t i = 0; i < partition_count(slot.wire); ++i) {
    RequestSent sent = describe(slot.sent.request, slot.wire, i);
    sent.version = serialized->version;
    sent.server_cluster = slot.server_cluster;
    sent.server_broker = slot.server;
    slot.exchange.push_back(recorder_.emit(cluster, broker, partition_of(slot.wire, i), sent));
  }
}

void Simulator::server_handle(ClusterId cluster, BrokerId client, FetcherSlot& slot) {
  MP_CHECK(slot.stage == FetcherSlot::Stage::requested, "nothing to handle");
  Broker& server = broker_at(slot.server_cluster, slot.server);
  const bool from_replica = slot.server_cluster == cluster;
  const ApiVersion version = slot.sent.version;
  const auto leadership = [&](PartitionId partition) {
    const Partition& replica = server.partitions[partition];
    return replica.role == Role::leader ? server.leadership_events[partition] : EventId{0};
  };
  if (const auto* fetch = std::get_if<FetchRequest>(&slot.wire)) {
    FetchResponse response;
    for (std::size_t i = 0; i < fetch->partitions.size(); ++i) {
      const FetchPartition& asked = fetch->partitions[i];
      Partition& replica = server.partitions[asked.partition];
      const LogSnapshot before = LogSnapshot::of(replica.log);
      FetchContext context;
      context.replica = from_replica ? client : kNoBroker;
      context.version = version;
      context.broker_version = server.version;
      context.max_batches = setup_->run.fetch_max_batches;
      context.guard_min_isr = guards_high_watermark(slot.server_cluster, slot.server);
      context.mirror_isr_join = setup_->protocol.mirror_isr_join;
      context.replica_unfenced = !from_replica || view_of(cluster).controller.is_unfenced(client) ||
                                 setup_->protocol.fenced_isr_members == FencedIsrMembers::accepted;
      context.replica_epoch = from_replica ? broker_at(cluster, client).broker_epoch : 0;
      const bool had_proposal = replica.pending_isr.has_value();
      FetchPartitionResponse answer = replica.handle_fetch(slot.server, asked, context);
      // Who is deposed, or follows, may still have what the leader has cut.
      const MirrorRecord& mirror = view_of(slot.server_cluster).mirrors[asked.partition];
      if (replica.role == Role::leader && replica.leader_epoch >= mirror.writer_epoch) {
        answer.alignments = mirror.followed_cuts;
      }
      if (replica.pending_isr.has_value() != had_proposal) {
        note_progress();
      }
      RequestHandled handled;
      handled.api = ApiKey::fetch;
      handled.version = version;
      handled.error = answer.error;
      handled.diverging = answer.diverging_epoch.epoch >= 0;
      handled.answer = answer.diverging_epoch;
      handled.first_offset = answer.records.empty() ? kUndefinedOffset : answer.records.front().base_offset;
      handled.high_watermark = answer.high_watermark;
      slot.exchange[i] = recorder_.emit(slot.server_cluster, slot.server, asked.partition, handled,
                                        {slot.exchange[i], leadership(asked.partition)});
      emit_log_changes(slot.server_cluster, slot.server, asked.partition, before, slot.exchange[i]);
      response.partitions.push_back(std::move(answer));
    }
    slot.response = std::move(response);
  } else if (const auto* epochs = std::get_if<OffsetsForLeaderEpochRequest>(&slot.wire)) {
    OffsetsForLeaderEpochResponse response;
    for (std::size_t i = 0; i < epochs->partitions.size(); ++i) {
      const EpochPartition& asked = epochs->partitions[i];
      const EpochPartitionResponse answer =
          server.partitions[asked.partition].handle_offset_for_leader_epoch(asked, version);
      RequestHandled handled;
      handled.api = ApiKey::offset_for_leader_epoch;
      handled.version = version;
      handled.error = answer.error;
      handled.answer = answer.answer;
      slot.exchange[i] = recorder_.emit(slot.server_cluster, slot.server, asked.partition, handled,
                                        {slot.exchange[i], leadership(asked.partition)});
      response.partitions.push_back(answer);
    }
    slot.response = std::move(response);
  } else {
    const auto& offsets = std::get<ListOffsetsRequest>(slot.wire);
    ListOffsetsResponse response;
    for (std::size_t i = 0; i < offsets.partitions.size(); ++i) {
      const ListOffsetsPartition& asked = offsets.partitions[i];
      // M17: mirrors ask with their broker id as replica id, so LATEST is the log end for them too.
      const bool as_replica =
          from_replica || setup_->protocol.source_latest_offset == SourceLatestOffset::log_end;
      const ListOffsetsPartitionResponse answer =
          server.partitions[asked.partition].handle_list_offsets(asked, as_replica);
      RequestHandled handled;
      handled.api = ApiKey::list_offsets;
      handled.version = version;
      handled.error = answer.error;
      handled.answer.end_offset = answer.offset;
      slot.exchange[i] = recorder_.emit(slot.server_cluster, slot.server, asked.partition, handled,
                                        {slot.exchange[i], leadership(asked.partition)});
      response.partitions.push_back(answer);
    }
    slot.response = std::move(response);
  }
  slot.stage = FetcherSlot::Stage::answered;
}

void Simulator::fetcher_receive(ClusterId cluster, BrokerId broker, FetcherSlot& slot) {
  using Stage = FetcherSlot::Stage;
  MP_CHECK(slot.stage == Stage::answered || slot.stage == Stage::lost, "nothing to receive");
  const bool answered = slot.stage == Stage::answered;
  slot.stage = Stage::idle;
  boost::container::small_vector<MirrorHost::Redirect, 1> redirects;
  const ClusterId source = slot.server_cluster;
  with_host(
      *this, cluster, broker, slot,
      [&](ReplicaHost& host) {
        if (!answered) {
          const EventId lost =
              recorder_.emit(cluster, broker, kNoPartition, Disconnected{slot.server_cluster, slot.server});
          for (const PartitionFetchState& state : slot.fetcher.states()) {
            host.set_cause(state.partition, lost);
          }
          slot.fetcher.handle_disconnect(host);
          return;
        }
        const ApiKey api = api_of(slot.sent.request);
        for (std::size_t i = 0; i < slot.exchange.size(); ++i) {
          const PartitionId partition = partition_of(slot.sent.request, i);
          ResponseReceived received;
          received.api = api;
          received.error =
              std::visit([i](const auto& typed) { return typed.partitions[i].error; }, slot.response);
          received.ignored = !slot.fetcher.answer_counts(partition, slot.sent.request);
          host.set_cause(partition, recorder_.emit(cluster, broker, partition, received, {slot.exchange[i]}));
        }
        slot.fetcher.handle_response(slot.sent.request, slot.response, host);
      },
      [&](MirrorHost* host) {
        if (host != nullptr) {
          redirects.assign(host->redirects().begin(), host->redirects().end());
        }
      });
  // `slot` may move from here on.
  for (const MirrorHost::Redirect& redirect : redirects) {
    note_progress();
    FetcherSlot& target = slot_for(cluster, broker, source, redirect.broker);
    MirrorHost host(*this, cluster, broker, source, redirect.broker);
    target.fetcher.add_partition(redirect.partition, redirect.topic_id, redirect.fetch_offset, redirect.epoch,
                                 host);
  }
  drop_idle_slots(broker_at(cluster, broker));
}

}  // namespace mirrorproof::sim
