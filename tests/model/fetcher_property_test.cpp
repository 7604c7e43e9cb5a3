// Truncation over random histories: it ends, it finds exactly the common prefix, and no copy is ever appended
// behind a record its source does not have.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>

#include "log_host.h"

namespace mirrorproof {
namespace {

constexpr PartitionId kPartition = 0;
constexpr TopicId kTopic = 1;

/// Record ids by offset, the naive view of a log without holes.
std::vector<RecordId> records_of(const Log& log) {
  std::vector<RecordId> records;
  for (const Batch& batch : log.batches()) {
    for (Offset offset = batch.base_offset; offset <= batch.last_offset; ++offset) {
      records.push_back(batch.id_at(offset));
    }
  }
  return records;
}

Offset common_prefix(const Log& left, const Log& right) {
  const std::vector<RecordId> a = records_of(left);
  const std::vector<RecordId> b = records_of(right);
  return std::ranges::mismatch(a, b).in1 - a.begin();
}

/// The end of one of the batches, or 0.
Offset random_batch_boundary(const Log& log) {
  const auto keep = *rc::gen::inRange<std::size_t>(0, log.batches().size() + 1);
  return keep == 0 ? 0 : log.batches()[keep - 1].next_offset();
}

/// Writes epochs and records that no other log has.
class Writer {
 public:
  void elect(LogLeader& leader) {
    leader.leader_epoch = ++epoch_;
    leader.log.assign_leader_epoch(epoch_);
  }
  void produce(LogLeader& leader, int batches) {
    for (int i = 0; i < batches; ++i) {
      Batch batch;
      batch.last_offset = *rc::gen::inRange<Offset>(0, 3);
      batch.first_id = RecordId::make(0, serial_);
      serial_ += 4;
      leader.log.append_as_leader(batch, leader.leader_epoch);
    }
    leader.log.set_high_watermark(leader.log.log_end_offset());
  }

 private:
  Epoch epoch_ = -1;
  std::uint64_t serial_ = 1;
};

FetcherRules rules_for(bool truncate_on_fetch) {
  FetcherRules rules;
  rules.truncate_on_fetch = truncate_on_fetch;
  return rules;
}

/// Lets `follower` copy from `leader` until it has `max_appends` more answers with records (or all of them).
/// Returns the smallest log end it went through.
Offset replicate(Log& follower, const LogLeader& leader, bool truncate_on_fetch, int max_appends) {
  LogHost host;
  host.logs[kPartition] = follower;
  LeaderBroker broker;
  broker.leaders[kPartition] = leader;
  Fetcher fetcher(rules_for(truncate_on_fetch));
  const bool from_end = truncate_on_fetch && follower.latest_epoch().has_value();
  fetcher.add_partition(kPartition, kTopic, from_end ? follower.log_end_offset() : follower.high_watermark(),
                        leader.leader_epoch, host);
  Offset lowest = follower.log_end_offset();
  // F18: every round removes at least one local epoch.
  const std::size_t most_exchanges =
      follower.leader_epoch_cache().entries().size() + leader.log.batches().size() + 4;
  for (std::size_t i = 0; i < most_exchanges && host.appends[kPartition] < max_appends; ++i) {
    const std::optional<Request> request = fetcher.next_request(host);
    RC_ASSERT(request.has_value());
    RC_ASSERT(fetcher.handle_response(*request, broker.answer(*request), host));
    RC_ASSERT(!fetcher.failed(kPartition));
    lowest = std::min(lowest, host.logs[kPartition].log_end_offset());
  }
  follower = host.logs[kPartition];
  return lowest;
}

TEST(Fetcher, property_truncation_ends_at_the_common_prefix) {
  EXPECT_TRUE(rc::check([] {
    std::array<LogLeader, 3> replicas;
    Writer writer;
    const auto events = *rc::gen::inRange(1, 14);
    for (int i = 0; i < events; ++i) {
      LogLeader& leader = replicas[*rc::gen::inRange<std::size_t>(0, 3)];
      const bool lost_tail = *rc::gen::inRange(0, 5) == 0;
      if (lost_tail) {
        leader.log.truncate_to(random_batch_boundary(leader.log));
      }
      writer.elect(leader);
      writer.produce(leader, *rc::gen::inRange(0, 4));
      for (LogLeader& follower : replicas) {
        if (&follower != &leader && *rc::gen::inRange(0, 2) == 0) {
          replicate(follower.log, leader, *rc::gen::arbitrary<bool>(), *rc::gen::inRange(0, 4));
        }
      }
    }
    writer.elect(replicas[0]);
    writer.produce(replicas[0], *rc::gen::inRange(0, 2));
    const LogLeader& leader = replicas[0];
    for (const std::size_t index : {std::size_t{1}, std::size_t{2}}) {
      for (const bool truncate_on_fetch : {false, true}) {
        Log follower = replicas[index].log;
        const Offset expected = common_prefix(follower, leader.log);
        const Offset lowest = replicate(follower, leader, truncate_on_fetch, 1000);
        RC_ASSERT(lowest == expected);
        RC_ASSERT(records_of(follower) == records_of(leader.log));
        RC_ASSERT(follower.log_end_offset() == leader.log.log_end_offset());
      }
    }
  }));
}

/// log-matching: what is appended follows exactly what the serving leader had before it.
class MatchingHost : public LogHost {
 public:
  Log served_from;

  ProcessedData process_data(const PartitionFetchState& state, const FetchPartitionResponse& data) override {
    if (!data.records.empty()) {
      const Offset base = data.records.front().base_offset;
      std::vector<RecordId> ours = records_of(log(state.partition));
      std::vector<RecordId> theirs = records_of(served_from);
      RC_ASSERT(static_cast<Offset>(ours.size()) == base);
      theirs.resize(static_cast<std::size_t>(base));
      RC_ASSERT(ours == theirs);
    }
    return LogHost::process_data(state, data);
  }
};

/// A mirror fetcher against one source broker that is upgraded, downgraded, cut off and struck by unclean
/// elections.
class SourceUnderStress {
 public:
  SourceUnderStress() {
    writer_.elect(source_);
    writer_.produce(source_, 2);
    host_.logs[kPartition] = Log{};
    fetcher_ = Fetcher(FetcherRules{});
    connect();
    fetcher_.add_partition(kPartition, kTopic, 0, source_.leader_epoch, host_);
  }

  void random_event() {
    switch (*rc::gen::inRange(0, 9)) {
      case 0:
        writer_.produce(source_, 1);
        break;
      case 1:
        // A ULE: the new leader lacks a tail.
        source_.log.truncate_to(random_batch_boundary(source_.log));
        writer_.elect(source_);
        writer_.produce(source_, *rc::gen::inRange(0, 3));
        break;
      case 2:
        is_new_ = !is_new_;
        drop_connection();
        break;
      case 3:
        drop_connection();
        break;
      case 4:
        refresh_metadata();
        break;
      case 5:
      case 6:
        send();
        break;
      default:
        receive();
    }
  }

  void settle() {
    for (int i = 0; i < 150; ++i) {
      refresh_metadata();
      send();
      receive();
    }
  }

  bool converged() { return records_of(host_.logs[kPartition]) == records_of(source_.log); }

 private:
  ApiVersionRange node_fetch() const {
    return connected_to_new_ ? ApiVersionRange{0, 17} : ApiVersionRange{0, 11};
  }

  void connect() {
    connected_to_new_ = is_new_;
    fetcher_.handle_connected();
  }

  void drop_connection() {
    sent_.reset();
    fetcher_.handle_disconnect(host_);
    connect();
  }

  void refresh_metadata() { fetcher_.update_leader_epoch(kPartition, source_.leader_epoch); }

  void send() {
    fetcher_.backoff_elapsed(kPartition);
    if (sent_) {
      return;
    }
    const std::optional<Request> request = fetcher_.next_request(host_);
    if (!request) {
      return;
    }
    const auto serialized = serialize(*request, fetcher_.rules(), node_fetch(), {0, 4}, {0, 7});
    if (!serialized) {
      fetcher_.handle_unsupported_version(api_of(*request), host_);
      return;
    }
    sent_ = *request;
    host_.served_from = source_.log;
    LeaderBroker broker;
    broker.leaders[kPartition] = source_;
    answer_ = broker.answer(serialized->wire);
  }

  void receive() {
    if (sent_) {
      RC_ASSERT(fetcher_.handle_response(*sent_, answer_, host_));
      sent_.reset();
    }
    // A fenced partition waits for metadata and is added again.
    if (fetcher_.find(kPartition) == nullptr) {
      RC_ASSERT(fetcher_.failed(kPartition));
      fetcher_.add_partition(kPartition, kTopic, host_.logs[kPartition].log_end_offset(),
                             source_.leader_epoch, host_);
    }
  }

  Writer writer_;
  LogLeader source_;
  MatchingHost host_;
  Fetcher fetcher_;
  bool is_new_ = *rc::gen::arbitrary<bool>();
  bool connected_to_new_ = false;
  std::optional<Request> sent_;
  Response answer_;
};

TEST(Fetcher, property_copies_match_through_version_changes_and_unclean_elections) {
  EXPECT_TRUE(rc::check([] {
    SourceUnderStress world;
    const auto events = *rc::gen::inRange(0, 60);
    for (int i = 0; i < events; ++i) {
      world.random_event();
    }
    world.settle();
    RC_ASSERT(world.converged());
  }));
}

}  // namespace
}  // namespace mirrorproof
