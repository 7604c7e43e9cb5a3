// The schema file against the code: same names, only keywords that problems can be explained for, same
// verdict.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "model/protocol_presets.h"
#include "scenarios/problems.h"
#include "scenarios/scenario.h"
#include "scenarios/schema_check.h"
#include "scenarios/schema_text.h"
#include "tests/scenarios/loading.h"

namespace mirrorproof::scenarios {
namespace {

using Json = nlohmann::json;

// --- at compile time: the enumerations of the schema are the tables of the code, name by name ---

/// The text after `"key": { ... "enum": [`; empty if there is none.
constexpr std::string_view enum_text(std::string_view key) {
  for (std::size_t at = kScenarioSchema.find(key); at != std::string_view::npos;
       at = kScenarioSchema.find(key, at + 1)) {
    const std::string_view after = kScenarioSchema.substr(at + key.size());
    if (at > 0 && kScenarioSchema[at - 1] == '"' && after.starts_with("\": {\n")) {
      constexpr std::string_view kStart = "\"enum\": [";
      const std::size_t start = after.find(kStart);
      return start == std::string_view::npos ? std::string_view{} : after.substr(start + kStart.size());
    }
  }
  return {};
}

/// The next name of the list, taken off `list`; empty at the end of it.
constexpr std::string_view next_name(std::string_view& list) {
  while (!list.empty() && list.front() != '"' && list.front() != ']') {
    list.remove_prefix(1);
  }
  if (list.empty() || list.front() == ']') {
    return {};
  }
  list.remove_prefix(1);
  const std::string_view name = list.substr(0, list.find('"'));
  list.remove_prefix(name.size() + 1);
  return name;
}

template <class E>
constexpr bool schema_lists(std::string_view key) {
  std::string_view list = enum_text(key);
  for (const auto& [value, name] : EnumNames<E>::entries) {
    if (next_name(list) != name) {
      return false;
    }
  }
  return next_name(list).empty();
}

constexpr bool schema_lists_invariants() {
  std::string_view list = enum_text("invariant_name");
  for (const std::string_view name : kInvariantNames) {
    if (next_name(list) != name) {
      return false;
    }
  }
  return next_name(list).empty();
}

static_assert(schema_lists<Alignment>("alignment"));
static_assert(schema_lists<AlignmentWait>("alignment_wait"));
static_assert(schema_lists<DivergenceDetection>("divergence_detection"));
static_assert(schema_lists<VersionDetection>("version_detection"));
static_assert(schema_lists<OfleRounds>("ofle_rounds"));
static_assert(schema_lists<OnSourceEpochChange>("on_source_epoch_change"));
static_assert(schema_lists<MirrorInitialState>("mirror_initial_state"));
static_assert(schema_lists<MirrorEpochs>("mirror_epochs"));
static_assert(schema_lists<RecoveryWait>("recovery_wait"));
static_assert(schema_lists<EpochBump>("epoch_bump"));
static_assert(schema_lists<StopPositionWrite>("stop_position_write"));
static_assert(schema_lists<DestinationHighWatermark>("destination_high_watermark"));
static_assert(schema_lists<RestartAlignment>("restart_alignment"));
static_assert(schema_lists<MirrorIsrJoin>("mirror_isr_join"));
static_assert(schema_lists<RetentionGap>("retention_gap"));
static_assert(schema_lists<OpenTransactionsAtStop>("open_transactions_at_stop"));
static_assert(schema_lists<MirroredProducerIds>("mirrored_producer_ids"));
static_assert(schema_lists<GroupOffsetClamp>("group_offset_clamp"));
static_assert(schema_lists<Replication>("replication"));
static_assert(schema_lists<EpochRegistration>("epoch_registration"));
static_assert(schema_lists<IsrJoin>("isr_join"));
static_assert(schema_lists<SameLeaderNewEpoch>("same_leader_new_epoch"));
static_assert(schema_lists<NoopTruncation>("noop_truncation"));
static_assert(schema_lists<DivergingFetch>("diverging_fetch"));
static_assert(schema_lists<DivergingAnswer>("diverging_answer"));
static_assert(schema_lists<FetchChecks>("fetch_checks"));
static_assert(schema_lists<LogRestart>("log_restart"));
static_assert(schema_lists<EpochlessRecords>("epochless_records"));
static_assert(schema_lists<Preset>("preset"));
static_assert(schema_lists<sim::Strategy>("strategy"));
static_assert(schema_lists<sim::Held>("held"));
static_assert(schema_lists<Verdict>("verdict"));
static_assert(schema_lists<MirrorState>("mirror_state"));
static_assert(schema_lists<sim::ActionClass>("action_class"));
static_assert(schema_lists_invariants());
static_assert(!schema_lists<sim::Held>("strategy"), "the test itself can fail");

// --- at run time ---

const Json& schema() {
  static const Json kSchema = Json::parse(kScenarioSchema);
  return kSchema;
}

TEST(Schema, is_the_file_beside_the_scenarios) {
  EXPECT_EQ(std::string(scenario_schema()),
            read_text(MIRRORPROOF_SOURCE_DIR "/scenarios/scenario.schema.json"));
  EXPECT_EQ(schema()["$schema"], "http://json-schema.org/draft-07/schema#");
}

TEST(Schema, lists_every_option_and_the_kafka_versions) {
  Json options = schema()["properties"]["protocol"]["properties"];
  options.erase("preset");
  std::size_t count = 0;
  const ProtocolOptions defaults;
  for_each_option(defaults, [&](std::string_view name, const auto& field) {
    ++count;
    ASSERT_TRUE(options.contains(std::string(name))) << name;
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, bool>) {
      EXPECT_EQ(options[std::string(name)]["type"], "boolean") << name;
    } else {
      EXPECT_EQ(options[std::string(name)]["enum"].size(),
                EnumNames<std::decay_t<decltype(field)>>::entries.size());
    }
  });
  EXPECT_EQ(options.size(), count);

  Json versions = Json::array();
  for (int i = 0; i < kafka_version_count(); ++i) {
    versions.push_back(std::string(kafka_version_name(KafkaVersion{static_cast<std::int8_t>(i)})));
  }
  EXPECT_EQ(schema()["definitions"]["kafka_version"]["enum"], versions);

  Json bounds = Json::array();
  const Bounds zero;
  for_each_bound(zero, [&](std::string_view name, int) { bounds.push_back(std::string(name)); });
  EXPECT_EQ(schema()["properties"]["bounds"]["properties"].size(), bounds.size() + 1);  // and granularity
  for (const Json& name : bounds) {
    EXPECT_TRUE(schema()["properties"]["bounds"]["properties"].contains(name.get<std::string>())) << name;
  }
}

TEST(Schema, has_the_limits_of_the_code) {
  const Json& properties = schema()["properties"];
  EXPECT_EQ(properties["clusters"]["maxItems"], kMaxClusters);
  const Json& brokers = properties["clusters"]["items"]["properties"]["brokers"];
  EXPECT_EQ(brokers["maxItems"], kMaxBrokers);
  EXPECT_EQ(brokers["maximum"], kMaxBrokers);
  EXPECT_EQ(schema()["definitions"]["broker"]["maximum"], kMaxBrokers - 1);
  EXPECT_EQ(properties["topics"]["items"]["properties"]["partitions"]["maximum"], kMaxPartitions);
  int named = 0;
  for (const Json& branch : schema()["definitions"]["step"]["allOf"]) {
    for (const char* field : {"broker", "follower"}) {
      const Json& fields = branch["then"]["properties"];
      if (fields.contains(field) && !fields[field].contains("$ref")) {
        ++named;
        EXPECT_EQ(fields[field]["maximum"], kMaxBrokers - 1) << branch["if"].dump();
      }
    }
  }
  EXPECT_GT(named, 3);
}

/// Every value of "do" has its own fields, exactly one set of them.
TEST(Schema, has_one_set_of_fields_for_each_step) {
  const Json& step = schema()["definitions"]["step"];
  std::multiset<std::string> covered;
  for (const Json& branch : step["allOf"]) {
    for (const Json& name : branch["if"]["properties"]["do"]["enum"]) {
      covered.insert(name.get<std::string>());
    }
    EXPECT_EQ(branch["then"]["additionalProperties"], false);
    EXPECT_TRUE(branch["then"]["properties"].contains("note"));
  }
  std::multiset<std::string> wanted{"settle", "converge", "random", "hold", "release", "mark"};
  for (const auto& [action, name] : EnumNames<sim::ActionClass>::entries) {
    wanted.insert(std::string(name));
  }
  EXPECT_EQ(covered, wanted);
  std::multiset<std::string> listed;
  for (const Json& name : step["properties"]["do"]["enum"]) {
    listed.insert(name.get<std::string>());
  }
  EXPECT_EQ(listed, wanted);
}

void collect_keywords(const Json& rules, std::set<std::string>& keywords) {
  if (!rules.is_object()) {
    return;
  }
  for (const auto& [keyword, value] : rules.items()) {
    keywords.insert(keyword);
    if (keyword == "properties" || keyword == "definitions") {
      for (const auto& [name, inner] : value.items()) {
        collect_keywords(inner, keywords);
      }
    } else if (keyword == "allOf") {
      for (const Json& inner : value) {
        collect_keywords(inner, keywords);
      }
    } else {
      collect_keywords(value, keywords);
    }
  }
}

TEST(Schema, keeps_to_the_keywords_whose_violation_can_be_explained) {
  std::set<std::string> keywords;
  collect_keywords(schema(), keywords);
  const std::set<std::string> explained{"$schema",   "title",     "description", "definitions",
                                        "type",      "enum",      "properties",  "additionalProperties",
                                        "required",  "items",     "minItems",    "maxItems",
                                        "minLength", "maxLength", "minimum",     "propertyNames",
                                        "maximum",   "allOf",     "if",          "then",
                                        "$ref"};
  EXPECT_THAT(keywords, testing::IsSubsetOf(explained));
}

std::vector<std::string> as_lines(const Problems& problems) {
  std::vector<std::string> out;
  for (const PointedProblem& problem : problems.list()) {
    out.push_back(problem.pointer + " " + problem.found + " / " + problem.expected);
  }
  return out;
}

/// All values of a document.
void collect_values(Json& value, std::vector<Json*>& out) {
  out.push_back(&value);
  for (Json& child : value) {
    if (value.is_structured()) {
      collect_values(child, out);
    }
  }
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_()) % n; }

  Json odd_value() {
    static const std::vector<Json> kValues{nullptr,
                                           true,
                                           0,
                                           1,
                                           -1,
                                           17,
                                           2.5,
                                           "",
                                           "A",
                                           "4.1",
                                           "orders",
                                           "A/0",
                                           "settle",
                                           Json::array(),
                                           Json::object(),
                                           1e18,
                                           18446744073709551615ULL,
                                           Json::array({1, "x"}),
                                           Json{{"A", 1}},
                                           std::string(300, 'z'),
                                           "as_proposed",
                                           "produce",
                                           "unlimited"};
    return kValues[below(kValues.size())];
  }

  void mutate(Json& document) {
    std::vector<Json*> values;
    collect_values(document, values);
    Json& target = *values[below(values.size())];
    if (target.is_object() && !target.empty() && below(3) > 0) {
      const auto member = std::next(target.begin(), static_cast<std::ptrdiff_t>(below(target.size())));
      const std::string name = member.key();
      const Json value = member.value();
      switch (below(3)) {
        case 0:
          target.erase(name);
          break;
        case 1:
          target.erase(name);
          target[name + "s"] = value;
          break;
        default:
          target["broker"] = odd_value();
      }
    } else if (target.is_array() && below(2) == 0) {
      target.push_back(odd_value());
    } else {
      target = odd_value();
    }
  }

 private:
  std::mt19937 random_;
};

/// valijson decides, our walk explains: on hundreds of damaged documents both say the same.
TEST(SchemaCheck, explains_something_exactly_when_the_validator_refuses) {
  Mutator mutator(11);
  std::vector<Json> documents;
  for (const auto& path : shipped_files()) {
    documents.push_back(Json::parse(read_text(path)));
  }
  documents.push_back(
      Json::parse(with_fields(R"(, "protocol": {"ule_support": false}, "faults": {"weights": {"crash": 3},
    "budgets": {"crash": "unlimited"}, "versions": ["2.1"]}, "run": {"seeds": {"first": 3, "count": 2}},
    "bounds": {"records": 2}, "initial_logs": [{"cluster": "A", "log": "0:0"}], "expect": {"verdict": "violated",
    "invariant": ["log-matching"], "logs": [{"cluster": "A", "log": "0:0"}]})")));
  int refused = 0;
  for (int i = 0; i < 600; ++i) {
    Json document = documents[mutator.below(documents.size())];
    for (std::size_t edits = mutator.below(3); edits > 0; --edits) {
      mutator.mutate(document);
    }
    Problems checked;
    check_schema(document, checked);
    Problems explained;
    explain_violations(schema(), document, explained);
    ASSERT_EQ(as_lines(checked), as_lines(explained)) << document.dump(1);
    refused += checked.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 585);
}

TEST(SchemaCheck, accepts_every_shipped_file) {
  for (const auto& path : shipped_files()) {
    Problems problems;
    check_schema(Json::parse(read_text(path)), problems);
    EXPECT_THAT(as_lines(problems), testing::IsEmpty()) << path;
  }
}

}  // namespace
}  // namespace mirrorproof::scenarios
