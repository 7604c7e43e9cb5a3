#pragma once
// Checks a document against one of the schemas. valijson decides whether it is valid; if it is not, our own
// walk over schema and document says what is wrong, field by field, in words a person can act on.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "scenarios/problems.h"

namespace mirrorproof::scenarios {

/// The schemas that travel inside the program.
enum class SchemaName : std::uint8_t { scenario, swarm_bounds, reachability_goals };

/// Adds at least one problem if `document` is invalid, none if it is valid.
void check_schema(const nlohmann::json& document, Problems& problems,
                  SchemaName schema = SchemaName::scenario);

/// The walk alone, for any schema that keeps to the keywords below; exposed for its tests.
///   type, enum, properties, additionalProperties, propertyNames, required, items (one schema), minItems,
///   maxItems, minLength, maxLength, minimum, maximum, allOf, if, then, $ref to "#/definitions/..."
void explain_violations(const nlohmann::json& schema, const nlohmann::json& document, Problems& problems);

}  // namespace mirrorproof::scenarios
