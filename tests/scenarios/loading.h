#pragma once
// Helpers of the scenario tests: small documents, and problems as lines.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.h"

namespace mirrorproof::scenarios {

/// All problems of `text`, formatted, with "f" as file name.
std::vector<std::string> problems_of(std::string_view text);

/// The scenario of `text`; fails the test and lists the problems if there is none.
Scenario loaded(std::string_view text);

/// A document with two clusters A (2 brokers) and B (2 brokers), topic "orders" and mirror A to B, and
/// `fields`
/// (", \"steps\": [...]") at the end.
std::string with_fields(std::string_view fields);

/// Problems of with_fields(fields), each as "pointer: found X, expected Y"; checks that all have a place.
std::vector<std::string> wrong(std::string_view fields);

/// wrong() with this step as the only one.
std::vector<std::string> wrong_step(std::string_view step);

/// The scenario files that ship with the program in scenarios/ or a folder below it, sorted.
std::vector<std::filesystem::path> shipped_files(std::string_view folder = "");

std::string read_text(const std::filesystem::path& path);

}  // namespace mirrorproof::scenarios
