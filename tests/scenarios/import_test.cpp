// Files of real replicas as a scenario: what is taken over, and that every damaged file is refused where it
// is damaged.

#include "scenarios/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "scenarios/dump_log.h"

namespace mirrorproof::scenarios {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kSamples = MIRRORPROOF_SOURCE_DIR "/tests/data/import/";

/// A batch as kafka-dump-log.sh prints it.
std::string batch_line(Offset base, Offset last, int count, Epoch epoch, const std::string& crc = "17",
                       const std::string& rest = "isControl: false", int magic = 2) {
  return "baseOffset: " + std::to_string(base) + " lastOffset: " + std::to_string(last) +
         " count: " + std::to_string(count) +
         " baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 partitionLeaderEpoch: " +
         std::to_string(epoch) + " isTransactional: false " + rest +
         " deleteHorizonMs: OptionalLong.empty position: 0 CreateTime: 1716200000000 size: 80 magic: " +
         std::to_string(magic) + " compresscodec: none crc: " + crc + " isvalid: true\n";
}

std::string record_line(Offset offset, const std::string& rest = "") {
  return "| offset: " + std::to_string(offset) +
         " CreateTime: 1716200000000 keySize: 3 valueSize: 8 sequence: -1 headerKeys: []" + rest + "\n";
}

const std::string kHead = "Dumping /data/orders-0/00000000000000000000.log\nLog starting offset: 0\n";

std::string in_short(const DumpedLog& log) {
  std::string out;
  for (const DumpedBatch& batch : log.batches) {
    out += std::to_string(batch.base) + "-" + std::to_string(batch.last) + ":" + std::to_string(batch.epoch) +
           (batch.pid_reset ? "R"
            : batch.marker  ? "M"
                            : "") +
           " ";
  }
  return out;
}

DumpedLog dumped(const std::string& text) {
  return parse_dump_log(text, "dump.txt");
}

TEST(DumpLog, IsReadWithAndWithoutItsRecords) {
  const DumpedLog shallow = dumped(kHead + batch_line(0, 2, 3, 0) + batch_line(3, 3, 1, 4));
  EXPECT_THAT(shallow.problems, IsEmpty());
  EXPECT_EQ(in_short(shallow), "0-2:0 3-3:4 ");
  const DumpedLog deep = dumped(kHead + batch_line(0, 2, 3, 0) + record_line(0) + record_line(1) +
                                record_line(2) + batch_line(3, 3, 1, 4) + record_line(3));
  EXPECT_THAT(deep.problems, IsEmpty());
  EXPECT_EQ(in_short(deep), "0-2:0 3-3:4 ");
}

TEST(DumpLog, OfACompactedBatchKeepsItsHoles) {
  const DumpedLog log =
      dumped(kHead + batch_line(0, 5, 3, 1) + record_line(1) + record_line(2) + record_line(5));
  EXPECT_THAT(log.problems, IsEmpty());
  EXPECT_EQ(in_short(log), "1-2:1 5-5:1 ");
  EXPECT_EQ(in_short(dumped(kHead + batch_line(0, 5, 0, 1) + batch_line(6, 6, 1, 1))), "6-6:1 ");
}

TEST(DumpLog, TellsControlBatchesApart) {
  const DumpedLog log =
      dumped(kHead + batch_line(0, 0, 1, 0, "5", "isControl: true") +
             record_line(0, " endTxnMarker: COMMIT coordinatorEpoch: 0") +
             batch_line(1, 1, 1, 10, "6", "isControl: true") + record_line(1, " controlType: PID_RESET(7)"));
  EXPECT_THAT(log.problems, IsEmpty());
  EXPECT_EQ(in_short(log), "0-0:0M 1-1:10R ");
}

struct BadDump {
  std::string text;
  int line;
  std::string found;
};

TEST(DumpLog, IsRefusedWithTheLineThatIsWrong) {
  const std::vector<BadDump> bad{
      {"", 0, "no dump of a segment"},
      {"Dumping /data/orders-0/00000000000000000000.index\n", 1, "00000000000000000000.index"},
      {kHead + "hello\n", 3, "\"hello\""},
      {kHead + record_line(0), 3, "offset: 0"},
      {kHead + batch_line(0, 0, 1, 0).substr(0, 60) + "\n", 3, "a line without"},
      {kHead + batch_line(0, 0, 1, 0, "x"), 3, "crc: \"x\""},
      {kHead + batch_line(0, 0, 1, 0, "4294967296"), 3, "crc: \"4294967296\""},
      {kHead + batch_line(0, 0, 1, -1), 3, "partitionLeaderEpoch: \"-1\""},
      {kHead + batch_line(0, 0, 1, 0, "17", "isControl: perhaps"), 3, "isControl: \"perhaps\""},
      {kHead + batch_line(0, 0, 1, 0, "17", "isControl: false", 1), 3, "magic: 1"},
      {kHead + "offset: 0 position: 0 CreateTime: 1 isvalid: true magic: 1 crc: 5\n", 3, "magic: 1"},
      {kHead + batch_line(3, 2, 1, 0), 3, "baseOffset: 3 lastOffset: 2"},
      {kHead + batch_line(0, 1, 3, 0), 3, "count: 3"},
      {kHead + batch_line(0, 1, 2, 0) + batch_line(1, 2, 2, 0), 4, "baseOffset: 1 after offset 1"},
      {kHead + batch_line(0, 5, 3, 0), 3, "a compacted batch"},
      {kHead + batch_line(0, 2, 3, 0) + record_line(0) + record_line(1), 3, "count: 3 and 2 records"},
      {kHead + batch_line(0, 2, 3, 0) + record_line(0) + record_line(0), 5, "offset: 0 after offset 0"},
      {kHead + batch_line(0, 2, 3, 0) + record_line(7), 4, "offset: \"7\""},
      {kHead + batch_line(0, 99999999, 1, 0, "1", "isControl: false isvalid: false"), 3, "isvalid: false"},
      {kHead + "baseOffset: 99999999999999999999 magic: 2\n", 3, "baseOffset:"},
  };
  for (const BadDump& each : bad) {
    const DumpedLog log = dumped(each.text);
    ASSERT_FALSE(log.problems.empty()) << each.text;
    EXPECT_EQ(log.problems.front().line, each.line) << each.text;
    EXPECT_THAT(log.problems.front().found, HasSubstr(each.found)) << each.text;
    EXPECT_EQ(log.problems.front().file, "dump.txt");
  }
}

TEST(DumpLog, CutOffAnywhereIsReadOrRefusedButNeverCrashes) {
  const std::string text = kHead + batch_line(0, 2, 3, 0) + record_line(0) + record_line(1) + record_line(2) +
                           batch_line(3, 3, 1, 4) + record_line(3);
  for (std::size_t length = 0; length < text.size(); ++length) {
    const DumpedLog log = dumped(text.substr(0, length));
    EXPECT_TRUE(!log.problems.empty() || log.batches.size() <= 2) << length;
  }
}

class Import : public testing::Test {
 protected:
  Import() {
    folder_ = testing::TempDir() + "mirrorproof-import-" + std::to_string(::getpid());
    std::filesystem::remove_all(folder_);
  }
  ~Import() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = std::filesystem::path(folder_) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  ImportResult import(Offset from = 0) const {
    ImportRequest request;
    request.source = folder_ + "/a";
    request.destination = folder_ + "/b";
    request.from = from;
    return import_replicas(request);
  }

  std::string folder_;
};

/// "source/0 0..1:0 2:0 (in sync)" for every initial log.
std::vector<std::string> logs_of(const Scenario& scenario) {
  std::vector<std::string> out;
  for (const sim::InitialLog& log : scenario.setup.initial_logs) {
    std::string text = scenario.setup.clusters[static_cast<std::size_t>(log.cluster)].name + "/" +
                       std::to_string(log.broker);
    for (const Batch& batch : log.batches) {
      text += " " + std::to_string(batch.base_offset) + "-" + std::to_string(batch.last_offset) + ":" +
              std::to_string(batch.epoch);
    }
    out.push_back(text + (log.in_sync ? "" : " out of sync"));
  }
  return out;
}

TEST_F(Import, TakesOverTheLogsOfEveryReplica) {
  ImportRequest request;
  request.source = kSamples + "diverged/source";
  request.destination = kSamples + "diverged/destination";
  request.source_version = "2.8";
  const ImportResult result = import_replicas(request);
  ASSERT_TRUE(result.scenario.has_value()) << format_problem(result.problems.front());
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_THAT(logs_of(*result.scenario),
              ElementsAre("source/0 0-1:0 2-2:0 3-4:0 5-5:2 6-6:2", "source/1 0-1:0 2-2:0 3-4:0 5-5:2 6-6:2",
                          "destination/0 0-1:0 2-2:0 3-4:0 5-7:0", "destination/1 0-1:0 2-2:0 3-4:0 5-7:0"));
  EXPECT_EQ(kafka_version_name(result.scenario->setup.clusters[0].brokers[0]), "2.8");
  ASSERT_THAT(result.scenario->setup.mirrors, SizeIs(1));
  // Copies are the same records.
  EXPECT_EQ(result.scenario->setup.initial_logs[0].batches[0].first_id,
            result.scenario->setup.initial_logs[2].batches[0].first_id);
}

TEST_F(Import, TellsRecordsOfOneOffsetAndEpochApartByTheirContent) {
  write("a/broker-0/1.txt", kHead + batch_line(0, 1, 2, 0, "1") + batch_line(2, 4, 3, 0, "2"));
  write("a/broker-1/1.txt", kHead + batch_line(0, 1, 2, 0, "1") + batch_line(2, 2, 1, 0, "3"));
  write("b/broker-0/1.txt", kHead + batch_line(0, 1, 2, 0, "1") + batch_line(2, 4, 3, 0, "2"));
  const ImportResult result = import();
  ASSERT_TRUE(result.scenario.has_value());
  EXPECT_THAT(
      logs_of(*result.scenario),
      ElementsAre("source/0 0-1:0 2-4:0", "source/1 0-1:0 2-2:0 out of sync", "destination/0 0-1:0 2-4:0"));
  const auto& logs = result.scenario->setup.initial_logs;
  EXPECT_EQ(logs[0].batches[1].first_id, logs[2].batches[1].first_id);
  EXPECT_NE(logs[0].batches[1].first_id, logs[1].batches[1].first_id);
}

TEST_F(Import, LetsTheNewestReplicaLeadAndLaggingOnesStayInSync) {
  write("a/broker-0/1.txt", kHead + batch_line(0, 1, 2, 0, "1"));
  write("a/broker-1/1.txt", kHead + batch_line(0, 1, 2, 0, "1") + batch_line(2, 2, 1, 3, "2"));
  write("b/broker-0/1.txt", kHead + batch_line(0, 1, 2, 0, "1"));
  const ImportResult result = import();
  ASSERT_TRUE(result.scenario.has_value());
  EXPECT_THAT(result.scenario->setup.partitions[0].hosting[0].replicas, ElementsAre(1, 0));
  EXPECT_TRUE(result.scenario->setup.initial_logs[0].in_sync);
  EXPECT_THAT(result.warnings, SizeIs(3));  // no checkpoint anywhere
}

TEST_F(Import, LeavesOutWhatLiesBelowAnOffset) {
  write("a/broker-0/1.txt", kHead + batch_line(0, 3, 4, 0, "1") + batch_line(4, 4, 1, 0, "2"));
  write("b/broker-0/1.txt", kHead + batch_line(0, 3, 4, 0, "1"));
  const ImportResult result = import(2);
  ASSERT_TRUE(result.scenario.has_value());
  EXPECT_THAT(logs_of(*result.scenario), ElementsAre("source/0 2-3:0 4-4:0", "destination/0 2-3:0"));
}

TEST_F(Import, SaysWhereCheckpointAndLogDisagree) {
  write("a/broker-0/1.txt", kHead + batch_line(0, 1, 2, 0, "1") + batch_line(2, 2, 1, 3, "2"));
  write("a/broker-0/leader-epoch-checkpoint", "0\n2\n0 0\n5 3\n");
  write("b/broker-0/1.txt", kHead + batch_line(0, 1, 2, 1, "1"));
  write("b/broker-0/leader-epoch-checkpoint", "0\n1\n1 1\n");
  const ImportResult result = import();
  ASSERT_TRUE(result.scenario.has_value());
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("the log has epoch 3 from offset 2 on, the checkpoint does not"),
                          HasSubstr("the checkpoint knows epoch 5, of which the log has no record"),
                          HasSubstr("the checkpoint lets epoch 1 start at offset 1, the log at 0")));
}

TEST_F(Import, RefusesFoldersThatAreNotWhatItNeeds) {
  EXPECT_THAT(import().problems, SizeIs(2));  // neither folder is there
  write("a/broker-0/1.txt", kHead + batch_line(0, 1, 2, 0, "1"));
  write("b/broker-0/notes.md", "hello");
  const ImportResult other = import();
  ASSERT_FALSE(other.scenario.has_value());
  EXPECT_EQ(other.problems[0].found, "another file");
  EXPECT_EQ(other.problems[1].found, "no dump");
}

TEST_F(Import, RefusesSegmentsOutOfOrderAndDamagedCheckpoints) {
  write("a/broker-0/1.txt", kHead + batch_line(5, 6, 2, 2, "1"));
  write("a/broker-0/2.txt", kHead + batch_line(0, 1, 2, 2, "1"));
  write("b/broker-0/1.txt", kHead + batch_line(0, 1, 2, 5, "1"));
  write("b/broker-0/2.txt", kHead + batch_line(2, 3, 2, 4, "1"));
  write("b/broker-0/leader-epoch-checkpoint", "0\n2\n0 0\nfive 3\n");
  const ImportResult result = import();
  ASSERT_THAT(result.problems, SizeIs(3));
  EXPECT_EQ(result.problems[0].found, "offset 0 after offset 6 of the file before");
  EXPECT_EQ(result.problems[0].line, 3);
  EXPECT_EQ(result.problems[1].found, "epoch 4 at offset 2 after epoch 5");
  EXPECT_THAT(result.problems[2].file, HasSubstr("leader-epoch-checkpoint"));
  EXPECT_EQ(result.problems[2].line, 4);
}

}  // namespace
}  // namespace mirrorproof::scenarios
