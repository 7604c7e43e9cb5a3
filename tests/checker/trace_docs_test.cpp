// docs/traces.md is executed: its examples, from top to bottom, are one trace, and its tables name every
// field.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "checker/trace_fields.h"
#include "checker/trace_reader.h"
#include "checker/trace_writer.h"

namespace mirrorproof::checker {
namespace {

struct Document {
  std::string examples;                         ///< the lines of all jsonl blocks
  std::map<std::string, std::string> sections;  ///< text by heading
};

Document read_document() {
  std::ifstream in(std::string(MIRRORPROOF_SOURCE_DIR) + "/docs/traces.md");
  Document document;
  std::string heading;
  bool in_example = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "```jsonl" || (in_example && line == "```")) {
      in_example = !in_example;
    } else if (in_example) {
      document.examples += line + "\n";
    } else if (line.starts_with('#')) {
      heading = line.substr(line.find(' ') + 1);
    }
    document.sections[heading] += line + "\n";
  }
  return document;
}

TEST(TraceDocs, ExamplesAreOneValidTraceInTheWritersForm) {
  const Document document = read_document();
  std::istringstream in(document.examples);
  const ReadTraceResult result = read_trace(in);
  ASSERT_TRUE(result.ok()) << describe(result.problems.front());
  std::string events;
  const TraceFormatter formatter(result.trace.header);
  for (const Event& event : result.trace.events) {
    formatter.append_event(events, event);
  }
  EXPECT_EQ(events, document.examples.substr(document.examples.find('\n') + 1));
}

template <class Payload>
void expect_section(const Document& document) {
  const std::string type(TraceFields<Payload>::type);
  SCOPED_TRACE(type);
  const auto section = document.sections.find(type);
  ASSERT_NE(section, document.sections.end());
  EXPECT_NE(section->second.find("\"type\":\"" + type + "\""), std::string::npos) << "no example";
  for_each_trace_field<Payload>([&](const auto& field) {
    // "| `name` |", or several names in one cell; then whether it is required.
    const std::string name = fmt::format("`{}`", field.name);
    std::istringstream lines(section->second);
    bool found = false;
    for (std::string line; std::getline(lines, line);) {
      const std::size_t cell = line.find('|', 1);
      if (line.rfind("| `", 0) == 0 && cell != std::string::npos &&
          line.substr(0, cell).find(name) != std::string::npos) {
        found = true;
        const std::string need = line.substr(cell + 2, line.find('|', cell + 1) - cell - 3);
        EXPECT_EQ(need == "required", field.required) << name << ": " << need;
        break;
      }
    }
    EXPECT_TRUE(found) << "no row for " << name;
  });
}

TEST(TraceDocs, EveryEventHasASectionWithAnExampleAndARowForEachField) {
  const Document document = read_document();
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    (expect_section<std::variant_alternative_t<Index, EventPayload>>(document), ...);
  }
  (std::make_index_sequence<kEventTypeCount>{});
}

TEST(TraceDocs, EveryValueOfEveryEnumerationIsNamed) {
  std::string text;
  for (const auto& [heading, section] : read_document().sections) {
    text += section;
  }
  const auto expect_names = [&]<class Enumeration>(Enumeration) {
    for (const auto& [value, name] : EnumNames<Enumeration>::entries) {
      EXPECT_NE(text.find(fmt::format("`{}`", name)), std::string::npos) << name;
    }
  };
  expect_names(StopKind{});
  expect_names(ElectionKind{});
  expect_names(AppendOrigin{});
  expect_names(TruncationReason{});
  expect_names(LogStartMoved::Reason{});
  expect_names(MirrorReason{});
  expect_names(OperatorAction{});
  expect_names(MirrorState{});
  expect_names(BatchKind{});
  expect_names(BatchContent{});
  expect_names(ApiKey{});
}

TEST(TraceDocs, LimitsAreTheOnesInTheCode) {
  std::string text;
  for (const auto& [heading, section] : read_document().sections) {
    text += section;
  }
  for (const std::string& limit :
       {fmt::format("1 to {} clusters", kMaxClusters), fmt::format("`brokers` (1 to {};", kMaxBrokers),
        fmt::format("up to {} topic-partitions", kMaxPartitions), fmt::format("1 to {} bytes", kMaxTraceName),
        fmt::format("at most {} of them", kMaxTraceProblems),
        fmt::format("{} MiB a line", kMaxTraceLine >> 20),
        fmt::format("`\"{}\"` to `\"{}\"`", kafka_version_name(KafkaVersion{0}),
                    kafka_version_name(latest_kafka_version()))}) {
    EXPECT_NE(text.find(limit), std::string::npos) << limit;
  }
}

}  // namespace
}  // namespace mirrorproof::checker
