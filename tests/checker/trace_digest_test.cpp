// The digest is pinned: a changed value means that every stored digest is worthless, so it takes a reason.

#include "checker/trace_digest.h"

#include <gtest/gtest.h>

#include <set>

#include "checker/trace_reader.h"
#include "checker/trace_writer.h"
#include "trace_test_support.h"

namespace mirrorproof::checker {
namespace {

TEST(TraceDigest, IsPinned) {
  EXPECT_EQ(TraceDigest{}.hex(), "a9941602c0bc7d2e");
  const ReadTraceResult result =
      read_trace_file(std::string(MIRRORPROOF_SOURCE_DIR) + "/tests/data/traces/every_event.jsonl");
  ASSERT_TRUE(result.ok());
  TraceDigest digest;
  digest.add(result.trace.header);
  EXPECT_EQ(digest.hex(), "e03088941b3fa57d");
  for (const Event& event : result.trace.events) {
    digest.add(event);
  }
  EXPECT_EQ(digest.hex(), "f96db46c189ac851");
  EXPECT_EQ(digest.value(), trace_digest(result.trace));
}

TEST(TraceDigest, TellsPayloadsApartAsTheWriterDoes) {
  // Events that differ in nothing but their payloads.
  Trace trace = TraceMaker(TestRandom(5)).trace(2000);
  const TraceFormatter formatter(trace.header);
  std::set<std::uint64_t> digests;
  std::set<std::string> texts;
  for (Event& event : trace.events) {
    event.id = 1;
    event.cluster = 0;
    event.broker = 0;
    event.partition = 0;
    event.step = 0;
    event.causes.clear();
    TraceDigest digest;
    digest.add(event);
    digests.insert(digest.value());
    std::string text;
    formatter.append_event(text, event);
    texts.insert(text);
  }
  EXPECT_EQ(digests.size(), texts.size());
  EXPECT_GT(texts.size(), 1000U);
}

template <class Change>
bool changes(const Trace& trace, Change&& change) {
  Trace other = trace;
  change(other);
  return trace_digest(other) != trace_digest(trace);
}

TEST(TraceDigest, SeesHeaderOrderAndCauses) {
  const Trace trace = TraceMaker(TestRandom(9)).trace(30);
  EXPECT_TRUE(changes(trace, [](Trace& t) { t.header.scenario += '\0'; }));
  EXPECT_TRUE(changes(trace, [](Trace& t) { t.header.seed += 1; }));
  EXPECT_TRUE(
      changes(trace, [](Trace& t) { t.header.protocol.ule_support = !t.header.protocol.ule_support; }));
  EXPECT_TRUE(changes(trace, [](Trace& t) { t.header.clusters[0].brokers += 1; }));
  EXPECT_TRUE(changes(trace, [](Trace& t) { t.header.partitions[0].replicas[0].bits ^= 1; }));
  EXPECT_TRUE(changes(trace, [](Trace& t) { std::swap(t.events[3], t.events[4]); }));
  EXPECT_TRUE(changes(trace, [](Trace& t) { t.events.pop_back(); }));
  EXPECT_TRUE(changes(trace, [](Trace& t) { t.events[7].causes.push_back(1); }));
  EXPECT_TRUE(changes(trace, [](Trace& t) { t.events[7].step += 1; }));
}

TEST(TraceDigest, SplitsTextAndListsByTheirLength) {
  Event note;
  note.payload = Note{"ab"};
  Event longer = note;
  longer.payload = Note{std::string("ab\0", 3)};
  TraceDigest first;
  first.add(note);
  TraceDigest second;
  second.add(longer);
  EXPECT_NE(first.value(), second.value());
}

TEST(TraceDigest, HexHasSixteenDigits) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    TraceDigest digest;
    digest.add(TraceMaker(TestRandom(seed)).header());
    EXPECT_EQ(digest.hex().size(), 16U);
    EXPECT_EQ(std::stoull(digest.hex(), nullptr, 16), digest.value());
  }
}

}  // namespace
}  // namespace mirrorproof::checker
