#pragma once
// Reads the first line of a trace. Part of the reader.

#include <cstddef>
#include <string_view>

#include "checker/trace_values.h"

namespace mirrorproof::checker {

/// A first line that is no more than an opening brace: some other JSON file.
bool opens_a_document(std::string_view text);

/// Fills `world` as far as the line is sound. False after reporting at least one problem.
bool read_trace_header(std::string_view text, std::size_t line, TraceWorld& world,
                       TraceProblemList& problems);

}  // namespace mirrorproof::checker
