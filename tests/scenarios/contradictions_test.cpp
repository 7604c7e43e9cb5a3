// Files that the schema accepts and that contradict themselves: unknown names, impossible worlds, impossible
// orders.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/scenario.h"
#include "tests/scenarios/loading.h"

namespace mirrorproof::scenarios {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Contradiction, of_unknown_names) {
  EXPECT_THAT(wrong_step(R"({"do": "produce", "cluster": "C"})"),
              ElementsAre("/steps/0/cluster: found an unknown cluster \"C\", expected one of \"A\", \"B\""));
  EXPECT_THAT(
      wrong_step(R"({"do": "crash", "cluster": "A", "broker": 2})"),
      ElementsAre("/steps/0/broker: found broker 2, expected a broker of cluster \"A\", from 0 to 1"));
  EXPECT_THAT(
      wrong_step(R"({"do": "produce", "cluster": "A", "partition": "order-0"})"),
      ElementsAre("/steps/0/partition: found an unknown partition \"order-0\", expected \"orders-0\""));
  EXPECT_THAT(wrong_step(R"({"do": "fetcher_send", "client": "B/0", "server": "A/2"})"),
              ElementsAre(HasSubstr(
                  "/steps/0/server: found an unknown broker \"A/2\", expected cluster/broker: one of "
                  "\"A/0\", \"A/1\", \"B/0\", \"B/1\"")));
}

TEST(Contradiction, of_a_reader_s_broker_until_the_reader_moves) {
  const auto told = [](const std::string& steps) {
    return problems_of(
        R"({"name": "n", "clusters": [{"name": "A", "brokers": 1}, {"name": "B", "brokers": 2}],
"topics": [{"name": "t"}], "mirrors": [{"source": "A", "destination": "B"}],
"readers": [{"name": "r", "cluster": "A"}], "steps": [)" +
        steps + "]}");
  };
  const std::string read = R"({"do": "read", "reader": "r", "broker": 1})";
  EXPECT_THAT(told(read), ElementsAre(HasSubstr("found broker 1, expected a broker of cluster \"A\"")));
  // Where it is then, the run knows.
  EXPECT_THAT(told(R"({"do": "resume_reader", "reader": "r", "cluster": "B"}, )" + read), ElementsAre());
  EXPECT_THAT(told(R"({"do": "random", "actions": 9}, )" + read), ElementsAre());
}

TEST(Contradiction, of_a_partition_left_out_where_there_are_several) {
  EXPECT_THAT(
      problems_of(R"({"name": "n", "clusters": [{"name": "A", "brokers": 1}],
"topics": [{"name": "t", "partitions": 2}], "steps": [{"do": "produce", "cluster": "A"}]})"),
      ElementsAre("f:2:55: /steps/0: found no field \"partition\", expected one, as there are several "
                  "partitions: one of \"t-0\", \"t-1\""));
}

TEST(Contradiction, of_a_topic_that_no_cluster_has) {
  EXPECT_THAT(
      problems_of(R"({"name": "n", "clusters": [{"name": "A", "brokers": 1}, {"name": "B", "brokers": 1}],
"topics": [{"name": "orders"}, {"name": "local", "on": ["A"]}],
"mirrors": [{"source": "A", "destination": "B", "topics": ["order", "local"]},
            {"source": "A", "destination": "B", "partitions": ["orders-1"]}]})"),
      ElementsAre(
          "f:3:60: /mirrors/0/topics/0: found an unknown topic \"order\", expected one of \"orders\", "
          "\"local\" (did you mean \"orders\"?)",
          "f:3:69: /mirrors/0/topics/1: found \"local\", expected a topic that cluster \"B\" hosts",
          "f:4:64: /mirrors/1/partitions/0: found an unknown partition \"orders-1\", expected one of "
          "\"orders-0\", \"local-0\" (did you mean \"orders-0\"?)"));
  EXPECT_THAT(
      problems_of(R"({"name": "n", "clusters": [{"name": "A", "brokers": 1}, {"name": "B", "brokers": 1}],
"topics": [{"name": "local", "on": ["A"]}], "mirrors": [{"source": "A", "destination": "B"}],
"steps": [{"do": "produce", "cluster": "B"}]})"),
      ElementsAre(
          "f:2:57: /mirrors/0: found a mirror of nothing, expected a topic that both clusters host",
          "f:3:11: /steps/0: found partition \"local-0\", expected a partition that cluster \"B\" hosts"));
}

TEST(Contradiction, between_declarations) {
  EXPECT_THAT(
      problems_of(
          R"({"name": "n", "clusters": [{"name": "A", "brokers": 2}, {"name": "A", "brokers": 1}, {"name": "B/1", "brokers": 1}],
"topics": [{"name": "t"}, {"name": "t"}, {"name": "a topic"}]})"),
      ElementsAre("f:1:66: /clusters/1/name: found \"A\" again, expected a name that is not taken",
                  "f:1:95: /clusters/2/name: found \"B/1\", expected letters, digits, '.', '_' and '-'",
                  "f:2:36: /topics/1/name: found \"t\" again, expected a name that is not taken",
                  "f:2:51: /topics/2/name: found \"a topic\", expected letters, digits, '.', '_' and '-'"));
  EXPECT_THAT(
      problems_of(
          R"({"name": "n", "clusters": [{"name": "A", "brokers": 2, "version": "4.1"}, {"name": "B", "brokers": ["4.3"], "version": "4.3"}],
"topics": [{"name": "t", "replicas": {"A": [0, 1, 0], "B": [1], "C": [0]}, "min_insync_replicas": 2}]})"),
      ElementsAre(
          "f:1:109: /clusters/1/version: found \"version\" beside a list of versions, expected "
          "\"version\" only where \"brokers\" is a number",
          "f:2:51: /topics/0/replicas/A/2: found broker 0 again, expected each broker at most once among "
          "the replicas",
          "f:2:61: /topics/0/replicas/B/0: found broker 1, expected a broker of cluster \"B\", from 0 to 0",
          "f:2:65: /topics/0/replicas/C: found an unknown cluster \"C\", expected one of \"A\", \"B\""));
  EXPECT_THAT(
      problems_of(R"({"name": "n", "clusters": [{"name": "A", "brokers": 2}, {"name": "B", "brokers": 1}],
"topics": [{"name": "t", "min_insync_replicas": 2}, {"name": "u", "on": ["A"], "replicas": {"B": [0]}}]})"),
      ElementsAre(
          "f:2:49: /topics/0/min_insync_replicas: found 2, expected at most 1, the number of replicas in "
          "cluster \"B\"",
          "f:2:93: /topics/1/replicas/B: found cluster \"B\", expected a cluster that hosts the topic "
          "(see \"on\")"));
  EXPECT_THAT(
      problems_of(R"({"name": "n", "clusters": [{"name": "A", "brokers": 1}],
"topics": [{"name": "t", "partitions": 40}, {"name": "u", "partitions": 25}]})"),
      ElementsAre(
          "f:2:45: /topics/1: found 65 partitions up to here, expected at most 64 partitions in all topics"));
}

TEST(Contradiction, between_mirrors) {
  EXPECT_THAT(
      problems_of(
          R"({"name": "n", "clusters": [{"name": "A", "brokers": 1}, {"name": "B", "brokers": 1}, {"name": "C", "brokers": ["4.3", "4.2"]}],
"topics": [{"name": "t"}], "mirrors": [
{"source": "A", "destination": "A"},
{"source": "A", "destination": "B"},
{"source": "A", "destination": "B", "start": false},
{"source": "C", "destination": "B"},
{"source": "A", "destination": "C"},
{"source": "C", "destination": "A", "topics": ["t"], "partitions": ["t-0"]}]})"),
      ElementsAre(
          "f:3:32: /mirrors/0/destination: found \"A\", expected another cluster than the source",
          "f:5:1: /mirrors/2: found the same mirror of \"t-0\" again, expected each mirror once",
          "f:6:1: /mirrors/3: found a second mirror that starts by itself onto \"t-0\" of cluster \"B\", "
          "expected \"start\": false in all but one of them",
          "f:7:32: /mirrors/4/destination: found cluster \"C\", whose broker 1 runs 4.2, expected a "
          "destination whose brokers all run 4.3 or newer: older ones cannot mirror",
          "f:8:54: /mirrors/5/partitions: found \"partitions\" beside \"topics\", expected one of the two"));
}

TEST(Contradiction, in_initial_logs) {
  EXPECT_THAT(
      wrong(R"(, "initial_logs": [{"cluster": "A", "log": "0:0 1:2 2:1 x"}])"),
      ElementsAre(
          "/initial_logs/0/log: found 2:1 after 1:2, expected epochs that do not go backwards",
          "/initial_logs/0/log: found the entry \"x\", expected offset:epoch or first..last:epoch, such as "
          "2:1, 2:1b or 2..4:1"));
  EXPECT_THAT(
      wrong(
          R"(, "initial_logs": [{"cluster": "A", "log": "0:0"}, {"cluster": "A", "broker": 1, "log": ""}])"),
      ElementsAre(
          "/initial_logs/1: found a second log for broker 1 of cluster \"A\", expected each replica at most "
          "once (without \"broker\": all of them)"));
  EXPECT_THAT(
      wrong(R"(, "initial_logs": [{"cluster": "A", "broker": 0, "log": "", "in_sync": false},
                                         {"cluster": "A", "broker": 1, "log": "", "in_sync": false}])"),
      ElementsAre(
          "/initial_logs/1/in_sync: found no replica left in sync, expected at least one replica of the "
          "partition in sync"));
  EXPECT_THAT(
      wrong(R"(, "initial_logs": [{"cluster": "A", "log": "0..99999:0"}, {"cluster": "B", "log": "0:0"}])"),
      ElementsAre(
          "/initial_logs/1/log: found more records with the entry \"0:0\", expected at most 100000 records "
          "in all logs"));
}

TEST(Contradiction, with_the_rule_that_the_protocol_is_never_switched_off) {
  EXPECT_THAT(
      wrong(
          R"(, "faults": {"weights": {"fetcher_send": 0, "crash": 0}, "budgets": {"mirror_step": 5, "crash": -2}})"),
      ElementsAre(
          "/faults/weights/fetcher_send: found 0, expected at least 1: fetcher_send is one of the "
          "protocol's own actions, which are never switched off",
          "/faults/budgets/mirror_step: found a budget for \"mirror_step\", expected budgets for clients, "
          "elections, faults and operators only: the protocol's own actions are never limited",
          "/faults/budgets/crash: found -2, expected 0 to 1000000000"));
  EXPECT_THAT(wrong(R"(, "faults": {"budgets": {"crash": "infinite"}})"),
              ElementsAre("/faults/budgets/crash: found \"infinite\", expected \"unlimited\""));
}

TEST(Contradiction, of_all_weights_zero_names_each_protocol_class) {
  std::string weights;
  for (const auto& [action, name] : EnumNames<sim::ActionClass>::entries) {
    weights += fmt::format(R"({}"{}": 0)", weights.empty() ? "" : ", ", name);
  }
  EXPECT_THAT(wrong(fmt::format(R"(, "faults": {{"weights": {{{}}}}})", weights)),
              testing::SizeIs(sim::kProtocolClassCount));
}

TEST(Contradiction, in_steps) {
  EXPECT_THAT(
      wrong_step(R"({"do": "change_version", "cluster": "B", "broker": 0, "version": "4.2"})"),
      ElementsAre(
          "/steps/0/version: found \"4.2\" for a broker of \"B\", the destination of a mirror, expected 4.3 "
          "or newer: older brokers cannot mirror"));
  EXPECT_THAT(wrong_step(R"({"do": "isr_shrink", "cluster": "A", "broker": 1, "follower": 1})"),
              ElementsAre("/steps/0/follower: found broker 1, the leader, expected a follower"));
  EXPECT_THAT(wrong_step(R"({"do": "fetcher_send", "client": "A/1", "server": "A/1"})"),
              ElementsAre("/steps/0/server: found the client itself, expected another broker"));
  EXPECT_THAT(
      wrong_step(R"({"do": "source_refresh", "client": "A/1", "server": "A/0"})"),
      ElementsAre(
          "/steps/0/server: found a broker of the client's own cluster, expected a broker of a cluster "
          "that the client's cluster mirrors"));
  EXPECT_THAT(wrong_step(R"({"do": "cut_clusters", "clusters": ["A", "A"]})"),
              ElementsAre("/steps/0/clusters/1: found the same cluster again, expected two clusters"));
}

TEST(Contradiction, of_orders_to_mirrors_that_nobody_declared) {
  const std::string text = R"({"name": "n",
"clusters": [{"name": "A", "brokers": 1, "version": "4.1"}, {"name": "B", "brokers": 1}, {"name": "C", "brokers": 1}],
"topics": [{"name": "t"}], "mirrors": [{"source": "A", "destination": "B"}], "steps": [
{"do": "start_mirror", "source": "B", "destination": "C"},
{"do": "start_mirror", "source": "B", "destination": "A"},
{"do": "drop_connection", "client": "C/0", "server": "A/0"}],
"expect": {"states": [{"cluster": "C", "state": "MIRRORING"}]}})";
  EXPECT_THAT(
      problems_of(text),
      ElementsAre(
          "f:4:1: /steps/0: found no mirror of \"t-0\" from \"B\" to \"C\", expected one that \"mirrors\" "
          "declares, or the reverse of one",
          "f:5:54: /steps/1/destination: found cluster \"A\", whose broker 0 runs 4.1, expected a "
          "destination whose brokers all run 4.3 or newer: older ones cannot mirror",
          "f:6:54: /steps/2/server: found a broker of \"A\", which \"C\" does not mirror, expected a broker "
          "of the same cluster, or of one that it mirrors",
          "f:7:35: /expect/states/0/cluster: found cluster \"C\", expected a cluster that mirrors \"t-0\", "
          "or may mirror it back"));
}

TEST(Contradiction, in_expectations) {
  EXPECT_THAT(
      wrong(R"(, "expect": {"invariant": "log-matching"})"),
      ElementsAre(
          "/expect/invariant: found \"invariant\" with the verdict \"holds\", expected \"invariant\" only "
          "with \"verdict\": \"violated\""));
  EXPECT_THAT(
      wrong(
          R"(, "expect": {"mirror_truncations": 2, "truncations": [{"cluster": "B", "offset": 1, "records": 1}]})"),
      ElementsAre("/expect/mirror_truncations: found 2, expected 1, the number of \"truncations\""));
  EXPECT_THAT(wrong(R"(, "expect": {"logs": [{"cluster": "B", "broker": 5, "log": "0:0b"}]})"),
              ElementsAre(HasSubstr("/expect/logs/0/broker: found broker 5"),
                          HasSubstr("/expect/logs/0/log: found the entry \"0:0b\"")));
}

TEST(Contradiction, of_initial_logs_with_the_numbers_that_are_left) {
  EXPECT_THAT(wrong(R"(, "initial_logs": [{"cluster": "A", "log": "0:2000000001"}])"),
              ElementsAre("/initial_logs/0/log: found the entry \"0:2000000001\", expected epochs up to "
                          "2000000000, which leave room for elections"));
  EXPECT_THAT(wrong(R"(, "initial_logs": [{"cluster": "A", "log": "0:0 1000000000000000:1"}])"),
              ElementsAre("/initial_logs: found offsets from 0 to 1000000000000000, expected logs that lie "
                          "closer together: with 2 epochs and identities at most 70368744177664 offsets from "
                          "the first to the last"));
}

}  // namespace
}  // namespace mirrorproof::scenarios
