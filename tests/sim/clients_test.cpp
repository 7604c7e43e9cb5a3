// What clients and their coordinators do, and what they never do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/runner.h"
#include "sim/strategy.h"
#include "tests/sim/test_setups.h"

namespace mirrorproof::sim {
namespace {

using C = ActionClass;

/// One cluster of two brokers, A/0 leads.
Setup one_cluster() {
  Setup setup = two_clusters(2);
  setup.clusters.resize(1);
  setup.partitions.front().hosting.resize(1);
  setup.mirrors.clear();
  return setup;
}

Action produce(std::int16_t producer, std::uint8_t flags) {
  Action action = action_of(C::produce, 0, 0, 1);
  action.producer = producer;
  action.flags = flags;
  return action;
}

Action end_transaction(BrokerId leader, bool abort) {
  Action action = action_of(C::end_transaction, 0, leader);
  action.producer = 1;
  action.flags = abort ? static_cast<std::uint8_t>(ActionFlag::abort) : std::uint8_t{0};
  return action;
}

void settle(Simulator& simulator) {
  RoundRobinStrategy fair;
  ASSERT_TRUE(fair.settle(simulator, 200, {}));
}

/// A/0 is cut off from its controller when the topic is created again, and goes on leading the deleted one.
TEST(Transactions, NoMarkerIsWrittenIntoADeletedTopic) {
  for (const bool fenced : {false, true}) {
    sim::Setup setup = one_cluster();
    setup.protocol.markers_fenced_by_epoch = fenced;
    Simulator simulator(setup, nullptr);
    simulator.start();
    settle(simulator);
    simulator.execute(action_of(C::cut_controller, 0, 0));
    settle(simulator);
    simulator.execute(action_of(C::recreate_topic, 0));
    settle(simulator);
    Action in_new_topic = produce(1, static_cast<std::uint8_t>(ActionFlag::transactional));
    in_new_topic.broker = 1;
    ASSERT_EQ(simulator.why_not_enabled(in_new_topic), "");
    simulator.execute(in_new_topic);
    settle(simulator);
    EXPECT_EQ(
        simulator.why_not_enabled(end_transaction(0, true)),
        fenced ? "A/0 leads a topic that was deleted, and the transaction is one of the new topic" : "");
    EXPECT_EQ(simulator.why_not_enabled(end_transaction(1, true)), "");
  }
}

TEST(Transactions, ACoordinatorWritesNoOtherMarkerThanTheOneItHasDecidedOn) {
  sim::Setup setup = one_cluster();
  std::vector<Event> events;
  Simulator simulator(setup, &events);
  simulator.start();
  settle(simulator);
  simulator.execute(produce(1, static_cast<std::uint8_t>(ActionFlag::transactional)));
  settle(simulator);
  simulator.execute(end_transaction(0, false));
  // The leader dies with the marker; its successor has the record alone.
  simulator.execute(action_of(C::crash, 0, 0));
  settle(simulator);
  EXPECT_EQ(simulator.why_not_enabled(end_transaction(1, true)),
            "the coordinator has decided to commit the transaction of producer 1");
  EXPECT_EQ(simulator.why_not_enabled(end_transaction(1, false)), "");
  Actions offered;
  simulator.enumerate(C::end_transaction, offered);
  ASSERT_EQ(offered.size(), 1U);
  EXPECT_FALSE(offered.front().has(ActionFlag::abort));
}

TEST(Transactions, AProducerWhoseBatchWasRefusedCanOnlyAbort) {
  sim::Setup setup = one_cluster();
  std::vector<Event> events;
  Simulator simulator(setup, &events);
  simulator.start();
  settle(simulator);
  const Action write = produce(1, static_cast<std::uint8_t>(ActionFlag::transactional));
  simulator.execute(write);
  settle(simulator);
  // A/1 misses the second batch, leads without it, and refuses the third, whose sequence does not follow.
  simulator.world().clusters[0].brokers[1].held = 0xff;
  simulator.execute(write);
  simulator.world().clusters[0].brokers[1].held = 0;
  simulator.execute(action_of(C::crash, 0, 0));
  settle(simulator);
  Action again = write;
  again.broker = 1;
  simulator.execute(again);
  EXPECT_EQ(simulator.why_not_enabled(end_transaction(1, false)),
            "a batch of the transaction of producer 1 was refused: it can only be aborted");
  simulator.execute(end_transaction(1, true));
  settle(simulator);
  simulator.execute(again);
  EXPECT_EQ(simulator.why_not_enabled(end_transaction(1, false)), "") << "the next one is another";
}

TEST(Readers, AreNotResetByAFollowerThatIsBehind) {
  sim::Setup setup = one_cluster();
  ReaderSetup reader;
  reader.name = "reader";
  reader.cluster = 0;
  reader.partition = 0;
  setup.readers.push_back(reader);
  std::vector<Event> events;
  Simulator simulator(setup, &events);
  simulator.start();
  settle(simulator);
  simulator.execute(produce(-1, 0));
  settle(simulator);
  const auto read_from = [](BrokerId broker) {
    Action action = action_of(C::read, 0, broker);
    action.producer = 0;
    return action;
  };
  simulator.execute(read_from(0));
  simulator.execute(read_from(0));
  simulator.world().clusters[0].brokers[1].partitions[0].log.truncate_to(0);
  EXPECT_EQ(simulator.why_not_enabled(read_from(1)),
            "A/1 follows, and its log ends at 0, before the reader's position 1");
}

TEST(Readers, WhoMovedOnIsNotServedByABrokerThatItsClusterLacks) {
  sim::Setup setup = two_clusters(2);
  setup.clusters.back().brokers.resize(1);
  setup.partitions.front().hosting.back().replicas = {0};
  ReaderSetup reader;
  reader.name = "r";
  reader.cluster = 0;
  setup.readers.push_back(reader);
  Simulator simulator(setup, nullptr);
  simulator.start();
  Action read = action_of(C::read, 0, 1);
  read.producer = 0;
  simulator.world().readers.front().cluster = 1;
  EXPECT_THAT(simulator.why_not_enabled(read), testing::HasSubstr("in a cluster without a broker 1"));
}

}  // namespace
}  // namespace mirrorproof::sim
