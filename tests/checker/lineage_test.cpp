// Lineage: the incremental reigns and killers against a recomputation that keeps every log it ever saw.

#include "checker/lineage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>

namespace mirrorproof::checker::testing {
namespace {

constexpr BrokerId kBrokers = 3;

struct NaiveFate {
  bool kills = false;
  bool unclean = false;
  EventId event = 0;
  friend bool operator==(const NaiveFate&, const NaiveFate&) = default;
};

/// Copies whole logs and compares every record with every other.
class NaiveLineage {
 public:
  using Records = std::vector<RecordId>;

  void elected(EventId event, ElectionKind kind, Epoch epoch, const Records& leader_log) {
    elections_.push_back({event, kind, epoch});
    if (reign_ && !office_) {
      office_ = leader_log;
    }
  }
  void power_lost(BrokerId broker, const Records& log_before) {
    if (reign_ && broker == leader_ && !office_) {
      office_ = log_before;
    }
  }
  void wrote(BrokerId broker, Epoch believed, RecordId record) {
    if (!reign_) {
      return;
    }
    if (broker == leader_) {
      afterwards_.push_back(record);
    } else if (believed < *reign_ && !fates[record.packed].size()) {
      kill_as_zombie(believed, record);
    }
  }
  void took_over(EventId event, BrokerId broker, Epoch epoch, const Records& log, const Records& leader_log) {
    if (reign_ && epoch < *reign_) {
      for (const RecordId record : log) {
        if (!contains(leader_log, record)) {
          kill_as_zombie(epoch, record, true);
        }
      }
      return;
    }
    if (reign_) {
      Records before = office_ ? *office_ : leader_log;
      before.insert(before.end(), afterwards_.begin(), afterwards_.end());
      const NaiveFate killed = killer(*reign_, epoch, event);
      for (const RecordId record : before) {
        if (!contains(log, record) && (fates[record.packed].empty() || !fates[record.packed].back().kills)) {
          fates[record.packed].push_back(killed);
        }
      }
      for (const RecordId record : log) {
        std::vector<NaiveFate>& history = fates[record.packed];
        if (!contains(before, record) && !history.empty() && history.back().kills) {
          history.push_back({false, killed.unclean, event});
        }
      }
    }
    reign_ = epoch;
    leader_ = broker;
    reigns_.push_back({epoch, event});
    office_.reset();
    afterwards_.clear();
    if (std::any_of(elections_.begin(), elections_.end(), [&](const auto& e) { return e.epoch > epoch; })) {
      office_ = log;
    }
  }

  std::map<std::uint64_t, std::vector<NaiveFate>> fates;

 private:
  struct PastElection {
    EventId event;
    ElectionKind kind;
    Epoch epoch;
  };
  static bool contains(const Records& records, RecordId record) {
    return std::find(records.begin(), records.end(), record) != records.end();
  }
  NaiveFate killer(Epoch after, Epoch until, EventId fallback) const {
    NaiveFate fate{true, false, fallback};
    std::optional<EventId> clean;
    for (const PastElection& election : elections_) {
      if (election.epoch <= after || election.epoch > until) {
        continue;
      }
      if (election.kind == ElectionKind::unclean) {
        fate.unclean = true;
        fate.event = election.event;
      } else if (!fate.unclean) {
        if (election.kind == ElectionKind::clean) {
          clean = election.event;
        }
        fate.event = election.event;
      }
    }
    if (!fate.unclean && clean) {
      fate.event = *clean;
    }
    return fate;
  }
  void kill_as_zombie(Epoch believed, RecordId record, bool takes_over = false) {
    for (const auto& [epoch, event] : reigns_) {
      if (epoch > believed) {
        std::vector<NaiveFate>& history = fates[record.packed];
        const NaiveFate killed = killer(believed, epoch, event);
        if (history.empty() || (takes_over && history.back().kills && history.back().event < killed.event)) {
          history.push_back(killed);
        }
        return;
      }
    }
  }

  std::vector<PastElection> elections_;
  std::vector<std::pair<Epoch, EventId>> reigns_;
  std::optional<Epoch> reign_;
  BrokerId leader_ = kNoBroker;
  std::optional<Records> office_;
  Records afterwards_;
};

/// One partition on three brokers that do what they like, told to both lineages.
class Playground {
 public:
  void elect(BrokerId leader, ElectionKind kind) {
    if (kind == ElectionKind::epoch_bump) {
      leader = elections_.empty() ? leader : elections_.back().leader;
    }
    next_epoch_ += 1;
    Election election;
    election.kind = kind;
    election.leader = kind == ElectionKind::leaderless ? kNoBroker : leader;
    election.epoch = next_epoch_;
    elections_.push_back(election);
    const EventId event = ++event_;
    naive.elected(event, election.kind, election.epoch, leader_records());
    lineage.elected(event, election, leader_replica());
  }

  /// The broker applies the oldest election it has not applied; it may skip some.
  void apply(BrokerId broker, std::size_t skip) {
    std::size_t& next = applied_[place(broker)];
    next = std::min(next + skip, elections_.size());
    if (next == elections_.size()) {
      return;
    }
    const Election& election = elections_[next++];
    Replica& self = replica(broker);
    self.leads = election.leader == broker;
    self.leader_epoch = election.epoch;
    if (self.leads) {
      const EventId event = ++event_;
      naive.took_over(event, broker, election.epoch, records(broker), leader_records());
      lineage.take_over(event, broker, election.epoch, self, leader_replica());
    }
  }

  void write(BrokerId broker) {
    Replica& self = replica(broker);
    if (!self.leads) {
      return;
    }
    const Batch batch{self.log.log_end(),
                      self.log.log_end(),
                      RecordId::make(0, ++serial_),
                      self.leader_epoch,
                      -1,
                      BatchKind::data,
                      false};
    written.push_back(batch);
    const ReplicaLog::Index first = self.log.end_index();
    self.append(batch, ++event_);
    naive.wrote(broker, self.leader_epoch, batch.first_id);
    lineage.appended(broker, AppendOrigin::local, self.leader_epoch, self, first);
  }

  void copy(BrokerId from, BrokerId to) {
    Replica& self = replica(to);
    if (self.leads || from == to) {
      return;
    }
    const ReplicaLog& log = replica(from).log;
    const ReplicaLog::Index first = self.log.end_index();
    for (ReplicaLog::Index index = log.index_at(self.log.log_end()); index < log.end_index(); ++index) {
      self.append(log.at(index).batch, ++event_);
    }
    lineage.appended(to, AppendOrigin::replication, self.leader_epoch, self, first);
  }

  void cut(BrokerId broker, Offset target, bool power_loss) {
    Replica& self = replica(broker);
    if (target >= self.log.log_end() || (self.leads && !power_loss)) {
      return;
    }
    if (power_loss) {
      naive.power_lost(broker, records(broker));
      self.leads = false;
    }
    Truncated truncated;
    truncated.reason = power_loss ? TruncationReason::power_loss : TruncationReason::diverging_epoch;
    truncated.target = target;
    truncated.log_start = std::min(self.log.log_start(), target);
    const ReplicaLog::Index end_before = self.log.end_index();
    std::vector<LogEntry> removed;
    self.truncate(truncated, removed);
    lineage.truncated(broker, truncated, removed, self, end_before, Fate{});
  }

  Replica& replica(BrokerId broker) { return replicas_[place(broker)]; }
  std::size_t elections() const { return elections_.size(); }
  std::size_t applied(BrokerId broker) const { return applied_[place(broker)]; }

  Lineage lineage;
  NaiveLineage naive;
  std::vector<Batch> written;

 private:
  static std::size_t place(BrokerId broker) { return static_cast<std::size_t>(broker); }
  const Replica* leader_replica() {
    return lineage.leader() == kNoBroker ? nullptr : &replica(lineage.leader());
  }
  NaiveLineage::Records records(BrokerId broker) {
    NaiveLineage::Records ids;
    const ReplicaLog& log = replica(broker).log;
    for (ReplicaLog::Index index = log.first_index(); index < log.end_index(); ++index) {
      ids.push_back(log.at(index).batch.first_id);
    }
    return ids;
  }
  NaiveLineage::Records leader_records() {
    return lineage.leader() == kNoBroker ? NaiveLineage::Records{} : records(lineage.leader());
  }

  std::array<Replica, kBrokers> replicas_;
  std::array<std::size_t, kBrokers> applied_{};
  std::vector<Election> elections_;
  Epoch next_epoch_ = 0;
  EventId event_ = 0;
  std::uint64_t serial_ = 0;
};

std::vector<NaiveFate> fates_of(const Lineage& lineage, const Batch& batch) {
  std::vector<NaiveFate> fates;
  if (const Fates::History* history = lineage.fates().of(batch)) {
    for (const Fate& fate : *history) {
      fates.push_back({fate.kills(), fate.unclean, fate.event});
    }
  }
  return fates;
}

RC_GTEST_PROP(Lineage, KillersEqualARecomputationOverWholeHistories, ()) {
  Playground world;
  const int steps = *rc::gen::inRange(1, 80);
  const auto any_broker = [] { return static_cast<BrokerId>(*rc::gen::inRange<int>(0, kBrokers)); };
  for (int step = 0; step < steps; ++step) {
    switch (*rc::gen::inRange(0, 12)) {
      case 0:
        world.elect(any_broker(), ElectionKind::clean);
        break;
      case 1:
        world.elect(any_broker(), ElectionKind::unclean);
        break;
      case 2:
        world.elect(any_broker(), *rc::gen::element(ElectionKind::leaderless, ElectionKind::epoch_bump));
        break;
      case 3:
      case 4:
      case 5:
        world.apply(any_broker(), *rc::gen::element<std::size_t>(0, 0, 1, 2));
        break;
      case 6:
      case 7:
      case 8:
        world.write(any_broker());
        break;
      case 9:
      case 10:
        world.copy(any_broker(), any_broker());
        break;
      default: {
        const BrokerId broker = any_broker();
        const Offset end = world.replica(broker).log.log_end();
        world.cut(broker, *rc::gen::inRange<Offset>(0, end + 1), *rc::gen::inRange(0, 2) == 0);
      }
    }
  }
  for (const Batch& batch : world.written) {
    RC_ASSERT(fates_of(world.lineage, batch) == world.naive.fates[batch.first_id.packed]);
  }
}

TEST(Lineage, KnowsWhoIsInOffice) {
  Playground world;
  EXPECT_FALSE(world.lineage.in_office(0));
  world.elect(0, ElectionKind::clean);
  EXPECT_FALSE(world.lineage.in_office(0));
  world.apply(0, 0);
  EXPECT_TRUE(world.lineage.in_office(0));
  world.elect(1, ElectionKind::clean);
  EXPECT_FALSE(world.lineage.in_office(0));
  EXPECT_FALSE(world.lineage.in_office(1));
  world.apply(1, 1);
  EXPECT_TRUE(world.lineage.in_office(1));
  EXPECT_EQ(world.lineage.latest_epoch(), 2);
}

TEST(Lineage, ARecordIsAliveWhileTheOfficeLogHasIt) {
  Playground world;
  world.elect(0, ElectionKind::clean);
  world.apply(0, 0);
  world.write(0);
  const Batch batch = world.written.front();
  EXPECT_TRUE(world.lineage.alive(batch, world.replica(0)));
  world.cut(0, 0, true);
  // Lost in office: until somebody takes over the record still counts.
  EXPECT_TRUE(world.lineage.alive(batch, world.replica(0)));
  world.elect(1, ElectionKind::unclean);
  world.apply(1, 1);
  EXPECT_FALSE(world.lineage.alive(batch, world.replica(1)));
  ASSERT_NE(world.lineage.fates().of(batch), nullptr);
  EXPECT_EQ(world.lineage.fates().of(batch)->back().kind, Fate::Kind::unclean_election);
  EXPECT_TRUE(world.lineage.fates().of(batch)->back().after_power_loss);
}

// Elections 1 (broker 0) and 2 (broker 1) are written before broker 0 applies either: its reign is over as it
// begins, and what it copies as a follower afterwards never belonged.
TEST(Lineage, AReignThatBeginsDeposedHoldsOnlyWhatItBeganWith) {
  Playground world;
  world.elect(2, ElectionKind::clean);
  world.apply(2, 0);
  world.write(2);
  world.elect(0, ElectionKind::unclean);
  world.elect(1, ElectionKind::unclean);
  world.apply(0, 1);
  world.apply(0, 0);
  world.copy(2, 0);
  world.write(2);
  world.copy(2, 0);
  world.apply(1, 2);
  // The first died with broker 0's election, the second is a zombie's; the copies at broker 0 kill nothing
  // twice.
  for (const Batch& batch : world.written) {
    EXPECT_EQ(fates_of(world.lineage, batch), world.naive.fates[batch.first_id.packed]);
    EXPECT_THAT(fates_of(world.lineage, batch), ::testing::SizeIs(1));
  }
}

// A deposed leader copies as a follower and cuts that off again: those records never belonged either.
TEST(Lineage, WhatADeposedLeaderCopiedAndCutNeverBelonged) {
  Playground world;
  world.elect(0, ElectionKind::clean);
  world.apply(0, 0);
  world.write(0);
  world.copy(0, 2);
  world.elect(2, ElectionKind::clean);
  world.apply(0, 0);
  // A record that no leader of this cluster ever held.
  Batch stray = world.written.front();
  stray.base_offset = stray.last_offset = 1;
  stray.first_id = RecordId::make(1, 77);
  world.replica(1).append(world.written.front(), 100);
  world.replica(1).append(stray, 101);
  world.copy(1, 0);
  world.cut(0, 1, false);
  world.apply(2, 1);
  EXPECT_EQ(world.lineage.fates().of(stray), nullptr);
  EXPECT_EQ(world.lineage.fates().of(world.written.front()), nullptr);
}

// Two histories that share a record above the place where they part (a missed truncation): it is alive.
TEST(Lineage, ALateLeaderOrphansOnlyWhatTheReigningOneLacks) {
  Playground world;
  world.elect(0, ElectionKind::clean);
  world.apply(0, 0);
  world.write(0);
  world.write(0);
  Batch other = world.written.front();
  other.first_id = RecordId::make(1, 77);
  world.replica(1).append(other, 100);
  world.copy(0, 1);
  world.elect(1, ElectionKind::clean);
  world.elect(0, ElectionKind::clean);
  world.apply(0, 1);
  world.apply(1, 1);
  EXPECT_TRUE(world.lineage.fates().dead(other));
  EXPECT_EQ(world.lineage.fates().of(world.written[1]), nullptr);
}

TEST(Lineage, WhatTheNewLeaderNoLongerRetainsIsNotLostInItsElection) {
  Playground world;
  world.elect(0, ElectionKind::clean);
  world.apply(0, 0);
  for (int i = 0; i < 4; ++i) {
    world.write(0);
  }
  world.copy(0, 1);
  world.replica(1).move_log_start(2);
  world.cut(1, 3, true);
  world.cut(0, 1, true);
  world.elect(1, ElectionKind::clean);
  world.apply(1, 1);
  EXPECT_EQ(world.lineage.fates().of(world.written[1]), nullptr);
  EXPECT_EQ(world.lineage.fates().of(world.written[2]), nullptr);
  EXPECT_TRUE(world.lineage.fates().dead(world.written[3]));
}

TEST(Lineage, KnowsInWhichReignAnOffsetWasCommitted) {
  Playground world;
  const auto reign = [&](BrokerId broker, Offset committed) {
    world.elect(broker, ElectionKind::unclean);
    world.apply(broker, world.elections() - world.applied(broker) - 1);
    world.lineage.committed(committed);
  };
  world.elect(0, ElectionKind::clean);
  world.apply(0, 0);
  for (int i = 0; i < 6; ++i) {
    world.write(0);
  }
  world.lineage.committed(3);
  world.lineage.committed(4);
  reign(0, 6);
  EXPECT_EQ(world.lineage.committed_in(3), 1);
  EXPECT_EQ(world.lineage.committed_in(4), 2);
  EXPECT_EQ(world.lineage.committed_in(6), kUndefinedEpoch);
  // Broker 1 has nothing: all is lost, and what is committed afterwards is committed in its reign.
  reign(1, 0);
  EXPECT_EQ(world.lineage.committed_in(0), kUndefinedEpoch);
  world.write(1);
  world.write(1);
  world.lineage.committed(2);
  EXPECT_EQ(world.lineage.committed_in(0), 3);
  EXPECT_EQ(world.lineage.committed_in(1), 3);
}

TEST(Lineage, TheSameIdAtAnotherOffsetIsAnotherBatch) {
  Fates fates;
  Batch batch{5, 5, RecordId::make(0, 1), 0, -1, BatchKind::data, false};
  fates.add(batch, Fate{});
  EXPECT_TRUE(fates.dead(batch));
  batch.base_offset = batch.last_offset = 6;
  EXPECT_EQ(fates.of(batch), nullptr);
}

}  // namespace
}  // namespace mirrorproof::checker::testing
