// What the writer writes the reader reads back, field by field.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

#include "checker/trace_digest.h"
#include "checker/trace_reader.h"
#include "checker/trace_writer.h"
#include "trace_test_support.h"

namespace mirrorproof::checker {
namespace {

Draw rapidcheck_draw() {
  return [](std::int64_t low, std::int64_t high) {
    // The range of rc::gen::inRange grows with the size of the case and excludes its end.
    return high == low
               ? low
               : *rc::gen::resize(100, rc::gen::inRange<std::int64_t>(low, high)) + *rc::gen::inRange(0, 2);
  };
}

void expect_round_trip(const Trace& trace) {
  const std::string text = trace_to_text(trace);
  const ReadTraceResult result = read_text(text);
  ASSERT_TRUE(result.ok()) << describe(result.problems.front()) << "\n" << text;
  ASSERT_EQ(difference(trace, result.trace), "");
  ASSERT_EQ(trace_to_text(result.trace), text);
  ASSERT_EQ(trace_digest(result.trace), trace_digest(trace));
}

RC_GTEST_PROP(TraceRoundTrip, RandomTraces, ()) {
  const Trace trace = TraceMaker(rapidcheck_draw()).trace(*rc::gen::inRange(0, 12));
  const std::string text = trace_to_text(trace);
  const ReadTraceResult result = read_text(text);
  RC_ASSERT(result.problems == std::vector<TraceProblem>{});
  RC_ASSERT(difference(trace, result.trace) == "");
  RC_ASSERT(trace_to_text(result.trace) == text);
}

TEST(TraceRoundTrip, EveryEventTypeUnderManySeeds) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Trace trace = TraceMaker(TestRandom(seed)).trace(40);
    ASSERT_NO_FATAL_FAILURE(expect_round_trip(trace)) << "seed " << seed;
  }
}

TEST(TraceRoundTrip, DefaultsAreLeftOut) {
  Trace trace;
  trace.header.clusters = {{"A", 2}};
  trace.header.partitions = {{"t-0", {BrokerSet{3}}}};
  Event event;
  event.id = 7;
  event.cluster = 0;
  event.broker = 1;
  event.partition = 0;
  event.payload = RequestHandled{.api = ApiKey::fetch, .version = 12, .answer = {}};
  trace.events.push_back(event);
  const std::string text = trace_to_text(trace);
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "{\"id\":7,\"type\":\"request_handled\",\"at\":\"A/"
            "1\",\"partition\":\"t-0\",\"api\":\"fetch\",\"version\":12}\n");
  expect_round_trip(trace);
}

TEST(TraceRoundTrip, ReplicasOfClustersLeftOutAreEmpty) {
  Trace trace;
  trace.header.clusters = {{"A", 2}, {"B", 1}};
  trace.header.partitions = {{"t-0", {BrokerSet{2}}}, {"t-1", {}}};
  const ReadTraceResult result = read_text(trace_to_text(trace));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.trace.header.partitions[0].replicas, (std::vector<BrokerSet>{BrokerSet{2}, BrokerSet{}}));
  EXPECT_EQ(result.trace.header.partitions[1].replicas, (std::vector<BrokerSet>{BrokerSet{}, BrokerSet{}}));
  EXPECT_EQ(trace_digest(result.trace), trace_digest(trace));
}

TEST(TraceWriter, BytesThatAreNotUtf8BecomeReplacementCharacters) {
  Trace trace;
  trace.header.clusters = {{"A", 1}};
  Event event;
  event.id = 1;
  event.cluster = 0;
  event.payload = Note{
      "a\xFF\xC3(\xED\xA0\x80"
      "b\xF0\x9F\x98"};
  trace.events.push_back(event);
  const ReadTraceResult result = read_text(trace_to_text(trace));
  ASSERT_TRUE(result.ok()) << describe(result.problems.front());
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(std::get<Note>(result.trace.events[0].payload).text,
            "a" + bad + bad + "(" + bad + bad + bad + "b" + bad + bad + bad);
}

TEST(TraceWriter, StreamsWhatTraceToTextReturns) {
  const Trace trace = TraceMaker(TestRandom(3)).trace(2000);
  std::ostringstream out;
  EXPECT_TRUE(write_trace(out, trace));
  EXPECT_EQ(out.str(), trace_to_text(trace));
}

TEST(TraceWriter, SaysWhenTheStreamIsBroken) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_FALSE(write_trace(out, TraceMaker(TestRandom(3)).trace(5)));
  std::ostringstream throwing;
  throwing.setstate(std::ios::badbit);
  try {
    throwing.exceptions(std::ios::badbit);
  } catch (const std::ios_base::failure&) {
  }
  EXPECT_FALSE(write_trace(throwing, TraceMaker(TestRandom(3)).trace(5)));
}

}  // namespace
}  // namespace mirrorproof::checker
