// Readers: their positions, what they are served and told, and the offsets their groups commit and resume
// from.

#include <fmt/format.h>

#include <utility>

#include "model/leader_epoch_check.h"
#include "model/mutant.h"
#include "model/producer_state.h"
#include "sim/simulator.h"

namespace mirrorproof::sim {
namespace {

/// What a reader takes at most in one answer, in batches.
constexpr int kReadBatches = 4;

}  // namespace

bool Simulator::reader_sends_epochs(std::int16_t reader) const {
  return setup_->protocol.reader_epochs && setup_->readers[static_cast<std::size_t>(reader)].sends_epochs;
}

/// Do the reader's position and the broker's replica belong to different topics of that name, as far as a
/// fetch by topic id can tell?
bool Simulator::reads_another_topic(std::int16_t reader, BrokerId broker) const {
  const Reader& who = world_.readers[static_cast<std::size_t>(reader)];
  const Broker& server = broker_at(who.cluster, broker);
  const TopicId served =
      server.partitions[setup_->readers[static_cast<std::size_t>(reader)].partition].topic_id;
  return setup_->protocol.reader_topic_ids && who.topic_id != 0 && served != who.topic_id &&
         supported_range(server.version, ApiKey::fetch).supports(kFetchWithTopicIds);
}

std::string Simulator::read_blocked(const Action& action) const {
  const auto index = static_cast<std::size_t>(action.producer);
  const Reader& reader = world_.readers[index];
  const ReaderSetup& setup = setup_->readers[index];
  if (action.broker == kNoBroker) {
    return "the partition has no leader";
  }
  const std::string name = broker_name(reader.cluster, action.broker);
  if (static_cast<std::size_t>(action.broker) >= world_.clusters[reader.cluster].brokers.size()) {
    return fmt::format("reader {} is in a cluster without a broker {}", setup.name, action.broker);
  }
  const Broker& broker = broker_at(reader.cluster, action.broker);
  const Partition& partition = broker.partitions[setup.partition];
  if (!broker.alive || partition.role == Role::offline) {
    return fmt::format("{} does not serve the partition", name);
  }
  if (partition.role != Role::leader && !serves_consumers_from_followers(broker.version)) {
    return fmt::format("{} does not lead the partition, and its release serves readers from leaders only",
                       name);
  }
  if (reads_another_topic(action.producer, action.broker)) {
    return partition.topic_id > reader.topic_id
               ? ""
               : fmt::format("{} has not heard yet that the topic was deleted and created again", name);
  }
  const bool same_topic = reader.topic_id == 0 || reader.topic_id == partition.topic_id;
  if (same_topic && reader_sends_epochs(action.producer) && reader.last_epoch > partition.leader_epoch) {
    return fmt::format("the reader's position has epoch {}, and {} knows only epoch {}", reader.last_epoch,
                       name, partition.leader_epoch);
  }
  const Log& log = partition.log;
  if (partition.role != Role::leader && reader.started && same_topic &&
      reader.position > log.log_end_offset()) {
    // KIP-392: a follower that is behind resets nobody; the consumer goes back to the leader.
    return fmt::format("{} follows, and its log ends at {}, before the reader's position {}", name,
                       log.log_end_offset(), reader.position);
  }
  const Epoch last_epoch = reader_sends_epochs(action.producer) ? reader.last_epoch : kUndefinedEpoch;
  const FetchCheck check = check_fetch_epoch(log, reader.position, last_epoch);
  const Offset bound = partition.read_bound(reader.position, setup.read_committed);
  const bool news = check.result != FetchCheck::Result::ok || reader.position < bound || !reader.started;
  return news ? "" : "there is nothing new for it to read";
}

void Simulator::read(const Action& action) {
  const auto index = static_cast<std::size_t>(action.producer);
  Reader& reader = world_.readers[index];
  const ReaderSetup& setup = setup_->readers[index];
  const Partition& partition = partition_at(reader.cluster, action.broker, setup.partition);
  const Log& log = partition.log;
  note_progress();
  const bool another_topic = reads_another_topic(action.producer, action.broker);
  reader.topic_id = partition.topic_id;
  if (another_topic) {
    reader.position = log.log_start_offset();
    reader.last_epoch = kUndefinedEpoch;
    recorder_.emit(reader.cluster, action.broker, setup.partition,
                   ReaderTold{action.producer, ReaderNews::out_of_range, reader.position});
    return;
  }
  if (!reader.started) {
    reader.started = true;
    reader.position = log.log_start_offset();
    recorder_.emit(reader.cluster, kController, setup.partition,
                   ReaderMoved{action.producer, reader.position, false});
    return;
  }
  const Epoch last_epoch = reader_sends_epochs(action.producer) ? reader.last_epoch : kUndefinedEpoch;
  const FetchCheck check = check_fetch_epoch(log, reader.position, last_epoch);
  if (check.result == FetchCheck::Result::diverging) {
    reader.position =
        check.diverging.end_offset + (mutated(Mutant::reader_resumes_beyond_divergence) ? 1 : 0);
    reader.last_epoch = check.diverging.epoch;
    recorder_.emit(reader.cluster, action.broker, setup.partition,
                   ReaderTold{action.producer, ReaderNews::diverged, reader.position});
    return;
  }
  if (check.result == FetchCheck::Result::out_of_range) {
    reader.position =
        reader.position < log.log_start_offset() ? log.log_start_offset() : log.high_watermark();
    reader.last_epoch = kUndefinedEpoch;
    recorder_.emit(reader.cluster, action.broker, setup.partition,
                   ReaderTold{action.producer, ReaderNews::out_of_range, reader.position});
    return;
  }
  ReaderFetched fetched;
  fetched.reader = action.producer;
  fetched.read_committed = setup.read_committed;
  fetched.from = reader.position;
  const bool uncommitted = mutated(Mutant::reader_reads_uncommitted) && !setup.read_committed;
  const Offset bound =
      uncommitted ? log.log_end_offset() : partition.read_bound(reader.position, setup.read_committed);
  const auto batches = log.batches();
  int taken = 0;
  for (std::size_t i = 0; i < batches.size() && taken < kReadBatches; ++i) {
    Batch batch = batches[i];
    if (batch.last_offset < reader.position) {
      continue;
    }
    if (batch.last_offset >= bound) {
      break;
    }
    ++taken;
    const bool hidden = batch.is_control() || !batch.has_records() ||
                        (setup.read_committed && transaction_fate(log, i) == TransactionFate::aborted &&
                         !mutated(Mutant::aborted_data_delivered));
    if (!mutated(Mutant::reader_forgets_epoch)) {
      reader.last_epoch = batch.epoch;
    }
    if (!hidden) {
      if (batch.base_offset < reader.position) {
        batch.first_id = batch.id_at(reader.position);
        batch.base_offset = reader.position;
      }
      fetched.batches.push_back(batch);
    }
    reader.position = batch.next_offset();
  }
  fetched.next = reader.position;
  recorder_.emit(reader.cluster, action.broker, setup.partition, std::move(fetched));
}

const GroupOffset* Simulator::group_offset(ClusterId cluster, PartitionId partition, int group) const {
  for (const GroupOffset& known : world_.clusters[cluster].group_offsets[partition]) {
    if (known.group == group) {
      return &known;
    }
  }
  return nullptr;
}

GroupOffset* Simulator::group_offset(ClusterId cluster, PartitionId partition, int group) {
  return const_cast<GroupOffset*>(std::as_const(*this).group_offset(cluster, partition, group));
}

std::string Simulator::commit_blocked(const Action& action) const {
  const auto index = static_cast<std::size_t>(action.producer);
  const Reader& reader = world_.readers[index];
  const ReaderSetup& setup = setup_->readers[index];
  if (setup.group < 0) {
    return fmt::format("reader {} belongs to no group", setup.name);
  }
  if (!reader.started) {
    return fmt::format("reader {} has not read yet", setup.name);
  }
  const TopicId topic = world_.clusters[reader.cluster].controller.partition(setup.partition).topic_id;
  if (setup_->protocol.reader_topic_ids && reader.topic_id != 0 && reader.topic_id != topic) {
    return fmt::format("the position of reader {} is one in a deleted topic", setup.name);
  }
  const GroupOffset* known = group_offset(reader.cluster, setup.partition, setup.group);
  return known != nullptr && known->offset == reader.position && known->has_members
             ? "its position is committed already"
             : "";
}

void Simulator::commit_group_offset(const Action& action) {
  const auto index = static_cast<std::size_t>(action.producer);
  const Reader& reader = world_.readers[index];
  const ReaderSetup& setup = setup_->readers[index];
  GroupOffset* known = group_offset(reader.cluster, setup.partition, setup.group);
  if (known == nullptr) {
    known = &world_.clusters[reader.cluster].group_offsets[setup.partition].emplace_back();
    known->group = static_cast<std::int16_t>(setup.group);
  }
  const Epoch epoch = reader_sends_epochs(action.producer) ? reader.last_epoch : kUndefinedEpoch;
  known->offset = reader.position;
  known->epoch = epoch;
  known->has_members = true;
  note_progress();
  recorder_.emit(reader.cluster, kController, setup.partition,
                 GroupOffsetCommitted{setup.group, reader.position, epoch});
}

std::string Simulator::resume_blocked(const Action& action) const {
  const auto index = static_cast<std::size_t>(action.producer);
  const ReaderSetup& setup = setup_->readers[index];
  if (setup.group < 0) {
    return fmt::format("reader {} belongs to no group", setup.name);
  }
  if (!world_.clusters[action.cluster].controller.partition(setup.partition).hosted()) {
    return fmt::format("{} does not host the partition", setup_->clusters[action.cluster].name);
  }
  const GroupOffset* known = group_offset(action.cluster, setup.partition, setup.group);
  return known == nullptr ? "its group has committed nothing there" : "";
}

void Simulator::resume_reader(const Action& action) {
  const auto index = static_cast<std::size_t>(action.producer);
  Reader& reader = world_.readers[index];
  const ReaderSetup& setup = setup_->readers[index];
  if (GroupOffset* left = group_offset(reader.cluster, setup.partition, setup.group)) {
    left->has_members = false;
  }
  GroupOffset* known = group_offset(action.cluster, setup.partition, setup.group);
  known->has_members = true;
  reader.cluster = action.cluster;
  reader.started = true;
  // Group offsets are deleted with their topic: it is one in the topic that is there now.
  reader.topic_id = setup_->protocol.reader_topic_ids
                        ? world_.clusters[action.cluster].controller.partition(setup.partition).topic_id
                        : TopicId{0};
  reader.position = known->offset;
  reader.last_epoch = reader_sends_epochs(action.producer) ? known->epoch : kUndefinedEpoch;
  note_progress();
  recorder_.emit(action.cluster, kController, setup.partition,
                 ReaderMoved{action.producer, reader.position, true, setup.group});
}

void Simulator::enumerate_readers(ClusterId id, ActionClass kind, Actions& out) const {
  Action action;
  action.kind = kind;
  action.cluster = id;
  for (std::size_t r = 0; r < world_.readers.size(); ++r) {
    const PartitionId partition = setup_->readers[r].partition;
    action.producer = static_cast<std::int16_t>(r);
    action.partition = partition;
    if (kind == ActionClass::resume_reader) {
      if (world_.readers[r].cluster != id && resume_blocked(action).empty()) {
        out.push_back(action);
      }
      continue;
    }
    if (world_.readers[r].cluster != id) {
      continue;
    }
    if (kind == ActionClass::commit_group_offset) {
      if (commit_blocked(action).empty()) {
        out.push_back(action);
      }
      continue;
    }
    const auto brokers = static_cast<BrokerId>(world_.clusters[id].brokers.size());
    for (BrokerId b = 0; b < brokers; ++b) {
      action.broker = b;
      if (partition_at(id, b, partition).role == Role::leader && read_blocked(action).empty()) {
        out.push_back(action);
      }
    }
  }
}

}  // namespace mirrorproof::sim
