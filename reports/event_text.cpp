#include "reports/event_text.h"

#include <fmt/format.h>

#include <utility>

#include "checker/trace_names.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::reports {
namespace {

/// Requests whose answer never comes stay in the map; beyond this many the oldest are given up.
constexpr std::size_t kMaxOpenExchanges = 100'000;
constexpr std::size_t kMaxNoteBytes = 1000;

/// Names with underscores read as words.
template <class E>
std::string words(E value) {
  std::string out(to_string(value));
  for (char& c : out) {
    c = c == '_' ? ' ' : c;
  }
  return out;
}

std::string set_text(BrokerSet brokers) {
  std::string out;
  for (BrokerId broker = 0; broker < 32; ++broker) {
    if (brokers.contains(broker)) {
      out += fmt::format("{}{}", out.empty() ? "" : ",", broker);
    }
  }
  return out.empty() ? "empty" : out;
}

std::string count_text(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string position_text(MirrorPosition position) {
  if (position.epoch == kUndefinedEpoch && position.offset == kUndefinedOffset) {
    return "none";
  }
  return fmt::format("(epoch {}, offset {})", position.epoch, position.offset);
}

std::string_view api_name(ApiKey api) {
  switch (api) {
    case ApiKey::fetch:
      return "fetch";
    case ApiKey::offset_for_leader_epoch:
      return "OffsetsForLeaderEpoch";
    case ApiKey::list_offsets:
      return "ListOffsets";
    case ApiKey::describe_cluster_mirrors:
      return "DescribeClusterMirrors";
  }
  return "request";
}

/// What the events around it tell about the event that is put into words.
struct Context {
  const TraceNames& names;
  const Event& event;
  const ReplayedLog* log = nullptr;
  std::string other;  ///< the other end of the exchange; empty = not known

  std::string actor() const { return names.broker(event.cluster, event.broker); }
  const std::string& cluster() const { return names.cluster(event.cluster); }
};

std::string say(const Context& c, const BrokerStarted& started) {
  return fmt::format("{} started with Kafka {}", c.actor(), kafka_version_name(started.version));
}

std::string say(const Context& c, const BrokerStopped& stopped) {
  switch (stopped.kind) {
    case StopKind::clean:
      return c.actor() + " shut down";
    case StopKind::crash:
      return c.actor() + " crashed";
    case StopKind::power_loss:
      return c.actor() + " lost power";
  }
  return c.actor() + " stopped";
}

std::string say(const Context& c, const Election& election) {
  const std::string leader = c.names.broker(c.event.cluster, election.leader);
  const std::string isr = "ISR " + set_text(election.isr);
  switch (election.kind) {
    case ElectionKind::clean:
      return fmt::format("{} was elected in epoch {} ({})", leader, election.epoch, isr);
    case ElectionKind::unclean:
      return fmt::format("{} was elected uncleanly in epoch {} ({})", leader, election.epoch, isr);
    case ElectionKind::leaderless:
      return fmt::format("{} has no leader from epoch {} on ({})", c.cluster(), election.epoch, isr);
    case ElectionKind::epoch_bump:
      return fmt::format("{} stays leader, its epoch was raised to {} ({})", leader, election.epoch, isr);
  }
  return "an election";
}

std::string say(const Context& c, const IsrChanged& changed) {
  return fmt::format("{}'s ISR became {} (epoch {})", c.cluster(), set_text(changed.isr), changed.epoch);
}

std::string say(const Context& c, const ReplicasChanged& changed) {
  std::string out = fmt::format("{}'s replicas became {}", c.cluster(), set_text(changed.replicas));
  if (!changed.adding.empty()) {
    out += fmt::format(", {} new", set_text(changed.adding));
  }
  if (!changed.removing.empty()) {
    out += fmt::format(", {} to go", set_text(changed.removing));
  }
  return out;
}

std::string say(const Context& c, const BecameLeader& became) {
  return fmt::format("{} took over in epoch {} with log end {}", c.actor(), became.epoch,
                     c.log == nullptr ? 0 : c.log->log_end);
}

std::string say(const Context& c, const BecameFollower& became) {
  if (became.leader == kNoBroker) {
    return fmt::format("{} follows nobody from epoch {} on", c.actor(), became.epoch);
  }
  return fmt::format("{} follows {} from epoch {} on", c.actor(),
                     c.names.broker(c.event.cluster, became.leader), became.epoch);
}

std::string say(const Context& c, const Appended& appended) {
  const std::string batches = batches_text(appended.batches);
  const std::string from = c.names.broker(appended.source_cluster, appended.source_broker);
  switch (appended.origin) {
    case AppendOrigin::local:
      return fmt::format("{} wrote {}", c.actor(), batches);
    case AppendOrigin::replication:
      return fmt::format("{} copied {} from {}", c.actor(), batches, from);
    case AppendOrigin::mirror:
      return fmt::format("{} mirrored {} from {}", c.actor(), batches, from);
    case AppendOrigin::initial:
      return fmt::format("{} starts with {}", c.actor(), batches);
  }
  return c.actor() + " appended " + batches;
}

std::string say(const Context& c, const Truncated& cut) {
  return fmt::format("{} truncated {} to {}: {} removed ({})", c.actor(),
                     cut.by_mirror ? "the mirror" : "its log", cut.target,
                     count_text(cut.removed_records, "record"), words(cut.reason));
}

std::string say(const Context& c, const LogStartMoved& moved) {
  return fmt::format("{} moved its log start to {} ({})", c.actor(), moved.log_start, words(moved.reason));
}

std::string say(const Context& c, const LogCleaned& cleaned) {
  return fmt::format("{}'s log cleaner took the records of {}{}", c.actor(),
                     cleaned.base_offset == cleaned.last_offset
                         ? fmt::format("offset {}", cleaned.base_offset)
                         : fmt::format("offsets {} to {}", cleaned.base_offset, cleaned.last_offset),
                     cleaned.batch_kept ? " and kept the batch" : "");
}

std::string say(const Context& c, const HighWatermarkMoved& moved) {
  return fmt::format("{} moved its high watermark to {}", c.actor(), moved.high_watermark);
}

std::string say(const Context& c, const EpochCacheChanged& cache) {
  constexpr std::size_t kMostEntries = 8;
  std::string entries;
  std::size_t shown = 0;
  for (const EpochEntry& entry : cache.entries) {
    if (shown++ == kMostEntries) {
      entries += fmt::format(", {} more", cache.entries.size() - kMostEntries);
      break;
    }
    entries += fmt::format("{}{} from {}", entries.empty() ? "" : ", ", entry.epoch, entry.start_offset);
  }
  return fmt::format("{} knows the epochs {}", c.actor(), entries.empty() ? "(none)" : entries);
}

std::string say(const Context& c, const RequestSent& request) {
  const std::string server = c.names.broker(request.server_cluster, request.server_broker);
  switch (request.api) {
    case ApiKey::fetch: {
      std::string last;
      if (request.epoch_carried >= 0) {
        last = fmt::format(", last fetched epoch {}", request.epoch_carried);
      } else if (request.epoch_offered >= 0) {
        last = fmt::format(", last fetched epoch {} left out", request.epoch_offered);
      }
      return fmt::format("{} asked {} for offset {} (fetch v{}, leader epoch {}{})", c.actor(), server,
                         request.fetch_offset, request.version, request.current_leader_epoch, last);
    }
    case ApiKey::offset_for_leader_epoch:
      return fmt::format("{} asked {} where epoch {} ends (OffsetsForLeaderEpoch v{})", c.actor(), server,
                         request.epoch_offered, request.version);
    case ApiKey::list_offsets:
    case ApiKey::describe_cluster_mirrors:
      break;
  }
  return fmt::format("{} sent {} v{} to {}", c.actor(), api_name(request.api), request.version, server);
}

std::string say(const Context& c, const RequestHandled& request) {
  const std::string whose = c.other.empty() ? fmt::format("a {} request", api_name(request.api))
                                            : fmt::format("{}'s {}", c.other, api_name(request.api));
  std::string what;
  if (request.error != ErrorCode::none) {
    what = words(request.error);
  } else if (request.diverging || request.api == ApiKey::offset_for_leader_epoch) {
    what = request.answer.epoch == kUndefinedEpoch && request.answer.end_offset == kUndefinedOffset
               ? "it does not know"
               : fmt::format("epoch {} ends at {}", request.answer.epoch, request.answer.end_offset);
  } else if (request.api == ApiKey::list_offsets) {
    what = fmt::format("offset {}", request.answer.end_offset);
  } else if (request.first_offset >= 0) {
    what = fmt::format("records from {} on, high watermark {}", request.first_offset, request.high_watermark);
  } else {
    what = fmt::format("nothing new, high watermark {}", request.high_watermark);
  }
  return fmt::format("{} answered {}: {}", c.actor(), whose, what);
}

std::string say(const Context& c, const ResponseReceived& response) {
  const std::string whose = c.other.empty() ? "the" : c.other + "'s";
  return fmt::format("{} received {} {} answer{}{}", c.actor(), whose, api_name(response.api),
                     response.error == ErrorCode::none ? "" : " (" + words(response.error) + ")",
                     response.ignored ? ", too late to be used" : "");
}

std::string say(const Context& c, const UnsupportedVersion& unsupported) {
  return fmt::format("{} cannot send its {} request to {} at a version that {} knows", c.actor(),
                     api_name(unsupported.api),
                     c.names.broker(unsupported.server_cluster, unsupported.server_broker),
                     c.names.broker(unsupported.server_cluster, unsupported.server_broker));
}

std::string say(const Context& c, const Disconnected& lost) {
  return fmt::format("{} lost its connection to {}", c.actor(),
                     c.names.broker(lost.server_cluster, lost.server_broker));
}

std::string say(const Context& c, const MirrorStateChanged& changed) {
  const bool final_failure = changed.to == MirrorState::failed && !changed.retryable;
  return fmt::format("{}'s mirror of {} went from {} to {} ({}{})", c.cluster(),
                     c.names.cluster(changed.source), to_string(changed.from), to_string(changed.to),
                     words(changed.reason), final_failure ? ", for good" : "");
}

std::string say(const Context& c, const MirrorActionStarted& action) {
  return fmt::format("{} began {} as the mirror of {}", c.actor(), to_string(action.state),
                     c.names.cluster(action.source));
}

std::string say(const Context& c, const MirrorPositionStored& stored) {
  return fmt::format("{} stored its last mirror position {}", c.cluster(), position_text(stored.position));
}

std::string say(const Context& c, const MirrorPositionRead& read) {
  return fmt::format("{} learned {}'s last mirror position: {}", c.actor(), c.names.cluster(read.source),
                     position_text(read.position));
}

std::string say(const Context& c, const MirrorAligned& aligned) {
  return fmt::format("{} aligned its log to {}'s last mirror position {}: it ends at or below {}", c.actor(),
                     c.names.cluster(aligned.source), position_text(aligned.position), aligned.target);
}

std::string say(const Context& c, const DivergenceDetected& divergence) {
  return fmt::format("{} noticed that {} lacks what it holds from offset {} on ({})", c.actor(),
                     c.names.cluster(divergence.source), divergence.target, words(divergence.how));
}

std::string say(const Context& c, const OperatorOrdered& order) {
  const std::string source = order.source == kNoCluster ? "its source" : c.names.cluster(order.source);
  switch (order.action) {
    case OperatorAction::start_mirror:
      return fmt::format("the operator told {} to mirror from {}", c.cluster(), source);
    case OperatorAction::stop_mirror:
      return fmt::format("the operator told {} to stop mirroring from {}", c.cluster(), source);
    case OperatorAction::pause_mirror:
      return fmt::format("the operator told {} to pause its mirror of {}", c.cluster(), source);
    case OperatorAction::resume_mirror:
      return fmt::format("the operator told {} to resume its mirror of {}", c.cluster(), source);
    case OperatorAction::delete_mirror:
      return fmt::format("the operator told {} to delete its mirror of {}", c.cluster(), source);
    case OperatorAction::recover_mirror:
      return fmt::format("the operator told {} to try its failed mirror of {} again", c.cluster(), source);
  }
  return "an order";
}

std::string say(const Context& c, const ReaderFetched& fetched) {
  return fmt::format("{} gave reader {} what it has from {} up to {}: {}", c.actor(), fetched.reader,
                     fetched.from, fetched.next,
                     fetched.batches.empty() ? "no records" : batches_text(fetched.batches));
}

std::string say(const Context& c, const ReaderTold& told) {
  return fmt::format(
      "{} told reader {} that {}: it goes on from {}", c.actor(), told.reader,
      told.news == ReaderNews::diverged ? "what it read was replaced" : "its offset is out of range",
      told.offset);
}

std::string say(const Context& c, const ReaderMoved& moved) {
  return fmt::format("reader {} reads {} from {} on{}", moved.reader, c.cluster(), moved.offset,
                     moved.from_group ? ", which its group has committed" : "");
}

std::string say(const Context& c, const GroupOffsetCommitted& committed) {
  return fmt::format("group {} committed offset {} in {}", committed.group, committed.offset, c.cluster());
}

std::string say(const Context& c, const GroupOffsetSynced& synced) {
  return fmt::format("{} committed offset {} for group {}, which is at {} on the source", c.cluster(),
                     synced.offset, synced.group, synced.source_offset);
}

std::string say(const Context& c, const LossReported& loss) {
  return fmt::format("{} reported {} {}: offsets {} to {}", c.actor(), count_text(loss.records, "record"),
                     loss.kind == LossKind::discarded ? "discarded" : "never to be copied", loss.first,
                     loss.end - 1);
}

std::string say(const Context& c, const TopicRecreated& topic) {
  return fmt::format("{} deleted the topic and created it again (topic id {})", c.cluster(), topic.topic_id);
}

std::string say(const Context&, const WorldRested& world) {
  return world.rested ? std::string("everything was healed, and the world came to rest")
         : world.cycle > 0
             ? fmt::format("everything was healed, but the same state comes back every {} rounds",
                           world.cycle)
             : fmt::format("everything was healed, but nothing rests after {} rounds", world.rounds);
}

std::string say(const Context& c, const ProduceAcked& acked) {
  return fmt::format("{} acknowledged offsets {} to {} ({})", c.actor(), acked.base_offset, acked.last_offset,
                     acked.acks_all ? "acks=all" : "acks=1");
}

std::string say(const Context& c, const Note& note) {
  return c.actor() + ": " + scenarios::printable(note.text, kMaxNoteBytes);
}

template <class Endpoint>
void remember(std::map<EventId, Endpoint>& exchanges, EventId event, Endpoint endpoint) {
  exchanges.emplace(event, endpoint);
  if (exchanges.size() > kMaxOpenExchanges) {
    exchanges.erase(exchanges.begin());
  }
}

}  // namespace

TraceNames::TraceNames(const TraceHeader& header) {
  constexpr std::size_t kLongestTraceName = 100;
  for (const TraceCluster& cluster : header.clusters) {
    clusters_.push_back(scenarios::printable(cluster.name, kLongestTraceName));
  }
  for (const TracePartition& partition : header.partitions) {
    partitions_.push_back(scenarios::printable(partition.name, kLongestTraceName));
  }
}

const std::string& TraceNames::cluster(ClusterId cluster) const {
  static const std::string unknown = "an unknown cluster";
  return cluster < 0 || static_cast<std::size_t>(cluster) >= clusters_.size()
             ? unknown
             : clusters_[static_cast<std::size_t>(cluster)];
}

std::string TraceNames::broker(ClusterId cluster, BrokerId broker) const {
  const std::string& name = this->cluster(cluster);
  return broker == kController ? name + "'s controller" : fmt::format("{}/{}", name, broker);
}

const std::string& TraceNames::partition(PartitionId partition) const {
  static const std::string none = "no partition";
  return partition < 0 || static_cast<std::size_t>(partition) >= partitions_.size()
             ? none
             : partitions_[static_cast<std::size_t>(partition)];
}

std::string TraceNames::partition_mark(PartitionId partition) const {
  return partitions_.size() < 2 || partition == kNoPartition ? "" : " [" + this->partition(partition) + "]";
}

const EventNarrator::Endpoint* EventNarrator::other_end(const Event& event,
                                                        const Exchanges& exchanges) const {
  for (const EventId cause : event.causes) {
    const auto found = exchanges.find(cause);
    if (found != exchanges.end()) {
      return &found->second;
    }
  }
  return nullptr;
}

bool EventNarrator::observe(const Event& event) {
  last_other_end_ = {};
  const Endpoint actor{event.cluster, event.broker};
  const auto take_other_end = [&](Exchanges& exchanges) {
    if (const Endpoint* other = other_end(event, exchanges)) {
      last_other_end_ = *other;
    }
    for (const EventId cause : event.causes) {
      exchanges.erase(cause);
    }
  };
  if (std::holds_alternative<RequestSent>(event.payload)) {
    remember(sent_, event.id, actor);
  } else if (std::holds_alternative<RequestHandled>(event.payload)) {
    take_other_end(sent_);
    remember(handled_, event.id, actor);
  } else if (std::holds_alternative<ResponseReceived>(event.payload)) {
    take_other_end(handled_);
  }
  return logs_.observe(event);
}

std::string EventNarrator::text(const Event& event) const {
  Context context{names_, event, logs_.find({event.cluster, event.broker, event.partition}), ""};
  if (last_other_end_.cluster != kNoCluster) {
    context.other = names_.broker(last_other_end_.cluster, last_other_end_.broker);
  }
  return std::visit([&](const auto& payload) { return say(context, payload); }, event.payload) +
         names_.partition_mark(event.partition);
}

}  // namespace mirrorproof::reports
