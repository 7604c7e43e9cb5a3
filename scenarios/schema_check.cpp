#include "scenarios/schema_check.h"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "model/check.h"
#include "scenarios/scenario.h"
#include "scenarios/schema_text.h"

namespace mirrorproof::scenarios {
namespace {

using Adapter = valijson::adapters::NlohmannJsonAdapter;

struct SchemaFile {
  std::string_view name;
  std::string_view text;
};

/// By SchemaName.
constexpr std::array<SchemaFile, 3> kFiles{{
    {"scenario.schema.json", kScenarioSchema},
    {"swarm-bounds.schema.json", kSwarmBoundsSchema},
    {"reachability-goals.schema.json", kReachabilityGoalsSchema},
}};

/// Our own file, so anything wrong with it is an internal error.
struct ParsedSchema {
  explicit ParsedSchema(const SchemaFile& file) : json(nlohmann::json::parse(file.text, nullptr, false)) {
    MP_CHECK(!json.is_discarded(), "a schema of ours is not JSON");
    try {
      valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
      parser.populateSchema(Adapter(json), schema);
    } catch (const std::exception& error) {
      MP_CHECK(false, error.what());
    }
  }

  nlohmann::json json;
  valijson::Schema schema;
};

const ParsedSchema& parsed_schema(SchemaName name) {
  static const std::array<ParsedSchema, kFiles.size()> kParsed{
      ParsedSchema(kFiles[0]), ParsedSchema(kFiles[1]), ParsedSchema(kFiles[2])};
  return kParsed[static_cast<std::size_t>(name)];
}

}  // namespace

std::string_view scenario_schema() {
  return kScenarioSchema;
}

void check_schema(const nlohmann::json& document, Problems& problems, SchemaName schema) {
  const ParsedSchema& parsed = parsed_schema(schema);
  const Adapter target(document);
  valijson::Validator validator;
  if (validator.validate(parsed.schema, target, nullptr)) {
    return;
  }
  const std::size_t before = problems.count();
  explain_violations(parsed.json, document, problems);
  if (problems.count() == before) {
    const std::string expected =
        fmt::format("a document that follows {}", kFiles[static_cast<std::size_t>(schema)].name);
    valijson::ValidationResults results;
    validator.validate(parsed.schema, target, &results);
    for (const valijson::ValidationResults::Error& error : results) {
      problems.add("", error.description, expected);
    }
    problems.add("", "a document that the schema refuses", expected);
  }
}

}  // namespace mirrorproof::scenarios
