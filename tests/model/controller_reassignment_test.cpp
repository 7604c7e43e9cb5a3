// Reassignment as Kafka's controller does it: new replicas first, the others go once all new ones are in the
// ISR; the leader epoch rises when replicas go or leadership moves, and only then.

#include <gtest/gtest.h>

#include "model/controller.h"

namespace mirrorproof {
namespace {

using Kind = MetadataRecord::Kind;

BrokerSet brokers_of(std::initializer_list<BrokerId> brokers) {
  BrokerSet set;
  for (const BrokerId broker : brokers) {
    set.insert(broker);
  }
  return set;
}

Controller reassignable(const ReplicaList& replicas, BrokerSet isr) {
  Controller controller;
  PartitionRegistration all;  // so that every broker is known and unfenced
  all.replicas = {0, 1, 2, 3};
  all.isr = brokers_of({0, 1, 2, 3});
  all.leader = 0;
  PartitionRegistration registration;
  registration.replicas = replicas;
  registration.isr = isr;
  registration.leader = replicas.front();
  registration.leader_epoch = 5;
  controller.add_partition(registration);
  controller.add_partition(all);
  return controller;
}

/// The ISR that the leader proposes, accepted or not.
MetadataRecords propose(Controller& controller, BrokerSet isr) {
  const PartitionRegistration& now = controller.partition(0);
  return controller.alter_isr(0, now.leader, now.leader_epoch, now.partition_epoch, isr);
}

TEST(Reassignment, AddsFirstAndDropsWhenAllNewOnesAreInSync) {
  Controller controller = reassignable({0, 1}, brokers_of({0, 1}));
  const MetadataRecords begun = controller.reassign(0, {2, 1});
  ASSERT_EQ(begun.size(), 1U);
  EXPECT_EQ(begun[0].kind, Kind::reassignment);
  EXPECT_TRUE(begun[0].replicas_changed);
  EXPECT_EQ(begun[0].registration.replicas, (ReplicaList{2, 1, 0}));
  EXPECT_EQ(begun[0].registration.adding, brokers_of({2}));
  EXPECT_EQ(begun[0].registration.removing, brokers_of({0}));
  EXPECT_EQ(begun[0].registration.leader_epoch, 5) << "new replicas alone raise no epoch";
  EXPECT_FALSE(controller.cancellation_blocked(1).empty()) << "no reassignment there";

  // Broker 2 joins: broker 0, which leads, goes; the first of the new assignment takes over.
  const MetadataRecords done = propose(controller, brokers_of({0, 1, 2}));
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].kind, Kind::election);
  EXPECT_EQ(done[0].election, ElectionKind::clean);
  EXPECT_EQ(done[0].registration.replicas, (ReplicaList{2, 1}));
  EXPECT_EQ(done[0].registration.isr, brokers_of({1, 2}));
  EXPECT_EQ(done[0].registration.leader, 2);
  EXPECT_EQ(done[0].registration.leader_epoch, 6);
  EXPECT_FALSE(done[0].registration.reassigning());
}

TEST(Reassignment, ANewReplicaAloneIsAnIsrChange) {
  Controller controller = reassignable({0}, brokers_of({0}));
  controller.reassign(0, {0, 1});
  const MetadataRecords done = propose(controller, brokers_of({0, 1}));
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].kind, Kind::isr_change);
  EXPECT_TRUE(done[0].replicas_changed);
  EXPECT_EQ(done[0].registration.leader_epoch, 5);
}

TEST(Reassignment, DroppingAFollowerRaisesTheEpochOfTheSameLeader) {
  Controller controller = reassignable({0, 1}, brokers_of({0, 1}));
  const MetadataRecords done = controller.reassign(0, {0});
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].kind, Kind::election);
  EXPECT_EQ(done[0].election, ElectionKind::epoch_bump);
  EXPECT_EQ(done[0].registration.leader, 0);
  EXPECT_EQ(done[0].registration.leader_epoch, 6);
  EXPECT_EQ(done[0].registration.isr, brokers_of({0}));
}

TEST(Reassignment, WaitsWhileWhoStaysIsOutOfTheIsr) {
  Controller controller = reassignable({0, 1}, brokers_of({0}));
  const MetadataRecords begun = controller.reassign(0, {1});
  ASSERT_EQ(begun.size(), 1U);
  EXPECT_EQ(begun[0].kind, Kind::reassignment);
  EXPECT_EQ(controller.partition(0).leader, 0) << "or there would be nobody in sync";
  const MetadataRecords done = propose(controller, brokers_of({0, 1}));
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].registration.leader, 1);
  EXPECT_EQ(done[0].registration.replicas, (ReplicaList{1}));
}

TEST(Reassignment, AnotherOrderIsDoneAtOnceAndPreferredElectionFollowsIt) {
  Controller controller = reassignable({0, 1}, brokers_of({0, 1}));
  EXPECT_FALSE(controller.can_elect_preferred(0)) << "it leads already";
  const MetadataRecords done = controller.reassign(0, {1, 0});
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].kind, Kind::reassignment);
  EXPECT_EQ(done[0].registration.leader, 0);
  ASSERT_TRUE(controller.can_elect_preferred(0));
  EXPECT_EQ(controller.elect_preferred(0)[0].registration.leader, 1);
}

TEST(Reassignment, CancelledItGoesBackToTheOldReplicas) {
  Controller controller = reassignable({0, 1}, brokers_of({0, 1}));
  controller.reassign(0, {2, 1});
  propose(controller, brokers_of({0, 2}));
  ASSERT_TRUE(controller.cancellation_blocked(0).empty());
  const MetadataRecords done = controller.cancel_reassignment(0);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].kind, Kind::election) << "a replica goes, so the leader epoch rises";
  EXPECT_EQ(done[0].registration.leader, 0);
  EXPECT_EQ(done[0].registration.leader_epoch, 6);
  EXPECT_EQ(done[0].registration.replicas, (ReplicaList{1, 0}));
  EXPECT_EQ(done[0].registration.isr, brokers_of({0}));
  EXPECT_FALSE(done[0].registration.reassigning());
}

TEST(Reassignment, CancelledBeforeAnythingWasAddedItRaisesNoEpoch) {
  Controller controller = reassignable({0, 1, 2}, brokers_of({0}));
  controller.reassign(0, {1, 2});
  const MetadataRecords done = controller.cancel_reassignment(0);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].kind, Kind::reassignment);
  EXPECT_EQ(done[0].registration.leader_epoch, 5);
  EXPECT_EQ(done[0].registration.replicas, (ReplicaList{1, 2, 0}));
}

TEST(Reassignment, IsNotCancelledWhereTheInSyncReplicasAreAllNew) {
  Controller controller = reassignable({0}, brokers_of({0}));
  controller.reassign(0, {2, 3});
  propose(controller, brokers_of({0, 2}));
  controller.elect_cleanly(0, 2);
  propose(controller, brokers_of({2}));
  EXPECT_FALSE(controller.cancellation_blocked(0).empty());
}

TEST(Reassignment, ASecondOneInTheMiddleTakesItsPlace) {
  Controller controller = reassignable({0, 1}, brokers_of({0, 1}));
  controller.reassign(0, {2, 1});
  ASSERT_TRUE(controller.reassignment_blocked(0, {3, 1}).empty());
  const MetadataRecords begun = controller.reassign(0, {3, 1});
  ASSERT_EQ(begun.size(), 1U);
  EXPECT_EQ(begun[0].registration.replicas, (ReplicaList{3, 1, 2, 0}));
  EXPECT_EQ(begun[0].registration.adding, brokers_of({3}));
  EXPECT_EQ(begun[0].registration.removing, brokers_of({0, 2}));
  const MetadataRecords done = propose(controller, brokers_of({0, 1, 3}));
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].registration.replicas, (ReplicaList{3, 1}));
  EXPECT_EQ(done[0].registration.isr, brokers_of({1, 3}));
  EXPECT_EQ(done[0].registration.leader, 3);
}

TEST(Reassignment, IsRefusedWhereItMakesNoSense) {
  const Controller controller = reassignable({0, 1}, brokers_of({0, 1}));
  EXPECT_FALSE(controller.reassignment_blocked(0, {}).empty());
  EXPECT_FALSE(controller.reassignment_blocked(0, {0, 1}).empty());
  EXPECT_TRUE(controller.reassignment_blocked(0, {1, 0}).empty());
}

}  // namespace
}  // namespace mirrorproof
