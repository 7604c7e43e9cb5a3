// checker/trace.schema.json says the same as trace_fields.h and the reader.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "checker/trace_fields.h"
#include "checker/trace_reader.h"
#include "checker/trace_writer.h"
#include "trace_test_support.h"

namespace mirrorproof::checker {
namespace {

using nlohmann::json;

const json& schema_document() {
  static const json document = [] {
    std::ifstream in(std::string(MIRRORPROOF_SOURCE_DIR) + "/checker/trace.schema.json");
    return json::parse(in);
  }();
  return document;
}

bool is_valid(const json& line) {
  static const valijson::Schema& schema = [&]() -> const valijson::Schema& {
    static valijson::Schema parsed;
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    const valijson::adapters::NlohmannJsonAdapter adapter(schema_document());
    parser.populateSchema(adapter, parsed);
    return parsed;
  }();
  const valijson::adapters::NlohmannJsonAdapter adapter(line);
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  return validator.validate(schema, adapter, nullptr);
}

std::vector<json> lines_of(const Trace& trace) {
  std::vector<json> lines;
  std::istringstream in(trace_to_text(trace));
  for (std::string line; std::getline(in, line);) {
    lines.push_back(json::parse(line));
  }
  return lines;
}

const json& definition(std::string_view name) {
  return schema_document()["definitions"].at(std::string(name));
}

/// The schema with its outermost reference followed.
const json& resolved(const json& schema) {
  const auto reference = schema.find("$ref");
  return reference == schema.end() ? schema : definition(reference->get<std::string>().substr(14));
}

std::set<std::string> keys_of(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) {
    keys.insert(key);
  }
  return keys;
}

/// The schema of one field says what its shape says.
template <class Value>
void expect_shape(shape::Enum, const json& schema, const Value*) {
  json names = json::array();
  for (const auto& [value, name] : EnumNames<Value>::entries) {
    names.push_back(name);
  }
  EXPECT_EQ(resolved(schema)["enum"], names) << "write this list into trace.schema.json";
}
void expect_integer(const json& schema, std::int64_t minimum, std::int64_t maximum) {
  EXPECT_EQ(resolved(schema)["type"], "integer");
  EXPECT_EQ(resolved(schema)["minimum"], minimum);
  EXPECT_EQ(resolved(schema)["maximum"], maximum);
}
template <class Value>
void expect_shape(shape::Text, const json& schema, const Value*) {
  EXPECT_EQ(resolved(schema)["type"], "string");
}
template <class Value>
void expect_shape(shape::Flag, const json& schema, const Value*) {
  EXPECT_EQ(resolved(schema)["type"], "boolean");
}
template <class Value>
void expect_shape(shape::Cluster, const json& schema, const Value*) {
  EXPECT_EQ(schema["$ref"], "#/definitions/cluster");
}
template <class Value>
void expect_shape(shape::Record, const json& schema, const Value*) {
  EXPECT_EQ(schema["$ref"], "#/definitions/record");
}
template <class Value>
void expect_shape(shape::Release, const json& schema, const Value*) {
  json names = json::array();
  for (int i = 0; i < kafka_version_count(); ++i) {
    names.push_back(kafka_version_name(KafkaVersion{static_cast<std::int8_t>(i)}));
  }
  EXPECT_EQ(resolved(schema)["enum"], names) << "write this list into trace.schema.json";
}
template <class Value>
void expect_shape(shape::Offset, const json& schema, const Value*) {
  expect_integer(schema, 0, kMaxTraceOffset);
}
template <class Value>
void expect_shape(shape::Count, const json& schema, const Value*) {
  expect_integer(schema, 0, kMaxTraceOffset);
}
template <class Value>
void expect_shape(shape::OffsetOrNone, const json& schema, const Value*) {
  expect_integer(schema, -1, kMaxTraceOffset);
}
template <class Value>
void expect_shape(shape::Epoch, const json& schema, const Value*) {
  expect_integer(schema, 0, 2147483647);
}
template <class Value>
void expect_shape(shape::EpochOrNone, const json& schema, const Value*) {
  expect_integer(schema, -1, 2147483647);
}
template <class Value>
void expect_shape(shape::Version, const json& schema, const Value*) {
  expect_integer(schema, 0, 32767);
}
template <class Value>
void expect_shape(shape::VersionOrNone, const json& schema, const Value*) {
  expect_integer(schema, -1, 32767);
}
template <class Value>
void expect_shape(shape::ProducerId, const json& schema, const Value*) {
  expect_integer(schema, -32768, 32767);
}
template <class Value>
void expect_shape(shape::Broker, const json& schema, const Value*) {
  expect_integer(schema, -1, kMaxBrokers - 1);
}
template <class Value>
void expect_shape(shape::RemoteBroker, const json& schema, const Value*) {
  expect_integer(schema, -1, kMaxBrokers - 1);
}
template <class Value>
void expect_shape(shape::Brokers, const json& schema, const Value*) {
  EXPECT_EQ(resolved(schema)["type"], "array");
  EXPECT_EQ(resolved(schema)["maxItems"], kMaxBrokers);
  expect_integer(resolved(schema)["items"], 0, kMaxBrokers - 1);
}
template <class Struct>
void expect_object(const json& schema, std::set<std::string> names, std::set<std::string> required_names);
template <class Value>
void expect_shape(shape::Object, const json& schema, const Value*) {
  expect_object<Value>(resolved(schema), {}, {});
}
template <class Value>
void expect_shape(shape::List, const json& schema, const Value*) {
  EXPECT_EQ(schema["type"], "array");
  expect_object<typename Value::value_type>(resolved(schema["items"]), {}, {});
}

/// `names` and `required_names` come on top of the struct's own fields.
template <class Struct>
void expect_object(const json& schema, std::set<std::string> names, std::set<std::string> required_names) {
  for_each_trace_field<Struct>([&](const auto& field) {
    SCOPED_TRACE(std::string(field.name));
    names.insert(std::string(field.name));
    if (field.required) {
      required_names.insert(std::string(field.name));
    }
    ASSERT_TRUE(schema["properties"].contains(std::string(field.name)));
    using Field = std::remove_cvref_t<decltype(field)>;
    using Value = std::remove_cvref_t<decltype(std::declval<Struct>().*(field.member))>;
    expect_shape(typename Field::Shape{}, schema["properties"][std::string(field.name)],
                 static_cast<const Value*>(nullptr));
  });
  EXPECT_EQ(keys_of(schema["properties"]), names);
  EXPECT_EQ(schema["required"].get<std::set<std::string>>(), required_names);
  EXPECT_EQ(schema["additionalProperties"], false);
}

template <class Payload>
void expect_event() {
  using Rules = TraceFields<Payload>;
  SCOPED_TRACE(std::string(Rules::type));
  const json& schema = definition(Rules::type);
  std::set<std::string> required_names{"id", "type", "at"};
  if (Rules::partition == TracePartitionUse::required) {
    required_names.insert("partition");
  }
  expect_object<Payload>(schema, {kEventFields.begin(), kEventFields.end()}, required_names);
  EXPECT_EQ(schema["properties"]["type"]["const"], std::string(Rules::type));
  const char* at = Rules::actor == TraceActor::any          ? "#/definitions/at_any"
                   : Rules::actor == TraceActor::controller ? "#/definitions/at_controller"
                                                            : "#/definitions/at_broker";
  EXPECT_EQ(schema["properties"]["at"]["$ref"], at);
}

TEST(TraceSchema, HasEveryEventWithEveryFieldAndItsRange) {
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    (expect_event<std::variant_alternative_t<Index, EventPayload>>(), ...);
  }
  (std::make_index_sequence<kEventTypeCount>{});
  json references = json::array({{{"$ref", "#/definitions/header"}}});
  for (const std::string_view type : kEventTypes) {
    references.push_back({{"$ref", "#/definitions/" + std::string(type)}});
  }
  EXPECT_EQ(schema_document()["oneOf"], references);
}

TEST(TraceSchema, HasEveryProtocolOptionAndTheLimitsOfTheHeader) {
  ProtocolOptions options;
  std::set<std::string> names;
  const json& properties = definition("protocol")["properties"];
  for_each_option(options, [&](std::string_view name, const auto& option) {
    SCOPED_TRACE(std::string(name));
    names.insert(std::string(name));
    ASSERT_TRUE(properties.contains(std::string(name)));
    using Option = std::remove_cvref_t<decltype(option)>;
    if constexpr (std::is_same_v<Option, bool>) {
      expect_shape(shape::Flag{}, properties[std::string(name)], &option);
    } else {
      expect_shape(shape::Enum{}, properties[std::string(name)], &option);
    }
  });
  EXPECT_EQ(keys_of(properties), names);
  const json& header = definition("header")["properties"];
  EXPECT_EQ(header["clusters"]["maxItems"], kMaxClusters);
  EXPECT_EQ(header["partitions"]["maxItems"], kMaxPartitions);
  EXPECT_EQ(header["clusters"]["items"]["properties"]["brokers"]["maximum"], kMaxBrokers);
  EXPECT_EQ(definition("name")["maxLength"], kMaxTraceName);
  EXPECT_EQ(header["version"]["const"], kTraceVersion);
}

TEST(TraceSchema, AcceptsEveryLineTheWriterWrites) {
  std::set<std::string> types;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Trace trace = TraceMaker(TestRandom(seed)).trace(60);
    // This validator computes with signed numbers.
    trace.header.seed >>= 1;
    for (const json& line : lines_of(trace)) {
      ASSERT_TRUE(is_valid(line)) << line.dump();
      types.insert(line.value("type", "header"));
    }
  }
  EXPECT_EQ(types.size(), kEventTypeCount + 1);
}

TEST(TraceSchema, RefusesWrongHeaders) {
  const json good = json::parse(R"({"trace":"mirrorproof","version":1,"clusters":[{"name":"A","brokers":2}],)"
                                R"("partitions":[{"name":"t-0","replicas":{"A":[0,1]}}]})");
  ASSERT_TRUE(is_valid(good));
  for (const char* patch :
       {R"({"trace":"other"})", R"({"version":2})", R"({"seed":-1})", R"({"clusters":[]})",
        R"({"clusters":null})", R"({"partitions":null})", R"({"colour":1})",
        R"({"clusters":[{"name":"A","brokers":9}]})", R"({"clusters":[{"name":"","brokers":1}]})",
        R"({"protocol":{"alignment":"sometimes"}})", R"({"protocol":{"ule_support":1}})"}) {
    json wrong = good;
    wrong.merge_patch(json::parse(patch));
    EXPECT_FALSE(is_valid(wrong)) << patch;
    std::istringstream in(wrong.dump() + "\n");
    EXPECT_FALSE(read_trace(in).ok()) << patch;
  }
}

/// Whether the reader takes `line` as the only event of a trace with this header.
bool reader_accepts(const json& header, const json& line) {
  std::istringstream in(header.dump() + "\n" + line.dump() + "\n");
  return read_trace(in).ok();
}

TEST(TraceSchema, RefusesWhatTheReaderRefuses) {
  const std::vector<json> lines =
      lines_of(TraceMaker(TestRandom(21)).trace(static_cast<std::int64_t>(kEventTypeCount)));
  const json& header = lines[0];
  for (std::size_t i = 1; i < lines.size(); ++i) {
    json line = lines[i];
    line.erase("causes");
    ASSERT_TRUE(is_valid(line)) << line.dump();
    ASSERT_TRUE(reader_accepts(header, line)) << line.dump();
    for (const std::string& key : keys_of(line)) {
      SCOPED_TRACE(line.dump() + " without " + key);
      json without = line;
      without.erase(key);
      // Rules between fields are the reader's alone.
      const bool between_fields = line["type"] == "appended" || line["type"] == "operator_ordered";
      if (!between_fields || is_valid(without) == reader_accepts(header, without)) {
        EXPECT_EQ(is_valid(without), reader_accepts(header, without));
      } else {
        EXPECT_TRUE(is_valid(without));
        EXPECT_TRUE(key == "source" || key == "source_cluster" || key == "source_broker");
      }
    }
    for (const std::string& key : keys_of(line)) {
      for (const json& value : {json(nullptr), json(1.5), json(-2), json::array({json::array()})}) {
        json wrong = line;
        wrong[key] = value;
        EXPECT_FALSE(is_valid(wrong)) << wrong.dump();
        EXPECT_FALSE(reader_accepts(header, wrong)) << wrong.dump();
      }
    }
    json unknown = line;
    unknown["colour"] = "red";
    EXPECT_FALSE(is_valid(unknown));
    EXPECT_FALSE(reader_accepts(header, unknown));
  }
}

}  // namespace
}  // namespace mirrorproof::checker
