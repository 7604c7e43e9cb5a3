#include "scenarios/schema_check.h"

#include <exception>
#include <nlohmann/json.hpp>
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

/// Our own file, so anything wrong with it is an internal error.
struct ParsedSchema {
  ParsedSchema() : json(nlohmann::json::parse(kScenarioSchema, nullptr, false)) {
    MP_CHECK(!json.is_discarded(), "scenario.schema.json is not JSON");
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

const ParsedSchema& parsed_schema() {
  static const ParsedSchema kParsed;
  return kParsed;
}

}  // namespace

std::string_view scenario_schema() {
  return kScenarioSchema;
}

void check_schema(const nlohmann::json& document, Problems& problems) {
  const ParsedSchema& parsed = parsed_schema();
  const Adapter target(document);
  valijson::Validator validator;
  if (validator.validate(parsed.schema, target, nullptr)) {
    return;
  }
  const std::size_t before = problems.count();
  explain_violations(parsed.json, document, problems);
  if (problems.count() == before) {
    valijson::ValidationResults results;
    validator.validate(parsed.schema, target, &results);
    for (const valijson::ValidationResults::Error& error : results) {
      problems.add("", error.description, "a document that follows scenario.schema.json");
    }
    problems.add("", "a document that the schema refuses", "a document that follows scenario.schema.json");
  }
}

}  // namespace mirrorproof::scenarios
