// The reader against tests/data/traces: every file in bad/ has its problems, place by place, in a .problems
// file beside it. MIRRORPROOF_UPDATE_GOLDEN=1 rewrites those; accept a change only if each line of it is
// right for its file.

#include "checker/trace_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <streambuf>

#include "checker/trace_lines.h"
#include "checker/trace_writer.h"
#include "trace_test_support.h"

namespace mirrorproof::checker {
namespace {

namespace fs = std::filesystem;

fs::path traces() {
  return fs::path(MIRRORPROOF_SOURCE_DIR) / "tests" / "data" / "traces";
}

constexpr std::string_view kHeader =
    R"({"trace":"mirrorproof","version":1,"clusters":[{"name":"A","brokers":2},{"name":"B","brokers":2}],)"
    R"("partitions":[{"name":"t-0","replicas":{"A":[0,1]}}]})"
    "\n";

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string report(const ReadTraceResult& result) {
  std::string text;
  for (const TraceProblem& problem : result.problems) {
    text += describe(problem) + "\n";
  }
  if (result.suppressed > 0) {
    text += std::to_string(result.suppressed) + " more\n";
  }
  return text;
}

std::vector<fs::path> bad_traces() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(traces() / "bad")) {
    if (entry.path().extension() == ".jsonl") {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

class BadTrace : public ::testing::TestWithParam<fs::path> {};

TEST_P(BadTrace, IsReportedWithEveryPlace) {
  fs::path golden = GetParam();
  golden.replace_extension(".problems");
  const ReadTraceResult result = read_trace_file(GetParam().string());
  EXPECT_FALSE(result.ok());
  const std::string found = report(result);
  if (std::getenv("MIRRORPROOF_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(golden, std::ios::binary) << found;
  }
  EXPECT_EQ(found, contents(golden));
}

INSTANTIATE_TEST_SUITE_P(Files, BadTrace, ::testing::ValuesIn(bad_traces()),
                         [](const auto& param) { return param.param.stem().string(); });

TEST(TraceReader, ReadsEveryEventTypeAndTheWriterGivesTheSameLinesBack) {
  const std::string text = contents(traces() / "every_event.jsonl");
  const ReadTraceResult result = read_text(text);
  ASSERT_EQ(report(result), "");
  std::vector<bool> seen(kEventTypeCount);
  const TraceFormatter formatter(result.trace.header);
  std::string events;
  for (const Event& event : result.trace.events) {
    seen[event.payload.index()] = true;
    formatter.append_event(events, event);
  }
  EXPECT_EQ(events, text.substr(text.find('\n') + 1));
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), static_cast<std::ptrdiff_t>(kEventTypeCount));
}

TEST(TraceReader, AcceptsAnyOrderOfFieldsWhiteSpaceEscapesAndNoLastNewline) {
  const ReadTraceResult result =
      read_text(std::string(kHeader) +
                "\t{ \"epoch\" : 4 ,\"causes\":[ ], "
                "\"partition\":\"t\\u002d0\",\"at\":\"A\\/1\",\"ty\\u0070e\":\"became_leader\", "
                "\"id\": 5} \r\n{\"isr\":[1 , "
                "0],\"epoch\":5,\"leader\":-1,\"kind\":\"leaderless\",\"partition\":\"t-0\","
                "\"at\":\"B/controller\",\"type\":\"election\",\"causes\":[5],\"id\":6}");
  ASSERT_EQ(report(result), "");
  ASSERT_EQ(result.trace.events.size(), 2U);
  EXPECT_EQ(result.trace.events[0].broker, 1);
  EXPECT_EQ(std::get<BecameLeader>(result.trace.events[0].payload).epoch, 4);
  EXPECT_EQ(std::get<Election>(result.trace.events[1].payload).isr, BrokerSet{3});
}

TEST(TraceReader, ReadsTheExtremesOfEveryNumber) {
  const ReadTraceResult result = read_text(
      R"({"trace":"mirrorproof","version":1,"seed":18446744073709551615,"clusters":[{"name":"A","brokers":8}],)"
      R"("partitions":[{"name":"t-0","replicas":{}}]})"
      "\n"
      R"({"id":4611686018427387904,"type":"appended","at":"A/7","partition":"t-0","step":4294967295,"origin":"local",)"
      R"("leader_epoch":2147483647,"batches":[{"base_offset":4611686016279904257,"last_offset":4611686018427387904,)"
      R"("epoch":2147483647,"id":"A:281472829227008","producer_id":32767}]})");
  ASSERT_EQ(report(result), "");
  EXPECT_EQ(result.trace.header.seed, UINT64_MAX);
  const auto& appended = std::get<Appended>(result.trace.events[0].payload);
  EXPECT_EQ(appended.batches[0].record_count(), kMaxBatchRecords);
  EXPECT_EQ(appended.batches[0].id_at(appended.batches[0].last_offset).serial(), kRecordSerials - 1);
  EXPECT_EQ(appended.batches[0].id_at(appended.batches[0].last_offset).origin(), 0);
}

TEST(TraceReader, HandsOnNothingAfterTheFirstProblem) {
  std::istringstream in(std::string(kHeader) + R"({"id":1,"type":"note","at":"A/0","text":"one"}
{"id":2,"type":"note","at":"A/0","text":2}
{"id":3,"type":"note","at":"A/0","text":"three"}
{"id":4,"type":"note","at":"A/9","text":"four"}
)");
  int headers = 0;
  std::vector<EventId> ids;
  const TraceStreamResult result = stream_trace(
      in, [&](TraceHeader&&) { ++headers; }, [&](Event&& event) { ids.push_back(event.id); });
  EXPECT_EQ(headers, 1);
  EXPECT_EQ(ids, std::vector<EventId>{1});
  EXPECT_EQ(result.events, 1U);
  ASSERT_EQ(result.problems.size(), 2U);
  EXPECT_EQ(result.problems[0].line, 3U);
  EXPECT_EQ(result.problems[1].line, 5U);
}

TEST(TraceReader, DescribesProblemsByWhatIsKnownOfTheirPlace) {
  EXPECT_EQ(describe({3, 17, "/batches/0", "7", "an object"}),
            "line 3, column 17, /batches/0: found 7, expected an object");
  EXPECT_EQ(describe({3, 0, "", "a", "b"}), "line 3: found a, expected b");
  EXPECT_EQ(describe({0, 0, "", "a directory", "a readable file"}),
            "found a directory, expected a readable file");
}

TEST(TraceReader, RefusesWhatIsNoFile) {
  const auto only_problem = [](const std::string& path) {
    const ReadTraceResult result = read_trace_file(path);
    EXPECT_EQ(result.problems.size(), 1U);
    EXPECT_TRUE(result.trace.events.empty());
    return result.problems.empty() ? std::string{} : describe(result.problems[0]);
  };
  EXPECT_EQ(only_problem(traces().string()), "found a directory, expected a readable file");
  EXPECT_EQ(only_problem((traces() / "no_such.jsonl").string()),
            "found No such file or directory, expected a readable file");
  EXPECT_EQ(only_problem(""), "found No such file or directory, expected a readable file");
  EXPECT_EQ(only_problem(std::string("a\0b", 3)),
            "found No such file or directory, expected a readable file");
}

TEST(TraceReader, GivesUpOnAnEndlessLine) {
  if (!fs::exists("/dev/zero")) {
    GTEST_SKIP();
  }
  const ReadTraceResult result = read_trace_file("/dev/zero");
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_EQ(describe(result.problems[0]),
            "line 1: found a longer line (the rest was not read), expected at most 16777216 bytes in a line");
}

/// Repeats a line for ever.
class EndlessLines : public std::streambuf {
 public:
  explicit EndlessLines(std::string line) : line_(std::move(line)) {}

 private:
  int_type underflow() override {
    setg(line_.data(), line_.data(), line_.data() + line_.size());
    return traits_type::to_int_type(line_[0]);
  }
  std::string line_;
};

TEST(TraceReader, GivesUpOnEndlessNonsense) {
  EndlessLines nonsense("?\n");
  std::istream in(&nonsense);
  const ReadTraceResult result = read_trace(in);
  EXPECT_EQ(result.problems.size(), kMaxTraceProblems);
  EXPECT_EQ(result.problems.size() + result.suppressed, kHopelessTraceProblems + 1);
}

TEST(TraceReader, TakesALineOfTheMaximalLengthAndNoLonger) {
  const std::string start = R"({"id":1,"type":"note","at":"A/0","text":")";
  const std::string end = "\"}";
  const std::string fits(kMaxTraceLine - start.size() - end.size(), 'x');
  const ReadTraceResult good = read_text(std::string(kHeader) + start + fits + end + "\n");
  EXPECT_EQ(report(good), "");
  const ReadTraceResult bad = read_text(std::string(kHeader) + start + fits + "x" + end + "\n");
  EXPECT_EQ(
      report(bad),
      "line 2: found a longer line (the rest was not read), expected at most 16777216 bytes in a line\n");
}

TEST(TraceReader, BoundsTheDepthOfNestingBeforeTheStackDoes) {
  const std::string deep(std::size_t{8} << 20, '[');
  const ReadTraceResult result = read_text(std::string(kHeader) + "{\"id\":" + deep);
  EXPECT_EQ(report(result), "line 2, column 38: found deeper nesting, expected at most 32 levels\n");
}

TEST(TraceReader, CutsAStreamIntoTheSameLinesWhereverItsChunksEnd) {
  // Lines around the chunk size of TraceLines, so that newlines fall on, before and after its edges.
  for (const std::size_t length : {262140U, 262141U, 262142U, 262143U, 262144U, 262145U, 600000U}) {
    std::string text = std::string(length, 'a') + "\n\nb\n" + std::string(length, 'c');
    std::istringstream in(text);
    TraceLines lines(in, 1U << 20);
    std::string again;
    std::string_view line;
    std::vector<std::size_t> sizes;
    while (lines.next(line) == TraceLines::Status::line) {
      sizes.push_back(line.size());
      again += std::string(line) + "\n";
    }
    EXPECT_EQ(again, text + "\n");
    EXPECT_EQ(sizes, (std::vector<std::size_t>{length, 0, 1, length}));
  }
}

class BrokenStream : public std::streambuf {
 public:
  explicit BrokenStream(std::string text) : text_(std::move(text)) {
    setg(text_.data(), text_.data(), text_.data() + text_.size());
  }

 private:
  int_type underflow() override { throw std::runtime_error("disk on fire"); }
  std::string text_;
};

TEST(TraceReader, ReportsAReadErrorAndThrowsNothing) {
  for (const bool throwing : {false, true}) {
    BrokenStream broken(std::string(kHeader) + "{\"id\":1,\"type\":\"note\",\"at\":\"A/0\",\"text\":\"\"}\n");
    std::istream in(&broken);
    if (throwing) {
      in.exceptions(std::ios::badbit | std::ios::failbit | std::ios::eofbit);
    }
    const ReadTraceResult result = read_trace(in);
    EXPECT_THAT(report(result), ::testing::HasSubstr("found a read error, expected a readable stream"));
  }
  std::istringstream in{std::string(kHeader)};
  in.exceptions(std::ios::failbit | std::ios::eofbit);
  EXPECT_EQ(report(read_trace(in)), "");
  std::ifstream closed;
  EXPECT_EQ(report(read_trace(closed)), "line 1: found an empty file, expected a header line\n");
  std::ifstream missing(traces() / "no_such.jsonl");
  EXPECT_EQ(report(read_trace(missing)), "line 1: found a read error, expected a readable stream\n");
}

TEST(TraceReader, StreamsManyEventsInBoundedMemory) {
  // About 200 MB would take a minute under a sanitizer; the stream is endless in the same way at a tenth of
  // it.
  class Events : public std::streambuf {
   public:
    explicit Events(std::uint64_t count) : count_(count), line_(kHeader) {
      setg(line_.data(), line_.data(), line_.data() + line_.size());
    }

   private:
    int_type underflow() override {
      if (next_ > count_) {
        return traits_type::eof();
      }
      line_ = "{\"id\":" + std::to_string(next_) +
              ",\"type\":\"high_watermark_moved\",\"at\":\"A/0\",\"partition\":\"t-0\",\"causes\":[" +
              (next_ > 1 ? std::to_string(next_ / 2) : "") + "],\"high_watermark\":" + std::to_string(next_) +
              "}\n";
      ++next_;
      setg(line_.data(), line_.data(), line_.data() + line_.size());
      return traits_type::to_int_type(line_[0]);
    }
    std::uint64_t count_;
    std::uint64_t next_ = 1;
    std::string line_;
  };
  Events events(200'000);
  std::istream in(&events);
  std::uint64_t sum = 0;
  const TraceStreamResult result = stream_trace(
      in, [](TraceHeader&&) {},
      [&](Event&& event) {
        sum += static_cast<std::uint64_t>(std::get<HighWatermarkMoved>(event.payload).high_watermark);
      });
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.events, 200'000U);
  EXPECT_EQ(sum, 200'000ULL * 200'001ULL / 2);
}

/// Long enough to be read in many blocks on all cores.
constexpr EventId kLong = 20'000;

std::string long_trace(const std::function<std::string(EventId)>& line_of) {
  std::string text(kHeader);
  for (EventId id = 1; id <= kLong; ++id) {
    text += line_of(id) + "\n";
  }
  return text;
}
std::string note_line(EventId id, EventId cause) {
  return "{\"id\":" + std::to_string(id) + ",\"type\":\"note\",\"at\":\"A/0\",\"causes\":[" +
         (cause == 0 ? "" : std::to_string(cause)) + "],\"text\":\"\"}";
}

TEST(TraceReader, FindsInALongTraceWhatItFindsInAShortOne) {
  struct Flaw {
    std::string line;
    std::string problem;
  };
  // Ids are even; every event has a cause far before it.
  const EventId at = 15'000;
  const std::vector<Flaw> flaws{
      {note_line(6'000, 0), "found 6000, expected an id not used before, above 29998"},
      {note_line(2 * at, 7'777), "found 7777, expected the id of an event before this one"},
      {note_line(2 * at, 2 * at), "found 30000, expected an id below 30000: a cause comes before its event"},
      {"{", "found the end of the line, expected a field name in double quotes"},
      {std::string(kHeader.substr(0, kHeader.size() - 1)),
       "found another header, expected an event: a file holds one trace"},
  };
  for (const Flaw& flaw : flaws) {
    std::istringstream in(long_trace(
        [&](EventId id) { return id == at ? flaw.line : note_line(2 * id, id == 1 ? 0 : id / 2 * 2); }));
    EventId events = 0;
    const TraceStreamResult result = stream_trace(
        in, [](TraceHeader&&) {}, [&](Event&& event) { EXPECT_EQ(event.id, 2 * ++events); });
    EXPECT_EQ(events, at - 1);
    ASSERT_FALSE(result.problems.empty());
    EXPECT_EQ(result.problems[0].line, at + 1);
    EXPECT_THAT(describe(result.problems[0]), ::testing::EndsWith(flaw.problem));
  }
}

TEST(TraceReader, HandsOnALongTraceUpToItsFirstProblemInOrder) {
  for (const EventId at : {EventId{2}, EventId{9'999}, kLong}) {
    std::istringstream in(
        long_trace([&](EventId id) { return note_line(id == at ? 1 : id, id == at ? 0 : id - 1); }));
    EventId next = 1;
    const TraceStreamResult result = stream_trace(
        in, [](TraceHeader&&) {}, [&](Event&& event) { EXPECT_EQ(event.id, next++); });
    EXPECT_EQ(next, at);
    EXPECT_EQ(result.events, at - 1);
    ASSERT_FALSE(result.problems.empty());
    EXPECT_EQ(result.problems[0].line, at + 1);
  }
}

TEST(TraceReader, ReadsNothingBehindTheLastEventWanted) {
  for (const EventId last : {EventId{1}, EventId{12'345}, kLong}) {
    std::istringstream in(
        long_trace([&](EventId id) { return id <= last ? note_line(id, id - 1) : std::string("?"); }));
    EventId seen = 0;
    const TraceStreamResult result = stream_trace(
        in, [](TraceHeader&&) {}, [&](Event&& event) { seen = event.id; }, last);
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(seen, last);
    EXPECT_EQ(result.events, last);
  }
}

TEST(TraceReader, KnowsCausesAcrossGapsInTheIds) {
  std::string text(kHeader);
  const auto note = [](EventId id, const std::string& causes) {
    return "{\"id\":" + std::to_string(id) + ",\"type\":\"note\",\"at\":\"A/0\",\"causes\":[" + causes +
           "],\"text\":\"\"}\n";
  };
  text += note(5, "") + note(6, "5") + note(10, "5,6") + note(20, "10") + note(21, "20,10,6,5");
  EXPECT_EQ(report(read_text(text)), "");
  for (const char* wrong : {"4", "7", "9", "11", "19", "22", "23"}) {
    const ReadTraceResult result = read_text(text + note(22, wrong));
    ASSERT_EQ(result.problems.size(), 1U) << wrong;
    EXPECT_EQ(result.problems[0].line, 7U);
    EXPECT_EQ(result.problems[0].pointer, "/causes/0");
    EXPECT_EQ(result.problems[0].found, wrong);
  }
}

TEST(TraceReader, OneUnreadableLineDoesNotCondemnItsEffects) {
  const ReadTraceResult result =
      read_text(std::string(kHeader) + R"({"id":1,"type":"note","at":"A/0","text":""}
{"id":2,"type":"note","at":"A/0","text":"
{"id":3,"type":"note","at":"A/0","causes":[2,1],"text":""}
{"id":4,"type":"note","at":"A/0","causes":[2,3,9],"text":""}
)");
  EXPECT_EQ(
      report(result),
      "line 3, column 42: found the end of the line, expected '\"'\n"
      "line 5, column 48, /causes/2: found 9, expected an id below 4: a cause comes before its event\n");
}

}  // namespace
}  // namespace mirrorproof::checker
