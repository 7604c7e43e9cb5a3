// What each field of a file becomes.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "model/protocol_presets.h"
#include "reports/evaluation.h"
#include "scenarios/scenario.h"
#include "sim/runner.h"
#include "tests/scenarios/loading.h"

namespace mirrorproof::scenarios {
namespace {

using sim::ActionClass;
using testing::ElementsAre;

KafkaVersion version(std::string_view name) {
  return parse_kafka_version(name).value();
}

std::vector<BrokerId> replicas(const Scenario& scenario, int partition, int cluster) {
  return scenario.setup.partitions[static_cast<std::size_t>(partition)]
      .hosting[static_cast<std::size_t>(cluster)]
      .replicas;
}

/// The only step of a document with `step`.
sim::ScriptStep step(std::string_view text) {
  const Scenario scenario = loaded(
      with_fields(fmt::format(R"(, "readers": [{{"name": "r", "cluster": "A"}}], "steps": [{}])", text)));
  EXPECT_EQ(scenario.setup.steps.size(), 1U);
  return scenario.setup.steps.empty() ? sim::ScriptStep{} : scenario.setup.steps.front();
}

TEST(LoadClusters, keep_their_order_and_have_a_version_per_broker) {
  const Scenario scenario = loaded(R"({"name": "n", "topics": [{"name": "t"}], "clusters": [
    {"name": "Z", "brokers": ["2.1", "4.1"]}, {"name": "A", "brokers": 3}, {"name": "M", "brokers": 1, "version": "3.9"}
  ]})");
  ASSERT_EQ(scenario.setup.clusters.size(), 3U);
  EXPECT_EQ(scenario.setup.clusters[0].name, "Z");
  EXPECT_THAT(scenario.setup.clusters[0].brokers, ElementsAre(version("2.1"), version("4.1")));
  EXPECT_THAT(scenario.setup.clusters[1].brokers,
              ElementsAre(latest_kafka_version(), latest_kafka_version(), latest_kafka_version()));
  EXPECT_THAT(scenario.setup.clusters[2].brokers, ElementsAre(version("3.9")));
}

TEST(LoadTopics, are_on_all_brokers_of_all_clusters_by_default_and_leadership_spreads) {
  const Scenario scenario =
      loaded(R"({"name": "n", "clusters": [{"name": "A", "brokers": 3}, {"name": "B", "brokers": 1}],
    "topics": [{"name": "orders", "partitions": 3}, {"name": "x", "on": ["B"]}]})");
  ASSERT_EQ(scenario.setup.partitions.size(), 4U);
  EXPECT_EQ(scenario.setup.partitions[2].name, "orders-2");
  EXPECT_EQ(scenario.setup.partitions[3].name, "x-0");
  EXPECT_THAT(replicas(scenario, 0, 0), ElementsAre(0, 1, 2));
  EXPECT_THAT(replicas(scenario, 1, 0), ElementsAre(1, 2, 0));
  EXPECT_THAT(replicas(scenario, 2, 0), ElementsAre(2, 0, 1));
  EXPECT_THAT(replicas(scenario, 2, 1), ElementsAre(0));
  EXPECT_THAT(replicas(scenario, 3, 0), ElementsAre());
  EXPECT_THAT(replicas(scenario, 3, 1), ElementsAre(0));
}

TEST(LoadTopics, have_the_replicas_and_min_isr_that_are_given) {
  const Scenario scenario =
      loaded(R"({"name": "n", "clusters": [{"name": "A", "brokers": 3}, {"name": "B", "brokers": 3}],
    "topics": [{"name": "t", "partitions": 2, "replicas": {"A": [2, 0], "B": [[1], [0, 2]]},
                "min_insync_replicas": {"A": 2, "B": [1, 2]}}, {"name": "u", "min_insync_replicas": 3}]})");
  EXPECT_THAT(replicas(scenario, 0, 0), ElementsAre(2, 0));
  EXPECT_THAT(replicas(scenario, 1, 0), ElementsAre(0, 2));
  EXPECT_THAT(replicas(scenario, 0, 1), ElementsAre(1));
  EXPECT_THAT(replicas(scenario, 1, 1), ElementsAre(0, 2));
  const auto min_isr = [&](std::size_t p, std::size_t c) {
    return scenario.setup.partitions[p].hosting[c].min_insync_replicas;
  };
  EXPECT_EQ(min_isr(0, 0), 2);
  EXPECT_EQ(min_isr(1, 0), 2);
  EXPECT_EQ(min_isr(0, 1), 1);
  EXPECT_EQ(min_isr(1, 1), 2);
  EXPECT_EQ(min_isr(2, 0), 3);
  EXPECT_EQ(min_isr(2, 1), 3);
}

TEST(LoadMirrors, are_of_all_common_topics_unless_some_are_named) {
  const Scenario scenario = loaded(R"({"name": "n",
    "clusters": [{"name": "A", "brokers": 1}, {"name": "B", "brokers": 1}, {"name": "C", "brokers": 1}],
    "topics": [{"name": "t", "partitions": 2}, {"name": "u"}, {"name": "onlyA", "on": ["A"]}],
    "mirrors": [{"source": "A", "destination": "B"}, {"source": "B", "destination": "C", "topics": ["u"]},
                {"source": "A", "destination": "C", "partitions": ["t-1"], "start": false}]})");
  const std::vector<sim::MirrorSetup> wanted{
      {0, 1, 0, true}, {0, 1, 1, true}, {0, 1, 2, true}, {1, 2, 2, true}, {0, 2, 1, false}};
  EXPECT_EQ(scenario.setup.mirrors, wanted);
}

TEST(LoadInitialLogs, become_one_batch_for_each_entry) {
  const Scenario scenario = loaded(with_fields(R"(, "initial_logs": [
    {"cluster": "A", "log": "0:0 1..3:2 5:2R"}, {"cluster": "B", "broker": 1, "log": "", "in_sync": false}])"));
  ASSERT_EQ(scenario.setup.initial_logs.size(), 2U);
  const sim::InitialLog& log = scenario.setup.initial_logs[0];
  EXPECT_EQ(log.cluster, 0);
  EXPECT_EQ(log.partition, 0);
  EXPECT_EQ(log.broker, kNoBroker);
  EXPECT_TRUE(log.in_sync);
  ASSERT_EQ(log.batches.size(), 3U);
  EXPECT_EQ(log.batches[1].base_offset, 1);
  EXPECT_EQ(log.batches[1].last_offset, 3);
  EXPECT_EQ(log.batches[1].epoch, 2);
  EXPECT_EQ(log.batches[1].kind, BatchKind::data);
  EXPECT_EQ(log.batches[2].kind, BatchKind::pid_reset);
  EXPECT_EQ(scenario.setup.initial_logs[1].broker, 1);
  EXPECT_TRUE(scenario.setup.initial_logs[1].batches.empty());
  EXPECT_FALSE(scenario.setup.initial_logs[1].in_sync);
}

TEST(LoadInitialLogs, give_equal_ids_to_equal_offset_epoch_and_letter_and_different_ones_to_the_rest) {
  const Scenario scenario = loaded(with_fields(R"(, "initial_logs": [
    {"cluster": "A", "broker": 0, "log": "0..1:0 2:0 3:1"},
    {"cluster": "A", "broker": 1, "log": "0:0 1:0b"},
    {"cluster": "B", "log": "0:0 1:0 2:0c 3:10"}])"));
  const auto& logs = scenario.setup.initial_logs;
  const auto id = [&](std::size_t log, Offset offset) {
    for (const Batch& batch : logs[log].batches) {
      if (batch.base_offset <= offset && offset <= batch.last_offset) {
        return batch.id_at(offset);
      }
    }
    ADD_FAILURE() << "no record at " << offset;
    return RecordId{};
  };
  EXPECT_EQ(id(0, 0), id(1, 0));
  EXPECT_EQ(id(0, 0), id(2, 0));
  EXPECT_EQ(id(0, 1), id(2, 1)) << "in a batch of two here, alone there";
  EXPECT_NE(id(0, 1), id(1, 1));
  EXPECT_NE(id(0, 2), id(2, 2));
  EXPECT_NE(id(1, 1), id(2, 2));
  EXPECT_NE(id(0, 3), id(2, 3));
  EXPECT_EQ(id(0, 2).origin(), 0) << "named in A first";
  EXPECT_EQ(id(2, 3).origin(), 1) << "named in B only";
}

TEST(LoadProtocol, starts_from_a_preset_and_changes_fields) {
  EXPECT_EQ(loaded(with_fields("")).setup.protocol, preset_options(Preset::as_proposed));
  EXPECT_EQ(loaded(with_fields(R"(, "protocol": "prototype")")).setup.protocol,
            preset_options(Preset::prototype));
  ProtocolOptions changed = preset_options(Preset::prototype);
  changed.ule_support = false;
  changed.recovery_wait = RecoveryWait::isr;
  EXPECT_EQ(
      loaded(with_fields(
                 R"(, "protocol": {"preset": "prototype", "ule_support": false, "recovery_wait": "isr"})"))
          .setup.protocol,
      changed);
}

/// Each option, set to a value that is not its default, arrives in its own field and in no other.
TEST(LoadProtocol, knows_every_option) {
  ProtocolOptions options;
  for_each_option(options, [&](std::string_view name, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    const Field old = field;
    std::string value;
    if constexpr (std::is_same_v<Field, bool>) {
      field = !field;
      value = field ? "true" : "false";
    } else {
      field = EnumNames<Field>::entries.back().first;
      value = fmt::format("\"{}\"", to_string(field));
    }
    const Scenario scenario = loaded(with_fields(fmt::format(R"(, "protocol": {{"{}": {}}})", name, value)));
    EXPECT_EQ(scenario.setup.protocol, options) << name;
    EXPECT_NE(scenario.setup.protocol, ProtocolOptions{}) << name;
    field = old;
  });
}

TEST(LoadFaults, change_the_defaults_where_they_say_so) {
  const Scenario scenario = loaded(with_fields(
      R"(, "faults": {"weights": {"crash": 30, "produce": 0}, "budgets": {"crash": "unlimited", "unclean_election": 2,
          "cut_clusters": 0}, "versions": ["2.1", "4.1", "2.1"]})"));
  sim::FaultSetup wanted = sim::default_faults();
  wanted.weights[static_cast<std::size_t>(ActionClass::crash)] = 30;
  wanted.weights[static_cast<std::size_t>(ActionClass::produce)] = 0;
  wanted.budgets[static_cast<std::size_t>(ActionClass::crash)] = -1;
  wanted.budgets[static_cast<std::size_t>(ActionClass::unclean_election)] = 2;
  wanted.budgets[static_cast<std::size_t>(ActionClass::cut_clusters)] = 0;
  wanted.versions = {version("2.1"), version("4.1"), version("2.1")};
  EXPECT_EQ(scenario.setup.faults, wanted);
  EXPECT_EQ(loaded(with_fields("")).setup.faults, sim::default_faults());
}

TEST(LoadRun, says_how_many_seeds_and_actions) {
  EXPECT_EQ(loaded(with_fields("")).setup.run, sim::RunSetup{});
  sim::RunSetup wanted;
  wanted.seeds = 100;
  wanted.max_actions = 400;
  wanted.strategy = sim::Strategy::round_robin;
  wanted.fetch_max_batches = 2;
  EXPECT_EQ(loaded(with_fields(R"(, "run": {"seeds": 100, "max_actions": 400, "strategy": "round_robin",
                                           "fetch_max_batches": 2})"))
                .setup.run,
            wanted);
  const sim::RunSetup run =
      loaded(with_fields(R"(, "run": {"seeds": {"first": 18446744073709551615, "count": 3}})")).setup.run;
  EXPECT_EQ(run.first_seed, 18446744073709551615ULL);
  EXPECT_EQ(run.seeds, 3);
}

TEST(LoadBounds, are_zero_unless_given) {
  EXPECT_EQ(loaded(with_fields("")).bounds, Bounds{});
  const Bounds bounds =
      loaded(with_fields(R"(, "bounds": {"records": 3, "unclean_elections": 1, "failbacks": 2})")).bounds;
  EXPECT_EQ(bounds.records, 3);
  EXPECT_EQ(bounds.unclean_elections, 1);
  EXPECT_EQ(bounds.failbacks, 2);
  EXPECT_EQ(bounds.crashes, 0);
}

TEST(LoadReaders, have_an_isolation_level_epochs_and_perhaps_a_group) {
  const sim::Setup setup = loaded(with_fields(R"(, "readers": [
    {"name": "r", "cluster": "A"},
    {"name": "s", "cluster": "B", "isolation": "read_committed", "epochs": false, "group": "g"},
    {"name": "t", "cluster": "A", "group": "g"}])"))
                               .setup;
  ASSERT_EQ(setup.readers.size(), 3U);
  EXPECT_FALSE(setup.readers[0].read_committed);
  EXPECT_TRUE(setup.readers[0].sends_epochs);
  EXPECT_EQ(setup.readers[0].group, -1);
  EXPECT_EQ(setup.readers[1].cluster, 1);
  EXPECT_TRUE(setup.readers[1].read_committed);
  EXPECT_FALSE(setup.readers[1].sends_epochs);
  EXPECT_EQ(setup.readers[1].group, 0);
  EXPECT_EQ(setup.readers[2].group, 0) << "the same group";
  EXPECT_THAT(setup.groups, ElementsAre("g"));
}

struct StepCase {
  std::string_view text;
  sim::Action action;
};

sim::Action action(ActionClass kind, ClusterId cluster, BrokerId broker, PartitionId partition,
                   ClusterId other_cluster = kNoCluster, BrokerId other_broker = kNoBroker,
                   std::int64_t number = 0) {
  sim::Action out;
  out.kind = kind;
  out.cluster = cluster;
  out.broker = broker;
  out.partition = partition;
  out.other_cluster = other_cluster;
  out.other_broker = other_broker;
  out.number = number;
  return out;
}

sim::Action by_producer(sim::Action action, std::int16_t producer,
                        std::initializer_list<sim::ActionFlag> flags) {
  action.producer = producer;
  for (const sim::ActionFlag flag : flags) {
    action.flags |= static_cast<std::uint8_t>(flag);
  }
  return action;
}

TEST(LoadSteps, know_every_action_class) {
  using C = ActionClass;
  using Flag = sim::ActionFlag;
  const std::vector<StepCase> cases{
      {R"({"do": "fetcher_send", "client": "B/0", "server": "A/1"})",
       action(C::fetcher_send, 1, 0, -1, 0, 1)},
      {R"({"do": "server_handle", "client": "A/1", "server": "A/0"})",
       action(C::server_handle, 0, 1, -1, 0, 0)},
      {R"({"do": "fetcher_receive", "client": "A/1", "server": "A/0"})",
       action(C::fetcher_receive, 0, 1, -1, 0, 0)},
      {R"({"do": "fetcher_backoff", "client": "B/1", "server": "A/0"})",
       action(C::fetcher_backoff, 1, 1, 0, 0, 0)},
      {R"({"do": "isr_shrink", "cluster": "A", "follower": 1})",
       action(C::isr_shrink, 0, kNoBroker, 0, kNoCluster, 1)},
      {R"({"do": "isr_shrink", "cluster": "A", "broker": 0, "follower": 1})",
       action(C::isr_shrink, 0, 0, 0, kNoCluster, 1)},
      {R"({"do": "alter_partition", "cluster": "A"})", action(C::alter_partition, 0, kNoBroker, 0)},
      {R"({"do": "metadata_apply", "cluster": "B", "broker": 1})", action(C::metadata_apply, 1, 1, -1)},
      {R"({"do": "metadata_apply", "cluster": "B", "broker": 1, "records": 3})",
       action(C::metadata_apply, 1, 1, -1, kNoCluster, kNoBroker, 3)},
      {R"({"do": "late_read", "client": "B/0", "server": "A/1"})", action(C::late_read, 1, 0, -1, 0, 1)},
      {R"({"do": "fence", "cluster": "A", "broker": 1})", action(C::fence, 0, 1, -1)},
      {R"({"do": "unfence", "cluster": "A", "broker": 1})", action(C::unfence, 0, 1, -1)},
      {R"({"do": "mirror_step", "cluster": "B", "broker": 0, "partition": "orders-0"})",
       action(C::mirror_step, 1, 0, 0)},
      {R"({"do": "epoch_bump", "cluster": "B"})", action(C::epoch_bump, 1, -1, 0)},
      {R"({"do": "position_write", "cluster": "B"})", action(C::position_write, 1, -1, 0)},
      {R"({"do": "source_refresh", "client": "B/0", "server": "A/1"})",
       action(C::source_refresh, 1, 0, -1, 0, 1)},
      {R"({"do": "group_look_up", "cluster": "B"})", action(C::group_look_up, 1, -1, 0)},
      {R"({"do": "group_write", "cluster": "B"})", action(C::group_write, 1, -1, 0)},
      {R"({"do": "produce", "cluster": "A"})",
       by_producer(action(C::produce, 0, kNoBroker, 0, kNoCluster, kNoBroker, 1), -1, {Flag::acks_all})},
      {R"({"do": "produce", "cluster": "A", "broker": 1, "records": 7, "acks": "1"})",
       action(C::produce, 0, 1, 0, kNoCluster, kNoBroker, 7)},
      {R"({"do": "produce", "cluster": "A", "producer": 5, "transactional": true, "acks": "0"})",
       by_producer(action(C::produce, 0, kNoBroker, 0, kNoCluster, kNoBroker, 1), 5,
                   {Flag::acks_none, Flag::transactional})},
      {R"({"do": "produce_again", "cluster": "A", "producer": 5})",
       by_producer(action(C::produce_again, 0, kNoBroker, 0), 5, {Flag::acks_all})},
      {R"({"do": "produce_late", "cluster": "A", "producer": 5, "acks": "1"})",
       by_producer(action(C::produce_late, 0, kNoBroker, 0), 5, {})},
      {R"({"do": "end_transaction", "cluster": "A", "producer": 5, "abort": true})",
       by_producer(action(C::end_transaction, 0, kNoBroker, 0), 5, {Flag::abort})},
      {R"({"do": "read", "reader": "r"})", by_producer(action(C::read, 0, kNoBroker, 0), 0, {})},
      {R"({"do": "commit_group_offset", "reader": "r"})",
       by_producer(action(C::commit_group_offset, 0, kNoBroker, 0), 0, {})},
      {R"({"do": "resume_reader", "reader": "r", "cluster": "B"})",
       by_producer(action(C::resume_reader, 1, kNoBroker, 0), 0, {})},
      {R"({"do": "recreate_topic", "cluster": "A"})", action(C::recreate_topic, 0, -1, 0)},
      {R"({"do": "coordinator_failover", "cluster": "B"})", action(C::coordinator_failover, 1, -1, -1)},
      {R"({"do": "clean_election", "cluster": "A", "broker": 1})", action(C::clean_election, 0, 1, 0)},
      {R"({"do": "unclean_election", "cluster": "A", "broker": 1})", action(C::unclean_election, 0, 1, 0)},
      {R"({"do": "preferred_election", "cluster": "A"})", action(C::preferred_election, 0, -1, 0)},
      {R"({"do": "reassign", "cluster": "A", "replicas": [1, 0]})",
       action(C::reassign, 0, -1, 0, kNoCluster, kNoBroker, sim::packed_replicas({1, 0}))},
      {R"({"do": "cancel_reassignment", "cluster": "A"})", action(C::cancel_reassignment, 0, -1, 0)},
      {R"({"do": "compact", "cluster": "A", "broker": 1, "offset": 3})",
       action(C::compact, 0, 1, 0, kNoCluster, kNoBroker, 3)},
      {R"({"do": "crash", "cluster": "A", "broker": 0})", action(C::crash, 0, 0, -1)},
      {R"({"do": "restart", "cluster": "A", "broker": 0})", action(C::restart, 0, 0, -1)},
      {R"({"do": "power_loss", "cluster": "A", "broker": 0})", action(C::power_loss, 0, 0, -1)},
      {R"({"do": "shut_down", "cluster": "A", "broker": 1})", action(C::shut_down, 0, 1, -1)},
      {R"({"do": "set_min_insync_replicas", "cluster": "A", "min_insync_replicas": 2})",
       action(C::set_min_insync_replicas, 0, -1, 0, kNoCluster, kNoBroker, 2)},
      {R"({"do": "flush", "cluster": "A", "broker": 0})", action(C::flush, 0, 0, -1)},
      {R"({"do": "change_version", "cluster": "A", "broker": 0, "version": "2.1"})",
       action(C::change_version, 0, 0, -1, kNoCluster, kNoBroker, version("2.1").index)},
      {R"({"do": "drop_connection", "client": "B/0", "server": "A/1"})",
       action(C::drop_connection, 1, 0, -1, 0, 1)},
      {R"({"do": "cut_clusters", "clusters": ["B", "A"]})", action(C::cut_clusters, 1, -1, -1, 0)},
      {R"({"do": "heal_clusters", "clusters": ["A", "B"]})", action(C::heal_clusters, 0, -1, -1, 1)},
      {R"({"do": "cut_controller", "cluster": "A", "broker": 1})", action(C::cut_controller, 0, 1, -1)},
      {R"({"do": "heal_controller", "cluster": "A", "broker": 1})", action(C::heal_controller, 0, 1, -1)},
      {R"({"do": "delete_records", "cluster": "A", "log_start": 4})",
       action(C::delete_records, 0, -1, 0, kNoCluster, kNoBroker, 4)},
      {R"({"do": "start_mirror", "source": "A", "destination": "B"})", action(C::start_mirror, 1, -1, 0, 0)},
      {R"({"do": "start_mirror", "source": "B", "destination": "A"})", action(C::start_mirror, 0, -1, 0, 1)},
      {R"({"do": "stop_mirror", "source": "A", "destination": "B"})", action(C::stop_mirror, 1, -1, 0, 0)},
      {R"({"do": "pause_mirror", "source": "A", "destination": "B"})", action(C::pause_mirror, 1, -1, 0, 0)},
      {R"({"do": "resume_mirror", "source": "A", "destination": "B"})",
       action(C::resume_mirror, 1, -1, 0, 0)},
      {R"({"do": "delete_mirror", "source": "A", "destination": "B"})",
       action(C::delete_mirror, 1, -1, 0, 0)},
      {R"({"do": "recover_mirror", "source": "A", "destination": "B"})",
       action(C::recover_mirror, 1, -1, 0, 0)},
  };
  std::set<ActionClass> seen;
  for (const StepCase& each : cases) {
    const sim::ScriptStep read = step(each.text);
    EXPECT_EQ(read.kind, sim::StepKind::action) << each.text;
    EXPECT_EQ(read.action, each.action) << each.text;
    seen.insert(read.action.kind);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(sim::kActionClassCount));
}

TEST(LoadSteps, know_what_is_no_single_action) {
  EXPECT_EQ(step(R"({"do": "settle"})").kind, sim::StepKind::settle);
  EXPECT_EQ(step(R"({"do": "settle"})").count, 0);
  EXPECT_EQ(step(R"({"do": "settle", "rounds": 9})").count, 9);
  EXPECT_EQ(step(R"({"do": "mark"})").kind, sim::StepKind::mark);
  const sim::ScriptStep random = step(R"({"do": "random", "actions": 200})");
  EXPECT_EQ(random.kind, sim::StepKind::random);
  EXPECT_EQ(random.count, 200);
  const sim::ScriptStep hold = step(R"({"do": "hold", "cluster": "B", "broker": 1, "what": "mirror"})");
  EXPECT_EQ(hold.kind, sim::StepKind::hold);
  EXPECT_EQ(hold.held, sim::Held::mirror);
  EXPECT_EQ(hold.action.cluster, 1);
  EXPECT_EQ(hold.action.broker, 1);
  EXPECT_EQ(step(R"({"do": "release", "cluster": "B", "broker": 1, "what": "metadata"})").kind,
            sim::StepKind::release);
}

TEST(LoadSteps, keep_their_note_and_say_where_they_are) {
  const Scenario scenario = loaded(
      with_fields(R"(, "steps": [{"do": "settle"}, {"do": "produce", "cluster": "A", "note": "offset 0"}])"));
  EXPECT_EQ(scenario.setup.steps[1].note, "offset 0");
  EXPECT_EQ(scenario.setup.steps[1].pointer, "/steps/1");
}

TEST(LoadExpect, has_verdict_facts_and_truncations) {
  EXPECT_EQ(loaded(with_fields("")).expect, Expect{});
  const Expect expect = loaded(with_fields(R"(, "expect": {
      "verdict": "violated", "invariant": ["log-matching", "epoch-order"],
      "logs": [{"cluster": "A", "broker": 1, "log": "0..2:0 3:10"}, {"cluster": "B", "log": ""}],
      "states": [{"cluster": "B", "state": "ULE_RECOVERY"}], "mirror_truncations": 1,
      "truncations": [{"cluster": "B", "offset": 1, "records": 2, "unclean_elections": 1}]})"))
                            .expect;
  EXPECT_EQ(expect.verdict, Verdict::violated);
  EXPECT_THAT(expect.invariants, ElementsAre("log-matching", "epoch-order"));
  ASSERT_EQ(expect.logs.size(), 2U);
  EXPECT_EQ(expect.logs[0].broker, 1);
  EXPECT_THAT(expect.logs[0].log,
              ElementsAre(OffsetEpoch{0, 0}, OffsetEpoch{1, 0}, OffsetEpoch{2, 0}, OffsetEpoch{3, 10}));
  EXPECT_EQ(expect.logs[1].broker, kNoBroker);
  EXPECT_TRUE(expect.logs[1].log.empty());
  EXPECT_THAT(expect.states, ElementsAre(StateFact{1, 0, MirrorState::ule_recovery}));
  EXPECT_EQ(expect.mirror_truncations, 1);
  EXPECT_THAT(expect.truncations, ElementsAre(TruncationFact{1, 0, 1, 2, 1}));
  EXPECT_THAT(loaded(with_fields(R"(, "expect": {"verdict": "violated", "invariant": "ule-policy"})"))
                  .expect.invariants,
              ElementsAre("ule-policy"));
}

TEST(LoadInitialLogs, may_lie_where_the_logs_of_old_topics_lie) {
  const LoadResult result = load_scenario(R"({
    "name": "far", "clusters": [{"name": "A", "brokers": 1}], "topics": [{"name": "orders"}],
    "initial_logs": [{"cluster": "A", "log": "999999999999990..999999999999992:7 999999999999993:2000000000"}],
    "steps": [{"do": "settle"}, {"do": "delete_records", "cluster": "A", "log_start": 999999999999993},
              {"do": "produce", "cluster": "A"}, {"do": "converge"}],
    "expect": {"logs": [{"cluster": "A", "log": "999999999999993..999999999999994:2000000000"}]}
  })",
                                          "far.json");
  ASSERT_TRUE(result.scenario.has_value());
  const reports::SeedsEvaluation seeds = reports::evaluate_seeds(*result.scenario, 1, 1);
  EXPECT_TRUE(seeds.as_expected);
  for (const std::string& line : seeds.shown.not_met) {
    ADD_FAILURE() << line;
  }
}

}  // namespace
}  // namespace mirrorproof::scenarios
