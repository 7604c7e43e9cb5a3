#pragma once
// Reading one of our JSON documents: text or file in, every problem out with its line and column. What the
// document means is the business of whoever reads it.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/cursor.h"
#include "scenarios/problems.h"
#include "scenarios/scenario.h"
#include "scenarios/schema_check.h"

namespace mirrorproof::scenarios {

/// Is told of the document even where the schema refuses parts of it; adds what contradicts the rest.
using DocumentReader = std::function<void(const Cursor& root, Problems& problems)>;

/// Every problem, in the order of the text; empty: the document is good. Never throws, whatever the text.
std::vector<Problem> read_document(std::string_view text, std::string_view file_name, SchemaName schema,
                                   const DocumentReader& reader);

/// At most kMaxFileBytes of a regular file, or why it cannot be read. `what` is expected: "a scenario file".
struct FileText {
  std::string text;
  std::optional<Problem> problem;
};
FileText read_document_file(const std::string& path, std::string_view what);

}  // namespace mirrorproof::scenarios
