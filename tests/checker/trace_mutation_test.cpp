// Damaged traces: whatever happens to the bytes, the reader neither crashes nor hands on an event that breaks
// its guarantees (trace_reader.h).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "checker/checker.h"
#include "checker/trace_reader.h"
#include "checker/trace_writer.h"
#include "trace_test_support.h"

namespace mirrorproof::checker {
namespace {

std::string every_event() {
  std::ifstream in(std::string(MIRRORPROOF_SOURCE_DIR) + "/tests/data/traces/every_event.jsonl",
                   std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool records_fit(Offset base, Offset last, RecordId first, const TraceHeader& header) {
  return base >= 0 && last >= base && last <= kMaxTraceOffset && last - base < kMaxBatchRecords &&
         first.origin() >= 0 && static_cast<std::size_t>(first.origin()) < header.clusters.size() &&
         RecordId{first.packed + static_cast<std::uint64_t>(last - base)}.origin() == first.origin();
}

/// "" or what is wrong: the reader's guarantees, restated without its code.
std::string broken_guarantee(const Trace& trace) {
  const TraceHeader& header = trace.header;
  if (header.clusters.empty() || header.clusters.size() > static_cast<std::size_t>(kMaxClusters) ||
      header.partitions.size() > static_cast<std::size_t>(kMaxPartitions)) {
    return "header";
  }
  const auto cluster_known = [&](ClusterId cluster) {
    return cluster >= 0 && static_cast<std::size_t>(cluster) < header.clusters.size();
  };
  const auto broker_known = [&](ClusterId cluster, BrokerId broker) {
    return cluster_known(cluster) && broker >= -1 &&
           broker < header.clusters[static_cast<std::size_t>(cluster)].brokers;
  };
  std::set<EventId> ids;
  for (const Event& event : trace.events) {
    const std::string where = fmt::format("event {}: ", event.id);
    if (event.id == 0 || (!ids.empty() && event.id <= *ids.rbegin())) {
      return where + "id";
    }
    for (const EventId cause : event.causes) {
      if (ids.count(cause) == 0) {
        return where + "cause";
      }
    }
    ids.insert(event.id);
    if (!broker_known(event.cluster, event.broker) || event.partition < kNoPartition ||
        event.partition >= static_cast<PartitionId>(header.partitions.size())) {
      return where + "place";
    }
    const bool at_controller = event.broker == kController;
    const bool request = std::holds_alternative<RequestHandled>(event.payload) ||
                         std::holds_alternative<ResponseReceived>(event.payload);
    if (request && at_controller) {
      return where + "request";
    }
    const bool no_partition = event.partition == kNoPartition;
    if (const auto* election = std::get_if<Election>(&event.payload)) {
      if (!at_controller || no_partition || !broker_known(event.cluster, election->leader) ||
          election->epoch < 0 ||
          (election->isr.bits >> header.clusters[static_cast<std::size_t>(event.cluster)].brokers) != 0) {
        return where + "election";
      }
    } else if (const auto* appended = std::get_if<Appended>(&event.payload)) {
      const bool copied =
          appended->origin == AppendOrigin::mirror || appended->origin == AppendOrigin::replication;
      if (at_controller || no_partition ||
          (copied && (appended->source_broker < 0 ||
                      !broker_known(appended->source_cluster, appended->source_broker)))) {
        return where + "appended";
      }
      for (const Batch& batch : appended->batches) {
        if (!records_fit(batch.base_offset, batch.last_offset, batch.first_id, header) || batch.epoch < -1) {
          return where + "batch";
        }
      }
    } else if (const auto* acked = std::get_if<ProduceAcked>(&event.payload)) {
      if (!records_fit(acked->base_offset, acked->last_offset, acked->first_id, header)) {
        return where + "acked";
      }
    } else if (const auto* cut = std::get_if<Truncated>(&event.payload)) {
      if (at_controller || no_partition || cut->target < 0 || cut->target > kMaxTraceOffset ||
          cut->log_start < 0 || cut->removed_records < 0) {
        return where + "truncated";
      }
    } else if (const auto* sent = std::get_if<RequestSent>(&event.payload)) {
      if (no_partition || !broker_known(sent->server_cluster, sent->server_broker)) {
        return where + "request";
      }
    } else if (const auto* state = std::get_if<MirrorStateChanged>(&event.payload)) {
      if (!at_controller || no_partition || !cluster_known(state->source)) {
        return where + "state";
      }
    }
  }
  return "";
}

/// Reads `text` and checks everything that must hold whatever it is. True if it was a sound trace.
bool survives(const std::string& text) {
  std::istringstream in(text);
  const ReadTraceResult result = read_trace(in);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  EXPECT_LE(result.problems.size(), kMaxTraceProblems);
  EXPECT_TRUE(result.suppressed == 0 || result.problems.size() == kMaxTraceProblems);
  std::pair<std::size_t, std::size_t> last{0, 0};
  for (const TraceProblem& problem : result.problems) {
    const std::pair<std::size_t, std::size_t> place{problem.line, problem.column};
    EXPECT_GE(place, last) << describe(problem);
    EXPECT_LE(problem.line, lines) << describe(problem);
    EXPECT_FALSE(problem.found.empty() || problem.expected.empty()) << describe(problem);
    EXPECT_LE(describe(problem).size(), 2000U);
    last = place;
  }
  if (!result.problems.empty() && result.problems[0].line <= 1) {
    EXPECT_TRUE(result.trace.events.empty());
    return false;
  }
  EXPECT_EQ(broken_guarantee(result.trace), "");
  // What the reader hands on the judge must bear, sound or not.
  EXPECT_EQ(judge(result.trace).statistics.events, result.trace.events.size());
  if (result.ok()) {
    std::istringstream again(trace_to_text(result.trace));
    EXPECT_EQ(difference(read_trace(again).trace, result.trace), "");
  }
  return result.ok();
}

TEST(TraceMutation, BytesFlippedInsertedAndDropped) {
  const std::string sound = every_event();
  ASSERT_TRUE(survives(sound));
  TestRandom random(1);
  int survivors = 0;
  for (int i = 0; i < 3000 && !::testing::Test::HasFailure(); ++i) {
    std::string text = sound;
    for (std::int64_t edits = random(1, 3); edits > 0; --edits) {
      const auto at = static_cast<std::size_t>(random(0, static_cast<std::int64_t>(text.size()) - 1));
      switch (random(0, 4)) {
        case 0:
          text[at] = static_cast<char>(text[at] ^ (1 << random(0, 7)));
          break;
        case 1:
          text[at] = static_cast<char>(random(0, 255));
          break;
        case 2:
          text.insert(at, 1, static_cast<char>(random(0, 255)));
          break;
        case 3:
          text.erase(at, static_cast<std::size_t>(random(1, 3)));
          break;
        default:
          text.insert(at,
                      text.substr(static_cast<std::size_t>(random(0, static_cast<std::int64_t>(at))), 20));
          break;
      }
    }
    survivors += survives(text) ? 1 : 0;
  }
  // A flipped digit may well leave a sound trace; nearly everything else does not.
  EXPECT_GT(survivors, 2);
  EXPECT_LT(survivors, 2000);
}

TEST(TraceMutation, RandomEventsThatMakeNoSenseTogether) {
  for (std::uint64_t seed = 0; seed < 300 && !::testing::Test::HasFailure(); ++seed) {
    EXPECT_TRUE(survives(trace_to_text(TraceMaker(TestRandom(seed)).trace(80)))) << seed;
  }
}

TEST(TraceMutation, CutOffAnywhere) {
  const std::string sound = every_event();
  for (std::size_t length = 0; length <= sound.size() && !::testing::Test::HasFailure(); length += 7) {
    const bool whole_lines =
        length > 0 && (sound[length - 1] == '\n' || (length < sound.size() && sound[length] == '\n'));
    EXPECT_EQ(survives(sound.substr(0, length)), whole_lines) << length;
  }
}

TEST(TraceMutation, LinesRepeatedDroppedAndSwapped) {
  std::vector<std::string> lines;
  std::istringstream in(every_event());
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  TestRandom random(2);
  for (int i = 0; i < 600 && !::testing::Test::HasFailure(); ++i) {
    std::vector<std::string> damaged = lines;
    const auto pick = [&] {
      return static_cast<std::size_t>(random(0, static_cast<std::int64_t>(damaged.size()) - 1));
    };
    for (std::int64_t edits = random(1, 3); edits > 0; --edits) {
      switch (random(0, 2)) {
        case 0:
          std::swap(damaged[pick()], damaged[pick()]);
          break;
        case 1:
          damaged.insert(damaged.begin() + static_cast<std::ptrdiff_t>(pick()), damaged[pick()]);
          break;
        default:
          damaged.erase(damaged.begin() + static_cast<std::ptrdiff_t>(pick()));
          break;
      }
    }
    std::string text;
    for (const std::string& line : damaged) {
      text += line + "\n";
    }
    survives(text);
  }
}

TEST(TraceMutation, ValuesReplacedByOthers) {
  // Well-formed JSON with a wrong value reaches what damaged bytes never reach.
  static constexpr std::string_view values[] = {"0",
                                                "-1",
                                                "1",
                                                "7",
                                                "8",
                                                "2147483647",
                                                "2147483648",
                                                "4611686018427387904",
                                                "4611686018427387905",
                                                "9223372036854775807",
                                                "-9223372036854775808",
                                                "1e2",
                                                "true",
                                                "false",
                                                "null",
                                                "\"\"",
                                                "\"A\"",
                                                "\"B/1\"",
                                                "\"A:0\"",
                                                "\"A:281474976710655\"",
                                                "\"B/controller\"",
                                                "[]",
                                                "[0]",
                                                "[1,2]",
                                                "[{}]",
                                                "{}",
                                                "{\"epoch\":0}",
                                                "\"unclean\"",
                                                "\"orders-0\""};
  const std::string sound = every_event();
  std::vector<std::pair<std::size_t, std::size_t>> places;  // of scalar values: start, length
  for (std::size_t at = 0; at + 1 < sound.size(); ++at) {
    if (sound[at] == ':' && sound[at - 1] == '"') {
      std::size_t end = at + 1;
      if (sound[end] == '"') {
        end = sound.find('"', end + 1) + 1;
      } else {
        end = sound.find_first_of(",}]", end);
      }
      if (sound[at + 1] != '{' && sound[at + 1] != '[') {
        places.emplace_back(at + 1, end - at - 1);
      }
    }
  }
  ASSERT_GT(places.size(), 250U);
  TestRandom random(3);
  int survivors = 0;
  for (int i = 0; i < 4000 && !::testing::Test::HasFailure(); ++i) {
    std::string text = sound;
    const auto& [at, length] =
        places[static_cast<std::size_t>(random(0, static_cast<std::int64_t>(places.size()) - 1))];
    text.replace(at, length, values[static_cast<std::size_t>(random(0, std::size(values) - 1))]);
    survivors += survives(text) ? 1 : 0;
  }
  EXPECT_GT(survivors, 200);
}

TEST(TraceMutation, RandomBytesAndRandomTokens) {
  static constexpr std::string_view tokens[] = {"{",
                                                "}",
                                                "[",
                                                "]",
                                                ",",
                                                ":",
                                                "\"",
                                                "\\",
                                                "\n",
                                                "\"id\":1",
                                                "\"trace\":\"mirrorproof\"",
                                                "\"version\":1",
                                                "\"clusters\":[{\"name\":\"A\",\"brokers\":2}]",
                                                "\"partitions\":[]",
                                                "\"type\":\"note\"",
                                                "\"at\":\"A/0\"",
                                                "\"text\":\"\"",
                                                "0",
                                                "-",
                                                "\xF0",
                                                "\0"};
  TestRandom random(4);
  int survivors = 0;
  for (int i = 0; i < 3000 && !::testing::Test::HasFailure(); ++i) {
    std::string text;
    for (std::int64_t length = random(0, 60); length > 0; --length) {
      if (random(0, 9) == 0) {
        text += static_cast<char>(random(0, 255));
      } else {
        text += tokens[static_cast<std::size_t>(random(0, std::size(tokens) - 1))];
      }
    }
    survivors += survives(text) ? 1 : 0;
  }
  EXPECT_EQ(survivors, 0);
}

}  // namespace
}  // namespace mirrorproof::checker
